"""What Discord would refuse is found, and what it accepts is not taken for that."""

from io import BytesIO

import pytest

from testkit.strict.requests import Strict

TEXT = {"type": 10, "content": "**Ann** plays <t:1767225600:R>"}
BUTTON = {"type": 2, "style": 1, "label": "Join", "custom_id": "sh:join:1:1", "emoji": {"id": "7", "name": "ace"}}
OPTION = {"label": "Two", "value": "2", "description": "of them"}
SELECT = {"type": 3, "id": 9, "custom_id": "s", "options": [OPTION], "placeholder": "How many?", "max_values": 1}
PICTURE = {"type": 12, "items": [{"media": {"url": "attachment://a.png"}, "description": "A table"}]}
INPUT = {"type": 4, "custom_id": "i", "style": 1, "max_length": 30, "value": "Friday", "required": True}
FORM = {"custom_id": "f", "title": "Name", "components": [{"type": 18, "label": "Name", "component": INPUT}]}
FLAGS, NOBODY = 1 << 15, {"parse": []}
COMMAND = {"name": "deal", "description": "Deal cards", "type": 1, "name_localizations": {"de": "geben"}}
RENAMED = COMMAND | {"name": "give", "name_localizations": {"de": "deal"}}
CHANNEL, HOOK, ANSWER = "/channels/1/messages", "/webhooks/1/t", "/interactions/1/t/callback"


class File:
    """A file as discord.py sends it."""

    def __init__(self, filename="a.png", data=b"png"):
        self.filename, self.fp = filename, BytesIO(data)


def row(*children):
    return {"type": 1, "components": list(children)}


def shown(*parts):
    return {"components": [{"type": 17, "components": list(parts)}], "flags": FLAGS, "allowed_mentions": NOBODY}


def found(method, path, body, files=(), kept=()):
    strict = Strict()
    strict.request(method, path, body, files, kept)
    return strict.problems


def answered(kind, data=None):
    return found("POST", ANSWER, {"type": kind} | ({} if data is None else {"data": data}))


WITH_PICTURE = shown(PICTURE) | {"attachments": [{"id": 0, "filename": "a.png"}]}


@pytest.mark.parametrize(
    "problems",
    [
        found("POST", CHANNEL, shown(TEXT, row(BUTTON), row(SELECT), {"type": 14}) | {"nonce": "7"}),
        found("POST", CHANNEL, WITH_PICTURE, [File()]),
        found("PATCH", f"{CHANNEL}/2", shown(PICTURE), kept=["a.png"]),
        found("POST", CHANNEL, shown({"type": 10, "content": "😀" * 4000})),
        found("POST", HOOK, shown(TEXT) | {"flags": FLAGS | 64}),
        answered(5, {"flags": 64}), answered(6), answered(9, FORM),
        answered(8, {"choices": [{"name": "Classic", "value": "classic"}]}),
        found("POST", f"{CHANNEL}/2/threads", {"name": "Table", "auto_archive_duration": 1440}),
        found("PUT", "/applications/1/commands", [COMMAND]),
    ],
)  # fmt: skip
def test_what_discord_accepts_is_no_problem(problems):
    assert not problems


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        (TEXT | {"content": " \u200b\n"}, "nothing to see"),
        (TEXT | {"content": "x" * 4001}, "characters: 4001"),
        (TEXT | {"content": "due <t:soon:R>"}, "a tag"),
        (row(*[BUTTON] * 2), "custom_id twice"),
        (row(*[BUTTON] * 6), "in a row"),
        (row(BUTTON, SELECT), "in a row"),
        (row(BUTTON | {"label": "x" * 81}), "label of a button: 81"),
        (row(BUTTON | {"label": "\u2800"}), "nothing to see"),
        (row(BUTTON | {"label": " Join"}), "blanks around it"),
        (row(BUTTON | {"url": "https://x.y"}), "keys of a component"),
        (row(BUTTON | {"emoji": {"name": "?"}}), "id of an emoji"),
        (row({"type": 3, "custom_id": "s"}), "a part is missing"),
        (row(SELECT | {"max_values": 2}), "values of a select"),
        (row(SELECT | {"options": [OPTION, OPTION]}), "value of an option twice"),
        (row(SELECT | {"options": [OPTION | {"description": ""}]}), "nothing to see"),
        (row(SELECT | {"options": [OPTION | {"default": True, "value": v} for v in "ab"]}), "values of a select"),
        (PICTURE, "files shown, and attached"),
        ({"type": 17, "components": [TEXT]}, "in a container"),
        ({"type": 9, "components": [TEXT], "accessory": TEXT}, "beside a section"),
    ],
)  # fmt: skip
def test_a_component_that_discord_refuses_is_found(part, problem):
    assert any(problem in each for each in found("POST", CHANNEL, shown(part)))


@pytest.mark.parametrize(
    ("problems", "problem"),
    [
        (found("POST", CHANNEL, shown(TEXT) | {"content": "x"}), "keys of a message"),
        (found("POST", CHANNEL, shown(TEXT) | {"flags": 0}), "flags"),
        (found("POST", CHANNEL, shown(TEXT) | {"nonce": "7" * 26}), "nonce: 26"),
        (found("PATCH", f"{HOOK}/messages/@original", shown(TEXT) | {"flags": FLAGS | 64}), "flags"),
        (found("POST", CHANNEL, shown(TEXT) | {"allowed_mentions": {"parse": ["users"]}}), "allowed_mentions"),
        (found("POST", CHANNEL, shown(TEXT) | {"allowed_mentions": {"parse": [], "users": ["1"]}}), "notified"),
        (found("POST", CHANNEL, shown(*[TEXT] * 40)), "components: 41"),
        (found("POST", CHANNEL, shown(TEXT | {"content": "\ud83d"})), "half of a character"),
        (found("POST", CHANNEL, shown(PICTURE), [File()]), "files that are not listed"),
        (found("POST", CHANNEL, WITH_PICTURE, [File("b.png")]), "names of files"),
        (found("POST", CHANNEL, WITH_PICTURE, [File(data=bytes(10 * 2**20 + 1))]), "bytes of a file"),
        (found("PATCH", f"{CHANNEL}/2", shown(PICTURE)), "files shown, and attached"),
        (found("POST", CHANNEL, shown(TEXT) | {"attachments": [{"id": 0, "filename": "a.png"}]}), "names of files"),
        (answered(5, {"flags": FLAGS | 64}), "a deferred answer"),
        (answered(9, FORM | {"title": "x" * 46}), "title of a form: 46"),
        (answered(9, FORM | {"components": [{"type": 18, "label": "x" * 46, "component": INPUT}]}), "label of a field"),
        (answered(8, {"choices": [{"name": "x" * 101, "value": "x"}]}), "name of a choice: 101"),
        (found("POST", f"{CHANNEL}/2/threads", {"name": "x" * 101, "auto_archive_duration": 60}), "name of a thread"),
        (found("PUT", "/applications/1/commands", [COMMAND | {"name": "Deal"}]), "name of a command"),
        (found("PUT", "/applications/1/commands", [COMMAND, COMMAND | {"name": "give"}]), "name in de twice"),
        (found("PUT", "/applications/1/commands", [COMMAND | {"options": [COMMAND, RENAMED]}]), "of another option"),
        (found("PUT", "/applications/1/commands", [COMMAND | {"description_localizations": {"de": "x" * 101}}]),
         "description of a command: 101"),
        (found("POST", "/applications/1/emojis", {"name": "a", "image": "data:image/png;base64,AA=="}), "of an emoji"),
    ],
)  # fmt: skip
def test_a_request_that_discord_refuses_is_found(problems, problem):
    assert any(problem in each for each in problems)
