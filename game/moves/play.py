"""Playing from the hand or the face-up cards: which plays are legal, and why others are refused (R6, R7, R34, R41).

A play needs some bits (`BoundPlay.needs`), and the position allows some (`allowed_bits`). Both the check and the list
of legal plays compare the two. `game.moves.aftermath` works out what follows from a play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from game.cards import JOKER, Card, Face, Rank, card_of, face_rank, has_all, unions
from game.compiled import FOUR, RuleBook, by_book
from game.moves.bound_plays import BoundPlay, Play, as_rank, as_row, bound_play, named, words_of
from game.moves.move import IllegalMove, Refusal
from game.moves.sequences import beneath, climb, rows_in
from game.state import Seat, State, stacked


def allowed_bits(state: State) -> int:
    """The mask of what may be put on the pile now: cards, and bits for other properties (`RuleBook.fits`)."""
    book = state.book
    rank = must_lead_rank(state) if state.frame.opening else None
    return book.fits[state.top] if rank is None else book.fits[state.top] & book.leads[rank]


def must_lead_rank(state: State) -> Rank | None:
    """The rank that the opening lead must have (R45); None if any rank will do."""
    frame = state.frame
    is_bound = frame.opening and state.book.rules.start.must_lead and frame.starter == state.turn
    if not is_bound or frame.start_rank is None:
        return None
    holds = state.seats[state.turn].hand & state.book.rank_masks[frame.start_rank]
    return frame.start_rank if holds else None


def may_go(state: State, play: BoundPlay) -> bool:
    """Whether the seat on turn may put this play, which is no sequence, on the pile now."""
    allowed = allowed_bits(state)
    return has_all(allowed, play.needs) or _may_go_as_four(state, play, allowed)


def _may_go_as_four(state: State, play: BoundPlay, allowed: int) -> bool:
    """Whether it is four of a kind from the hand, which may go although its cards may not (`play.four_on_anything`)."""
    in_hand = (play.mask & state.seats[state.turn].hand).bit_count()
    rank = face_rank(play.cards[0])
    if in_hand < FOUR or rank == JOKER:
        return False
    # It then needs the bit of its rank in `as_four` instead of the bits of its cards.
    return has_all(allowed, state.book.as_four[rank] | state.book.several)


# -- the check


def check(state: State, who: int, move: Play) -> Refusal | None:
    bound = _form_play(state, state.seats[who], named(state.book, move))
    if isinstance(bound, Refusal):
        return bound
    if bound.sequence:
        return _check_sequence(state, bound)
    if may_go(state, bound):
        return None
    if must_lead_rank(state) not in {None, face_rank(bound.cards[0])}:
        return Refusal.NOT_ON
    # The first card that does not fit says why. There always is one, as long as `face_fits` agrees with `may_go`.
    refusals = (_refuse_face(state.book, state.top, face) for face in bound.cards)
    return next(filter(None, refusals), Refusal.NOT_ON)


def bind(state: State, who: int, move: Play) -> BoundPlay:
    """Bind a play to physical cards of the seat, checking nothing else; `IllegalMove` if they cannot form it."""
    bound = _form_play(state, state.seats[who], named(state.book, move))
    if isinstance(bound, Refusal):
        raise IllegalMove(bound)
    return bound


def _form_play(state: State, seat: Seat, move: Play) -> BoundPlay | Refusal:
    """The play that these cards of the seat form, whether or not it is legal now; or why they cannot form one."""
    mask = _mask_of(state, seat, move)
    if isinstance(mask, Refusal):
        return mask
    if not _goes_together(state.book, move):
        return Refusal.MIXED_RANKS
    return bound_play(state.book, mask, move.cards, move.word)


def _mask_of(state: State, seat: Seat, move: Play) -> int | Refusal:
    """The mask of the cards that a play takes from the seat; or why it cannot take them."""
    # Refusals are in the order of docs/rules.md: first cards that the seat does not hold, then face-up cards while it
    # has a hand, then stacks that would be split.
    book = state.book
    cards = tuple(map(card_of, move.cards))
    if from_hand := book.pick(cards, seat.hand):
        return from_hand
    if book.pick(cards, seat.hand | seat.up) is None:
        return Refusal.NOT_HELD
    if seat.hand:
        cards = _beyond_hand(book, seat, cards)
        if not (cards and book.play.combo and not state.stock and _is_natural_set(move)):
            return Refusal.WRONG_ZONE
    slots = book.pick_slots(seat.slots, cards)
    if slots is None:
        return Refusal.NOT_ALLOWED
    return seat.hand | slots  # the hand is empty, or all of it goes with the slots


def _is_natural_set(move: Play) -> bool:
    ranks = set(map(face_rank, move.cards))
    return len(ranks) == 1 and JOKER not in ranks


def _goes_together(book: RuleBook, move: Play) -> bool:
    """Whether the cards are of one rank, or a sequence in which no card but the last burns (R34)."""
    if len(set(map(face_rank, move.cards))) <= 1:
        return True
    row = as_row(move.cards) if book.play.sequences else None
    return row is not None and not any(book.burning[face_rank(face)] for face in row[:-1])


def _beyond_hand(book: RuleBook, seat: Seat, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The cards of a play that are not in the hand; empty if the play does not use up the whole hand."""
    beyond = Counter(cards)
    beyond.subtract(book.cards(seat.hand))
    hand_remains = min(beyond.values()) < 0
    return () if hand_remains else tuple(beyond.elements())


def _check_sequence(state: State, play: BoundPlay) -> Refusal | None:
    """Why a sequence may not be played, or None: it is checked card by card, each on the one before (R34)."""
    book = state.book
    if state.frame.duty or must_lead_rank(state) is not None:
        return Refusal.NOT_ON
    row = [book.copies_of(card_of(face)) for face in play.cards]
    count = climb(book, row, state.top, beneath(book, state.pile))
    if count == len(row):
        return None
    asked = book.top_of(state.pile + play.cards[:count]) if count else state.top
    return _refuse_face(book, asked, play.cards[count])


def _refuse_face(book: RuleBook, code: int, face: Face) -> Refusal | None:
    if book.face_fits(code, face):
        return None
    rank = face_rank(face)
    is_too_low = book.asked[code][0] == "at-least" and rank != JOKER and not book.rank_satisfies(code, rank)
    return Refusal.TOO_LOW if is_too_low else Refusal.NOT_ON


# -- what can be formed


def sets_of(book: RuleBook, group: int) -> tuple[BoundPlay, ...]:
    """All sets from a group of cards of one rank; if it is a named rank, each with both words (R44)."""
    sets: tuple[BoundPlay, ...] | None = book.sets.get(group)
    if sets is None:
        sets = tuple(_plays_of(book, book.subsets(group)))
        book.sets[group] = sets
    return sets


@by_book
def slot_sets(book: RuleBook, slots: tuple[int, ...]) -> tuple[BoundPlay, ...]:
    """All sets of whole slots without wild jokers; equal plays are listed once."""
    plain_slots = [slot for slot in slots if not (book.wild and slot & book.joker_mask)]
    masks = (mask for mask in unions(plain_slots) if len({card >> 2 for card in book.cards(mask)}) == 1)
    return tuple(dict.fromkeys(_plays_of(book, masks)))


@by_book
def wild_sets(book: RuleBook, group: int, rank: Rank, slots: tuple[int, ...]) -> tuple[BoundPlay, ...]:
    """All different sets with at least one joker named `rank`; from face-up cards, in whole slots."""
    masks = [mask for mask in unions(slots) if has_all(group, mask)] if slots else book.subsets(group)
    with_jokers = (mask for mask in masks if mask & book.joker_mask)
    return tuple(dict.fromkeys(_plays_of(book, with_jokers, rank)))


@by_book
def combos(book: RuleBook, hand: int, rank: Rank, slots: tuple[int, ...]) -> tuple[BoundPlay, ...]:
    """All plays of the whole hand together with whole slots of its rank (R41)."""
    wanted = book.rank_masks[rank] | (book.joker_mask if book.wild else 0)
    masks = (hand | mask for mask in unions(slots) if has_all(wanted, mask))
    return tuple(dict.fromkeys(_plays_of(book, masks, rank)))


def row_plays(book: RuleBook, mask: int) -> tuple[BoundPlay, ...]:
    """The plays of a sequence, one for each word that its last card can be played with (R44)."""
    cards = book.cards(mask)
    return tuple(bound_play(book, mask, cards, word) for word in words_of(book, cards[-1] >> 2))


def _plays_of(book: RuleBook, masks: Iterable[int], rank: Rank | None = None) -> Iterable[BoundPlay]:
    """A play for each mask of cards of one rank and each word; wild jokers are named `rank`."""
    for mask in masks:
        cards = [as_rank(book, card, rank) for card in book.cards(mask)]
        yield from (bound_play(book, mask, cards, word) for word in words_of(book, face_rank(cards[0])))


# -- the list


def legal_plays(state: State) -> list[BoundPlay]:
    """The legal plays of the seat on turn from its hand or face-up cards, under all options in `LISTED`."""
    book, seat = state.book, state.seats[state.turn]
    allowed = allowed_bits(state)
    sets: list[BoundPlay] = []
    if not seat.hand and seat.is_stacked():
        sets += slot_sets(book, seat.slots)
    else:
        fitting = allowed & (seat.hand or seat.up)
        for rank_mask in (book.joker_mask, *reversed(book.rank_masks)):
            if fitting & rank_mask:
                sets += sets_of(book, fitting & rank_mask)
    plays = [play for play in sets if has_all(allowed, play.needs)]
    return plays if book.ordinary_plays else plays + uncommon_plays(state, allowed)


def uncommon_plays(state: State, allowed: int) -> list[BoundPlay]:
    """Plays that only some rules have: with wild jokers, four on anything, hand and slots together, sequences."""
    book, seat = state.book, state.seats[state.turn]
    result: list[BoundPlay] = []
    zone = seat.hand or seat.up
    four_may_go = book.play.four_on_anything and bool(seat.hand)
    if book.wild and zone & book.joker_mask:
        # Four of a kind may go even if its rank may not, so under that option jokers are named every rank.
        ranks = [rank for rank, joker in enumerate(book.as_rank) if four_may_go or allowed & joker]
        plays = _with_jokers(book, seat, ranks)
        result += [play for play in plays if has_all(allowed, play.needs) or (four_may_go and may_go(state, play))]
    if four_may_go:
        barred = zone & ~allowed & ~book.joker_mask
        result += [play for play in sets_of_four(book, barred) if may_go(state, play)]
    if book.play.combo and seat.hand and not state.stock:
        result += [play for play in _combos(book, seat) if may_go(state, play)]
    if book.play.sequences and allowed & book.in_sequence:
        single_cards = zone if seat.hand else zone & ~stacked(seat)
        result += rows_in(book, single_cards, state.pile, state.top, row_plays)
    return result


def _with_jokers(book: RuleBook, seat: Seat, ranks: Iterable[Rank]) -> Iterator[BoundPlay]:
    """Sets with wild jokers that are named one of these ranks."""
    zone, slots = (seat.hand, ()) if seat.hand else (seat.up, seat.slots)
    for rank in ranks:
        yield from wild_sets(book, zone & (book.rank_masks[rank] | book.joker_mask), rank, slots)


def sets_of_four(book: RuleBook, cards: int) -> Iterator[BoundPlay]:
    """The sets of four or more natural cards of a rank that can be formed from these cards."""
    while cards.bit_count() >= FOUR:
        group = cards & book.group_of[cards.bit_length()]
        cards ^= group
        if group.bit_count() >= FOUR:
            yield from (play for play in sets_of(book, group) if len(play.cards) >= FOUR)


def _combos(book: RuleBook, seat: Seat) -> Iterator[BoundPlay]:
    """Plays of the whole hand, if it is of one rank, with face-up slots of that rank (R41)."""
    natural = seat.hand & ~book.joker_mask if book.wild else seat.hand
    ranks = {card >> 2 for card in book.cards(natural)}
    if len(ranks) > 1 or JOKER in ranks:
        return
    for rank in ranks or range(JOKER):  # wild jokers alone may be named any rank
        yield from combos(book, seat.hand, rank, seat.slots)


def is_stuck(state: State) -> bool:
    """Whether the seat on turn has no legal play; a seat that can flip is not stuck (R35)."""
    seat = state.seats[state.turn]
    zone = seat.hand or seat.up
    if not zone:
        return False
    if state.book.checks_each:
        return all(check(state, state.turn, each) is not None for each in legal_plays(state))
    fitting = zone & allowed_bits(state)
    goes_singly = seat.hand or not seat.is_stacked()
    # A card that fits may go alone; one that does not fit could only go in a play that is not ordinary.
    if goes_singly and (fitting or state.book.ordinary_plays):
        return not fitting
    return not legal_plays(state.but(book=state.book.brief))
