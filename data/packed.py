"""Pack an ended game into one short text: its deal and its moves, which is enough to replay it.

During a game each move is a row, so that storing a move always costs the same. Afterwards the rows with their indexes
would take ten times the space. Rules, packs and moves are packed as they are, without being interpreted.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import NoResultFound

from data.game_models import StoredMove
from data.schema import GAME_KEY, IN_USE, clicks, games, moves, of_table, same, tables

_DICTIONARY: Final = (
    b'{"seats":[2,6],"deal":{"packs":1,"jokers":0,"jokers_for_six":2,"face_down":3,"face_up":3,"hand":3,"by_seats"'
    b':{},"method":"open","stacking":false,"exchange":"any"},"start":{"by":"face-up-then-call","rank":"3","must_le'
    b'ad":false,"turn_up":false},"play":{"refill":"always","ace":"high","stuck":"self","must_play":false,"burn_aga'
    b'in":true,"four_of_a_kind":true,"four_on_anything":false,"runs_through_glass":false,"sequences":false,"chance'
    b'":"never","lead_after_pickup":"next","face_up_pickup":"add-one","flush":false,"interrupt":false,"follow_up":'
    b'false,"combo":false},"powers":{"2":{"on":"anything","not_on":[],"only_on":[],"asks":"anything","does":[],"bu'
    b'rns_on":[],"bare":null,"bare_gives":false,"two_left":null,"wild":false,"leaves":false,"answer":null},"10":{"'
    b'on":"anything","not_on":[],"only_on":[],"asks":"at-least","does":["burn"],"burns_on":[],"bare":null,"bare_gi'
    b'ves":false,"two_left":null,"wild":false,"leaves":false,"answer":null},"joker":{"on":"anything","not_on":[],"'
    b'only_on":[],"asks":"under","does":["reverse"],"burns_on":[],"bare":null,"bare_gives":false,"two_left":null,"'
    b'wild":false,"leaves":false,"answer":null}},"end":{"aim":"loser","next_dealer":"loser","tribute":false}}'
)
"""The preset dictionary of the compression: the rules of the classic game. Stored texts can be read with no other one,
so it must never change, even if the rules do."""
_WINDOW_BITS: Final = -15
REDELIVERED: Final = timedelta(minutes=15)
"""For how long after a click Discord accepts an answer. It redelivers a click only within a shorter time."""


@dataclass(frozen=True, slots=True, repr=False)
class Packed:
    """The content of a packed text. `rules` and `pack` are as in the columns of a running game."""

    rules: Mapping[str, Any]
    pack: str
    moves: tuple[StoredMove, ...]


def packed_text(game: Packed) -> str:
    """Pack a game into a text. Times are kept to the second."""
    fields = {
        "rules": game.rules,
        "pack": game.pack,
        "seats": [made.seat for made in game.moves],
        "moves": "\n".join(made.move for made in game.moves),
        "revisions": _differences(made.revision for made in game.moves),
        "seconds": _differences(int(made.made_at.timestamp()) for made in game.moves),
        "own": "".join("01"[made.own] for made in game.moves),
    }
    packer = zlib.compressobj(9, wbits=_WINDOW_BITS, memLevel=9, zdict=_DICTIONARY)
    plain = json.dumps(fields, separators=(",", ":")).encode()
    return base64.b85encode(packer.compress(plain) + packer.flush()).decode()


def _differences(numbers: Iterable[int]) -> list[int]:
    return [after - before for before, after in pairwise((0, *numbers))]


def unpack(text: str) -> Packed:
    """Read the game from a packed text; raises `ValueError` if it is damaged."""
    try:
        plain = zlib.decompressobj(_WINDOW_BITS, _DICTIONARY).decompress(base64.b85decode(text))
        fields: Mapping[str, Any] = json.loads(plain)
        revisions: Iterable[int] = accumulate(fields["revisions"])
        seconds: Iterable[int] = accumulate(fields["seconds"])
        seats, owns = fields["seats"], fields.get("own", "1" * len(fields["seats"]))
        # A game without moves has "" here, which splits into one empty line.
        rows = zip(seats, fields["moves"].split("\n"), revisions, seconds, owns, strict=bool(seats))
        made = tuple(
            StoredMove(number, seat, move, revision, datetime.fromtimestamp(at, UTC), own == "1")
            for number, (seat, move, revision, at, own) in enumerate(rows, start=1)
        )
        return Packed(fields["rules"], fields["pack"], made)
    except (zlib.error, KeyError, TypeError, AttributeError, OverflowError, OSError, RecursionError) as error:
        raise ValueError(f"a packed game is damaged ({type(error).__name__})") from error


def of_game(table: sa.Table) -> sa.ColumnElement[bool]:
    """A condition for the rows of one game; the statement, which must not be an update, is executed with its key."""
    return sa.and_(*(table.c[name] == sa.bindparam(name) for name in GAME_KEY))


HAS_ENDED: Final = games.c.dealt_at.is_not(None) & ((games.c.game < tables.c.game) | ~IN_USE)
_GAME: Final = sa.select(games.c.rules, games.c.pack).where(of_game(games), games.c.packed.is_(None))
_BY_CLICK: Final = moves.c.interaction_id.is_not(None)
MOVES: Final = (
    sa.select(moves.c.n, moves.c.seat, moves.c.move, moves.c.revision, moves.c.made_at, _BY_CLICK)
    .where(of_game(moves))
    .order_by(moves.c.n)
)
"""The columns of `StoredMove` for each move of a running game, in order."""
_CLICKED: Final = sa.select(moves.c.guild_id, moves.c.interaction_id, moves.c.made_at).where(
    of_game(moves),
    _BY_CLICK,
    moves.c.made_at >= sa.bindparam("since"),
    ~sa.exists().where(same(clicks, moves, "guild_id", "interaction_id")),
)
_NOTE_CLICKS: Final = sa.insert(clicks).from_select(["guild_id", "interaction_id", "made_at"], _CLICKED)
_FORGET: Final = sa.delete(moves).where(of_game(moves))


def pack_away(connection: Connection, key: Mapping[str, int]) -> None:
    """Replace the moves of an ended game by one packed text, within the caller's transaction.

    The ids of its latest clicks are kept in `clicks`, so that redelivery is still noticed. A game that cannot be read
    stays as it is, so that its table can be ended all the same.
    """
    try:
        row = connection.execute(_GAME, key).one()
        made = tuple(StoredMove(*move) for move in connection.execute(MOVES, key))
        text = packed_text(Packed(row.rules, row.pack, made))
    except (NoResultFound, TypeError, ValueError):
        return
    connection.execute(sa.update(games).filter_by(**key).values(packed=text, rules=None, pack=None))
    if made:
        connection.execute(_NOTE_CLICKS, {**key, "since": made[-1].made_at - REDELIVERED})
        connection.execute(_FORGET, key)


def pack_all_away(connection: Connection) -> None:
    """Pack every ended game that is not packed, within the caller's transaction."""
    keys = sa.select(games.c.guild_id, games.c.table_id, games.c.game).join(tables, of_table(games))
    for key in connection.execute(keys.where(HAS_ENDED, games.c.packed.is_(None))).mappings().all():
        pack_away(connection, {**key})
