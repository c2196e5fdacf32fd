"""Opening, joining and leaving a table: joined, asked for a rematch, leaving, stopping."""

from __future__ import annotations

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.ids import key_of
from cogs.screens.refused import full_words
from cogs.screens.wording import bare_name, person_name
from data.models import Table
from tables.match import is_between_games, is_match_over, leaving_stops
from tables.timing import has_enough_for_rematch


def opened_screen(t: Formatter, table: Table, *, match_waits: bool) -> ui.Screen:
    """What the host reads until the cards are dealt; `match_waits`: another match in the channel is not over."""
    in_thread = t("Your table is open in {thread}.", thread=f"<#{table.channel_id}>")
    opened = t("Your table is open.") if table.parent_id is None else in_thread
    match = t(
        "Another match in this channel is not over: once this table is closed, it goes on with {next}.", **t.buttons()
    )
    return ui.note(ui.Accent.GREEN, t.sentences(opened, _start_words(t, table), match if match_waits else ""))


def _start_words(t: Formatter, table: Table) -> str:
    """When the cards are dealt, for the host."""
    if table.is_dealt_when_full and table.free_seats():
        also = t("With fewer players, press {start}.", **t.buttons()) if table.rules.seats[0] < table.seat_limit else ""
        return t.sentences(t("The cards are dealt once every seat is taken."), also)
    return t("When everybody has pressed {join}, press {start}.", **t.buttons())


def thread_name(t: Formatter, table: Table) -> str:
    """The name of a table's thread, where markdown is not rendered."""
    host = table.seat_of(table.host_id) or 0
    return t("{game}: {name}’s table", game=t.game(), name=bare_name(t, table, host))


def thread_opening_screen(t: Formatter, table: Table) -> ui.Screen:
    """The message in the channel to which the thread of a table is attached."""
    host = table.seat_of(table.host_id) or 0
    return ui.note(ui.Accent.BLUE, t("{name} has opened a table in this thread.", name=person_name(t, table, host)))


def joined_screen(t: Formatter, table: Table, user_id: int = 0) -> ui.Screen:
    """What a player who has joined reads until the cards are dealt; then the message becomes their hand."""
    host = table.seat_of(table.host_id)
    sentence = t("Your cards appear here as soon as they are dealt.")
    if table.is_rematch_pending and table.host_id == user_id:  # this message is not drawn again before the deal
        waits = t("If too few join in time, the table waits until you press {start}.", **t.buttons())
        sentence = t.sentences(sentence, waits)
    elif table.host_id == user_id:
        sentence = t.sentences(t("Your table is open."), _start_words(t, table))
    elif host is not None and not table.is_rematch_pending and not (table.is_dealt_when_full and table.free_seats()):
        sentence = t("Your cards appear here when {name} starts.", name=person_name(t, table, host))
    return ui.container(ui.Accent.GREEN, [ui.lines(ui.h3(t("You are in")), sentence)])


def asked_screen(t: Formatter, table: Table, user_id: int) -> ui.Screen:
    """Replaces the hand of the last game while a rematch is asked for, and what the new host of a lobby was reading."""
    if table.seat_of(user_id) is not None:
        return joined_screen(t, table, user_id)
    if not any(player.user_id == user_id and player.has_not_answered for player in table.players):
        return not_in_screen(t, table, user_id)
    name = person_name(t, table, table.seat_of(table.host_id) or 0)
    head = ui.lines(ui.h3(t("{name} wants a rematch", name=name)), ui.small(asking_words(t, table)))
    return ui.container(ui.Accent.GREEN, [head, ui.row(join_button(t, table), no_button(t, table))])


def not_in_screen(t: Formatter, table: Table, user_id: int) -> ui.Screen:
    """What somebody who has said no to a rematch reads in its lobby."""
    is_full = not table.free_seats(user_id)
    still = t("**You are not in.** You can still press **Join** until the cards are dealt.")
    words = ui.lines(full_words(t, table) if is_full else still)
    return ui.container(ui.Accent.GREY, [words, ui.row(join_button(t, table, disabled=is_full))])


def join_button(t: Formatter, table: Table, *, disabled: bool = False) -> ui.Component:
    """Takes a seat, or says yes to a rematch."""
    return ui.button(key_of(table)("join"), t("Join"), ui.Style.GREEN, disabled=disabled)


def no_button(t: Formatter, table: Table) -> ui.Component:
    """Says no to a rematch."""
    return ui.button(key_of(table)("sayno"), t("Not this time"))


def asking_words(t: Formatter, table: Table) -> str:
    """When a rematch is dealt, and until when people can answer; the time may be in the past."""
    if table.deadline is None or not table.is_rematch_pending:
        return ""
    when = ui.stamp(table.deadline)
    if not table.unanswered:
        return t("dealt as soon as enough have joined")
    if has_enough_for_rematch(table):
        return t("dealt when all have answered, at the latest {when}", when=when)
    return t("dealt when all have answered; time to answer ends {when}", when=when)


def leaving_screen(t: Formatter, table: Table, user_id: int) -> ui.Screen:
    """Asks a person whether to leave a game or a match."""
    yes = t("Leave the game")
    if table.status != "playing":
        yes = t("Leave the match")
        question = t("Leave the match? If enough players stay, the next game is dealt without you.")
    elif len(table.people) == 1:
        question = t("Leave the game? Nobody else is playing, so it ends, and nobody owes anything.")
    elif leaving_stops(table, user_id):
        question = t("Leave the game? Then the votes are enough to stop it, and nobody owes anything.")
    else:
        question = t(
            "Leave the game? If you still have cards, the computer plays them. If it loses, you have lost; if others "
            "lose, they owe you nothing. You can take your seat back at any time."
        )
    return confirmation_screen(t, table, question, yes, verb="leave")


def stopping_screen(t: Formatter, table: Table, *, by_vote: bool) -> ui.Screen:
    """Asks whether to stop a game, or to close a lobby; `by_vote` if with this person's vote there are enough."""
    question, yes = t("Stop the game for everybody? Nobody owes anything for a stopped game."), t("Stop the game")
    if table.status == "lobby":
        question, yes = t("Close the table for everybody?"), t("Close the table")
    elif by_vote:
        question = t("Stop the game? Your vote decides. Nobody owes anything for a stopped game.")
    return confirmation_screen(t, table, question, yes, verb="stop")


def confirmation_screen(
    t: Formatter, table: Table, question: str, yes: str, *, verb: str, back: str = "more", page: str = ""
) -> ui.Screen:
    """A question with two buttons: `yes` is the label for `verb`, with `page` as argument; Back leads to `back`."""
    key = key_of(table)
    answers = ui.row(ui.button(key(verb, page), yes, ui.Style.RED), ui.button(key(back, page), t("Back")))
    return ui.container(ui.Accent.RED, [ui.lines(f"**{question}**"), answers])


def left_screen(t: Formatter, table: Table, user_id: int, *, was_playing: bool = False) -> ui.Screen:
    """What leaving has done, and the button to return while that is possible; `was_playing`: until this click."""
    sentence = t("You left. If you still have cards, the computer plays them, and if it loses, you have lost.")
    if was_playing and table.status == "stopped":
        sentence = t("You left. With that, the votes were enough: the game is stopped, and nobody owes anything.")
    elif is_between_games(table):
        has_lost = any(line.user_id == user_id and len(line.places) in line.lost for line in table.standings)
        lost = t("You lost the last game.") if has_lost and table.status == "over" else ""
        sentence = t.sentences(lost, t("You left the match. The next game is dealt without you."))
    elif is_match_over(table):
        sentence = t("You left the match. Too few players are left, so it is over.")
    elif table.status == "aborted":
        sentence = t("You left. Nobody is left to play, so the game is stopped. Nobody owes anything for it.")
    elif table.is_abandoned:
        sentence = t("You left. Nobody is playing now: the game waits, and ends if nobody comes back.")
    back = [ui.row(take_back_button(t, table))] if table.status == "playing" or is_between_games(table) else []
    return ui.container(ui.Accent.GREY, [ui.lines(sentence), *back])


def take_back_button(t: Formatter, table: Table) -> ui.Component:
    """The button with which somebody who has left returns."""
    return ui.button(key_of(table)("return"), t("Take my seat back"), ui.Style.GREEN)
