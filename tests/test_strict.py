"""What Discord would refuse is found, and what it accepts is not taken for that."""

from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from simcord.http import router

from testkit.strict.requests import Strict, overhear

TEXT = {"type": 10, "content": "**Ann** plays <t:1767225600:R>"}
BUTTON = {"type": 2, "style": 1, "label": "Join", "custom_id": "sh:join:1:1", "emoji": {"id": "7", "name": "ace"}}
OPTION = {"label": "Two", "value": "2", "description": "of them"}
SELECT = {"type": 3, "id": 9, "custom_id": "s", "options": [OPTION], "placeholder": "How many?", "max_values": 1}
OF_ONE = {key: value for key, value in SELECT.items() if key != "max_values"}
PICTURE: dict[str, Any] = {"type": 12, "items": [{"media": {"url": "attachment://a.png"}, "description": "A table"}]}
OTHER_PICTURE = {"type": 12, "items": [PICTURE["items"][0] | {"media": {"url": "attachment://b.png"}}]}
ELSEWHERE = {"type": 12, "items": [PICTURE["items"][0] | {"media": {"url": "https://x.y/a.png"}}]}
INPUT = {"type": 4, "custom_id": "i", "style": 1, "max_length": 30, "value": "Friday", "required": True}
FORM: dict[str, Any] = {
    "custom_id": "f",
    "title": "Name",
    "components": [{"type": 18, "label": "Name", "component": INPUT}],
}
FLAGS, NOBODY = 1 << 15, {"parse": []}
COMMAND = {"name": "deal", "description": "Deal cards", "type": 1, "name_localizations": {"de": "geben"}}
RENAMED = COMMAND | {"name": "give", "name_localizations": {"de": "deal"}}
UNSEEN = "\a\u200b\u0378\ue000\ud800\u0300\u20dd\u2028\u2029 "
"""A character of each kind that shows nothing."""
LONG_IN_GERMAN = [{"name": n, "value": n, "name_localizations": {"de": n * 40}} for n in "abcdefghij"]
CHANNEL, HOOK, ANSWER = "/channels/1/messages", "/webhooks/1/t", "/interactions/1/t/callback"


COMMANDS, EMOJIS, THREADS = "/applications/1/commands", "/applications/1/emojis", f"{CHANNEL}/2/threads"


class File:
    """A file as discord.py sends it."""

    def __init__(self, filename="a.png", data=b"png", read=0):
        self.filename, self.fp = filename, BytesIO(data)
        self.fp.read(read)


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


def mentioning(*users, text=""):
    return shown(TEXT | {"content": f"Your turn {text}"}) | {"allowed_mentions": {"parse": [], "users": [*users]}}


def attaching(*names):
    return shown(PICTURE) | {"attachments": [{"id": number, "filename": name} for number, name in enumerate(names)]}


def field(**changes):
    return FORM | {"components": [FORM["components"][0] | {"component": INPUT | changes}]}


def commanded(**changes):
    return found("PUT", COMMANDS, [COMMAND | changes])


WITH_PICTURE = attaching("a.png")


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
        *(found("POST", THREADS, {"name": "Table", "auto_archive_duration": n}) for n in (60, 1440, 4320, 10080)),
        found("PUT", COMMANDS, [COMMAND]),
        found("POST", CHANNEL, mentioning("1", text="<@1>")),
        found("POST", CHANNEL, shown(PICTURE, OTHER_PICTURE) | {"attachments": [
            {"id": 0, "filename": "b.png"}, {"id": 1, "filename": "a.png"}]}, [File("b.png"), File()]),
        found("POST", CHANNEL, shown(ELSEWHERE, {"type": 9, "components": [TEXT], "accessory": BUTTON})),
        found("POST", CHANNEL, shown({"type": 14, "divider": False, "spacing": 2}, TEXT | {"content": "\n a <b "})),
        found("POST", CHANNEL, shown({"type": 13, "file": {"url": "attachment://a.png"}}) | {
            "attachments": [{"id": 0, "filename": "a.png"}]}, [File()]),
        answered(4, shown(TEXT) | {"flags": FLAGS | 64}), answered(7, shown(TEXT)),
        answered(9, FORM | {"components": [{"type": 18, "label": "How many?", "component": SELECT}, TEXT]}),
        answered(9, field(value="x")),
        found("POST", CHANNEL, shown(row(SELECT | {"options": [OPTION | {"default": True}]}))),
        found("POST", EMOJIS, {"name": "ace", "image": "data:image/png;base64,AA=="}),
        commanded(options=[COMMAND | {"type": 3, "required": True}, RENAMED | {"type": 3, "name_localizations": {}}]),
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
        *((row(BUTTON | {"label": one}), "nothing to see: label") for one in UNSEEN),
        (row(BUTTON | {"label": " Join"}), "blanks around it"),
        (row(BUTTON | {"url": "https://x.y"}), "keys of a component"),
        (row(BUTTON | {"emoji": {"name": "?"}}), "id of an emoji"),
        (row({"type": 3, "custom_id": "s"}), "a part is missing"),
        (row(SELECT | {"max_values": 2}), "values of a select"),
        (row(SELECT | {"options": [OPTION, OPTION]}), "value of an option twice"),
        (row(SELECT | {"options": [OPTION | {"description": ""}]}), "nothing to see"),
        *((row(one | {"options": [OPTION | {"default": True, "value": v} for v in "ab"]}), "values of a select")
          for one in (SELECT, OF_ONE)),
        (PICTURE, "files shown, and attached"),
        ({"type": 17, "components": [TEXT]}, "in a container"),
        ({"type": 9, "components": [TEXT], "accessory": TEXT}, "beside a section"),
        ({"type": 9, "components": [TEXT] * 4, "accessory": BUTTON}, "texts in a section"),
        ({"type": 9, "components": [PICTURE], "accessory": BUTTON}, "in a section"),
        ({"type": 9, "components": [TEXT], "accessory": BUTTON | {"style": 5}}, "style of a button"),
        (TEXT | {"content": "a\0b"}, "a NUL"),
        (TEXT | {"content": 7}, "of another type"),
        (row(BUTTON | {"style": 5}), "style of a button"),
        (row(BUTTON | {"style": True}), "style of a button"),
        (row({"type": 2, "style": 1, "custom_id": "s"}), "label of a button is no text"),
        (row(BUTTON | {"custom_id": "x" * 101}), "custom_id: 101"),
        (row(BUTTON | {"disabled": 1}), "disabled"),
        (row(), "in a row"),
        *((row(BUTTON | {"id": number}), "id of a component") for number in (-1, 1 << 31, True)),
        (row(BUTTON | {"id": 7}, BUTTON | {"id": 7, "custom_id": "other"}), ": id twice"),
        (row(BUTTON | {"emoji": {"id": "7", "name": "an ace"}}), "name of an emoji"),
        (row(BUTTON | {"emoji": {"id": "7", "name": "ace", "animated": True}}), "keys of an emoji"),
        (row(SELECT | {"options": [OPTION | {"value": str(n)} for n in range(26)]}), "options: 26"),
        (row(SELECT | {"min_values": 2}), "values of a select"),
        (row(SELECT | {"min_values": -1}), "values of a select"),
        (row(SELECT | {"min_values": 0, "max_values": 0}), "values of a select"),
        (row(SELECT | {"placeholder": "x" * 151}), "placeholder: 151"),
        (row(SELECT | {"options": [OPTION | {"emoji": {"name": "?"}}]}), "id of an emoji"),
        (row(SELECT | {"options": [OPTION | {"url": "https://x.y"}]}), "keys of an option"),
        (row(SELECT | {"options": [{"label": "Two"}]}), "a part is missing"),
        (row(SELECT | {"options": [OPTION | {"value": "x" * 101}]}), "value of an option: 101"),
        (row(SELECT | {"options": [OPTION | {"label": "x" * 101}]}), "label of an option: 101"),
        ({"type": 12, "items": []}, "pictures"),
        ({"type": 12, "items": PICTURE["items"] * 11}, "pictures"),
        ({"type": 12, "items": [PICTURE["items"][0] | {"media": {"url": "http://x.y/a.png"}}]}, "address of a picture"),
        ({"type": 12, "items": [{"media": {"url": "https://x.y/a.png"}}]}, "description of a picture is no text"),
        ({"type": 12, "items": [PICTURE["items"][0] | {"name": "a"}]}, "keys of a picture"),
        ({"type": 12, "items": [PICTURE["items"][0] | {"description": "x" * 1025}]}, "description of a picture: 1025"),
        ({"type": 13, "file": {"url": "https://x.y/a.txt"}}, "address of a file"),
        ({"type": 14, "spacing": 3}, "separator"),
        ({"type": 14, "divider": 1}, "separator"),
        ({"type": 99}, "type of a component"),
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
        (found("PUT", COMMANDS, [COMMAND | {"name": "Deal"}]), "name of a command"),
        (found("PUT", COMMANDS, [COMMAND, COMMAND | {"name": "give"}]), "name in de twice"),
        (found("PUT", COMMANDS, [COMMAND | {"options": [COMMAND, RENAMED]}]), "of another option"),
        (found("PUT", COMMANDS, [COMMAND | {"description_localizations": {"de": "x" * 101}}]),
         "description of a command: 101"),
        (found("POST", EMOJIS, {"name": "a", "image": "data:image/png;base64,AA=="}), "name of an emoji"),
        (found("POST", EMOJIS, {"name": "ace", "image": "data:image/bmp;base64,AA=="}), "type of an emoji"),
        (found("POST", EMOJIS, {"name": "ace", "image": f"data:image/png;base64,{'A' * 349_528}"}),
         "bytes of an emoji"),
        (found("POST", CHANNEL, shown() | {"components": []}), "an empty message"),
        (found("POST", CHANNEL, shown()), "in a container"),
        (found("POST", CHANNEL, shown(TEXT) | {"components": [{"type": 17, "components": [TEXT], "accent_color": -1}]}),
         "accent of a container"),
        (found("POST", CHANNEL, shown(TEXT) | {"components": [BUTTON]}), "at the top"),
        (found("POST", CHANNEL, shown(TEXT) | {"flags": FLAGS | 64}), "flags"),
        (found("PATCH", f"{CHANNEL}/2", shown(TEXT) | {"flags": FLAGS | 4096}), "flags"),
        (found("POST", HOOK, shown(TEXT) | {"content": "x"}), "keys of a message"),
        (found("POST", HOOK, shown(TEXT) | {"flags": FLAGS | 4096}), "flags"),
        (found("POST", CHANNEL, shown(TEXT) | {"allowed_mentions": []}), "of another type"),
        (found("POST", CHANNEL, shown(TEXT) | {"allowed_mentions": {"parse": [], "roles": []}}), "allowed_mentions"),
        (found("POST", CHANNEL, mentioning("1", "1", text="<@1>")), "notified twice"),
        (found("POST", CHANNEL, mentioning(*"12", text="<@1>")), "notified"),
        (found("POST", CHANNEL, mentioning(1, text="<@1>")), "notified"),
        (found("POST", CHANNEL, WITH_PICTURE | {"components": [TEXT]}, [File()]), "files shown, and attached"),
        (found("POST", CHANNEL, mentioning(*map(str, range(101)), text="".join(f"<@{n}>" for n in range(101)))),
         "people who are notified: 101"),
        (found("POST", CHANNEL, attaching("a.png") | {"attachments": [{"id": 1, "filename": "a.png"}]}, [File()]),
         "attachments"),
        (found("POST", CHANNEL, attaching("a.png", "a.png"), [File(), File()]), "file twice"),
        (found("POST", CHANNEL, attaching(*[f"{n}.png" for n in range(11)]), [File(f"{n}.png") for n in range(11)]),
         "files: 11"),
        (found("POST", CHANNEL, attaching("a b.png"), [File("a b.png")]), "name of a file"),
        (found("POST", CHANNEL, WITH_PICTURE, [File(read=1)]), "a file of which a part was read"),
        (found("POST", THREADS, {"name": "Table", "auto_archive_duration": 61}), "auto_archive_duration"),
        (answered(4, shown(TEXT) | {"content": "x"}), "keys of a message"),
        (answered(7, shown(TEXT) | {"flags": FLAGS | 64}), "flags"),
        (answered(6, {}), "a first answer"), (answered(12), "a first answer"),
        (answered(8, {"choices": [{"name": str(n), "value": str(n)} for n in range(26)]}), "choices: 26"),
        (answered(8, {"choices": [{"name": n, "value": "x"} for n in "ab"]}), "value of a choice twice"),
        (answered(8, {"choices": [{"name": "x", "value": n} for n in "ab"]}), "name in no language twice"),
        (answered(8, {"choices": [{"name": "x", "value": "x" * 101}]}), "value of a choice: 101"),
        (answered(9, FORM | {"flags": 64}), "keys of a form"),
        (answered(9, FORM | {"custom_id": "x" * 101}), "custom_id: 101"),
        (answered(9, FORM | {"components": []}), "fields of a form"),
        (answered(9, FORM | {"components": [TEXT] * 6}), "fields of a form"),
        (answered(9, FORM | {"components": [row(BUTTON)]}), "in a form"),
        (answered(9, FORM | {"components": FORM["components"] * 2}), "custom_id twice"),
        (answered(9, FORM | {"components": [FORM["components"][0] | {"description": "x" * 101}]}),
         "description of a field: 101"),
        (answered(9, FORM | {"components": [FORM["components"][0] | {"component": TEXT}]}), "a field"),
        (answered(9, field(style=3)), "style of a field"), (answered(9, field(required=1)), "style of a field"),
        (answered(9, field(min_length=31)), "length of a field"),
        (answered(9, field(min_length=-1)), "length of a field"),
        (answered(9, field(max_length=4001)), "length of a field"),
        (answered(9, field(max_length=0)), "length of a field"),
        (answered(9, field(value="")), "value of a field"), (answered(9, field(min_length=9)), "value of a field"),
        (answered(9, field(value="x" * 31)), "value of a field: 31"),
        (answered(9, field(value="a\nb")), "lines in a short field"),
        (answered(9, field(placeholder="x" * 101)), "placeholder of a field: 101"),
        (found("PUT", COMMANDS, [COMMAND | {"name": f"deal{n}", "name_localizations": {}} for n in range(101)]),
         "commands: 101"),
        (found("PUT", COMMANDS, [COMMAND | {"name_localizations": {}}] * 2), "name in no language twice"),
        (commanded(contexts=[3]), "contexts"), (commanded(integration_types=[2]), "integration_types"),
        (commanded(default_member_permissions="all"), "default_member_permissions"),
        (commanded(name="x" * 33), "name of a command: 33"), (commanded(name="two words"), "name of a command"),
        (commanded(description=""), "nothing to see: description of a command"),
        (commanded(name_localizations={"xx": "deal"}), "name_localizations"),
        (commanded(options=[COMMAND | {"name": f"o{n}", "name_localizations": {}, "type": 3} for n in range(26)]),
         "options of a command: 26"),
        (commanded(options=[COMMAND | {"type": 3}, RENAMED | {"required": True}]), "required after optional"),
        (commanded(options=[COMMAND, RENAMED | {"type": 3}]), "subcommands beside options"),
        (commanded(options=[COMMAND | {"type": 3}] * 2), "name in de twice"),
        (commanded(options=[COMMAND | {"type": 3, "choices": [{"name": "x", "value": "x" * 101}]}]),
         "value of a choice: 101"),
        (commanded(options=[COMMAND | {"type": 3, "choices": [], "autocomplete": True}]), "choices and autocomplete"),
        (commanded(options=[COMMAND | {"name": f"o{n}", "name_localizations": {}, "type": 3, "choices": LONG_IN_GERMAN}
                            for n in range(25)]), "characters of a command"),
    ],
)  # fmt: skip
def test_a_request_that_discord_refuses_is_found(problems, problem):
    assert any(problem in each for each in problems)


@pytest.mark.parametrize(
    ("path", "sent", "is_right"),
    [
        (f"{CHANNEL}/2", {"json": shown(PICTURE)}, True),
        (f"{CHANNEL}/3", {"json": shown(PICTURE)}, False),
        (f"{CHANNEL}/4", {"json": shown(PICTURE)}, True),
        (CHANNEL, {"json": WITH_PICTURE, "files": [File()]}, True),
        (CHANNEL, {"json": WITH_PICTURE}, False),
    ],
    ids=["a picture that stays", "a picture that is not there", "a deleted message", "a new picture", "none is sent"],
)
def test_each_request_to_simcord_is_judged_and_then_answered(monkeypatch, path, sent, is_right):
    def answer(*given, **named):
        return given, named

    shows, bare = SimpleNamespace(attachments=[{"filename": "a.png"}]), SimpleNamespace(attachments=[])
    method, backend = "POST" if path == CHANNEL else "PATCH", SimpleNamespace(messages={1: {2: shows, 3: bare}})
    monkeypatch.setattr(router, "dispatch", answer)
    overhear(strict := Strict())
    assert router.dispatch(backend, method, path, **sent) == ((backend, method, path), sent)
    assert (not strict.problems) is is_right


@pytest.mark.parametrize(
    ("asked", "source", "accepted"),
    [(2, None, {4, 5, 9}), (3, 7, {4, 5, 6, 7, 9}), (4, None, {8}), (5, 7, {4, 5, 6, 7}), (5, None, {4, 5})],
    ids=["a command", "a press", "typing", "a form of a message", "a form of a command"],
)
def test_what_may_be_a_first_answer_depends_on_what_is_answered(monkeypatch, asked, source, accepted):
    monkeypatch.setattr(router, "dispatch", lambda *given, **named: None)
    backend = SimpleNamespace(interactions={1: SimpleNamespace(type=asked, source_message_id=source)})
    overhear(strict := Strict())
    data = {4: shown(TEXT), 7: shown(TEXT), 8: {"choices": []}, 9: FORM}
    for kind in range(4, 10):
        strict.problems.clear()
        router.dispatch(backend, "POST", ANSWER, json={"type": kind} | ({"data": data[kind]} if kind in data else {}))
        assert (not strict.problems) is (kind in accepted), kind


def test_of_an_interaction_that_discord_does_not_know_any_answer_is_right(monkeypatch):
    monkeypatch.setattr(router, "dispatch", lambda *given, **named: None)
    overhear(strict := Strict())
    router.dispatch(SimpleNamespace(interactions={}), "POST", ANSWER, json={"type": 6})
    assert not strict.problems
