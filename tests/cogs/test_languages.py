"""Public words are in the server's language, private ones in the reader's."""

import pytest

from testkit.made import texts


@pytest.fixture
def speak(room):
    """People with languages of their own; the stand-in for Discord would have them all speak English."""
    locales = {}

    def on(event, payload):
        if event == "INTERACTION_CREATE":
            payload["locale"] = locales.get(int((payload.get("member") or payload)["user"]["id"]), "en-US")
            if "guild_id" in payload:
                payload["guild_locale"] = room.env.backend.get_guild(int(payload["guild_id"])).preferred_locale

    room.env.backend.subscribers.insert(0, on)
    return lambda person, locale: locales.update({person.id: locale})


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("de", "Tauschen, bevor es losgeht"),
        ("fr", "Échange avant de commencer"),
        ("it", "Scambia prima di iniziare"),
        ("es-419", "Cambia antes de empezar"),
        ("ja", "始める前に交換"),
        ("pl", "Swap before we start"),
    ],
)
async def test_a_private_hand_is_in_its_readers_language_beside_an_english_table(room, speak, locale, said):
    speak(room.people[1], locale)
    await room.start(seats=2)
    mine = await room.press(room.people[1], room.public(), "hand")
    assert said in texts(mine.response.components)
    assert "Swap before we start" in texts(room.public().components)


async def test_a_refusal_is_in_the_language_of_whoever_gets_it(room, speak):
    speak(room.people[5], "de")
    await room.start(seats=2)
    refused = await room.press(room.people[5], room.public(), "hand")
    assert "Du sitzt nicht an diesem Tisch." in texts(refused.response.components)
