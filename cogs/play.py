"""Playing: the private hand and everything pressed in it; the command that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord.ext import commands

from bot.shown import Decline, Declined, HandShown
from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Doing, Press, following, private, refused
from cogs.groups import register
from cogs.ui.arguments import MOVES, as_move, parse_cards
from cogs.ui.best import best_choice, best_swaps
from cogs.ui.hand import hand_screen
from cogs.ui.ids import plain_value
from cogs.ui.notes import refusal_note
from cogs.ui.prepare import exchange_screen, slots_to_choose, stacked, tribute_screen
from cogs.ui.refused import refusal_sentence
from cogs.ui.textmode import with_table
from cogs.ui.turn import adding_screen
from game.moves import Choose, Interrupt, Move, Swap
from game.refusals import IllegalMove, Refusal

_MOST_SWAPS: Final = 12


async def show_hand(desk: Desk, press: Press) -> Answer:
    """The hand of whoever pressed."""
    await desk.tables.introduce(press.table, press.user)
    hand = await desk.tables.hand(press.table, press.user.id)
    return following(hand, hand_screen(await desk.pen(press), hand))


async def make_move(desk: Desk, press: Press) -> Answer:
    """A button that is a move."""
    move = as_move(press.ids.verb, press.ids.argument)
    if move is None:
        return await _old_hand(desk, press)
    return await _act(desk, press, move)


async def make_chosen_play(desk: Desk, press: Press) -> Answer:
    """A play chosen in a select."""
    move = as_move("play", plain_value(press.value))
    return await _act(desk, press, move) if move else await _old_hand(desk, press)


async def choose_cards(desk: Desk, press: Press) -> Answer:
    """Face-up cards chosen in a select: one value with all of them, or one for each card."""
    hand = await desk.tables.hand(press.table, press.user.id)
    values = [plain_value(value) for value in press.values]
    if len(values) == 1 and (move := as_move("choose", values[0])) and len(values[0]) > 2:  # noqa: PLR2004 - one card
        return await _act(desk, press, move)
    cards = parse_cards("".join(values)) or ()
    slots = stacked(cards, slots_to_choose(hand))
    if slots is None:
        return refused(refusal_sentence(await desk.pen(press), Refusal.MIXED_RANKS, hand))
    return await _act(desk, press, Choose(slots))


async def pick_card(desk: Desk, press: Press) -> Answer:
    """The first of the two cards of an exchange."""
    hand = await desk.tables.hand(press.table, press.user.id)
    pen = await desk.pen(press)
    if not hand.view.may_swap:
        return following(hand, hand_screen(pen, hand))
    return following(hand, with_table(pen, hand, exchange_screen(pen, hand, press.ids.argument)))


async def pick_tribute(desk: Desk, press: Press) -> Answer:
    """The card that is given as tribute; the one that is taken is pressed next."""
    hand = await desk.tables.hand(press.table, press.user.id)
    pen, view = await desk.pen(press), hand.view
    paying = view.table.phase == "tribute" and view.table.turn == view.seat
    if not paying:
        return following(hand, hand_screen(pen, hand))
    return following(hand, with_table(pen, hand, tribute_screen(pen, hand, press.ids.argument)))


async def pick_up_with(desk: Desk, press: Press) -> Answer:
    """The page that asks which face-up card goes along with the pile."""
    hand = await desk.tables.hand(press.table, press.user.id)
    if hand.shown.table.revision != press.ids.revision:
        return await _old_hand(desk, press)
    pen = await desk.pen(press)
    return following(hand, with_table(pen, hand, adding_screen(pen, hand)))


async def put_best_up(desk: Desk, press: Press) -> Answer:
    """The strongest cards face up, in as many moves as that takes."""
    hand = await desk.tables.hand(press.table, press.user.id)
    if hand.view.may_choose:
        return await _act(desk, press, best_choice(hand.view, slots_to_choose(hand)))
    for nth in range(_MOST_SWAPS):
        swaps = best_swaps(hand.view) if hand.view.may_swap else []
        if not swaps:
            break
        hand = await _swap(desk, press, hand, swaps[0], nth)
    return following(hand, hand_screen(await desk.pen(press), hand))


async def _swap(desk: Desk, press: Press, hand: HandShown, swap: Swap, nth: int) -> HandShown:
    # Each of several moves of one click needs an id of its own; negative ones are nobody else's.
    number = -(press.id + nth) if nth else press.id
    seen = hand.shown.table.revision
    try:
        return await desk.tables.act(press.table, press.user.id, swap, seen, interaction_id=number)
    except Declined as declined:
        if declined.why is not Decline.STALE:
            raise
        return await desk.tables.hand(press.table, press.user.id)


async def interrupt(desk: Desk, press: Press) -> Answer:
    """The public button for completing four of a kind out of turn: first accepted wins."""
    hand = await desk.tables.hand(press.table, press.user.id)
    found = next((move for move in hand.view.moves if isinstance(move, Interrupt)), None)
    if found is None:
        t = (await desk.pen(press)).t
        return refused(t("**You cannot interrupt now:** you need the cards that make four with those on top."))
    seen = hand.shown.table.revision
    shown = await desk.tables.act(press.table, press.user.id, found, seen, interaction_id=press.id)
    return following(shown, hand_screen(await desk.pen(press), shown), anew=True)


async def play_for(desk: Desk, press: Press) -> Answer:
    """One move of the computer for somebody whose time is up."""
    await desk.tables.play_for(press.table, press.user.id, interaction_id=press.id)
    return await show_hand(desk, press)


async def _act(desk: Desk, press: Press, move: Move) -> Answer:
    pen = await desk.pen(press)
    user, seen = press.user.id, press.ids.revision
    try:
        hand = await desk.tables.act(press.table, user, move, seen, interaction_id=press.id)
    except IllegalMove as illegal:
        hand = await desk.tables.hand(press.table, user)
        return private(refusal_note(refusal_sentence(pen, illegal.refusal, hand, move)))
    except Declined as declined:
        if declined.why is not Decline.STALE:
            raise
        return await _old_hand(desk, press)
    return following(hand, hand_screen(pen, hand))


async def _old_hand(desk: Desk, press: Press) -> Answer:
    hand = await desk.tables.hand(press.table, press.user.id)
    pen = await desk.pen(press)
    return following(hand, hand_screen(pen, hand, pen.t("That hand was old; here is the current one.")))


async def hand_of_channel(desk: Desk, press: Press) -> Answer:
    """The hand at the table of this channel."""
    return await show_hand(desk, await desk.placed(press))


async def hand(interaction: discord.Interaction[Any]) -> None:
    """See your cards."""
    await answer(interaction, hand_of_channel, press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {
    **dict.fromkeys(MOVES, make_move),
    "hand": show_hand,
    "refresh": show_hand,
    "select": make_chosen_play,
    "chosen": choose_cards,
    "pick": pick_card,
    "give": pick_tribute,
    "adding": pick_up_with,
    "best": put_best_up,
    "cutin": interrupt,
    "playfor": play_for,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, hand=hand)
