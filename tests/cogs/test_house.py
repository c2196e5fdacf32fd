"""House rules: any option can be set, rules that cannot be played are refused with a remedy, a text holds them all."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simcord import ResponseMessage

from cogs.screens.components import SELECT, TEXT, walk
from cogs.screens.formatter import formatter
from cogs.screens.house_rule_screens import house_screen, rejected_text, rejected_text_screen, text_form
from cogs.screens.ids import parse_id, renew
from cogs.screens.language import LANGUAGES
from cogs.screens.rule_edits import (
    PAGES,
    BadRulesError,
    NotARuleError,
    conflicts,
    format_rules,
    parse_rules,
    replaced_words,
    with_chip,
    with_set,
)
from cogs.screens.rule_words import START_RANK, WORDINGS, sentence_of, title_of, values_of
from game.rules import ASKS, POWER_KEYS, Power, Rules, rank_of_key
from game.variants import variants
from testkit.channel import Room, ids_on, matches
from testkit.made import labels, made_table, pressed, texts, within_limits
from testkit.shortcuts import builder_of
from tests.game.test_never_hangs import CLASHES, IDLES, rules_with

t = formatter()


@pytest.mark.parametrize("key", WORDINGS)
def test_every_value_of_every_option_can_be_set(key):
    for value in values_of(key):
        rules = with_set(Rules(), key, [str(value)])
        assert Rules.model_validate(rules.model_dump()) == rules


@pytest.mark.parametrize(("most", "told"), [(5, False), (6, True)])
def test_an_option_without_effect_is_explained_only_when_it_is_chosen(most, told):
    rules = Rules().changed_with({"seats": (2, most), "deal": {"jokers_for_six": 0}})
    base = made_table(rules, 2, variant="pub")
    said = "No extra jokers with six players."
    assert ("· Jokers for six ·" in texts(house_screen(formatter(), base, "deal"))) is told
    assert said in texts(house_screen(formatter(), base, "deal", "deal.jokers_for_six"))


@pytest.mark.parametrize(("now", "offered"), [(False, ["true"]), (True, ["false"])])
def test_a_rule_can_be_changed_to_anything_but_what_it_is_already(now, offered):
    table = made_table(Rules().changed_with({"deal": {"stacking": now}}), 2, variant="classic")
    _, values = (each for each in walk(house_screen(t, table, "deal", "deal.stacking")) if each["type"] == SELECT)
    assert [each["value"].lower() for each in values["options"]] == offered
    assert not any(each.get("default") for each in values["options"])


def test_the_chosen_rule_is_shown_with_cards():
    rules = Rules().changed_with({"powers": {"7": {"asks": "at-most"}}})
    table = made_table(rules, 2, variant="classic")
    example = "-# 7♦︎ → 3♣︎ 7♣︎ ✓, 8♣︎ ×"
    assert example in texts(house_screen(formatter(), table, "powers", "powers.7"))
    assert example not in texts(house_screen(formatter(), table, "powers"))
    assert "→" not in texts(house_screen(formatter(), table, "deal", "deal.hand"))
    assert "-# 8♣︎ 8♦︎ 8♥︎ → 8♠︎ burns" in texts(
        house_screen(formatter(), made_table(Rules(), 2), "play", "play.four_of_a_kind")
    )


@given(st.data())
def test_after_any_presses_the_page_is_within_discords_limits(data):
    table = made_table(seats=2)
    page, chosen = data.draw(st.sampled_from(list(PAGES))), ""
    for _ in range(6):
        screen = house_screen(formatter(), table, page, chosen)
        within_limits(screen)
        selects = [each for each in walk(screen) if each["type"] == SELECT]
        pressed = data.draw(st.sampled_from(selects))
        ids = parse_id(pressed["custom_id"])
        value = data.draw(st.sampled_from(pressed["options"]))["value"]
        key, _, switched = value.partition("=") if ids.verb == "which" else (ids.argument, "", value)
        if not switched:
            chosen = key
            continue
        rules = with_set(table.rules, key, [switched])
        if not conflicts(t, rules):
            table = table.model_copy(update={"rules": rules})


async def test_a_select_that_is_drawn_again_never_gets_an_id_back(room: Room):
    # Discord's apps keep showing what somebody chose in a select, and do not send it again, when its id comes back.
    await room.open(seats=5)
    ann, seen = room.people[0], []
    page = (await room.press(ann, room.public(), "more")).response
    await room.press(ann, page, "house", "")
    for _ in range(2):
        for verb, value in (("which", "powers.4"), ("which", "powers.7")):
            await room.choose(ann, page, verb, value)
            seen += selects_on(page)
        await room.press(ann, page, "house", "powers")  # Back
        seen += selects_on(page)
    for next_ in ("play", "deal"):
        await room.press(ann, page, "house", next_)
    await room.choose(ann, page, "which", "deal.hand")
    for _ in range(2):
        await room.choose(ann, page, "set", "6")
        assert "take 2 packs, or deal at most 10 cards each" in texts(page.components)
        seen += selects_on(page)
    assert sorted(seen) == sorted(set(seen))


def selects_on(page: ResponseMessage):
    return [each["custom_id"] for each in walk(page.components) if each["type"] == SELECT]


def names_in_sight(screen):
    """The text above each select except the first, which names the card itself."""
    found, above = [], ""
    for each in screen[0]["components"]:
        if each.get("components", [each])[0]["type"] == SELECT:
            found.append(above)
        above = each["content"].splitlines()[-1].removeprefix("-# ") if each["type"] == TEXT else ""
    return found[1:]


def test_every_select_of_a_special_card_says_which_question_it_answers():
    plain = house_screen(t, made_table(), "powers", "powers.7")
    questions = [
        "Where may they be played?",
        "What must the next card be?",
        "What else do they do?",
        "Are there cards they may not go on?",
        "May they go on some cards only?",
    ]
    assert names_in_sight(plain) == questions
    seven = {"does": ["burn"], "burns_on": ["2"], "not_on": ["5"], "only_on": ["6"], "asks": "not:A"}
    full = made_table(Rules().changed_with({"powers": {"7": seven}}))
    questions[2:3] = ["Which rank?", "What else do they do?", "Do they burn only on some cards?"]
    assert names_in_sight(house_screen(t, full, "powers", "powers.7")) == questions


@pytest.mark.parametrize(
    ("changes", "verb"),
    [({}, None), ({"play": {"must_play": True}}, "unhouse"), ({"deal": {"packs": 2, "jokers": 2}}, "unhousing")],
)
def test_rules_that_were_changed_can_be_reset_and_several_only_after_a_question(changes, verb):
    page = house_screen(t, made_table(Rules().changed_with(changes)), "deal", "")
    assert {verb for verb, _ in pressed(page)} & {"unhouse", "unhousing"} == ({verb} if verb else set())


def test_the_header_names_the_card_or_the_rule_that_is_being_changed():
    for chosen, title in (("", "special cards"), ("powers.8", "Eights"), ("play.must_play", "Must you play?")):
        page = house_screen(t, made_table(), chosen.partition(".")[0] or "powers", chosen)
        assert texts(page).startswith(f"## House rules: {title}\n")


def test_pages_are_counted_and_the_first_has_no_previous_and_the_last_no_next_one():
    names = list(PAGES)
    for number, page in enumerate(names, 1):
        screen = house_screen(t, made_table(), page)
        assert f"rules changed · page {number} of {len(names)}\n" in texts(screen)
        steps = {each["label"]: each for each in walk(screen) if "label" in each}
        assert steps["Previous"].get("disabled", False) == (page == names[0])
        assert steps["Next"].get("disabled", False) == (page == names[-1])


def test_done_comes_before_the_ways_to_other_pages():
    table = made_table(status="lobby")
    for chosen, ways in (("", ["Previous", "Next"]), ("powers.7", ["Back"])):
        shown = labels(house_screen(formatter(), table, "powers", chosen))
        assert shown[shown.index("Done") :][: 1 + len(ways)] == ["Done", *ways]


def test_every_select_of_a_special_card_shows_an_answer_and_is_named_by_its_question():
    named = [
        *("Where may they be played?", "What must the next card be?", "Nothing · What else do they do?"),
        *("No · Are there cards they may not go on?", "No · May they go on some cards only?"),
    ]
    page = house_screen(t, made_table(), "powers", "powers.7")
    selects = [each for each in walk(page) if each["type"] == SELECT]
    assert [each["placeholder"] for each in selects[1:]] == named, "the name that a screen reader says"
    shown = [
        next((one["label"] for one in each["options"] if one.get("default")), each["placeholder"]) for each in selects
    ]
    assert shown == ["Sevens", "Where they fit, as usual", "7 or higher", *named[2:]]
    assert "Next" not in labels(page), "a single card has no next page; Back leads to the pages"


def test_selects_of_different_pages_never_share_a_component_id():
    chosen = ("", "powers.7", "powers.Q", "powers.Q")
    pages = [house_screen(t, made_table(), "powers", key) for key in chosen]
    for nth, page in enumerate(pages):
        renew(page, nth)
    selects = [each for page in pages for each in walk(page) if each["type"] == SELECT]
    numbers = [each["id"] for each in selects if parse_id(each["custom_id"]).verb == "set"]
    assert len(numbers) == len(set(numbers)) == 15
    assert all(0 < number < 1 << 31 for number in numbers)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("asks", ["not:7", "under"])
def test_a_card_with_every_possible_power_fits(code, asks):
    parts = {"on": "anything", "does": ["burn", "skip", "give-pile"], "asks": asks, "wild": True}
    cards = {"burns_on": ["2"], "not_on": ["5"], "only_on": ["6"], "bare": "5" if asks == "under" else None}
    table = made_table(Rules().changed_with({"powers": {"joker": parts | cards}}))
    within_limits(house_screen(formatter(code), table, "powers", "powers.joker", manager=True))


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_a_special_card_asks_is_not_cut_off_on_a_phone(code):
    table = made_table(Rules().changed_with({"powers": {"Q": {"asks": "at-most"}}}))
    for key in PAGES["powers"]:
        screen = house_screen(formatter(code), table, "powers", key)
        for select in (each for each in walk(screen) if each["type"] == SELECT):
            shown = next((each["label"] for each in select["options"] if each.get("default")), "")
            assert sum(2 if letter > "⿿" else 1 for letter in shown) <= 28, shown


def test_a_chosen_rule_is_shown_alone_and_back_leads_to_all_of_them():
    page = house_screen(t, made_table(), "play", "play.must_play")
    assert "You may pick up even when you could play." in texts(page)
    assert "Aces are high" not in texts(page)
    back = next(each for each in walk(page) if each.get("label") == "Back")
    assert parse_id(back["custom_id"]).argument == "play"
    assert "Aces are high" in texts(house_screen(t, made_table(), "play"))


@pytest.mark.parametrize(("ace", "said"), [("high", "Aces are high."), ("low", "Aces are low.")])
def test_the_rule_about_aces_places_no_twos_because_they_are_special(ace, said):
    rules = Rules().changed_with({"play": {"ace": ace}})
    shown = texts(house_screen(t, made_table(rules), "play"))
    assert said in shown
    assert "twos" not in shown


@pytest.mark.parametrize("page", PAGES)
def test_every_option_is_on_a_page_with_its_current_value(page):
    rules = Rules()
    said = texts(house_screen(formatter(), made_table(rules, 6), page))
    assert "House rules" in said
    assert "From Classic · 0 rules changed" in said
    told, _, off = said.partition("\n-# Off: ")
    for key in PAGES[page]:
        if key in WORDINGS and title_of(t, key) in off.partition("\n")[0].split(" · "):
            assert sentence_of(t, key, rules) not in told
        elif page != "powers" or key.partition(".")[2] in rules.powers:
            assert sentence_of(t, key, rules) in told


def test_rules_that_are_off_are_named_in_one_line():
    said = texts(house_screen(t, made_table(), "end")).splitlines()
    assert "-# Off: Tribute" in said
    assert not [line for line in said if "Nobody" in line]
    play = texts(house_screen(t, made_table(), "play"))
    assert play.count("-# Off: ") == 1
    assert "Nobody" not in play
    assert "You can’t" not in play
    forbidden = made_table(with_set(variants()["karma"].rules, "play.interrupt", ["false"]), 2, variant="karma")
    assert "Off:" not in texts(house_screen(t, forbidden, "play", "play.interrupt")), "the chosen rule is told in full"


def test_the_pages_together_hold_every_option_and_every_special_card_once():
    held = [key for keys in PAGES.values() for key in keys]
    assert sorted(held) == sorted([*WORDINGS, START_RANK, *(f"powers.{key}" for key in POWER_KEYS)])


def test_a_changed_rule_is_marked_with_that_of_the_variant_beside_it():
    rules = with_set(Rules(), "powers.7.asks", ["at-most"])
    said = texts(house_screen(formatter(), made_table(rules, 2), "powers", "powers.7"))
    assert "**Next card 7 or lower**" in said
    assert "Changed · in Classic: No power" in said
    page = texts(house_screen(formatter(), made_table(rules, 2), "powers"))
    assert "**Sevens: next card 7 or lower.**\n-# Changed · in Classic: No power\n" in page


@pytest.mark.parametrize(
    ("seats", "deal", "told"),
    [
        (3, {}, None),
        (6, {}, "reverse direction once each. Only with six players or more; add some under **the deal**."),
        (3, {"jokers": 2}, "reverse direction once each."),
    ],
)
def test_jokers_are_mentioned_only_if_the_pack_may_have_some(seats, deal, told):
    table = made_table(Rules().changed_with({"deal": deal}), 3).but(seats=seats)
    found = [line for line in texts(house_screen(t, table, "powers")).splitlines() if line.startswith("Jokers")]
    assert [line.endswith(told) for line in found] == ([True] if told else [])


@pytest.mark.parametrize("joker", [{}, {"joker": {"on": "anything", "does": ["burn"]}}])
@pytest.mark.parametrize("seats", [3, 6])
def test_chosen_jokers_say_on_a_line_of_its_own_that_few_players_have_none(joker, seats):
    table = made_table(Rules().changed_with({"powers": joker}), 3).but(seats=seats)
    told = "Only with six players or more; add some under **the deal**."
    assert told in texts(house_screen(t, table, "powers", "powers.joker")).splitlines()


def test_changed_jokers_still_say_that_few_players_have_none():
    rules = with_set(Rules(), "powers.joker.does", ["burn"])
    page = texts(house_screen(t, made_table(rules, 3), "powers"))
    assert "burn the pile.**\nOnly with six players or more; add some under **the deal**.\n" in page


RISING = "Consecutive cards of one suit, rising, are one play. Each must fit the one before it."


@pytest.mark.parametrize(
    ("on", "label", "told"),
    [
        (False, "Sequences · off", RISING),
        (True, "Sequences", RISING),
    ],
)
def test_the_menu_of_rules_says_what_a_rule_that_is_off_would_do(on, label, told):
    table = made_table(Rules().changed_with({"play": {"sequences": on}}), 2)
    page = next(name for name, keys in PAGES.items() if "play.sequences" in keys)
    options = [each for part in walk(house_screen(t, table, page)) for each in part.get("options", ())]
    (found,) = [each for each in options if each["value"].startswith("play.sequences")]
    assert (found["label"], found["description"]) == (label, told)


async def test_a_rule_that_is_off_is_turned_on_by_choosing_it_and_off_again_right_there(room: Room):
    await room.open()
    ann = room.people[0]
    page = await builder_of(room, ann)
    await room.press(ann, page, "house", "play")
    await room.choose(ann, page, "which", "play.sequences=True")
    assert (await room.table()).rules.play.sequences
    assert "1 rule changed" in texts(page.components)
    assert f"**{RISING}**" in texts(page.components)
    await room.choose(ann, page, "set", "False")
    assert not (await room.table()).rules.play.sequences
    assert "0 rules changed" in texts(page.components)


async def test_a_forged_choice_of_a_rule_says_that_there_is_no_such_rule(room: Room):
    await room.open()
    ann = room.people[0]
    page = await builder_of(room, ann)
    for forged in ("play.gone=True", "powers.2.gone=True", "=True", "play.sequences=perhaps"):
        menu = next(each for each in walk(shown_to(room, page)) if each["type"] == SELECT)
        menu["options"][0]["value"] = forged
        await ann.select(page, custom_id=menu["custom_id"], values=[forged])
        assert "That rule no longer exists." in texts(page.components)
    assert (await room.table()).rules == Rules()


def shown_to(room: Room, page: ResponseMessage):
    """The components of a message as Discord keeps them, to be forged."""
    return room.env.backend.messages[room.channel.id][page.id].components


def test_the_name_of_a_chosen_special_card_is_only_in_the_header():
    shown = house_screen(t, made_table(), "powers", "powers.2")
    (which,) = [each for each in walk(shown) if each["type"] == SELECT and parse_id(each["custom_id"]).verb == "which"]
    (chosen,) = [each for each in which["options"] if each.get("default")]
    assert chosen["label"] == "Twos"
    assert chosen["description"] == "Go on anything, anything goes next"
    assert texts(shown).count("Twos") == texts(shown).splitlines()[0].count("Twos") == 1, "only in the header"
    order = [each.get("content") or each.get("custom_id", "") for each in walk(shown)]
    (told,) = [each for each in order if "Go on anything, anything goes next" in each]
    assert order.index(which["custom_id"]) < order.index(told)


@pytest.mark.parametrize(
    ("rank", "kind", "chosen", "says"),
    [
        ("7", "rank", "7", "Next card 7 or higher"),
        ("7", "not", "7", "Next card anything but 7"),
        ("joker", "rank", "3", "next card 3 or higher"),
    ],
)
def test_a_power_that_needs_a_rank_has_the_cards_own_until_another_is_chosen(rank, kind, chosen, says):
    rules = with_set(Rules(), f"powers.{rank}.asks", [kind])
    shown = house_screen(t, made_table(rules, 2, variant="classic"), "powers", f"powers.{rank}")
    assert says in texts(shown)
    (of,) = [each for each in walk(shown) if each["type"] == SELECT and ".of" in each["custom_id"]]
    assert [each["value"] for each in of["options"] if each.get("default")] == [chosen]
    assert with_set(rules, f"powers.{rank}.of", ["Q"]).powers[rank].asks == f"{kind}:Q"


def test_dependent_parts_of_a_power_are_removed_with_it():
    glass = with_set(Rules(), "powers.7.asks", ["under"])
    bare = with_set(glass, "powers.7.bare", ["7"])
    assert bare.powers["7"].bare == "7"
    assert with_set(bare, "powers.7.asks", ["below"]).powers["7"] == Power(asks="below")


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("play.nothing", ["x"]),
        ("deal.packs", ["9"]),
        ("powers.7.asks", ["maybe"]),
        ("powers.1.on", ["anything"]),
        ("powers.7.wild", ["on"]),
    ],
)
def test_an_unknown_option_or_value_is_refused(key, values):
    with pytest.raises(NotARuleError):
        with_set(Rules(), key, values)


def test_too_small_a_pack_is_refused_with_a_remedy():
    rules = Rules(deal={"face_down": 5, "face_up": 5, "hand": 5})
    (why,) = conflicts(t, rules, 4)
    assert (
        why
        == "4 players with 15 cards each need 60 cards, the pack has 52: take 2 packs, or deal at most 13 cards each."
    )


def test_a_pack_that_cannot_be_made_large_enough_is_no_remedy():
    most = {"hand": 6, "face_up": 6, "face_down": 6, "packs": 4}
    (why,) = conflicts(t, Rules().changed_with({"seats": (2, 12), "deal": most}), 12)
    said = "12 players with 18 cards each need 216 cards, the pack has {}: with 4 packs, deal at most 17 cards each."
    assert why == said.format(210)
    (why,) = conflicts(t, Rules().changed_with({"seats": (2, 12), "deal": most | {"packs": 1}}), 12)
    assert why == said.format(54)


def test_a_first_rank_that_decides_nothing_can_be_reset_all_the_same():
    rules = with_set(variants()["poohead"].rules, START_RANK, ["9"])
    for each, is_offered in ((rules, True), (variants()["poohead"].rules, False)):
        page = house_screen(t, made_table(each, variant="poohead"), "start")
        assert ("Reset all rules to Poohead" in labels(page)) is is_offered


@pytest.mark.parametrize(
    "changes",
    [
        {"end": {"tribute": True}, "deal": {"method": "choose"}},
        {"end": {"tribute": True, "aim": "winner"}},
        {"start": {"must_lead": True, "by": "left"}},
        {"start": {"turn_up": True, "by": "thrown"}},
        {"powers": {"7": {"does": ["burn", "skip"]}}},
        {"powers": {"7": {"does": ["skip", "skip-beneath"], "asks": "under"}}},
        {"powers": {"7": {"does": ["again", "give-pile"]}}},
        {"powers": {"7": {"does": ["skip-beneath"]}}},
    ],
)
def test_rules_that_exclude_each_other_are_refused_with_a_reason(changes):
    assert len(conflicts(t, Rules().changed_with(changes))) == 1


@pytest.mark.parametrize("name", variants())
def test_no_variant_conflicts_with_itself_and_each_is_its_own_text(name):
    rules = variants()[name].rules
    assert conflicts(t, rules) == []
    assert format_rules(name, rules) == name
    assert parse_rules(t, name) == (name, rules)
    said = format_rules("classic", rules)
    assert parse_rules(t, said) == ("classic", rules)


def test_a_text_may_have_a_line_for_each_rule_and_seats_as_in_a_file():
    rules = Rules().changed_with({"seats": (2, 5), "play": {"combo": True}})
    assert parse_rules(t, "classic\nseats = [2, 5]\nplay.combo = true\n") == ("classic", rules)
    assert parse_rules(t, 'classic; play.combo = \'true\'; "seats" = "2-5"') == ("classic", rules)


def test_an_error_repeats_only_the_beginning_of_a_long_text():
    with pytest.raises(BadRulesError) as bad:
        parse_rules(t, "x" * 3000)
    assert str(bad.value).startswith(f"**{'x' * 39}…** isn’t a variant.")


POWERS = st.dictionaries(
    st.sampled_from(POWER_KEYS),
    st.builds(
        Power,
        on=st.sampled_from(("rank", "higher", "anything")),
        asks=st.sampled_from(("at-least", "at-most", "below", "same", "anything", "under", "named", "not:A", "rank:7")),
        does=st.sets(st.sampled_from(("reverse", "again"))).map(tuple),
        not_on=st.sets(st.sampled_from(POWER_KEYS[:13])).map(lambda ranks: tuple(sorted(ranks))),
        leaves=st.booleans(),
    ),
    max_size=5,
)


@given(POWERS, st.sampled_from(list(variants())))
def test_any_powers_survive_being_written_as_a_text_and_read_back(powers, name):
    rules = Rules.model_validate(
        variants()[name].rules.model_dump() | {"powers": {k: p.model_dump() for k, p in powers.items()}}
    )
    read = parse_rules(t, format_rules(name, rules))[1] if not conflicts(t, rules) else rules
    assert read == rules


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("clasic", "**clasic** isn’t a variant. Did you mean **classic**?"),
        ("", "**—** isn’t a variant. The text must begin with the variant: `classic; …`."),
        ("*my* rules", "**\\*my\\* rules** isn’t a variant."),
        ("classic; no_rule_", "**no\\_rule\\_** isn’t a rule. Write: deal.packs=2"),
        ("classic; **q**=3", "**\\*\\*q\\*\\*** isn’t an option."),
        ("classic; deal.packs=@me", "**@\u2060me** isn’t a value of deal.packs"),
        ("classic; powers.7.ask=any", "**powers.7.ask** isn’t an option. Did you mean **powers.7.asks**?"),
        ("classic; deal.pack=2", "**deal.pack** isn’t an option. Did you mean **deal.packs**?"),
        ("classic; deal.packs=9", "**9** isn’t a value of deal.packs: it can be 1, 2, 3 or 4."),
        ("classic; deal.packs=x", "**x** isn’t a value of deal.packs"),
        ("classic; play.ace=", "**play.ace=** isn’t a rule. Write: deal.packs=2"),
        ("classic; play.ace", "**play.ace** isn’t a rule. Write: deal.packs=2"),
        (
            "classic; powers.7.asks=perhaps",
            "**perhaps** isn’t a value of powers.7.asks. Write it like at-least, at-most,",
        ),
        ("classic; powers.7.asks=not", "**not** isn’t a value of powers.7.asks. Write it like at-least, at-most,"),
        (
            "classic; powers.8.does=fly",
            "**fly** isn’t a value of powers.8.does: it can be none, burn, reverse, skip, again, give-pile",
        ),
        (
            "classic; powers.8.two_left=maybe",
            "**maybe** isn’t a value of powers.8.two_left: it can be anything or none.",
        ),
        (
            "classic; powers.8.wild=maybe",
            "**maybe** isn’t a value of powers.8.wild: it can be false or true.",
        ),
        ("classic; powers.1.asks=same", "**powers.1.asks** isn’t an option."),
        ("classic; seats=4", "**4** isn’t a value of seats. Write it like 2-4 or 3-6."),
        ("classic; deal.by_seats=2", "**2** isn’t a value of deal.by_seats. Write it like none or 2*6+3*4."),
        (
            "classic; deal.hand=6; deal.face_up=6; deal.face_down=6; seats=3-6",
            "3 players with 18 cards each need 54 cards",
        ),
    ],
)
def test_a_text_that_is_not_rules_is_refused_with_the_exact_reason(text, why):
    with pytest.raises(BadRulesError) as bad:
        parse_rules(t, text)
    assert str(bad.value).startswith(why)


@pytest.mark.parametrize(
    ("card", "does", "offered"),
    [
        ("8", [], set()),
        ("8", ["burn"], set()),
        ("8", ["skip"], {"two_left"}),
        ("8", ["skip-beneath"], {"two_left"}),
        ("8", ["give-pile"], {"answer"}),
        ("joker", [], {"wild"}),
    ],
)
def test_a_switch_for_a_power_is_offered_only_where_the_power_can_have_it(card, does, offered):
    rules = Rules().changed_with({"deal": {"jokers": 2}, "powers": {card: {"does": does, "on": "anything"}}})
    screen = house_screen(t, made_table(rules), "powers", f"powers.{card}")
    switched = re.findall(rf"powers\.{card}\.(\w+)=", str(screen))
    assert set(switched) & {"two_left", "wild", "answer"} == offered


@pytest.mark.parametrize("asks", ["at-least", "same", "anything"])
def test_a_joker_is_shown_to_ask_for_anything_as_it_has_no_rank_to_ask_for(asks):
    rules = Rules().changed_with({"deal": {"jokers": 2}, "powers": {"joker": {"asks": asks, "does": ["skip"]}}})
    screen = house_screen(t, made_table(rules), "powers", "powers.joker")
    offered = [each["options"] for each in walk(screen) if each["type"] == SELECT]
    (asked,) = (each for each in offered if "under" in [option["value"] for option in each])
    assert [each["label"] for each in asked if each.get("default")] == ["Anything"]
    assert {"at-least", "at-most", "below", "same"}.isdisjoint(each["value"] for each in asked)


def test_everything_that_a_card_can_ask_for_is_among_the_values_that_may_be_written():
    with pytest.raises(BadRulesError, match="Write it like") as bad:
        parse_rules(t, "classic; powers.7.asks=perhaps")
    written = re.split(", | or ", str(bad.value).partition("Write it like ")[2].removesuffix("."))
    assert {each.partition(":")[0] for each in written} == set(ASKS)
    rules = [parse_rules(t, f"classic; powers.7.asks={each}")[1] for each in written]
    assert [each.power(rank_of_key("7")).asks for each in rules] == written


PARTS = st.sampled_from([*WORDINGS, START_RANK, "seats", "powers.7.does", "powers.7.asks", "powers.joker.wild"])
VALUES = st.text(max_size=20) | st.from_regex(r"[0-9+*-]{1,9}", fullmatch=True)
NEARLY = st.lists(st.builds("{}={}".format, PARTS, VALUES), max_size=3).map(
    lambda parts: "; ".join(["classic", *parts])
)


@given(st.text(max_size=200) | NEARLY)
def test_any_text_at_all_is_read_or_refused(text):
    try:
        parse_rules(t, text)
    except BadRulesError as bad:
        assert str(bad)  # noqa: PT017 - either outcome is right


RANK_KEYS = POWER_KEYS[:13]


def test_the_form_holds_the_rules_as_they_are():
    form = text_form(formatter(), made_table(with_set(Rules(), "deal.packs", ["2"]), 2))
    assert form["components"][0]["component"]["value"] == "classic; deal.packs=2"


def test_the_form_holds_long_rules_whole():
    each = {"on": "anything", "asks": "at-most", "not_on": RANK_KEYS[:6], "only_on": RANK_KEYS[6:], "does": ["skip"]}
    rules = Rules().changed_with({"powers": {key: each | {"two_left": "anything"} for key in RANK_KEYS[:12]}})
    assert not conflicts(t, rules)
    field = text_form(formatter(), made_table(rules, 2, variant="classic"))["components"][0]["component"]
    assert 1500 < len(field["value"]) <= field["max_length"]
    assert parse_rules(t, field["value"]) == ("classic", rules)


async def test_popular_changes_take_one_press_and_another_undoes_them(room: Room):
    lobby = await room.open()
    more = (await room.press(room.people[0], lobby, "more")).response
    await room.press(room.people[0], more, "house")
    assert labels(more.components)[:4] == [
        *("After 7: 7 or lower · off", "8 skips · off", "3 see-through · off", "Jack reverses · off")
    ]
    for rank in ("7", "8", "3", "J"):
        await room.press(room.people[0], more, "chip", f"{rank}=on")
    powers = (await room.table()).rules.powers
    assert powers["7"].asks == "at-most"
    assert powers["8"].does == ("skip",)
    assert (powers["3"].on, powers["3"].asks) == ("anything", "under")
    assert powers["J"].does == ("reverse",)
    assert labels(more.components)[0] == "After 7: 7 or lower · on"
    await room.press(room.people[0], more, "chip", "7=off")
    assert "7" not in (await room.table()).rules.powers


async def test_a_rejected_text_is_shown_again_and_comes_back_in_the_form(room: Room):
    await room.open()
    ann = room.people[0]
    before = await room.table()
    page = await builder_of(room, ann)
    form = await room.press(ann, page, "housetext")
    mistyped = "classic; deal.pakcs=2\n  start.rank=4"
    rejected = (await ann.submit_modal(form, {"rules": mistyped})).response
    assert rejected.ephemeral
    assert "Did you mean **deal.packs**?" in texts(rejected.components)
    assert f"```\n{mistyped}\n```" in texts(rejected.components)
    assert await room.table() == before
    form = await room.press(ann, rejected, "housetext")
    assert form.modal["components"][0]["component"]["value"] == mistyped
    await ann.submit_modal(form, {"rules": mistyped.replace("pakcs", "packs")})
    assert (await room.table()).rules == before.rules.changed_with({"deal": {"packs": 2}, "start": {"rank": "4"}})
    assert [texts(note.components)[:14] for note in room.notes(ann)] == ["## House rules"]


async def test_a_text_corrected_to_another_bad_one_leaves_only_the_newest_objection(room: Room):
    await room.open()
    ann = room.people[0]
    page = await builder_of(room, ann)
    for mistyped in ("classic; deal.pakcs=2", "classic; deal.packs=two"):
        form = await room.press(ann, page, "housetext")
        page = (await ann.submit_modal(form, {"rules": mistyped})).response
    objections = [note for note in room.notes(ann) if "Correct it" in labels(note.components)]
    assert [note.id for note in objections] == [page.id]


@pytest.mark.parametrize("text", ["`" * 4000, "classic; " + "x" * 3991, " ```\n", ""])
def test_any_rejected_text_is_shown_within_its_block(text):
    screen = rejected_text_screen(formatter(), made_table(None, 2), "**No.** " + "x" * 900, text)
    within_limits(screen)
    assert texts(screen).count("```") == (2 if text.strip("` \n") else 0)
    assert rejected_text(screen) == "", "the form would hold only a part of the text"


async def test_a_rule_that_conflicts_with_one_changed_at_the_same_moment_is_refused(room: Room, monkeypatch):
    lobby, ann = await room.open(), room.people[0]
    page, edit = (await room.press(ann, lobby, "more")).response, room.tables.lobby.edit_rules
    await room.press(ann, page, "house")
    for name in ("play", "deal", "start"):
        await room.press(ann, page, "house", name)

    async def after_another(request, wanted):
        monkeypatch.setattr(room.tables.lobby, "edit_rules", edit)
        other = replace(request, id=request.id + 1)
        await edit(other, lambda rules: rules.changed_with({"start": {"by": "left"}}))
        return await edit(replace(request, seen=(await room.table()).revision), wanted)

    monkeypatch.setattr(room.tables.lobby, "edit_rules", after_another)
    await room.choose(ann, page, "which", "start.must_lead=True")
    assert "No card decides who starts, so there is none that must be led" in texts(page.components)
    rules = (await room.table()).rules.start
    assert (rules.by, rules.must_lead) == ("left", False)


@pytest.mark.parametrize("forged", ["", "X", "1", "2.wild"])
def test_a_forged_press_for_an_unknown_card_changes_nothing(forged):
    rules = Rules()
    assert with_chip(rules, forged, on=True) == rules
    assert replaced_words(formatter(), forged, rules, rules) == ""


async def test_right_below_a_switch_is_what_the_card_no_longer_does(room: Room):
    await room.open()
    ann = room.people[0]
    more = await builder_of(room, ann)
    await room.choose(ann, more, "which", "powers.8")
    await room.choose(ann, more, "set", "burn")
    await room.press(ann, more, "house")
    await room.press(ann, more, "chip", "8=on")
    assert "**Eights now: skip one player each. No longer: burn the pile.**" in first_lines_below_switches(more)
    for off in ("8=off", "8=on"):
        await room.press(ann, more, "chip", off)
        assert "No longer" not in texts(more.components), "a card without a power loses nothing"


def first_lines_below_switches(page: ResponseMessage):
    _, told, *_ = (each["content"] for each in walk(page.components) if each["type"] == TEXT)
    return told.splitlines()[0]


@pytest.mark.parametrize(
    ("chosen", "verb", "what", "label"),
    [("", "chip", "7", "After 7: 7 or lower"), ("powers.7", "set", "powers.7.leaves", "Removed once played")],
)
async def test_a_double_tap_on_a_switch_does_not_undo_it(room: Room, chosen, verb, what, label):
    await room.open()
    ann = room.people[0]
    page = await builder_of(room, ann)
    if chosen:
        await room.choose(ann, page, "which", chosen)
    (tapped,) = (id_ for id_ in ids_on(page) if matches(id_, verb) and parse_id(id_).argument.split("=")[0] == what)
    for _ in range(2):  # the second tap comes before the page is redrawn
        await late_click(room, page, label, tapped)
        assert f"{label} · on" in labels(page.components)
    await late_click(room, page, label, tapped.removesuffix("=on"))  # the id as in an earlier version of the bot
    assert f"{label} · off" in labels(page.components)


async def late_click(room: Room, page: ResponseMessage, label, custom_id):
    """Let the host click a switch as an older version of the page showed it."""
    switch = next(each for each in walk(shown_to(room, page)) if each.get("label", "").startswith(f"{label} · "))
    switch["custom_id"] = custom_id
    await room.people[0].click(page, custom_id=custom_id)


def test_a_text_that_begins_with_a_variant_is_not_told_to_begin_with_one():
    with pytest.raises(BadRulesError) as bad:
        parse_rules(t, "classic; qqqqq=3")
    assert str(bad.value) == "**qqqqq** isn’t an option."


def test_every_combination_that_excludes_itself_or_has_no_effect_has_its_sentence():
    for overrides in [example[-1] for example in (*CLASHES, *IDLES)]:
        assert len(conflicts(formatter(), rules_with(**overrides))) == 1, overrides
