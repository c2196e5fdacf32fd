"""The alt text of the table: everything that the picture shows, in every language, within Discord's limit."""

import re
from dataclasses import replace
from gettext import NullTranslations

import pytest

from cogs.pictures.scene import ScenePlayer
from cogs.pictures.scene_words import table_in_words
from cogs.screens.components import ALT_TEXT
from cogs.screens.formatter import Formatter, formatter
from cogs.screens.language import LANGUAGES
from testkit.scenes import SCENES

DISCORD = 1024
LONG = "さくら・ザ・シットヘッド大王・ザ・グレート・ワン・オブ・ゼム"


def words(name, **changes):
    return table_in_words(formatter(), replace(SCENES[name], **changes))


def test_a_table_is_described_part_by_part():
    assert words("in_play").split("; ") == [
        "Pile: 7 cards, on top 7 of spades, under it 7 of hearts, 6 of hearts, 5 of spades",
        "Stock 0",
        "burned 18",
        "Ann, hand 3, face-down 3, Face-up: 10 of diamonds, ace of spades, 9 of hearts",
        "Bob, away, to play, hand 5, face-down 3, Face-up: king of diamonds, queen of spades, jack of hearts",
        "Cy, computer, hand 1, face-down 2",
        "Dee, out, 1st",
        "Play goes clockwise.",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("exchange", "2 of 3 ready; "),
        ("calling", "Who’s got a 3? First to call it starts; "),
        ("clearing", "Cy must clear the pile; "),
        ("tribute", "Ann may take tribute from Cy; "),
        ("ended", "Bob is the shithead; "),
    ],
)
def test_each_phase_comes_first(name, said):
    assert words(name).startswith(said)


def test_each_rank_can_be_called_for():
    asked = [words("calling", calling=rank).split(";")[0] for rank in (0, 1, 12)]
    assert asked == [f"Who’s got {card}? First to call it starts" for card in ("a 2", "a 3", "an ace")]


def test_ready_seats_and_unseen_cards_are_mentioned():
    assert "Ann, ready, hand 3" in words("exchange")
    assert "Bob, away, hand 1, face-down 3, face-up cards not shown yet" in words("choosing")


def test_a_computers_level_is_mentioned():
    scene = SCENES["in_play"]
    computer = replace(scene.seats[2], player=ScenePlayer("Cy", "Player 3", "computer", "computer, strong"))
    assert "Cy, computer, strong, hand 1, face-down 2" in words("in_play", seats=(*scene.seats[:2], computer))


def test_a_player_who_left_is_mentioned():
    assert "Dee left: the computer plays their cards, hand 2" in words("4-seats")


def test_a_game_without_a_loser_names_its_winner_or_is_a_draw():
    _, bob, *others = SCENES["ended"].seats
    assert words("ended", seats=(replace(bob, role="winner"), *others)).startswith("Bob wins; ")
    assert words("ended", seats=(replace(bob, role=""), *others)).startswith("A draw; ")


def test_an_empty_pile_is_mentioned():
    assert words("in_play", fan=(), pile=0).startswith("The pile is empty; ")


def test_where_a_part_of_the_text_was_a_sentence_its_full_stop_is_gone():
    class Hindi(NullTranslations):
        def gettext(self, message):
            return message.replace(".", "।")

    said = table_in_words(Formatter("hi", Hindi()), replace(SCENES["in_play"], fan=(), pile=0))
    assert said.startswith("The pile is empty; ")


def test_stacked_named_and_wild_cards_are_described():
    assert "jack of clubs + jack of spades" in words("stacked")
    assert "on top joker, under it joker as jack, 9 of diamonds low, 9 of clubs high" in words("named")


def test_the_polite_name_of_the_game_is_respected():
    polite = replace(formatter(), polite=True)
    assert table_in_words(polite, SCENES["ended"]).startswith("Bob comes last; ")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SCENES)
def test_in_every_language_everything_is_described_within_the_limit(name, language):
    said = table_in_words(formatter(language), SCENES[name])
    assert len(said) <= ALT_TEXT <= DISCORD
    assert not said.endswith("…")
    for seat in SCENES[name].seats:
        assert seat.player.name in said
        assert str(seat.hand) in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_largest_table_with_the_longest_names_is_described_completely(language):
    """Twelve seats of six slots: cards as symbols instead of words, then shorter names."""
    scene = SCENES["12-seats-six-slots"]
    seats = tuple(replace(seat, player=ScenePlayer(f"{n} {LONG}", "")) for n, seat in enumerate(scene.seats))
    said = table_in_words(formatter(language), replace(scene, seats=seats))
    assert len(said) <= ALT_TEXT
    assert not said.endswith("…")
    assert all(f"{n} さ" in said for n in range(12))
    assert len(re.findall("[♣♦♥♠]|クラブ|ダイヤ|ハート|スペード", said)) == 72


def test_scenes_that_look_different_have_different_alt_texts():
    scene = SCENES["in_play"]
    ann, *others = scene.seats
    changed = [
        replace(scene, direction=-1),
        replace(scene, stock=1),
        replace(scene, burned=1),
        replace(scene, pile=8),
        replace(scene, fan=scene.fan[1:]),
        *(
            replace(scene, seats=(seat, *others))
            for seat in (
                replace(ann, hand=4),
                replace(ann, slots=ann.slots[1:]),
                replace(ann, slots=tuple(replace(slot, is_down=False) for slot in ann.slots)),
                replace(ann, role="acts"),
                replace(ann, ready=True),
                replace(ann, place=2),
                *(
                    replace(ann, player=replace(ann.player, presence=presence))
                    for presence in ("away", "left", "computer")
                ),
            )
        ),
    ]
    said = {table_in_words(formatter(), each) for each in (scene, *changed)}
    assert len(said) == 1 + len(changed)
