"""Wording that several screens share: what the pile asks, whose turn it is, deadlines, names of people and rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final, TypeAlias

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.names import LONGEST, bold, escaped, fitted, isolated
from data.models import Table
from game.cards import ACE, JOKER, RANKS, Face, Rank, Word, face_rank, named_rank, plain
from game.rules import Rules
from game.variants import variants
from game.view import SeatView, TableView
from tables.match import votes_needed
from tables.snapshots import HandSnapshot, TableSnapshot
from tables.timing import grace

TWO: Final = RANKS.index("2")
NameOf: TypeAlias = Callable[[int], str]
"""Gives the name of a seat."""
MOST_TOP: Final = 8
WIDE_NAME, NARROW_NAME = 16, 12
MOST_WIDE_SEATS = 4
SEAL_SHOWN: Final = 12


def requirement_words(t: Formatter, view: TableView) -> str:
    """What the next card must be: `7 or higher`."""
    asked = view.asked
    if asked.barred:
        return _without_barred(t, view)
    if asked.all_fit or asked.kind == "anything":
        return t("anything")
    rank, card = ("", "") if asked.rank is None else (t.rank_name(asked.rank), t.one_card(asked.rank))
    match asked.kind:
        case "at-least":
            only_aces = asked.rank == ACE and view.rules.play.ace == "high"
            return t.c("what is asked", "an ace") if only_aces else t("{rank} or higher", rank=rank)
        case "at-most":
            return t("{rank} or lower", rank=rank)
        case "below":
            return t("anything lower than {rank}", rank=rank)
        case "same":
            return t("only {card}", card=card)
        case "not":
            return t("anything but {card}", card=card)
        case "red-jack":
            return t("a red jack")


def _without_barred(t: Formatter, view: TableView) -> str:
    """What is asked, without what is barred: `anything from 3 to 10` if that is all above, else `…, but not queen`."""
    asked, barred, last = view.asked, view.asked.barred, ACE - len(view.asked.barred)
    if asked.kind == "at-least" and (asked.rank or 0) < last and barred == tuple(range(last + 1, ACE + 1)):
        return t("anything from {first} to {last}", first=t.rank_name(asked.rank or 0), last=t.rank_name(last))
    words = requirement_words(t, replace(view, asked=replace(asked, barred=())))
    but = t("but not {ranks}", ranks=t.choice(list(map(t.rank_name, barred))))
    return t("{asked}, {exceptions}", asked=words, exceptions=but)


def exceptions(t: Formatter, view: TableView) -> str:
    """What goes on the pile besides what is asked: `or a 2 or a 10`; empty if nothing does."""
    # Ranks that go on anything are named even where `asked` covers them, so that the line stays the same; but not
    # beside "7 or lower", because a 2 in that line would read as if it were not lower.
    asked = view.asked
    if asked.all_fit:
        return ""
    go_anywhere = view.rules.going_anywhere() if asked.kind == "at-least" else set[int]()
    ranks = {*asked.also, *go_anywhere - {asked.rank, *asked.barred}}
    if not view.rules.jokers_with(len(view.seats)):
        ranks.discard(JOKER)
    return t("or {card}", card=t.choice(list(map(t.one_card, sorted(ranks))))) if ranks else ""


def asked_in_full(t: Formatter, view: TableView) -> str:
    """`7 or higher, or a 2 or a 10`."""
    asked, also = requirement_words(t, view), exceptions(t, view)
    return t("{asked}, {exceptions}", asked=asked, exceptions=also) if also else asked


def turn_heading(t: Formatter, name: str, view: TableView) -> str:
    """The heading for everybody: `Ann to play: 7 or higher`, `Ann starts a new pile`."""
    if view.asked.kind == "red-jack":
        return t("{name}: a red jack, or pick up", name=name)
    if not view.pile and view.asked.kind == "anything":
        return t("{name} starts a new pile", name=name)
    return t("{name} to play: {asked}", name=name, asked=requirement_words(t, view))


def your_heading(t: Formatter, view: TableView, lead: Rank | None = None, *, again: bool = False) -> str:
    """The heading for the player on turn: `Your turn: 7 or higher`, or with `again` `You play again: …`."""
    asked = requirement_words(t, view)
    if view.asked.kind == "red-jack":
        return t("Your turn: a red jack, or pick up")
    if lead is not None and not view.started:
        return t("Your turn: start with {card}", card=t.one_card(lead))
    if not view.pile and view.asked.kind == "anything":
        return t("You play again: anything") if again else t("Your turn: play anything")
    return t("You play again: {asked}", asked=asked) if again else t("Your turn: {asked}", asked=asked)


def phase_heading(t: Formatter, view: TableView, name_of: NameOf) -> str:
    """The heading for everybody in any phase but the exchange: what the table is waiting for."""
    name = "" if view.waits_for is None else name_of(view.waits_for)
    match view.phase:
        case "tribute":
            return t("{name} may take tribute", name=name)
        case "call":
            card = "" if view.calling is None else t.one_card(view.calling)
            return t("Who’s got {card}? First to call it starts", card=card)
        case "clear":
            return t("{name} must clear the pile", name=name)
        case "play":
            return turn_heading(t, name, view)
        case _:
            return t("The game is over")


def result_words(t: Formatter, shithead: str, winner: str = "") -> str:
    """How a game ended: who lost, or who won if nobody loses; without either name, a draw."""
    if shithead:
        return t("{name} comes last", name=shithead) if t.polite else t("{name} is the shithead", name=shithead)
    return t("{name} wins", name=winner) if winner else t("A draw")


def outcome_words(t: Formatter, view: TableView, name_of: NameOf) -> str:
    """How the game of this view ended, as in `result_words`."""
    shithead, winner = ("" if seat is None else name_of(seat) for seat in (view.shithead, view.winner))
    return result_words(t, shithead, winner)


def has_move(view: SeatView, *kinds: type[object]) -> bool:
    """Whether a move of one of these kinds, such as `Flip`, can be made."""
    return any(isinstance(move, kinds) for move in view.moves)


def top_run(pile: Sequence[Face]) -> Sequence[Face]:
    """The cards of one rank on top of the pile."""
    same = sum(1 for _ in takewhile(lambda face: face_rank(face) == face_rank(pile[-1]), reversed(pile)))
    return pile[-same:]


def pile_words(t: Formatter, pile: Sequence[Face]) -> str:
    """`Pile: 12 cards, on top 7♥ 7♠`; of a longer run only the last eight."""
    return piled_words(t, len(pile), t.cards(top_run(pile)[-MOST_TOP:]))


def piled_words(t: Formatter, count: int, top: str) -> str:
    """Like `pile_words`, for a top that is in words already."""
    return t.n("Pile: {count} card, on top {cards}", "Pile: {count} cards, on top {cards}", count, cards=top)


def seen_through(view: TableView) -> int:
    """How many see-through cards lie on the card that decides what is asked; 0 if the top card does, or none does."""
    if view.asked.kind == "red-jack" or (view.asked.kind == "anything" and not view.asked.barred):
        return 0
    glass = view.rules.see_through()
    for above, face in enumerate(reversed(view.pile)):
        if face_rank(face) not in glass:
            return above
    # All are see-through: the lowest card decides.
    return 0 if len(top_run(view.pile)) == len(view.pile) else len(view.pile) - 1


def top_words(t: Formatter, view: TableView) -> str:
    """Like `pile_words`, with the card that counts if the top card is see-through: ` · A♠ below counts`."""
    above = seen_through(view)
    counts = f" · {t('{card} below counts', card=cards_within(t, view.pile[-above - 1]))}" if above else ""
    return pile_words(t, view.pile) + counts


def counts_words(t: Formatter, view: TableView) -> str:
    """`Stock 14 · burned 8 · clockwise`."""
    burned = t("burned {count}", count=view.burned) if view.burned else ""
    turning = t("clockwise ↻") if view.direction == 1 else t("anticlockwise ↺")
    return ui.small(t("Stock {count}", count=view.stock), burned, turning)


def ready_words(t: Formatter, table: Table, view: TableView, reader: int | None = None) -> str:
    """`1 of 3 ready · waiting for Bob and you`, to the seat `reader`; the names only once somebody is ready."""
    missing = view.awaited
    names = [seat_name(t, table, seat) for seat in missing if seat != reader]
    if reader in missing:
        names.append(t.c("one of those awaited", "you"))
    done = t("{ready} of {seats} ready", ready=len(view.seats) - len(missing), seats=len(view.seats))
    if not missing or len(missing) == len(view.seats):
        return done
    return t("{ready} · waiting for {names}", ready=done, names=t.listing(names))


def time_words(t: Formatter, snapshot: TableSnapshot, *, yours: bool = False) -> str:
    """`due in 2 minutes`, or what follows once time is up; empty if no clock runs. `yours`: the reader is awaited."""
    table = snapshot.table
    if table.deadline is None or table.paused:
        return ""
    if not table.overdue:  # true before and after the deadline, because Discord keeps counting
        return t("due {when}", when=ui.stamp(table.deadline))
    if table.is_abandoned:
        return t("unless somebody comes back, the game ends {when}", when=ui.stamp(table.deadline))
    still = t("time is up, but you can still play") if yours else t("time is up, but they can still play")
    present = [seat for seat, who in enumerate(table.players) if not (who.is_computer or who.left or who.away)]
    if present == snapshot.awaited[:1]:  # with nobody else there, the game waits
        return still
    return f"{still} · {t('the computer plays {when}', when=ui.stamp(table.deadline + grace(table)))}"


def your_time_words(t: Formatter, hand: HandSnapshot) -> str:
    """Like `time_words`, for the owner of a hand."""
    return time_words(t, hand.snapshot, yours=hand.view.seat in hand.snapshot.awaited)


def toggle(t: Formatter, custom_id: str, label: str, *, on: bool) -> ui.Component:
    """A switch whose label and colour say whether it is on."""
    return ui.button(custom_id, f"{label} · {t('on') if on else t('off')}", ui.Style.GREEN if on else ui.Style.GREY)


def _player_name(t: Formatter, table: Table, seat: int) -> str:
    """The name of a player; `player 3` if it is not kept."""
    player = table.players[seat]
    if not player.name and (player.user_id or 0) < 0:
        return t("Former player")
    return player.name or t("player {number}", number=seat + 1)


def bare_name(t: Formatter, table: Table, seat: int, most: int = 2 * LONGEST) -> str:
    """The name of a player where markdown is not rendered: labels, alt texts, the name of a thread."""
    return isolated(fitted(_player_name(t, table, seat), most))


def mention(t: Formatter, user_id: int) -> str:
    """A mention, which Discord shows as the person's name; people who were forgotten have ids below 0."""
    return f"<@{user_id}>" if user_id > 0 else t("Former player")


def seat_name(t: Formatter, table: Table, seat: int) -> str:
    """The name of a seat, escaped, and cut to 16 columns, with more than four players to 12; a mention if not kept."""
    user_id = table.players[seat].user_id or 0
    if not table.players[seat].name and user_id:
        return mention(t, user_id)
    columns = WIDE_NAME if len(table.players) <= MOST_WIDE_SEATS else NARROW_NAME
    return escaped(fitted(_player_name(t, table, seat), columns))


def stop_voters(t: Formatter, table: Table) -> str:
    """The names of those who voted to stop the game."""
    return t.listing([seat_name(t, table, seat) for seat, player in enumerate(table.players) if player.wants_stop])


def stop_words(t: Formatter, table: Table, how: str = "") -> str:
    """Who wants to stop the game, how many votes that takes, and `how` to vote; empty if nobody does."""
    votes = table.stop_votes
    if not votes or table.status != "playing":
        return ""
    who = stop_voters(t, table)
    wish = t.n("{names} wants to stop the game", "{names} want to stop the game", votes, names=who)
    return ui.continued(wish, t("{votes} of the {needed} votes needed", votes=votes, needed=votes_needed(table)), how)


def person_name(t: Formatter, table: Table, seat: int) -> str:
    """The name of a player in bold; a mention if it was forgotten."""
    player = table.players[seat]
    if not player.name and player.user_id:
        return mention(t, player.user_id)
    return bold(_player_name(t, table, seat))


def forfeit_words(t: Formatter, forfeit: str) -> str:
    """What a loser owes: free text, or a cup of tea, in text mode without its emoji."""
    tea = t("a cup of tea")
    return escaped(forfeit) or (tea if t.text else f"{tea} 🍵")


def base_rules(name: str) -> Rules:
    """The rules of a variant, which its house rules are compared with; the classic ones if it no longer exists."""
    variant = variants().get(name)
    return variant.rules if variant else Rules()


def variant_title(t: Formatter, name: str) -> str:
    """The title of a variant, polite if need be; its id if it no longer exists."""
    variant = variants().get(name)
    return t.c("variant", (t.polite and variant.polite) or variant.title) if variant else name


def variant_sentence(t: Formatter, name: str) -> str:
    """What is special about a variant, in one or two sentences; may be empty."""
    variant = variants().get(name)
    return t(variant.sentence) if variant and variant.sentence else ""


def played_by(t: Formatter, variant: str, title: str) -> str:
    """The name of saved house rules, or else the title of the variant; plain text."""
    return title or variant_title(t, variant)


def rank_order(t: Formatter, rules: Rules) -> str:
    """The ranks from low to high, `Low to high: 2 3 4 …`."""
    is_special = rules.power(TWO).on == "anything"  # then it is lower than a 3 only in name
    below_ace = range(TWO + is_special, ACE)
    ranks = [ACE, *below_ace] if rules.play.ace == "low" else [*below_ace, ACE]
    order = t("Low to high: {ranks}.", ranks=" ".join(map(t.rank_name if t.text else t.letter, ranks)))
    return t.sentences(order, t("Twos are special.") if is_special else "")


def heading(t: Formatter, table: Table) -> str:
    """`Shithead · Classic`."""
    return f"{t.game()} · {escaped(played_by(t, table.variant, table.title))}"


def seal_words(seal: str) -> str:
    """The first twelve digits of a seal, in groups of four."""
    short = seal[:SEAL_SHOWN]
    return f"`{' '.join(short[at : at + 4] for at in range(0, len(short), 4))}`"


def at_table(t: Formatter, rules: Rules) -> Formatter:
    """The formatter for what happens at a table with these rules: where suits matter, each card is named."""
    return t if t.names_suits == rules.suits_matter else replace(t, names_suits=rules.suits_matter)


def cards_within(t: Formatter, *faces: Face) -> str:
    """Cards within a sentence: `7♥︎`, in text mode `the 7 of hearts`."""
    names = [t("the {card}", card=t.card(face)) if t.text else t.card(face) for face in faces]
    return t.listing(names) if t.text else " ".join(names)


def with_word(t: Formatter, cards: str, word: Word) -> str:
    """Cards with the word that is said with them (R44): `two nines high`; without one, just the cards."""
    if not word:
        return cards
    return t("{cards} low", cards=cards) if word == "low" else t("{cards} high", cards=cards)


def cards_played(t: Formatter, faces: Sequence[Face]) -> str:
    """What was played: `two sevens`; each card if ranks differ, suits matter or a joker is wild; *low* is left out."""
    if len({face_rank(face) for face in faces}) > 1:
        return t.cards(faces)
    if t.names_suits or any(named_rank(face) is not None for face in faces):
        # Japanese marks them as what is played, but not a number of cards.
        return t.c("cards that are played, by name", "{cards}", cards=cards_within(t, *map(plain, faces)))
    return t.suitless(faces)
