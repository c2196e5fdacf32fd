"""Sentences for the rules' refusals and the doorway's declines: why not, and what is possible instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter, capital, hand_order
from cogs.screens.language import mark, mark_n
from cogs.screens.wording import has_move, requirement_words, seat_name
from data.models import Table
from game.cards import JOKER, Face, Rank, card_of, face_rank, is_joker
from game.moves import Chance, Flip, Follow, Interrupt, Move, PickUp, Play, Refusal, Swap
from game.view import SeatView
from tables.match import is_between_games
from tables.snapshots import Decline, Declined, HandSnapshot, TableSnapshot

_DECLINES: Final = {
    Decline.NO_TABLE: mark("**There is no table in this channel.** Open one with {start}."),
    Decline.UNKNOWN_TABLE: mark("**This table is gone.** Open a new one with {start}."),
    Decline.UNKNOWN_VARIANT: mark("**There is no such variant.** Pick one from the list that opens while you type."),
    Decline.TABLE_IN_CHANNEL: mark(
        "**This channel already has a table.** Play there, or open yours in a thread or elsewhere."
    ),
    Decline.NO_THREAD: mark(
        "**Discord did not let me open a thread,** so there is no table. Open it right here instead."
    ),
    Decline.THREAD_LATER: mark("**Discord is slow just now.** The thread with your table opens as soon as it can."),
    Decline.TOO_MANY_TABLES: mark("**Too many of your tables are open in this server.** Finish or stop one first."),
    Decline.SERVER_FULL: mark("**Too many tables are open in this server.** One of them must end first."),
    Decline.TOO_OFTEN: mark(
        "**You have just opened several tables and ended them early.** "
        "You can open the next one in ten minutes at the latest."
    ),
    Decline.NOT_A_LOBBY: mark("**The cards are dealt: this is out of date.** Press {hand}, or wait for the next game."),
    Decline.NOT_PLAYING: mark("**No game is being played at this table.**"),
    Decline.NOT_OVER: mark("**The game is not over yet.**"),
    Decline.OLD_RESULT: mark("**This result is out of date:** another game has been dealt since."),
    Decline.TABLE_FULL: mark("**Every seat is taken.** Wait for the next game, or open a table in another channel."),
    Decline.ALREADY_SEATED: mark("**You already sit at this table.**"),
    Decline.NOT_SEATED: mark(
        "**You do not sit at this table.** Only its players can do that. Open your own with {start}."
    ),
    Decline.REMOVED: mark(
        "**The host has removed you from the table here.** You can sit down again from {when}, or open your own in a "
        "thread or elsewhere."
    ),
    Decline.NOT_HOST: mark("**Only the host of the table can do that.**"),
    Decline.TOO_FEW: mark("**Too few players yet.** Somebody must join, or the host can add a computer under {more}."),
    Decline.TOO_FEW_SEATS: mark("**These rules are for more players.** Choose more seats, or other rules."),
    Decline.NO_ROOM_IN_PACK: mark(
        "**That is too many players for these rules.** "
        "Choose fewer seats, a variant for more (Smeghead: 8) or other rules."
    ),
    Decline.CLASHING_RULES: mark(
        "**Two of these rules exclude each other.** The host can change them in the house rules."
    ),
    Decline.NO_COMPUTER: mark("**No computer player sits here.**"),
    Decline.NO_SHITHEAD: mark("**With these rules nobody loses.** Choose a match that counts points."),
    Decline.STALE: mark("**Too late:** the game has moved on."),
    Decline.NOT_YET: mark("**They still have time.**"),
    Decline.OWN_DEBT: mark("**You owe this yourself.** Whoever you owe presses {served} once it is done."),
    Decline.NOT_A_CREDITOR: mark("**This is not owed to you.** Only a player who is owed it can do that."),
    Decline.UNKNOWN_DEBT: mark("**There is no such debt.**"),
    Decline.ALREADY_SETTLED: mark("**That debt is settled already.**"),
    Decline.ALREADY_FORGIVEN: mark(
        "**You have already agreed to forgive it.** It’s forgiven when everybody who is owed agrees."
    ),
    Decline.NOT_FORGIVEN: mark("**You have not forgiven it,** so there is nothing to take back."),
    Decline.ALREADY_UNDONE: mark("**Already undone:** somebody else who is owed it was faster."),
    Decline.NOTHING_TO_UNDO: mark("**There is nothing to undo.** Nothing that is owed to you was settled just now."),
    Decline.TOO_LATE: mark("**It is too late to undo:** 10 minutes have passed. A server manager can correct it."),
    Decline.DEBT_CHANGED: mark("**That debt was changed just now.** Look at it again."),
    Decline.ALREADY_SO: mark("**Already done.** Nothing changed."),
    Decline.REMINDED_ALREADY: mark("**They have already been reminded of it.** Once a day for each debt is enough."),
    Decline.WANTS_NO_REMINDER: mark("**They have turned reminders off here.** Nothing was sent."),
    Decline.NOBODY_TO_REMIND: mark("**A former player cannot be reminded.**"),
    Decline.ALREADY_VOTED: mark("**You have voted already.** Under {more} you can take your vote back."),
    Decline.BAD_FORFEIT: mark("**That forfeit cannot be used.** Write it in one line of at most 60 characters."),
    Decline.BAD_NAME: mark("**House rules need a name** of 1 to 30 visible characters, not beginning with `house:`."),
    Decline.NAME_TAKEN: mark("**House rules of this name are saved already.** Choose another name."),
    Decline.TOO_MANY_HOUSE_RULES: mark(
        "**10 sets of house rules are saved already; no more fit.** "
        "Delete one in the settings of this server, under **Saved house rules**, or save under the name of one of them."
    ),
    Decline.TOO_FAST: mark("**Slow down a little.** Try again in a moment."),
    Decline.FILMING: mark("**Another film is being drawn for this server.** Press the button again in a moment."),
    Decline.JUST_POSTED: mark("**The table was posted just now.** Try again in half a minute."),
    Decline.COLLECTING: mark("**Your data is already being put together.** It appears in a moment."),
    Decline.SAVING_FAILED: mark("**Saving failed, nothing changed.** Try again in a moment."),
    Decline.CLOSING: mark("**The bot is restarting.** Try again in a minute; nothing is lost."),
}


def paused_words(t: Formatter, table: Table, *, is_tried: bool) -> str:
    """Say why a table was paused, and how it goes on; `is_tried`: by this click, which has the table posted again."""
    deleted = t("**The table was paused:** its message was deleted again and again.")
    unposted = t("**The table was paused:** it could not be posted.")
    tried = t("It is being posted again, and the clock is running.")
    how = tried if is_tried else t("{table} posts it again, and the clock runs on.", table=t.command("table"))
    is_gone = table.message_id is None and table.placed_at and not table.is_rematch_pending  # the result is still there
    return t.sentences(deleted if is_gone else unposted, how)


def decline_sentence(t: Formatter, declined: Declined, found: TableSnapshot | None = None, reader: int = 0) -> str:
    """Why the doorway declined a request of this person; `found` is the table it was about, if any."""
    if found and (said := _said_of_table(t, declined, found, reader)):
        return said
    when = ui.stamp(declined.until, "t") if declined.until else ""
    return t(_DECLINES[declined.why], **t.buttons() | {"start": t.command("start"), "when": when})


def _said_of_table(t: Formatter, declined: Declined, found: TableSnapshot, reader: int) -> str:
    """What a decline says of this table rather than of any; empty if nothing but what `_DECLINES` has."""
    why, table = declined.why, found.table
    host = table.seat_of(table.host_id)
    if why is Decline.NOT_HOST and host is not None and table.players[host].name:
        return t("**Only {name}, the host of the table, can do that.**", name=seat_name(t, table, host))
    if why is Decline.NOT_YET and table.deadline and found.awaited:
        names = t.listing([seat_name(t, table, seat) for seat in found.awaited])
        return t("**{names} can still play:** due {when}.", names=names, when=ui.stamp(table.deadline))
    if why is Decline.TABLE_IN_CHANNEL and is_between_games(table):
        waits = mark("**Another table is open in this channel.** Once it is closed, the match goes on with {next}.")
        return t(waits, **t.buttons())
    if why is Decline.NO_ROOM_IN_PACK and declined.seats:
        few = mark("That leaves {seats} seats, but {count} are taken or kept.")
        return f"**{t(few, seats=declined.seats, count=table.seats_needed)}**"
    is_full = table.status == "lobby" and not table.free_seats(reader)
    if why is Decline.TABLE_FULL or (why is Decline.NOT_SEATED and is_full):
        return full_words(t, table)
    was_there = any(who.user_id == reader for who in table.players)
    has_ended = table.status in {"over", "stopped", "expired"} and (table.started_at is not None or table.game > 1)
    if why in {Decline.NOT_PLAYING, Decline.UNKNOWN_TABLE} and was_there and has_ended:
        return over_words(t, found)  # also of a rematch that came to nothing, which can be asked for again
    # Whoever has left a game can take the seat back in their hand, and has no need to wait.
    is_late = why is Decline.NOT_A_LOBBY and not was_there
    return _when_to_sit_down(t, table) if is_late or why is Decline.NOT_SEATED else ""


def _when_to_sit_down(t: Formatter, table: Table) -> str:
    """Tell somebody who does not sit at a table when they can; empty if that table is over."""
    if table.status == "lobby":
        return t("**You do not sit at this table.** Press {join} to play.", **t.buttons())
    if is_between_games(table) or (table.match and table.status == "playing"):
        return t("**You do not sit at this table.** A match is being played; once it is over you can join a rematch.")
    is_on = t("**You do not sit at this table.** A game is on; you can join before the next one.")
    return is_on if table.status == "playing" else ""


def full_words(t: Formatter, table: Table) -> str:
    """Why a person cannot sit down in a lobby: the other seats are kept, or all are taken."""
    kept = mark("**The other seats are kept for those who have yet to answer.** If somebody says no, one is free.")
    return t(kept if table.unanswered else _DECLINES[Decline.TABLE_FULL])


def over_words(t: Formatter, ended: TableSnapshot) -> str:
    """That the game at a table is over, and how to begin another."""
    again = t.buttons()["next" if is_between_games(ended.table) else "rematch"]
    return t("**The game is over.** Press {button} for another.", button=again)


def refusal_sentence(t: Formatter, refusal: Refusal, hand: HandSnapshot, move: Move | None = None) -> str:
    """Why the rules refuse a move, and what would be legal."""
    view = hand.view
    match refusal:
        case Refusal.NOT_YOUR_TURN:
            return _not_your_turn(t, hand)
        case Refusal.TOO_LOW | Refusal.NOT_ON if isinstance(move, (Play, Follow, Interrupt)):
            return _does_not_go(t, refusal, view, move.cards)
        case Refusal.WRONG_ZONE if isinstance(move, Swap):
            return t("**A swap takes one card from your hand and one of your face-up cards.**")
        case Refusal.GAME_OVER:
            return over_words(t, hand.snapshot)
        case Refusal.WRONG_ZONE:
            return t.sentences(t(_ZONES[view.zone]), possible_moves_words(t, view))
        case Refusal.EMPTY_PILE | Refusal.MUST_PLAY | Refusal.MIXED_RANKS | Refusal.NOT_HELD:
            return t.sentences(t(_PLAIN[refusal]), possible_moves_words(t, view))
        case _:
            return t(_PLAIN[refusal], **t.buttons())


_PLAIN: Final = {
    Refusal.MALFORMED: mark(
        "**That move doesn’t exist in this game.** The buttons of your hand show every move there is."
    ),
    Refusal.NOT_ALLOWED: mark("**The rules of this table do not allow that.** Press {rules} to read them."),
    Refusal.WRONG_PHASE: mark("**You can’t do that now.** The buttons of your hand show what you can do."),
    Refusal.EMPTY_PILE: mark("**There is no pile to pick up:** you start a new one."),
    Refusal.MUST_PLAY: mark("**You have to play:** you have a card that fits."),
    Refusal.ADD_ONE: mark("**One face-up card goes along with the pile:** choose which."),
    Refusal.NOT_HELD: mark("**You no longer hold that.**"),
    Refusal.EMPTY_STOCK: mark("**The stock is empty.** There is no card to try."),
    Refusal.MIXED_RANKS: mark("**Those cards do not go together.**"),
    Refusal.NOT_ON: mark("**That does not go on this pile.**"),
    Refusal.TOO_LOW: mark("**That is too low.**"),
}
_ZONES: Final = {
    "hand": mark("**You play from your hand now.**"),
    "face-up": mark("**You play your face-up cards now.**"),
    "face-down": mark("**You have to flip a face-down card now.**"),
    None: mark("**You are out already.**"),
}
_NO_FIT: Final = mark_n("**{cards} does not go there.**", "**{cards} do not go there.**")
_LOW: Final = mark_n("**{cards} is too low.**", "**{cards} are too low.**")


def _not_your_turn(t: Formatter, hand: HandSnapshot) -> str:
    turn = hand.snapshot.view.waits_for if hand.snapshot.view else None
    if turn is None:
        return t("**It’s nobody’s turn right now.**")
    return t("**It is not your turn:** {name} is to play.", name=seat_name(t, hand.snapshot.table, turn))


def _does_not_go(t: Formatter, refusal: Refusal, view: SeatView, cards: Sequence[Face]) -> str:
    asked = view.table.asked
    is_barred = asked.kind == "anything" or any(face_rank(each) in asked.barred for each in cards)  # by the card on top
    forms = _LOW if refusal is Refusal.TOO_LOW and not is_barred else _NO_FIT
    why = t.n(*forms, len(cards), cards=t.cards(cards))
    asks = "" if is_barred else t("The pile asks for {asked}.", asked=requirement_words(t, view.table))
    return t.sentences("**" + capital(why.removeprefix("**")), asks, possible_moves_words(t, view))


def possible_moves_words(t: Formatter, view: SeatView) -> str:
    """What the rules allow the player now; empty if nothing."""
    may_pick_up = has_move(view, PickUp)
    if has_move(view, Flip):
        return t("You could flip a face-down card.")
    if plays := [move.cards for move in view.moves if isinstance(move, Play)]:
        held = view.hand or view.up_cards
        return t("You could play {cards}.", cards=t.choice(_by_rank(t, plays, Counter(map(face_rank, held)))))
    if has_move(view, Chance):
        or_else = t("Or pick up the pile.") if may_pick_up else ""
        return t.sentences(t("You could try the top card of the stock."), or_else)
    return t("You can only pick up the pile.") if may_pick_up else ""


def _by_rank(t: Formatter, plays: Sequence[Sequence[Face]], held: Mapping[Rank, int]) -> list[str]:
    """Plays by rank, so that the list stays short: `a 5`, `up to two sevens`; all sequences are one entry.

    If only some of the held cards of a rank may be played (of jacks only the red ones), those are named.
    """
    ranks: dict[Rank, list[Sequence[Face]]] = {}
    for cards in sorted(plays, key=lambda cards: hand_order(card_of(cards[0]))):
        rank = JOKER if is_joker(card_of(cards[0])) else face_rank(cards[0])
        if rank == JOKER or rank == face_rank(cards[-1]):
            ranks.setdefault(rank, []).append(cards)
    names = [_at_most(t, rank, of_rank, held[rank]) for rank, of_rank in ranks.items()]
    has_sequence = any(face_rank(cards[0]) != face_rank(cards[-1]) for cards in plays)
    return [*names, t("a sequence")] if has_sequence else names


def _at_most(t: Formatter, rank: Rank, plays: Sequence[Sequence[Face]], held: int) -> str:
    sizes = sorted(set(map(len, plays)))
    count = sizes[-1]
    if held > count:
        return t.cards(sorted({face for play in plays for face in play}, key=hand_order))
    if len(sizes) < count:  # a stack is not parted, and only four may go on anything
        return t.choice([t.some_cards(rank, size) for size in sizes])
    return t.one_card(rank) if count == 1 else t("up to {cards}", cards=t.some_cards(rank, count))
