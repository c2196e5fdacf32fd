"""Playing: the private hand and everything pressed in it; the command that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord.ext import commands

from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, Handler, following, private, refused
from cogs.groups import register
from cogs.screens.arguments import MOVES, as_move, parse_cards
from cogs.screens.best import best_choice, best_swaps
from cogs.screens.hand import hand_screen
from cogs.screens.ids import plain_value
from cogs.screens.notes import refusal_note
from cogs.screens.prepare import exchange_screen, slots_to_choose, stacked, tribute_screen
from cogs.screens.refused import refusal_sentence
from cogs.screens.textmode import with_table
from cogs.screens.turn import adding_screen
from game.moves import Choose, Interrupt, Move, Swap
from game.moves import IllegalMove, Refusal
from tables.snapshots import Decline, Declined, HandSnapshot

_MOST_SWAPS: Final = 12


async def show_hand(ctx: Context, click: Click) -> Answer:
    """The hand of whoever pressed."""
    await ctx.tables.introduce(click.table, click.user)
    hand = await ctx.tables.hand(click.table, click.user.id)
    return following(hand, hand_screen(await ctx.fmt(click), hand))


async def make_move(ctx: Context, click: Click) -> Answer:
    """A button that is a move."""
    move = as_move(click.ids.verb, click.ids.argument)
    if move is None:
        return await _old_hand(ctx, click)
    return await _act(ctx, click, move)


async def make_chosen_play(ctx: Context, click: Click) -> Answer:
    """A play chosen in a select."""
    move = as_move("play", plain_value(click.value))
    return await _act(ctx, click, move) if move else await _old_hand(ctx, click)


async def choose_cards(ctx: Context, click: Click) -> Answer:
    """Face-up cards chosen in a select: one value with all of them, or one for each card."""
    hand = await ctx.tables.hand(click.table, click.user.id)
    values = [plain_value(value) for value in click.values]
    if len(values) == 1 and (move := as_move("choose", values[0])) and len(values[0]) > 2:  # noqa: PLR2004 - one card
        return await _act(ctx, click, move)
    cards = parse_cards("".join(values)) or ()
    slots = stacked(cards, slots_to_choose(hand))
    if slots is None:
        return refused(refusal_sentence(await ctx.fmt(click), Refusal.MIXED_RANKS, hand))
    return await _act(ctx, click, Choose(slots))


async def pick_card(ctx: Context, click: Click) -> Answer:
    """The first of the two cards of an exchange."""
    hand = await ctx.tables.hand(click.table, click.user.id)
    fmt = await ctx.fmt(click)
    if not hand.view.may_swap:
        return following(hand, hand_screen(fmt, hand))
    return following(hand, with_table(fmt, hand, exchange_screen(fmt, hand, click.ids.argument)))


async def pick_tribute(ctx: Context, click: Click) -> Answer:
    """The card that is given as tribute; the one that is taken is pressed next."""
    hand = await ctx.tables.hand(click.table, click.user.id)
    fmt, view = await ctx.fmt(click), hand.view
    paying = view.table.phase == "tribute" and view.table.turn == view.seat
    if not paying:
        return following(hand, hand_screen(fmt, hand))
    return following(hand, with_table(fmt, hand, tribute_screen(fmt, hand, click.ids.argument)))


async def pick_up_with(ctx: Context, click: Click) -> Answer:
    """The page that asks which face-up card goes along with the pile."""
    hand = await ctx.tables.hand(click.table, click.user.id)
    if hand.snapshot.table.revision != click.ids.revision:
        return await _old_hand(ctx, click)
    fmt = await ctx.fmt(click)
    return following(hand, with_table(fmt, hand, adding_screen(fmt, hand)))


async def put_best_up(ctx: Context, click: Click) -> Answer:
    """The strongest cards face up, in as many moves as that takes."""
    hand = await ctx.tables.hand(click.table, click.user.id)
    if hand.view.may_choose:
        return await _act(ctx, click, best_choice(hand.view, slots_to_choose(hand)))
    for nth in range(_MOST_SWAPS):
        swaps = best_swaps(hand.view) if hand.view.may_swap else []
        if not swaps:
            break
        hand = await _swap(ctx, click, hand, swaps[0], nth)
    return following(hand, hand_screen(await ctx.fmt(click), hand))


async def _swap(ctx: Context, click: Click, hand: HandSnapshot, swap: Swap, nth: int) -> HandSnapshot:
    # Each of several moves of one click needs an id of its own; negative ones are nobody else's.
    number = -(click.id + nth) if nth else click.id
    seen = hand.snapshot.table.revision
    try:
        return await ctx.tables.act(click.table, click.user.id, swap, seen, interaction_id=number)
    except Declined as declined:
        if declined.why is not Decline.STALE:
            raise
        return await ctx.tables.hand(click.table, click.user.id)


async def interrupt(ctx: Context, click: Click) -> Answer:
    """The public button for completing four of a kind out of turn: first accepted wins."""
    hand = await ctx.tables.hand(click.table, click.user.id)
    found = next((move for move in hand.view.moves if isinstance(move, Interrupt)), None)
    if found is None:
        t = (await ctx.fmt(click)).t
        return refused(t("**You cannot interrupt now:** you need the cards that make four with those on top."))
    seen = hand.snapshot.table.revision
    snapshot = await ctx.tables.act(click.table, click.user.id, found, seen, interaction_id=click.id)
    return following(snapshot, hand_screen(await ctx.fmt(click), snapshot), anew=True)


async def play_for(ctx: Context, click: Click) -> Answer:
    """One move of the computer for somebody whose time is up."""
    await ctx.tables.play_for(click.table, click.user.id, interaction_id=click.id)
    return await show_hand(ctx, click)


async def _act(ctx: Context, click: Click, move: Move) -> Answer:
    fmt = await ctx.fmt(click)
    user, seen = click.user.id, click.ids.revision
    try:
        hand = await ctx.tables.act(click.table, user, move, seen, interaction_id=click.id)
    except IllegalMove as illegal:
        hand = await ctx.tables.hand(click.table, user)
        return private(refusal_note(refusal_sentence(fmt, illegal.refusal, hand, move)))
    except Declined as declined:
        if declined.why is not Decline.STALE:
            raise
        return await _old_hand(ctx, click)
    return following(hand, hand_screen(fmt, hand))


async def _old_hand(ctx: Context, click: Click) -> Answer:
    hand = await ctx.tables.hand(click.table, click.user.id)
    fmt = await ctx.fmt(click)
    return following(hand, hand_screen(fmt, hand, fmt.t("That hand was old; here is the current one.")))


async def hand_of_channel(ctx: Context, click: Click) -> Answer:
    """The hand at the table of this channel."""
    return await show_hand(ctx, await ctx.placed(click))


async def hand(interaction: discord.Interaction[Any]) -> None:
    """See your cards."""
    await answer(interaction, hand_of_channel, click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {
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
