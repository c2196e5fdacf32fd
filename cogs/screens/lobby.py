"""The lobby: who is in, what is played, and the private page behind More."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.components import (
    MOST_OPTIONS,
    Accent,
    Component,
    Screen,
    Style,
    button,
    container,
    divider,
    h2,
    h3,
    lines,
    option,
    row,
    select,
)
from cogs.screens.faces import Formatter
from cogs.screens.language import Translator, mark
from cogs.screens.match import length_words, match_lines, match_options
from cogs.screens.names import bold, escaped, fitted
from cogs.screens.offers import Offer, chosen_key, offers, within
from cogs.screens.plays import key_of
from cogs.screens.rulewords import differences
from cogs.screens.wording import (
    base_rules,
    forfeit_words,
    game_name,
    played_by,
    player_name,
    small,
    stamp,
    variant_sentence,
    variant_title,
)
from data.models import HouseRule, Pace, Table

SEAL_SHOWN: Final = 12
MOST_HOUSE_WORDS: Final = 240
PACES: Final[dict[Pace, str]] = {
    "quick": mark("Quick: 45 seconds a turn"),
    "normal": mark("Normal: 3 minutes a turn"),
    "slow": mark("Slow: 24 hours a turn"),
}
STRETCHES: Final[dict[int, str]] = {2: mark("Twice the time"), 4: mark("Four times the time")}


def lobby_screen(t: Formatter, table: Table) -> Screen:
    """The public lobby."""
    key = key_of(table)
    why = start_off(t, table)
    buttons = row(
        button(key("join"), t("Join"), Style.GREEN, disabled=free_seats(table) == 0),
        button(key("start"), t("Start"), Style.BLURPLE, disabled=bool(why)),
        button(key("rules"), t("Rules")),
        button(key("more"), t("More")),
    )
    return container(
        Accent.GREEN,
        [
            lines(h2(heading(t, table)), _taken(t, table)),
            divider(),
            lines(*_seats(t, table)),
            divider(),
            lines(*_what_is_played(t, table), small(why)),
            buttons,
            lines(_seal(t, table)),
        ],
    )


def heading(t: Formatter, table: Table) -> str:
    """`Shithead · Classic`."""
    return f"{game_name(t)} · {escaped(played_by(t, table.variant, table.title))}"


def free_seats(table: Table) -> int:
    """How many more may sit down."""
    return max(0, min(table.seats, table.rules.most_seats()) - len(table.players))


def start_off(t: Translator, table: Table) -> str:
    """Why the game cannot start yet; empty where it can."""
    missing = table.rules.seats[0] - len(table.players)
    if missing > 0:
        return t.n("Start needs one more player", "Start needs {count} more players", missing)
    if not table.rules.has_room_for(len(table.players)):
        return t("Start needs a larger pack, or fewer cards for each player")
    return ""


def _taken(t: Translator, table: Table) -> str:
    taken = t("{taken} of {seats} seats taken", taken=len(table.players), seats=len(table.players) + free_seats(table))
    closes = t("closes {when}", when=stamp(table.deadline)) if table.deadline else ""
    return small(taken, closes)


def _seats(t: Translator, table: Table) -> list[str]:
    said: list[str] = []
    for seat, player in enumerate(table.players):
        name = bold(player_name(t, player, seat))
        if player.is_computer:
            name = t("{name} · computer 🤖", name=name)
        elif player.user_id == table.host_id:
            name = t("{name} · host", name=name)
        said.append(name)
    free = free_seats(table)
    return [*said, small(t.n("{count} seat free", "{count} seats free", free)) if free else small(t("No seat free"))]


def _what_is_played(t: Formatter, table: Table) -> list[str]:
    sentence = variant_sentence(t, table.variant)
    if table.title:
        sentence = t("From {variant}", variant=variant_title(t, table.variant))
    stakes = t("Loser makes the others {forfeit}", forfeit=forfeit_words(t, table.forfeit))
    if table.forfeit:
        stakes = t("Loser owes the others: {forfeit}", forfeit=forfeit_words(t, table.forfeit))
    said = [sentence, small(house_rules(t, table)), small(stakes), small(pace_words(t, table))]
    return [*said, *match_lines(t, table.match)]


def house_rules(t: Translator, table: Table) -> str:
    """`2 house rules: …`; empty where the variant is played as it is."""
    changed = differences(t, table.rules, base_rules(table.variant))
    if not changed:
        return ""
    said = fitted(t.sentences(*changed), MOST_HOUSE_WORDS)
    return t.n("{count} house rule: {rules}", "{count} house rules: {rules}", len(changed), rules=said)


def pace_words(t: Translator, table: Table) -> str:
    """How much time there is."""
    pace = t(PACES[table.pace])
    return t("{pace}, {stretch}", pace=pace, stretch=t(STRETCHES[table.stretch])) if table.stretch > 1 else pace


def _seal(t: Translator, table: Table) -> str:
    if not table.seal:
        return ""
    snapshot = seal_words(table.seal)
    return small(t("Seal {seal} · the shuffle is fixed now and opened at the end", seal=snapshot))


def seal_words(seal: str) -> str:
    """The first twelve digits of a seal, in groups of four."""
    short = seal[:SEAL_SHOWN]
    return f"`{' '.join(short[at : at + 4] for at in range(0, len(short), 4))}`"


def more_screen(t: Formatter, table: Table, user_id: int, notice: str = "", saved: Sequence[HouseRule] = ()) -> Screen:
    """What is behind More before the game: all for the host, leaving for the others; `saved` can be played by too."""
    key = key_of(table)
    seat = table.seat_of(user_id)
    parts: list[Component] = [lines(small(notice), h3(heading(t, table)), small(*_state(t, table)))]
    if user_id == table.host_id:
        parts += _host_controls(t, table, saved)
    elif seat is None:
        parts.append(lines(t("Press **Join** to take a seat.")))
    else:
        parts.append(lines(t("The host chooses the variant, the pace and the house rules.")))
    fair = button(key("fair"), t("Fair shuffle"))
    parts.append(row(fair) if seat is None else row(button(key("leave"), t("Leave the table")), fair))
    return container(Accent.BLUE, parts)


def _state(t: Formatter, table: Table) -> Sequence[str]:
    return [
        t("{taken} seated, {free} free", taken=len(table.players), free=free_seats(table)),
        pace_words(t, table),
        length_words(t, table.match) if table.match else "",
    ]


def _host_controls(t: Formatter, table: Table, saved: Sequence[HouseRule]) -> Screen:
    key = key_of(table)
    computers = sum(player.is_computer for player in table.players)
    variant = table.match.variants[-1] if table.match and table.match.variants else table.variant
    chosen = chosen_key(saved, variant, table.title, table.rules)
    parts = [
        row(
            button(key("computer"), t("Add computer"), Style.BLURPLE, disabled=free_seats(table) == 0),
            button(key("nocomputer"), t("Remove computer"), disabled=computers == 0),
            button(key("house"), t("House rules")),
        ),
        select(key("variant"), _variant_options(offers(t, saved), chosen), t("Variant")),
        select(key("pace"), _pace_options(t, table), t("Pace")),
        select(key("match"), match_options(t, table), t("Match")),
    ]
    most = table.rules.most_seats()
    seats = range(max(table.rules.seats[0], len(table.players), 2), most + 1)
    if seats:
        chosen = [
            option(t.n("{count} seat", "{count} seats", n), str(n), default=n == min(table.seats, most)) for n in seats
        ]
        parts.append(select(key("seats"), chosen, t("Seats")))
    return [*parts, *_kicking(t, table)]


def _kicking(t: Translator, table: Table) -> Screen:
    others = [
        option(player_name(t, player, seat), str(player.user_id))
        for seat, player in enumerate(table.players)
        if player.user_id is not None and player.user_id != table.host_id
    ]
    return [select(key_of(table)("kick"), others[:MOST_OPTIONS], t("Remove a player"))] if others else []


def _variant_options(found: Sequence[Offer], chosen: str) -> list[Component]:
    return [option(each.title, each.key, each.sentence, default=each.key == chosen) for each in within(found, chosen)]


def _pace_options(t: Translator, table: Table) -> list[Component]:
    paces = [option(t(said), pace, default=pace == table.pace and table.stretch == 1) for pace, said in PACES.items()]
    longer = [
        option(
            t("{pace}, {stretch}", pace=t(PACES[pace]), stretch=t(said)),
            f"{pace}*{times}",
            default=pace == table.pace and table.stretch == times,
        )
        for pace in PACES
        for times, said in STRETCHES.items()
    ]
    return paces + longer
