"""Computer players in words: their levels, the moves they advise, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.language import mark, mark_n, marks
from cogs.screens.wording import cards_within, with_word
from data.models import LevelName, Player
from game.moves import Flip, Move, PickUp, Play
from game.players.hints import Facts, Hint, Mistake, Reason

_LEVELS: Final[dict[LevelName, Sequence[str]]] = {
    "easy": marks("easy", "Forgetful, and not always at its best"),
    "fair": marks("fair", "Plays well, with a slip now and then"),
    "strong": marks("strong", "Remembers who took which cards"),
    "master": marks("master", "Thinks every move through"),
}
"""The name of each level, and a sentence about it; the weakest comes first."""
_REASONS: Final = {
    Reason.ONLY_MOVE: mark("Nothing else can be done."),
    Reason.ONLY_FIT: mark("Nothing else goes on the pile."),
    Reason.GOES_OUT: mark("Then you are out."),
    Reason.ENDS_ZONE: mark("Then your hand is empty."),
    Reason.BURNS: mark("It burns the pile."),
    Reason.PLAYS_AGAIN: mark("Then it is your turn again."),
    Reason.SAVES_BETTER: mark("It keeps {saved} for later."),
    Reason.LEADS_LOW: mark("Your better cards stay for later."),
    Reason.SHEDS_MORE: mark("It gets rid of {played} cards instead of {fewer}."),
    Reason.HARDER: mark(
        "It is harder to answer: of the {unseen} cards you have not seen, {answers} would do, "
        "but {others} on {instead}."
    ),
    Reason.BLOCKS: mark(
        "The next player probably cannot answer it: of the {unseen} cards you have not seen, {answers} would do."
    ),
    Reason.ODDS: mark("Cards you have not seen that fit: {answers} of {unseen}."),
    Reason.KEEPS_SET: mark("It keeps {saved} for later."),
    Reason.OVERALL: mark("There is no simple reason: the computer rates it a little better than the rest."),
}
_COUNTED: Final = {
    Reason.GOOD_PILE: mark_n("You take {pile} card: {gained}.", "You take {pile} cards, among them {gained}."),
    Reason.LARGE_PILE: mark_n("Picking up would cost you {pile} card.", "Picking up would cost you {pile} cards."),
    Reason.SMALL_PILE: mark_n("It costs you only {pile} card.", "It costs you only {pile} cards."),
}


def level_options(t: Formatter) -> list[ui.Component]:
    """The levels to choose from, the weakest first."""
    return [ui.option(t("Computer, {level}", level=t(name)), at, t(how)) for at, (name, how) in _LEVELS.items()]


def computer_words(t: Formatter, player: Player) -> str:
    """`computer, strong`; `computer` also for a seat that somebody left; empty for a person."""
    return level_words(t, player.level) if player.is_computer or player.left else ""


def with_robot(t: Formatter, words: str) -> str:
    """Words for a computer player with its sign, which text mode leaves out; empty if there are none."""
    return f"{words} 🤖" if words and not t.text else words


def level_words(t: Formatter, level: LevelName | None) -> str:
    """`computer, strong`; `computer` where the level is not known."""
    return t("computer, {level}", level=t(_LEVELS[level][0])) if level else t("computer")


def hint_words(t: Formatter, hint: Hint, *, can_play: bool = False, suitless: bool = False) -> str:
    """`Hint: play 7♣ 7♦. It gets rid of more cards.`: the advised move and the reasons for it.

    `can_play` says that there are plays, too, so that advice to pick up does not look like a mistake; `suitless` that
    the buttons name no suits.
    """
    advice = t("Hint: {move}.", move=move_words(t, hint.move, suitless=suitless))
    if can_play and isinstance(hint.move, PickUp):
        advice = t("Hint: {move}, although you could play.", move=move_words(t, hint.move))
    return t.sentences(advice, *(_reason(t, each, hint.facts) for each in hint.reasons))


def _reason(t: Formatter, reason: Reason, facts: Facts) -> str:
    cards = {name: cards_within(t, *getattr(facts, name)) for name in ("saved", "gained", "instead")}
    values = {**facts._asdict(), **cards, "fewer": len(facts.instead)}
    if reason is Reason.BLOCKS and not facts.answers:
        return t("The next player cannot answer it.")
    if reason is Reason.ENDS_ZONE and not facts.from_hand:
        return t("Then only your face-down cards are left.")
    if reason in _COUNTED:
        return t.n(*_COUNTED[reason], facts.pile, **values)
    return t(_REASONS[reason], **values)


def move_words(t: Formatter, move: Move, *, suitless: bool = False) -> str:
    """`play 7♣ 7♦`: a move on turn, as advice."""
    match move:
        case Play(cards=cards, word=word):
            named = t.suitless(cards) if suitless else cards_within(t, *cards)
            return t("play {cards}", cards=with_word(t, named, word))
        case PickUp(cards=()):
            return t("pick up the pile")
        case PickUp(cards=cards):
            return t("pick up the pile with {cards}", cards=cards_within(t, *cards))
        case Flip():
            return t("flip a card")
        case _:
            return t("try the top card of the stock")


def mistake_words(t: Formatter, mistake: Mistake) -> str:
    """Which move would have been better and why, and how many fewer of 100 games from there they would have lost."""
    better = t("Better: **{better}**.", better=move_words(t, mistake.better))
    saved = t("Of 100 games from there, you would lose about {count} fewer with it.", count=round(100 * mistake.cost))
    return f"{t.sentences(better, *(_reason(t, each, mistake.facts) for each in mistake.reasons))}\n{ui.small(saved)}"
