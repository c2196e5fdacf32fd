"""Whole games of random legal clicks: to the end and the tea, across restarts, with no hidden card ever shown."""

import random

import pytest
from simcord import MemberActor, ResponseMessage

from cogs.screens.components import SELECT, walk
from cogs.screens.formatter import FaceEmojis
from cogs.screens.ids import parse_button, parse_id
from game.cards import rank_of
from game.moves import Play
from testkit.card_reader import cards_named
from testkit.channel import DRAWN, Room, ids_on, journal, matches
from testkit.found import not_none
from testkit.made import texts
from testkit.shortcuts import play_on, sentence

THRIFTY = 0.9
"""The probability of saving good cards; with purely random clicks games would last for ages."""
MOVES = ("play", "flip", "pickup", "chance", "select", "clear", "follow", "interrupt", "adding")


class Watch:
    """Checks that no version of any message names a card that is hidden from somebody who sees the message."""

    def __init__(self, room: Room):
        self.room, self.log, self.checked = room, journal(room.env), 0

    def look(self):
        live = self.room.tables._doorway.peek(self.room.table_id) if self.room.opened else None
        if live is not None and live.state is not None:
            hidden = list(self.hidden(live))
            for message, payload in self.log:
                named = cards_named(payload)
                for seat, secret in enumerate(hidden):
                    if message.visible_to(live.table.players[seat].user_id):
                        assert not named & secret, (seat, named & secret, payload)
                        self.checked += 1
        self.log.clear()

    def hidden(self, live):
        """Yield for each seat the cards that it must not know."""
        state = live.state
        cards = state.book.cards
        down = {card for seat in state.seats for bit in seat.down for card in cards(bit)}
        down |= {card for bit in state.stock for card in cards(bit)}
        hands = [set(cards(seat.hand)) for seat in state.seats]
        for seat in range(len(hands)):
            known = set(self.told(live))
            others = {card for at, hand in enumerate(hands) if at != seat for card in hand}
            yield down | (others - known)

    def told(self, live):
        """Cards in recent public events, which are no secret."""
        for event in live.recent:
            many = [face for name in ("faces", "cards") for face in getattr(event, name, ())]
            one = [getattr(event, name, None) for name in ("face", "laid", "taken", "given", "card")]
            yield from (face & 63 for face in [*many, *one] if face is not None)


def cheapness(id_):
    """Sort key: low ranks first, several cards before one, twos and tens last."""
    ids = parse_id(id_)
    move = parse_button(ids.verb, ids.argument)
    if not isinstance(move, Play):
        return (20, 0)
    rank = rank_of(move.cards[0])
    return (15 if rank in {0, 8} else rank, -len(move.cards))


class Player:
    """Presses random legal buttons, sensible ones more often, so that games end."""

    def __init__(self, room: Room, seed):
        self.room, self.rng = room, random.Random(seed)

    async def step(self):
        """Let somebody who can act press something."""
        room = self.room
        snapshot = await room.tables.snapshot(room.table_id)
        view, people = snapshot.view, dict(zip((p.user_id for p in snapshot.table.players), range(12), strict=False))
        if view.phase == "exchange":
            waiting = [p for p in room.people if p.id in people and not view.seats[people[p.id]].ready]
            return await self.prepare(self.rng.choice(waiting))
        if view.phase == "call":
            callers = [p for p in room.people if p.id in people and self.can_call(await room.hand(p))]
            return await self.call(self.rng.choice(callers))
        seat = view.flush if view.phase == "clear" else view.turn
        person = next(p for p in room.people if people.get(p.id) == seat)
        return await self.play(person)

    def can_call(self, hand):
        return any(matches(id_, "call") for id_ in ids_on(hand))

    async def call(self, person):
        await self.room.press(person, self.room.hands[person], "call")

    async def prepare(self, person: MemberActor):
        hand = await self.room.hand(person)
        await self.do(
            person, hand, [id_ for id_ in ids_on(hand) if not matches(id_, "pick") or self.rng.random() < 0.3]
        )

    async def play(self, person: MemberActor):
        hand = await self.room.hand(person)
        moves = [id_ for id_ in ids_on(hand) if parse_id(id_).verb in MOVES]
        plays = [id_ for id_ in moves if not matches(id_, "pickup") and not matches(id_, "adding")]
        if plays and self.rng.random() < THRIFTY:
            plays = [min(plays, key=cheapness)]
        await self.do(person, hand, plays if plays and self.rng.random() < 0.97 else moves)

    async def do(self, person: MemberActor, hand: ResponseMessage, ids):
        id_ = self.rng.choice(ids or ids_on(hand))
        part = next(each for each in walk(hand.components) if each.get("custom_id") == id_)
        if part["type"] == SELECT:
            many = part.get("min_values", 1)
            values = [option["value"] for option in self.rng.sample(part["options"], many)]
            result = await person.select(hand, values, custom_id=id_)
        else:
            result = await person.click(hand, custom_id=id_)
        assert result.acknowledged, id_
        await self.room.idle()
        if parse_id(id_).verb == "adding":
            await self.do(person, hand, [each for each in ids_on(hand) if matches(each, "pickup")])


async def play_out(room: Room, player: Player, *, watch=None, restart=0.0):
    for _ in range(4000):
        if (await room.tables.snapshot(room.table_id)).table.status != "playing":
            return await room.idle()
        await player.step()
        if watch:
            watch.look()
        if player.rng.random() < restart:
            await room.restart()
    return pytest.fail("the game does not end")


async def test_a_game_of_two_runs_from_the_lobby_to_a_served_tea(room: Room):
    await room.start(seats=2)
    await play_out(room, Player(room, 3))
    end = room.public()
    snapshot = await room.tables.snapshot(room.table_id)
    loser, winner = not_none(snapshot.view.shithead), 1 - not_none(snapshot.view.shithead)
    names = [player.name for player in snapshot.table.players]
    assert f"# {names[loser]} is the shithead" in texts(end.components)
    assert f"Owes **{names[winner]}** a cup of tea 🍵" in texts(end.components)
    refused = await room.press(room.people[loser], end, "served")
    assert "You owe this yourself. Whoever you owe presses" in texts(refused.response.components).replace("*", "")
    served = await room.press(room.people[winner], end, "served")
    assert "a cup of tea 🍵: served ✓" in texts(served.response.components)
    assert "served ✓" in texts(room.public().components)
    board = await room.people[0].slash(room.channel, "tea owed")
    assert "Nobody owes anything" in texts(board.response.components)
    past = await room.people[0].slash(room.channel, "tea history")
    assert "marked a cup of tea 🍵 from" in texts(past.response.components)


async def test_a_rematch_is_a_new_message_and_the_result_stays_with_its_buttons(room: Room):
    await room.start(seats=2)
    await play_on(room)
    end, before = room.public(), await room.tables.snapshot(room.table_id)
    debt, result = before.debt, texts(end.components)
    asked = await room.press(room.people[0], end, "rematch")
    assert asked.response.ephemeral
    lobby = room.public()
    assert lobby.id > end.id
    assert "no answer yet" in texts(lobby.components)
    await room.press(room.people[1], end, "rematch")
    after = await room.table()
    assert (after.status, after.game, after.dealer) == ("playing", 2, before.view.shithead)
    assert room.public().id == lobby.id
    assert texts(end.components) == result
    replay = (await room.press(room.people[1], end, "replay")).response
    assert f"of {before.moves}" in texts(replay.components)
    assert "Highlights" in texts((await room.press(room.people[1], end, "highlights")).response.components)
    creditor = next(each for each in room.people[:2] if each.id in debt.creditor_ids)
    served = await room.press(creditor, end, "served")
    assert "a cup of tea 🍵: served ✓" in texts(served.response.components)


async def test_a_rematch_against_the_computer_is_dealt_below_the_result(room: Room):
    await room.people[0].slash(room.channel, "shithead practice", level="easy")
    await room.idle()
    await play_on(room)
    end = room.public()
    result = texts(end.components)
    await room.press(room.people[0], end, "rematch")
    assert (await room.table()).status == "playing"
    assert room.public().id > end.id
    assert texts(end.components) == result


async def test_opening_a_table_deletes_the_closed_lobby_of_a_rematch(room: Room):
    await room.start(seats=2)
    await play_on(room)
    end = room.public()
    await room.press(room.people[0], end, "rematch")
    lobby = room.public()
    await room.confirm(room.people[0], "stop")
    assert "Closed" in texts(room.public().components)
    await room.people[1].slash(room.channel, "shithead start")
    await room.idle()
    there = room.env.backend.messages[room.channel.id]
    assert end.id in there
    assert lobby.id not in there


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
async def test_a_game_of_random_clicks_ends_and_shows_nobody_a_hidden_card(room: Room, seats):
    has_faces = seats % 2 == 1
    room.house.bot.faces = DRAWN if has_faces else FaceEmojis()
    watch = Watch(room)
    await room.start(seats=seats)
    await play_out(room, Player(room, seats), watch=watch, restart=0.0 if has_faces else 0.05)
    assert watch.checked
    assert "is the shithead" in texts(room.public().components)


async def test_a_player_who_moves_the_table_down_is_told_where_to_find_their_cards(room: Room):
    async def told(person):
        await room.env.advance_time(30)
        moved = await person.slash(room.channel, "shithead table")
        await room.idle()
        return texts(moved.response.components)

    await room.open()
    moved, below = (
        "Table moved to the bottom of the channel.",
        " Press **My hand** at the table to open your cards below it.",
    )
    assert await told(room.people[0]) == moved
    await room.press(room.people[0], room.public(), "start")
    assert [await told(room.people[n]) for n in (0, 5)] == [moved + below, moved]


async def test_whoever_asks_for_a_table_that_was_moved_just_now_gets_a_link_to_it(room: Room):
    await room.open()
    table = await room.table()
    for person in room.people[4:7]:
        answer = (await person.slash(room.channel, "shithead table")).response
        assert answer.ephemeral
        link = f"[Go to the table](https://discord.com/channels/{room.guild.id}/{room.channel.id}/{table.message_id})"
        assert texts(answer.components) == f"**The table was posted just now.** Try again in half a minute. {link}"
        await room.idle()
    assert room.public().id == table.message_id


async def test_who_wants_a_table_where_a_game_is_on_is_offered_no_seat_there(room: Room):
    await room.start(seats=2)
    answer = (await room.people[5].slash(room.channel, "shithead start")).response
    assert "[Go to the table](" in texts(answer.components)
    assert not ids_on(answer)


async def test_where_no_table_ever_was_people_are_led_to_the_one_at_which_they_sit(room: Room):
    await room.start(seats=2)
    table, other = await room.table(), room.guild.create_text_channel("talk")

    async def told(person, command):
        return texts((await person.slash(other, f"shithead {command}")).response.components)

    none = "**There is no table in this channel.** Open one with `/shithead start`."
    link = f"[Go to your table](https://discord.com/channels/{room.guild.id}/{room.channel.id}/{table.message_id})"
    for command in ("hand", "table", "leave", "stop"):
        assert await told(room.people[1], command) == f"{none} {link}"
    assert await told(room.people[2], "hand") == none
    await room.confirm(room.people[1], "leave")
    assert await told(room.people[1], "hand") == f"{none} {link}", "the seat can be taken back there"
    await room.confirm(room.people[0], "stop")
    assert await told(room.people[0], "hand") == none


@pytest.mark.parametrize("over", [False, True])
async def test_at_the_wrong_table_people_are_led_to_the_one_at_which_they_sit(room: Room, over):
    await room.start(seats=2)
    table, there, ann = await room.table(), room.channel, room.people[1]
    room.channel, room.people = room.guild.create_text_channel("others"), room.people[2:]
    await room.start(seats=2)
    if over:
        await play_on(room)
    link = f"[Go to your table](https://discord.com/channels/{room.guild.id}/{there.id}/{table.message_id})"
    answers = [sentence(await ann.slash(room.channel, f"shithead {command}")) for command in ("hand", "leave")]
    answers.append(sentence(await room.press(ann, room.public(), "rematch" if over else "hand")))
    for told in answers:
        assert told.startswith("**You do not sit at this table.** ")
        assert told.endswith(f" {link}")
    assert "Go to" not in sentence(await room.people[-1].slash(room.channel, "shithead hand"))


async def test_whoever_left_the_next_round_is_not_told_that_their_table_is_the_one_that_they_look_at(room: Room):
    await room.start(seats=3)
    await play_on(room)
    await room.press(room.people[0], room.public(), "rematch")
    told = sentence(await room.people[1].slash(room.channel, "shithead hand"))
    assert told == "**You do not sit at this table.** Press **Join** to play."
