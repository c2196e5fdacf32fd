"""A state for every screen, which the engine makes from written positions, for the gallery to show in each language.

Nothing is drawn here: every screen comes from the functions with which the bot itself draws.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from cogs.picture_messages import FILM, end_with_picture, film_of, with_picture
from cogs.screens.components import Accent, Screen, note
from cogs.screens.debt_screens import history_screen
from cogs.screens.formatter import FaceEmojis, Formatter
from cogs.screens.hand_screens import adding_screen, hand_screen, known_screen
from cogs.screens.house_rule_screens import house_screen
from cogs.screens.joining_screens import asked_screen, joined_screen
from cogs.screens.lesson_screens import lesson_screen
from cogs.screens.lobby_screens import lobby_screen, more_screen, running_screen
from cogs.screens.prepare_screens import exchange_screen
from cogs.screens.refused import refusal_sentence
from cogs.screens.replay_screens import (
    fair_screen,
    film_screen,
    highlights_screen,
    replay_screen,
    review_screen,
    verified_screen,
)
from cogs.screens.rules_screens import help_screen, rules_screen
from cogs.screens.settings_screens import own_screen, ranks_screen, score_screen, settings_screen, strength_screen
from cogs.screens.table_screens import nudge_screen, public_screen
from cogs.screens.tea_screens import balance_screen, board_screen, claims_screen, tallies_screen
from cogs.topics import help_lines
from data.game_models import Losses
from data.guild_models import GuildSettings, Preferences
from data.models import Match, MatchLine, Player, Table
from data.tea_models import DebtLine, Tally, TeaDebt
from game.cards import make_pack
from game.events import Ended, Played
from game.fairness import Shuffle, Verdict
from game.moves import PickUp, Play, apply, check, parse_move
from game.players.hints import Facts, Mistake, Reason
from game.players.memory import Memory
from game.rules import Rules
from game.showing import table_view
from game.text.notation import parse_cards
from game.text.position import set_up
from game.text.record import Step, parse_line
from game.variants import variant
from tables.gameplay import moved, views_of
from tables.loaded import LoadedTable, seal_of
from tables.snapshots import HandSnapshot, ReplayStep, Reviewed, Score, Strength, Verification, Watched
from testkit.made import TABLE, made_balance, made_debt, made_owing, made_page, made_table
from testkit.scenes import played

Files: TypeAlias = Mapping[str, bytes]
SECRET: Final = bytes(range(32)).hex()
PILE: Final = "3c 4d 4h 5s 6c 8d 8h 9s Jc Qd 7h 7s"
HANDS: Final = ("4h 7c 7d Tc Ks | Kd Qs Jh | 3d 5c 6s", "9c Qc Ah 5d 2s | Td As 9h | 2c Jd 6c", "- | - | -")
MANY: Final = "2c 3d 3h 4c 4s 5d 5h 6d 6h 6s 7c 7d 8c 8s 9c 9d 9h Td Ts Jd Jh Js Qc Qh Kc Kh Ks Ac Ad Ah As"
CROWD: Final = (
    "5d 2s | Td As 9h | 2c Jd 6c",
    "4h 7c 7d | Kd Qs Jh | 3d 5c 6s",
    "9c Qc Ah | Jc+Js 4c Kc | 3h 8c 8s",
    "4s 5h | Tc 2h 9d | 7h 6h 3s",
    "8d 9s | Qd Jd Kh | 5s 4d 3c",
    "Ts Ks | Ac Ad Th | 6d 7s 8h",
)


def _seen(hand: HandSnapshot) -> Memory:
    """A memory of eight burned cards, and of two in the hand of the next seat."""
    seats = len(hand.view.table.seats)
    held = ((), parse_cards("3h Kd"), *[()] * (seats - 2))
    return Memory(hand.view.table, held, (None,) * seats, parse_cards("4c 4d 4h 4s 6c 9d Tc Jh"))


class Samples:
    """Makes the states, with these people at the tables; `people` are ids that exist on the page."""

    def __init__(self, people: Sequence[int], names: Sequence[str], now: datetime) -> None:
        """There must be at least four people."""
        self._people, self._names, self._now = people, names, now

    def _table(self, seats: int, **changes: Any) -> Table:
        players = [Player(user_id=self._people[n], name=self._names[n], joined_by=n) for n in range(min(seats, 4))]
        players += [Player(user_id=None, name=name, joined_by=9) for name in ("Clara", "Otto")[: max(0, seats - 4)]]
        values: dict[str, Any] = {
            "host_id": self._people[0],
            "seats": 5,
            "players": tuple(players),
            "created_at": self._now,
            "started_at": self._now - timedelta(minutes=11),
            "deadline": self._now + timedelta(minutes=3),
            "seal": seal_of(SECRET),
            "status": "playing",
        }
        if changes.get("status", "playing") == "playing":
            values["turn_since"] = self._now  # without it, the game waits until somebody comes back
        return made_table(**(values | changes))

    def _live(self, seats: Sequence[str], *moves: str, rules: Rules | None = None, **position: Any) -> LoadedTable:
        """A position after some moves, written as in transcripts: `A: play 5c`."""
        # Some samples hold a card twice, so the state has more packs than the table's rules.
        packs = (rules or Rules()).changed_with({"deal": {"packs": 3}})
        state = set_up({"seats": list(seats), **position}, packs)
        table = self._table(len(seats), rules=rules or Rules())
        live = LoadedTable(
            table, GuildSettings(guild_id=1), SECRET, views_of(state), moves=31, seat_revisions=(0,) * len(seats)
        )
        for line in moves:
            seat, move = parse_line(line)
            before, state = state, apply(state, seat or 0, move)
            live = moved(live, Step(before, seat, move, state), table.revision, table)
        return live

    async def screens(self, fmt: Formatter) -> AsyncIterator[tuple[str, Screen, Files]]:
        """Every screen by its name, with the pictures that it shows."""
        for name, screen in [
            *self._before(fmt).items(),
            *self._tables(fmt).items(),
            *self._hands(fmt).items(),
            *self._past(fmt).items(),
            *self._tea(fmt).items(),
            *self._pages(fmt).items(),
        ]:
            yield name, screen, {}
        polite = replace(fmt, polite=True)
        ends = (
            ("end", fmt, self._ended()),
            ("end-polite", polite, self._ended()),
            ("match-end", fmt, self._match_ended()),
        )
        for name, written, live in ends:
            drawn = await end_with_picture(written, live.snapshot())
            screen, files = drawn.screen, drawn.pictures
            yield name, screen, files
        for name, live in self._running().items():
            snapshot = live.snapshot()
            drawn = await with_picture(fmt, snapshot, snapshot.view, None) if snapshot.view else None
            if drawn:
                yield name, drawn.screen, drawn.pictures
        watched = self._watched()
        gif = await film_of(fmt, watched)
        yield "film", film_screen(fmt, watched, FILM), {FILM: gif or b""}
        yield "highlights", highlights_screen(fmt, watched, films=True), {}

    def _before(self, fmt: Formatter) -> dict[str, Screen]:
        lobby = self._table(3, status="lobby", started_at=None)
        house = lobby.model_copy(update={"rules": Rules().changed_with({"powers": {"7": {"asks": "at-most"}}})})
        exchange = self._live([*HANDS[:2], "3h 4s 8s | Tc 2h 9d | 7h 6h 3s"], phase="exchange").hand(0)
        call = self._live(["3h 7c | Kd Qs | 3d", "9c Qc | Td As | 2c"], phase="call", turn="-").hand(0)
        match = Match(kind="games", target=3, scoring="order")
        asked = lobby.with_player(1, left=True).but(turn_since=self._now, deadline=self._now + timedelta(minutes=1))
        return {
            "lobby": lobby_screen(fmt, house.model_copy(update={"match": match})),
            "joined": joined_screen(fmt, lobby),
            "alone": lobby_screen(fmt, self._table(1, status="lobby", started_at=None)),
            "rematch": lobby_screen(fmt, asked),
            "asked": asked_screen(fmt, asked, self._people[1]),
            "more": more_screen(fmt, lobby, self._people[0], ()),
            "house-rules": house_screen(fmt, house, "powers", "powers.7"),
            "exchange": exchange_screen(fmt, exchange, "h4h"),
            "call": hand_screen(fmt, call),
        }

    def _turn(self) -> LoadedTable:
        """Ann to play seven or higher, Cy out."""
        seats = ["4h 7c 7d Tc Ks | Kd Qs Jh | 3d 5c 6s", "7s 9c Qc Ah 2s | Td As 9h | 2c Jd 6c", "- | - | -"]
        return self._live(seats, "B: play 7s", pile=PILE.removesuffix(" 7s"), turn="B")

    def _running(self) -> dict[str, LoadedTable]:
        six = Rules(seats=(2, 6))
        crowd = self._live(CROWD, "A: play 2s", "B: play 4h", pile="3d", stock="6s", rules=six)
        burned = self._live(CROWD[1:], "A: play 7d", pile="7h 7s 7c", rules=six)
        return {"table": self._turn(), "crowded": crowd, "burned": burned}

    def _watched(self) -> Watched:
        """A whole game between computer players."""
        steps = played(3, 3)
        table = self._table(3, status="over")
        return Watched(table, [(table_view(step.state), step.told) for step in steps])

    def _tables(self, fmt: Formatter) -> dict[str, Screen]:
        turn = self._turn()
        overdue = replace(turn, table=turn.table.model_copy(update={"nudged": True, "overdue": True}))
        return {
            "table-in-words": public_screen(fmt, turn.snapshot()),
            "nudge": nudge_screen(fmt, overdue.snapshot(), self._people[:1]),
            "running": running_screen(fmt, overdue.table, self._people[1], moderator=False),
            "fair": fair_screen(fmt, turn.table, self._people[0]),
        }

    def _hands(self, fmt: Formatter) -> dict[str, Screen]:
        turn, low = self._turn(), parse_move("play 4h")
        many = self._live([f"{MANY} | Kd Qs Jh | 3c 4d 5s", *HANDS[1:]], pile="6c 7h").hand(0)
        none = self._live(["4h 5d | Kd Qs Jh | 3d 5c", *HANDS[1:]], pile=f"{PILE} Qh").hand(0)
        flip = self._live(["- | - | 3d 5c 6s", *HANDS[1:]], pile="4d 6c").hand(0)
        adding = self._live(["- | 4c 5h 6d | 3d 5c 6s", *HANDS[1:]], pile=f"{PILE} Qh").hand(0)
        refusal = check(turn.state, 0, low) if turn.state else None
        return {
            "hand": hand_screen(fmt, turn.hand(0)),
            "hand-in-words": hand_screen(replace(fmt, faces=FaceEmojis(), text=True), turn.hand(0)),
            "hand-four-colours": hand_screen(replace(fmt, faces=replace(fmt.faces, four_colours=True)), turn.hand(0)),
            "many": hand_screen(fmt, many),
            "waiting": hand_screen(fmt, turn.hand(1)),
            "your-end": hand_screen(fmt, self._ended().hand(1)),
            "stuck": hand_screen(fmt, none),
            "flip": hand_screen(fmt, flip),
            "adding": adding_screen(fmt, adding),
            "known": known_screen(fmt, turn.hand(0), _seen(turn.hand(0))),
            "refusal": note(Accent.RED, refusal_sentence(fmt, refusal, turn.hand(0), low)) if refusal else [],
        }

    def _past(self, fmt: Formatter) -> dict[str, Screen]:
        last = Played(1, parse_cards("4c")), Ended(2, 0)
        hand = self._live(HANDS, pile=PILE, turn="B").hand(0)
        table, view = hand.snapshot.table, hand.view.table
        replay_step = ReplayStep(hand, 31, 88, Watched(table, [*[(view, ())] * 88, (view, last)]))
        joiners = tuple(each.joined_by for each in table.players)
        secret = bytes.fromhex(SECRET)
        shuffle = Shuffle(f"{TABLE}.1", joiners, seal_of(SECRET), secret, 1, 0, make_pack(1, 0))
        verification = Verification(table, shuffle, Verdict.VERIFIED)
        score = Score(24, 5, 0.09, 0.4, 9, 2, 31, 9)
        strengths = [Strength(self._people[n], None, 24 - 3 * n, 1190 - 90 * n, 85 + 20 * n) for n in range(3)]
        strengths.insert(1, Strength(None, "master", 9, 1160, 120))
        strengths.append(Strength(None, "easy", 9, 920, 120))
        told = self._watched().told
        own = [nth - 1 for nth, said in enumerate(told) for each in said if isinstance(each, Played) and each.seat == 0]
        saved, pile = (Reason.SAVES_BETTER,), (Reason.LARGE_PILE,)
        mistakes = [
            Mistake(own[4], PickUp(), Play(parse_cards("7c 7d")), 0.31, pile, Facts(pile=8)),
            Mistake(own[8], Play(parse_cards("Ts")), PickUp(), 0.1, saved, Facts(parse_cards("Ts"))),
        ]
        ranks = [Losses(self._people[n], 24 - 3 * n, 2 + 2 * n) for n in range(4)]
        return {
            "replay": replay_screen(fmt, replay_step, self._people[0]),
            "verified": verified_screen(fmt, verification),
            "stats": score_screen(fmt, self._people[0], score),
            "ranks": ranks_screen(fmt, ranks),
            "strength": strength_screen(fmt, strengths),
            "review": review_screen(fmt, Reviewed(replay_step.hand.snapshot.table, 0, mistakes, told)),
        }

    def _ended(self) -> LoadedTable:
        live = self._live(["- | - | -", "5c | - | -", "4d 9h Kc | Td As | 3c"], "B: play 5c", pile="4c", turn="B")
        over = {"status": "over", "ended_at": self._now, "secret": SECRET, "deadline": None}
        return replace(live, table=live.table.model_copy(update=over), debt=self._debt(9, 2, 0, 1))

    def _match_ended(self) -> LoadedTable:
        live, places = self._ended(), ((1, 2, 1), (2, 1, 2), (3, 3, 3))
        standings = tuple(
            MatchLine(user_id=self._people[n], places=each, lost=(1, 2, 3) if n == 2 else ())  # noqa: PLR2004 - Cy
            for n, each in enumerate(places)
        )
        match = Match(kind="games", target=3, scoring="order")
        return replace(live, table=live.table.model_copy(update={"match": match, "standings": standings, "game": 3}))

    def _debt(self, number: int, debtor: int, *creditors: int, **changes: Any) -> TeaDebt:
        owed, made_at = [self._people[each] for each in creditors], self._now - timedelta(days=9 * number)
        return made_debt(number, self._people[debtor], *owed, made_at=made_at, **changes)

    def _tea(self, fmt: Formatter) -> dict[str, Screen]:
        ann, bob, cy, dee = self._people[:4]
        debts = [
            self._debt(1, 2, 0, 1),
            self._debt(2, 2, 0, 1, 3, forgiven_by=(bob,)),
            self._debt(3, 2, 0, forfeit="pizza"),
            self._debt(4, 0, 1, 2),
        ]
        mine = [debt for debt in debts if ann in debt.creditor_ids]
        tallies = [Tally(cy, 3, 0, 0, 1), Tally(ann, 1, 4, 1, 6), Tally(bob, 0, 2, 0, 5), Tally(dee, 0, 1, 0, 2)]
        lines = [
            DebtLine(3, 2, cy, (ann,), "pizza", "served", "served", ann, self._now - timedelta(days=1)),
            DebtLine(3, 1, cy, (ann,), "pizza", "made", "owed", None, self._now - timedelta(days=3)),
            DebtLine(2, 2, cy, (ann, bob, dee), "", "forgiven", "owed", bob, self._now - timedelta(days=4)),
        ]
        return {
            "tea-board": board_screen(fmt, made_owing(debts), tallies, 0, self._now),
            "tea-claims": claims_screen(fmt, made_page(mine), ann, "serve"),
            "tea-balance": balance_screen(fmt, *made_balance(debts, ann)),
            "tea-history": history_screen(fmt, lines, 0, 0),
            "tea-all-time": tallies_screen(fmt, tallies),
        }

    def _pages(self, fmt: Formatter) -> dict[str, Screen]:
        karma = variant("karma")
        return {
            "tutorial": lesson_screen(fmt, 4),
            "rules": rules_screen(fmt, karma.id, karma.rules),
            "help": help_screen(fmt, help_lines(fmt)),
            "settings": settings_screen(fmt, GuildSettings(guild_id=1)),
            "me": own_screen(fmt, Preferences(guild_id=1, user_id=self._people[0])),
        }
