"""The public message of a table in any state, the log of a running game, and the messages that mention people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import cogs.screens.components as ui
from cogs.screens.computer_words import computer_words, with_robot
from cogs.screens.end_screens import end_screen, stopped_screen
from cogs.screens.event_words import actor, last_actions, last_names
from cogs.screens.formatter import FACE_DOWN, Formatter
from cogs.screens.hand_parts import held_words
from cogs.screens.ids import format_id, key_of, message_url
from cogs.screens.lobby_screens import lobby_screen
from cogs.screens.match_words import match_progress
from cogs.screens.rules_screens import house_words
from cogs.screens.wording import (
    WIDE_NAME,
    asked_in_full,
    at_table,
    bare_name,
    counts_words,
    exceptions,
    heading,
    phase_heading,
    pile_words,
    ready_words,
    seat_name,
    stop_words,
    time_words,
    top_run,
    turn_heading,
)
from data.models import Table
from game.view import SeatFace, TableView
from tables.snapshots import TableSnapshot

MOST_PILE: Final = 5
MOST_FULL: Final = 6
"""With more seats, those far from the seat on turn take one line each."""
NEAR: Final = 2
LINES_PER_PAGE: Final = 15
ROOM_FOR_EMOJIS: Final = ui.MOST_CHARACTERS - 100
"""A screen with more characters may already have been cut to fit, so it is drawn again without emojis."""


def public_screen(t: Formatter, snapshot: TableSnapshot) -> ui.Screen:
    """The public message of a table: lobby, running game or end."""
    match snapshot.table.status:
        case "lobby":
            return lobby_screen(t, snapshot.table)
        case "playing" if snapshot.view is not None:
            return table_screen(t, snapshot, snapshot.view)
        case "over":
            return end_screen(t, snapshot)
        case _:
            return stopped_screen(t, snapshot)


def table_screen(
    t: Formatter, snapshot: TableSnapshot, view: TableView, image: ui.Component | None = None
) -> ui.Screen:
    """The running game as everybody sees it; without an `image`, words show the pile and the seats.

    Emojis are left out if the words would not fit beside them.
    """
    if image is not None:
        return _container(t, snapshot, view, [ui.lines(*_head(t, snapshot, view)), image])
    screen = _in_words(t, snapshot, view)
    if t.faces.emojis and ui.characters(screen) > ROOM_FOR_EMOJIS:
        screen = _in_words(t.plain(), snapshot, view)
    return screen


def _in_words(t: Formatter, snapshot: TableSnapshot, view: TableView) -> ui.Screen:
    parts = [ui.lines(*_head(t, snapshot, view), *_pile(t, view)), ui.divider()]
    parts += [ui.lines(*_seat(t, snapshot, view, seat)) for seat in range(len(view.seats))]
    return _container(t, snapshot, view, [*parts, ui.divider()])


def _container(t: Formatter, snapshot: TableSnapshot, view: TableView, table: Sequence[ui.Component]) -> ui.Screen:
    """The table, then what happened, then the buttons."""
    parts = [*table, ui.lines(*_last(t, snapshot, view)), _buttons(t, snapshot, view)]
    happened = last_names(snapshot.recent)
    picked_up = ui.Accent.RED if "picked-up" in happened else ui.Accent.GREY
    return ui.container(ui.Accent.GOLD if "burned" in happened else picked_up, parts)


def _head(t: Formatter, snapshot: TableSnapshot, view: TableView) -> list[str]:
    clock = time_words(t, snapshot)
    if view.phase != "play" or view.turn is None:
        return [ui.h2(_phase_heading(t, snapshot, view)), ui.small(_progress(t, snapshot, view)), ui.small(clock)]
    also = exceptions(t, view)
    is_free = view.asked.kind == "anything" and not view.pile and (view.started or not view.rules.start.must_lead)
    anything = t("Anything goes") if is_free else ""
    head = ui.h2(turn_heading(t, seat_name(t, snapshot.table, view.turn), view))
    return [head, ui.continued(also, clock) if also else ui.small(anything, clock)]


def _phase_heading(t: Formatter, snapshot: TableSnapshot, view: TableView) -> str:
    if view.phase != "exchange":
        return phase_heading(t, view, partial(seat_name, t, snapshot.table))
    if view.rules.deal.method == "choose":
        return t("Ready?") if all(seat.chosen for seat in view.seats) else t("Choose your face-up cards")
    return t("Swap before play") if view.sizes.up and view.rules.deal.exchange != "none" else t("Ready?")


def _progress(t: Formatter, snapshot: TableSnapshot, view: TableView) -> str:
    if view.phase == "exchange":
        return t("Press **My hand** · {ready}", ready=ready_words(t, snapshot.table, view))
    return t("Press **My hand**") if view.phase in {"call", "clear", "tribute"} else ""


def _pile(t: Formatter, view: TableView) -> list[str]:
    counts = counts_words(t, view)
    if not view.pile:
        return [ui.h3(t("The pile is empty.")), counts] if view.started and view.phase == "play" else [counts]
    drawn, top = t.emojis(view.pile[-MOST_PILE:]), len(top_run(view.pile))
    beneath = view.pile[-MOST_PILE:-top] if top < MOST_PILE else ()
    under = ui.continued(t("under it {cards}", cards=t.cards(reversed(beneath)))) if beneath else ""
    return [ui.h3(pile_words(t, view.pile)), ui.h1(drawn) or under, counts]


def _seat(t: Formatter, snapshot: TableSnapshot, view: TableView, seat: int) -> list[str]:
    face, player = view.seats[seat], snapshot.table.players[seat]
    name = seat_name(t, snapshot.table, seat)
    if face.place is not None:
        return [t("**{name}** · out, {place} 🏁", name=name, place=t.place(face.place))]
    name = f"**▸ {name}**" if view.waits_for == seat else f"**{name}**"
    ready = f" · {t('ready')} ✓" if view.phase == "exchange" and face.ready else ""
    computer = with_robot(t, computer_words(t, player))
    line = f"{name} · {held_words(t, view, face)}{ready}{f' · {computer}' if computer else ''}"
    if len(view.seats) > MOST_FULL and not _is_near(view, seat):
        up = t.slots(face.up or ())
        return [f"{line} · {up}" if up else line]
    return [line, _face_up(t, face)]


def _is_near(view: TableView, seat: int) -> bool:
    """Whether a seat is at most two away from the seat on turn, either way round."""
    if view.turn is None:
        return False
    apart = abs(seat - view.turn)
    return min(apart, len(view.seats) - apart) <= NEAR


def _face_up(t: Formatter, face: SeatFace) -> str:
    if face.up is None:
        return ui.small(t("face-up cards not shown yet"))
    emojis = t.emojis([card for slot in face.up for card in slot]) + t.faces.named(FACE_DOWN) * len(face.down)
    return f"{t.slots(face.up)}  {emojis}".strip()


def _last(t: Formatter, snapshot: TableSnapshot, view: TableView) -> list[str]:
    table = snapshot.table
    asked_for = [(event, by) for event, by in snapshot.played_for if by != actor(event)]  # below it says who is away
    actions = last_actions(at_table(t, table.rules), snapshot.recent, partial(seat_name, t, table), asked_for)
    lines = [ui.continued(t.sentences(*actions))]
    if table.is_abandoned:
        waits = t("Nobody is playing now 💤 · the game waits until somebody comes back, and ends if nobody does")
        lines.append(ui.continued(waits))
    for seat, face in enumerate(() if table.is_abandoned else view.seats):
        player, name = table.players[seat], seat_name(t, table, seat)
        if face.place is None and player.left:
            lines.append(ui.continued(t("{name} left: the computer plays their cards", name=name)))
        elif face.place is None and player.away:
            lines.append(ui.continued(t("{name} is away 💤 · the computer plays for them", name=name)))
    host = table.seat_of(table.host_id)
    if host is not None and any(player.left for player in table.players):  # it may have been the host who left
        lines.append(ui.continued(t("{name} is the host", name=seat_name(t, table, host))))
    if snapshot.unfollowed:
        lines.append(t("The bot was restarted: press **My hand** to see your cards."))
    house = house_words(t, table.variant, table.rules, short=True)
    return [*lines, stop_words(t, table, t("vote under **More**")), ui.small(match_progress(t, table)), ui.small(house)]


def log_screen(t: Formatter, snapshot: TableSnapshot, last: int | None = None) -> ui.Screen:
    """A page of what happened in the running game, newest first, up to action `last` since the deal, or the latest."""
    table, key, events = snapshot.table, key_of(snapshot.table), snapshot.recent
    name, words = partial(seat_name, t, table), at_table(t, table.rules)
    told = last_actions(words, events, name, snapshot.played_for, len(events))
    last = min(last or len(told), len(told))
    before, after = last - LINES_PER_PAGE, last + LINES_PER_PAGE if last < len(told) else 0
    earlier = ui.button(key("log", str(before)), t("Earlier"), disabled=before <= 0)
    later = ui.button(key("log", str(after)), t("Later")) if after else ui.button(key("log"), t("Refresh"))
    lines = [f"- {each}" for each in told[max(0, before) : last][::-1] if each] or [t("Nothing yet.")]
    order = ui.small(t("newest first"), "" if after else t("**Refresh** adds what is new"))
    head = ui.lines(ui.h3(t("What happened")), order)
    ways = ui.row(earlier, later, ui.button(key("more"), t("Back")))
    return ui.container(ui.Accent.BLUE, [head, ui.lines(*lines), ways])


def _buttons(t: Formatter, snapshot: TableSnapshot, view: TableView) -> ui.Component:
    key = key_of(snapshot.table)
    buttons = [ui.button(key("hand"), t("My hand"), ui.Style.BLURPLE)]
    if view.rules.play.interrupt and view.phase == "play" and view.pile:
        buttons.append(ui.button(key("cutin"), t("Interrupt")))
    return ui.row(*buttons, ui.button(key("rules"), t("Rules")), ui.button(key("more"), t("More")))


def begun_screen(t: Formatter, table: Table, user_ids: Sequence[int]) -> ui.Screen:
    """The message that mentions those who want to be told that their game has begun."""
    who = t.listing([f"<@{each}>" for each in user_ids])
    text = ui.lines(t("{names}, your game has begun.", names=who), ui.small(_until_ready(t, user_ids)))
    return [text, ui.row(ui.button(key_of(table)("hand"), t("My hand"), ui.Style.BLURPLE))]


def _until_ready(t: Formatter, user_ids: Sequence[int]) -> str:
    return t("disappears when you are ready") if len(user_ids) == 1 else t("disappears when all are ready")


def nudge_screen(t: Formatter, snapshot: TableSnapshot, user_ids: Sequence[int]) -> ui.Screen:
    """The reminder that mentions those the table has been waiting for; it is deleted once they have acted.

    It has no container, so that it stays two lines. Once time is up, others can have the computer play from here.
    """
    table, view, key = snapshot.table, snapshot.view, key_of(snapshot.table)
    who, clock = t.listing([f"<@{each}>" for each in user_ids]), time_words(t, snapshot, yours=True)
    ready = view is not None and view.phase == "exchange"
    until = _until_ready(t, user_ids) if ready else t("this reminder disappears when you play")
    text = ui.lines(_your_turn(t, who, view), ui.small(clock, until))
    second = ui.button(format_id("noping"), t("Don’t ping me"))
    seat = None if view is None else view.waits_for
    if table.overdue and seat is not None and {each.user_id for each in table.seated} - {None, *user_ids}:
        name = bare_name(t, table, seat, WIDE_NAME)
        second = ui.button(key("playfor"), t("Computer plays for {name}", name=name))
    return [text, *ui.rows([ui.button(key("hand"), t("My hand"), ui.Style.BLURPLE), second])]


def _your_turn(t: Formatter, who: str, view: TableView | None) -> str:
    if view is not None and view.phase == "exchange":
        return t("{names}, look at your cards and press **Ready**.", names=who)
    if view is None or view.phase != "play" or view.asked.kind == "anything" or view.asked.all_fit:
        return t("{name}, your turn.", name=who)
    return t("{name}, your turn: **{asked}**", name=who, asked=asked_in_full(t, view))


def digest_screen(t: Formatter, waiting: Sequence[TableSnapshot]) -> ui.Screen:
    """All tables at which it is the reader's turn, with a link to each and the time left."""
    title = t.n("It is your turn at {count} table", "It is your turn at {count} tables", len(waiting))
    lines = [_digest_line(t, each) for each in waiting[:LINES_PER_PAGE]]
    more = len(waiting) - LINES_PER_PAGE
    rest = ui.small(t.n("and {count} more", "and {count} more", more) if more > 0 else "")
    how = ui.small(t("Once a day at most; {me} in the server turns this message off", me=t.command("me")))
    return ui.container(ui.Accent.BLUE, [ui.lines(ui.h3(title)), ui.lines(*lines, rest), ui.lines(how)])


def _digest_line(t: Formatter, snapshot: TableSnapshot) -> str:
    """`Shithead · Classic` as a link, the channel, whose table it is, and the time left."""
    table = snapshot.table
    name = heading(replace(t, polite=table.polite or snapshot.settings.polite), table)
    whose = t("{name}’s table", name=seat_name(t, table, table.seat_of(table.host_id) or 0))
    where = f"[{name}]({message_url(table)}) · <#{table.channel_id}>"
    return " · ".join(filter(None, (where, whose, time_words(t, snapshot, yours=True))))
