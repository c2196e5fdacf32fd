"""Playing: `/shithead hand`, and everything that can be pressed in a private hand."""

from __future__ import annotations

from typing import Final

from cogs.clicks import Answer, Click, here, refused
from cogs.screens.hand_screens import adding_screen, hand_screen, hinted_screen, known_screen, with_table
from cogs.screens.ids import MOVES, parse_button, parse_cards, plain_value
from cogs.screens.prepare_screens import stacked
from cogs.screens.refused import refusal_sentence
from cogs.topics import Context, Topic
from game.moves import Choose, IllegalMove, Interrupt, Move, PickUp, Swap
from game.players.quick_player import best_choice, best_swap
from tables.snapshots import Decline, HandSnapshot, Ignoring

topic = Topic()
MOST_CHANGES: Final = 16
"""How many swaps one click on `best` may make."""


@topic.command("hand", "See your cards", at_table=True)
@topic.button("hand", "refresh")
async def show_hand(ctx: Context, click: Click) -> Answer:
    hand = await ctx.tables.play.hand(click)
    is_new = click.verb != "refresh" or click.seen != hand.snapshot.table.revision
    return ctx.hand_answer(hand, "" if is_new else ctx.t("This hand is up to date."))


def _out_of_date(ctx: Context, hand: HandSnapshot) -> Answer:
    notice = ctx.t("That hand was out of date. Here is the current one.") if hand.snapshot.table.is_open else ""
    return ctx.hand_answer(hand, notice)


@topic.button(*sorted(MOVES))
async def make_move(ctx: Context, click: Click) -> Answer:
    return await _act(ctx, click, parse_button(click.verb, click.argument))


@topic.button("select")
async def make_chosen_play(ctx: Context, click: Click) -> Answer:
    return await _act(ctx, click, parse_button("play", plain_value(click.value)))


async def _act(ctx: Context, click: Click, move: Move | None) -> Answer:
    if move is None:
        return _out_of_date(ctx, await ctx.tables.play.hand(click))
    try:
        with Ignoring(Decline.STALE, Decline.NOT_PLAYING):
            return ctx.hand_answer(await ctx.tables.play.act(click, move))
    except IllegalMove as illegal:
        return refused(refusal_sentence(ctx.t, illegal.refusal, await ctx.tables.play.hand(click), move))
    return _out_of_date(ctx, await ctx.tables.play.hand(click))


@topic.button("hint")
async def give_hint(ctx: Context, click: Click) -> Answer:
    """Show the hand with the move that a strong player would make."""
    hand, hint = await ctx.tables.play.hint(click)
    if hint is None:
        return ctx.hand_answer(hand, ctx.t("There is no hint now."))
    return here(hinted_screen(ctx.t, hand, hint), hand)


@topic.button("known")
async def show_known(ctx: Context, click: Click) -> Answer:
    """Show which cards have burned, and which ones players are known to hold."""
    hand, memory = await ctx.tables.play.known(click)
    if memory is None or hand.view.table.phase != "play":
        return ctx.hand_answer(hand)
    return here(with_table(ctx.t, hand, known_screen(ctx.t, hand, memory), says_pile=False), hand)


@topic.button("chosen")
async def choose_cards(ctx: Context, click: Click) -> Answer:
    """Choose the face-up cards by a select: one value names all of them, or each value names one."""
    hand = await ctx.tables.play.hand(click)
    values = [plain_value(value) for value in click.values]
    slots = stacked(parse_cards("".join(values)), hand.view.table.sizes.up)
    if slots is None:
        return refused(ctx.t("**Too many different ranks:** only cards of one rank share a place."))
    return await _act(ctx, click, Choose(slots))


@topic.button("pick", "give")
async def pick_card(ctx: Context, click: Click) -> Answer:
    """Ask which card to swap the chosen one with, or to take as tribute for it."""
    hand = await ctx.tables.play.hand(click)
    return here(hand_screen(ctx.t, hand, chosen=click.argument), hand)


@topic.button("adding")
async def pick_up_with(ctx: Context, click: Click) -> Answer:
    """Ask which face-up card to pick up along with the pile."""
    hand = await ctx.tables.play.hand(click)
    if not any(isinstance(move, PickUp) and move.cards for move in hand.view.moves):
        return _out_of_date(ctx, hand)
    return here(with_table(ctx.t, hand, adding_screen(ctx.t, hand), says_pile=False), hand)


@topic.button("best")
async def put_best_up(ctx: Context, click: Click) -> Answer:
    """Put the strongest cards face up, with as many swaps as that takes, up to `MOST_CHANGES`."""
    hand = before = await ctx.tables.play.hand(click)
    if hand.view.may_choose:
        return await _act(ctx, click, best_choice(hand.view))
    for nth in range(MOST_CHANGES):
        swap = best_swap(hand.view) if hand.view.may_swap else None
        after = swap and await _swap(ctx, click, hand, swap, nth)
        if after is None:
            break
        hand = after
    was_best = hand is before and hand.view.may_swap
    return ctx.hand_answer(hand, ctx.t("No swap would make your face-up cards stronger.") if was_best else "")


async def _swap(ctx: Context, click: Click, hand: HandSnapshot, swap: Swap, nth: int) -> HandSnapshot | None:
    """The hand after the nth swap, from 0; None if only this one cannot be saved."""
    with Ignoring(*[Decline.SAVING_FAILED] if nth else []):
        with Ignoring(Decline.STALE):
            return await ctx.tables.play.act(click.nth_request(hand.snapshot.table, nth), swap)
        return await ctx.tables.play.hand(click)
    return None


@topic.button("cutin")
async def interrupt(ctx: Context, click: Click) -> Answer:
    """Complete four of a kind out of turn by the public button; the first click that is accepted wins."""
    hand = await ctx.tables.play.hand(click)
    interruption = next((move for move in hand.view.moves if isinstance(move, Interrupt)), None)
    if interruption is None:
        why = ctx.t("**You cannot interrupt now:** only on another’s turn, with cards that complete four of a kind.")
        return refused(why)
    after = await ctx.tables.play.act(click.nth_request(hand.snapshot.table, 0), interruption)
    return ctx.hand_answer(after, kind="private")


@topic.button("poke")
async def remind_the_others(ctx: Context, click: Click) -> Answer:
    """Notify the players who are not ready; the doorway allows it once per exchange."""
    with Ignoring(Decline.ALREADY_SO):
        return ctx.hand_answer(await ctx.tables.play.remind(click), ctx.t("All who want reminders get one."))
    return _out_of_date(ctx, await ctx.tables.play.hand(click))


@topic.button("playfor")
async def play_for(ctx: Context, click: Click) -> Answer:
    """Let the computer move for somebody whose time is up. A player who is awaited themselves gets their hand."""
    hand = await ctx.tables.play.hand(click)
    if hand.view.seat not in hand.snapshot.awaited:
        hand = await ctx.tables.play.play_for(click)
    return ctx.hand_answer(hand)
