"""Learning the game: `/shithead rules`, generated from the options, the tutorial in ten steps, and the help."""

from __future__ import annotations

from cogs.clicks import Answer, Click, here, private
from cogs.screens.ids import key_of, parse_cards, parse_number
from cogs.screens.lesson_screens import LAST_PAGE, STEPS, done_words, lesson_screen, refused_words
from cogs.screens.rules_screens import help_screen, rules_screen
from cogs.topics import Context, Topic, help_lines
from data.models import Table
from game.lessons import LESSONS, moves_of, tap
from game.moves import Move, Swap

topic = Topic()


@topic.button("rules")
async def show_rules(ctx: Context, click: Click) -> Answer:
    """Show the rules of the table whose button was pressed. Opened before the deal, the page later becomes the hand."""
    return _rules_at(ctx, click, (await ctx.tables.play.look(click)).table)


def _rules_at(ctx: Context, click: Click, table: Table) -> Answer:
    is_seated = table.seat_of(click.user.id) is not None
    seats: int | None = len(table.players)
    # The host may still be changing the rules.
    hand_at = table if table.status == "lobby" and is_seated and click.user.id != table.host_id else None
    if table.status == "lobby":
        # More may join: explain jokers if a full table has any.
        seats = None if table.rules.jokers_with(table.seat_limit) else table.seat_limit
    hand = key_of(table)("hand") if is_seated and table.status == "playing" else ""
    return Answer("private", rules_screen(ctx.t, table.variant, table.rules, seats, table.title, hand), hand_at=hand_at)


@topic.command(
    "rules",
    "Read the rules of this table, or of any variant",
    suggest={"variant": Context.suggest_variants},
    variant="Which rules (default: this channel’s table)",
)
async def show_rules_of(ctx: Context, click: Click, variant: str | None = None) -> Answer:
    """Show the rules that were named, by default those of the channel's table, or else the server's default."""
    here_played = None if variant else await ctx.tables.play.in_channel(click.guild_id, click.channel_id)
    if here_played is not None:
        return _rules_at(await ctx.at(here_played, click), click, (await ctx.tables.snapshot(here_played)).table)
    named = await ctx.tables.servers.find_rules(click.guild_id, variant or ctx.settings.variant)
    return private(rules_screen(ctx.t, named["variant"], named["rules"], saved_as=named["title"]))


@topic.command("tutorial", "Learn the game in ten short steps")
@topic.button("tutorial")
async def begin_tutorial(ctx: Context, _: Click) -> Answer:
    """Show the first step in a message of its own."""
    return private(lesson_screen(ctx.t, 1))


@topic.button("lesson")
async def show_lesson(ctx: Context, click: Click) -> Answer:
    """Show a step, or the result of a tap in it: the right one leads to the next step, a wrong one is refused.

    An id from another version of the bot may name a step that does not exist; the nearest one is shown instead.
    """
    step = min(max(click.seen, 1), LAST_PAGE)
    cards = parse_cards(click.argument)
    if len(cards) == 1:  # the first of the two cards of a swap
        return here(lesson_screen(ctx.t, step, chosen=cards[0]))
    moves = moves_of(LESSONS[step - 1]) if step <= STEPS else ()
    move = dict(enumerate(moves, 1)).get(parse_number(click.argument) or 0)
    if cards and any(isinstance(each, Swap) for each in moves):
        move = Swap(cards[0], cards[1])
    return here(lesson_screen(ctx.t, step)) if move is None else _tapped(ctx, step, move)


def _tapped(ctx: Context, step: int, move: Move) -> Answer:
    t, lesson = ctx.t, LESSONS[step - 1]
    tapped = tap(lesson, move)
    if tapped.is_weak:
        why = t("**Put the 10 on the table and take the 4.** Other swaps are allowed, but your 10 is the strongest.")
        chosen = move.hand if isinstance(move, Swap) else None
        return here(lesson_screen(t, step, refused=why, chosen=chosen))
    if tapped.refusal is not None:
        return here(lesson_screen(t, step, refused=refused_words(t, lesson, move, tapped)))
    return here(lesson_screen(t, step + 1, done_words(t, tapped)))


@topic.command("help", "How to play and what to press", in_help="")
async def show_help(ctx: Context, _: Click) -> Answer:
    return private(help_screen(ctx.t, help_lines(ctx.t)))
