"""Clicks that make no sense, or no longer do: each gets one private sentence, and nothing is lost."""

import discord
import pytest

from cogs.screens.components import BUTTON, walk
from cogs.screens.ids import format_id
from game.text.notation import format_cards
from game.variants import variants
from testkit.channel import Room, ids_on, matches, together
from testkit.faults import in_play, snapshot
from testkit.found import not_none
from testkit.made import labels, texts
from testkit.offline import request_at
from testkit.shortcuts import finished, sentence
from tests.cogs.test_leaving import left

_WHERE_IT_IS_NOT = ["a server that has the commands alone", "a direct message", "a group", "a group, member null"]


def the_button(message, verb):
    """A button, even a disabled one."""
    return next(each for each in walk(message.components) if matches(each.get("custom_id", "sh:x:1:1"), verb))


async def test_a_stranger_who_presses_my_hand_is_told_that_they_do_not_sit_there_and_when_they_can(room: Room):
    await room.start(seats=2)
    stranger = room.people[5]
    said = sentence(await room.press(stranger, room.public(), "hand"))
    assert said == "**You do not sit at this table.** A game is on; you can join before the next one."


async def test_neither_a_stranger_nor_another_player_can_start(room: Room):
    await room.open(seats=3)
    for person in room.people[1], room.people[5]:
        result = await room.press(person, room.public(), "start")
        assert sentence(result).startswith("**")
    assert (await room.table()).status == "lobby"


async def test_a_refused_start_names_the_host_to_players_and_strangers(room: Room):
    await room.open(seats=3)
    for person in room.people[1], room.people[5]:
        said = sentence(await room.press(person, room.public(), "start"))
        assert said == "**Only Ann, the host of the table, can do that.**"


async def test_an_old_hand_is_redrawn_in_place_and_nothing_is_played(room: Room):
    await room.start(seats=2)
    ann, bob = room.people[:2]
    for person in (ann, bob):
        hand = await room.hand(person)
        await room.press(person, hand, "ready")
    view = (await room.tables.snapshot(room.table_id)).view
    if view.phase == "call":
        caller = next(p for p in (ann, bob) if any(matches(i, "call") for i in ids_on(room.hands[p])))
        await room.press(caller, room.hands[caller], "call")
    turn = not_none((await room.tables.snapshot(room.table_id)).view.turn)
    person = room.people[turn]
    first = (await room.press(person, room.public(), "hand")).response
    before = (await room.table()).revision
    play = next(i for i in ids_on(first) if matches(i, "play"))
    _, result = await together(room.env, person.click(first, custom_id=play), person.click(first, custom_id=play))
    assert "That hand was out of date. Here is the current one." in texts(first.components)
    assert result.response.id == first.id
    assert (await room.table()).revision == before + 1


async def test_an_old_hand_of_a_stopped_game_shows_no_hand_and_promises_none(room: Room):
    await room.start(seats=2)
    ann = room.people[0]
    hand = await room.hand(ann)
    ready = next(i for i in ids_on(hand) if matches(i, "ready"))
    await room.tables.servers.channel_gone(room.guild.id, room.channel.id)
    said = texts((await ann.click(hand, custom_id=ready)).response.components)
    assert "Stopped" in said
    assert "out of date" not in said


async def test_a_page_of_a_game_that_was_given_up_offers_a_new_table_and_no_rematch(room: Room):
    await room.start(seats=2)
    ann = room.people[0]
    page = (await room.press(ann, room.public(), "more")).response
    await room.tables.servers.channel_gone(room.guild.id, room.channel.id)
    said = sentence(await room.press(ann, page, "log"))
    assert said == "**This table is gone.** Open a new one with `/shithead start`."


async def test_a_double_click_plays_once(room: Room):
    await room.start(seats=2)
    ann = room.people[0]
    hand = await room.hand(ann)
    ready = next(i for i in ids_on(hand) if matches(i, "ready"))
    results = await together(room.env, ann.click(hand, custom_id=ready), ann.click(hand, custom_id=ready))
    assert all(result.acknowledged for result in results)
    assert (await room.tables.snapshot(room.table_id)).moves == 1


@pytest.mark.parametrize("command", ["shithead start", "palace start", "shithead practice"])
async def test_a_second_table_in_a_channel_is_refused_without_telling_players_of_the_first_to_join(room: Room, command):
    await room.open(seats=1)
    for person in room.people[:2]:
        said = sentence(await person.slash(room.channel, command))
        assert said.startswith("**This channel already has a table.** Play there, or open yours in a thread")
        assert "Join" not in said


async def test_one_player_alone_cannot_start(room: Room):
    await room.open(seats=1)
    button = next(
        each for each in walk(room.public().components) if matches(each.get("custom_id", "sh:x:1:1"), "start")
    )
    assert button["disabled"]
    assert "Start needs one more player" in texts(room.public().components)


async def test_an_old_start_button_with_one_player_left_is_refused(room: Room):
    await room.open(seats=2)
    old = room.public()
    leave = (await room.press(room.people[1], old, "more")).response
    start = next(i for i in ids_on(old) if matches(i, "start"))
    gone = next(i for i in ids_on(leave) if matches(i, "leave"))
    _, result = await together(
        room.env, room.people[1].click(leave, custom_id=gone), room.people[0].click(old, custom_id=start)
    )
    assert "Too few players yet" in sentence(result)


async def test_at_a_full_table_join_is_disabled(room: Room):
    await room.open(seats=6)
    button = the_button(room.public(), "join")
    assert button["disabled"]
    assert "6 of 6 seats" in texts(room.public().components)


async def test_a_seventh_player_on_an_old_lobby_is_refused(room: Room):
    await room.open(seats=5)
    old, join = room.public(), next(i for i in ids_on(room.public()) if matches(i, "join"))
    results = await together(room.env, *(person.click(old, custom_id=join) for person in room.people[5:7]))
    assert ["Every seat is taken" in sentence(result) for result in results].count(True) == 1
    assert len((await room.table()).players) == 6
    await room.idle()


async def test_joining_twice_changes_nothing_and_says_what_comes_next(room: Room):
    await room.open(seats=2)
    before, (ann, bob) = await room.table(), room.people[:2]
    assert "Your cards appear here when **Ann** starts." in sentence(await room.press(bob, room.public(), "join"))
    assert "When everybody has pressed **Join**, press **Start**." in sentence(
        await room.press(ann, room.public(), "join")
    )
    assert await room.table() == before


async def test_the_host_of_a_limited_table_reads_that_it_is_dealt_once_full(room: Room):
    ann, bob, cy = room.people[:3]
    told = "The cards are dealt once every seat is taken. With fewer players, press **Start**."
    opened = await ann.slash(room.channel, "shithead start", seats=3)
    assert sentence(opened) == f"Your table is open. {told}"
    await room.idle()
    await room.press(bob, room.public(), "join")
    assert sentence(await room.press(ann, room.public(), "join")).endswith(f"Your table is open. {told}")
    await room.press(cy, room.public(), "join")
    assert (await room.table()).status == "playing"


@pytest.mark.parametrize(("variant", "seats"), [("classic", 2), ("paskahousu", 3)])
async def test_the_host_of_a_table_for_as_few_as_can_play_is_not_told_to_start_with_fewer(room: Room, variant, seats):
    opened = await room.people[0].slash(room.channel, "shithead start", variant=variant, seats=seats)
    assert sentence(opened) == "Your table is open. The cards are dealt once every seat is taken."


async def test_a_player_who_presses_join_after_the_deal_gets_their_hand(room: Room):
    await room.open(seats=2)
    old, join = room.public(), next(i for i in ids_on(room.public()) if matches(i, "join"))
    ids = [i for i in ids_on(old) if matches(i, "start")]
    results = await together(
        room.env, room.people[0].click(old, custom_id=ids[0]), room.people[1].click(old, custom_id=join)
    )
    await room.idle()
    assert (await room.table()).status == "playing"
    assert all("Ready" in labels(each.response.components) or "appear here" in sentence(each) for each in results)


async def test_the_computer_plays_on_for_somebody_who_leaves_a_game(room: Room):
    await room.start(seats=3)
    page = await left(room, room.people[1])
    assert "the computer plays them" in texts(page.components)
    assert "Bob left: the computer plays their cards" in texts(room.public().components)
    assert "You left" in sentence(await room.press(room.people[1], room.public(), "hand"))


async def test_an_unknown_variant_is_refused(room: Room):
    result = await room.people[0].slash(room.channel, "shithead start", variant="chess")
    assert "There is no such variant.** Pick one from the list that opens" in sentence(result)


async def test_a_forfeit_of_which_nothing_can_be_seen_is_refused(room: Room):
    result = await room.people[0].slash(room.channel, "shithead start", forfeit="\u200b\u202e")
    assert "That forfeit cannot be used" in sentence(result)
    await room.people[0].slash(room.channel, "shithead start", forfeit=" a \u202ebiscuit\n")
    assert (await room.table()).forfeit == "a biscuit"


async def test_a_forfeit_of_blanks_is_tea(room: Room):
    await room.people[0].slash(room.channel, "shithead start", forfeit="  ")
    assert (await room.table()).forfeit == ""


async def test_too_many_seats_for_the_pack_are_refused(room: Room):
    for variant in ("finland", "classic"):
        result = await room.people[0].slash(room.channel, "shithead start", variant=variant, seats=8)
        assert "too many players for these rules" in sentence(result)
        assert "a variant for more (Smeghead: 8)" in sentence(result)
    opened = await room.people[0].slash(room.channel, "shithead start", variant="smeghead", seats=8)
    assert "Your table is open" in sentence(opened), "as the refusal says"
    assert max(each.rules.most_seats() for each in variants().values()) == 8


async def test_too_few_seats_for_the_rules_are_refused_without_telling_anybody_to_join(room: Room):
    result = await room.people[0].slash(room.channel, "shithead start", variant="paskahousu", seats=2)
    assert sentence(result) == "**These rules are for more players.** Choose more seats, or other rules."


async def test_without_permission_to_post_the_missing_permission_is_named(room: Room):
    role = discord.PermissionOverwrite(send_messages=False)
    channel = room.guild.create_text_channel("quiet", overwrites={room.guild.default_role: role})
    result = await room.people[0].slash(channel, "shithead start")
    assert "I need: **Send Messages**" in sentence(result)


@pytest.mark.parametrize("where", _WHERE_IT_IS_NOT)
@pytest.mark.parametrize("command", ["start", "practice"])
async def test_where_the_bot_is_not_no_table_is_promised(room: Room, command, where):
    def moved(event, said):
        if event != "INTERACTION_CREATE":
            return
        said["channel"] = {"id": "424242", "type": {"a direct message": 1, "a group": 3}.get(where, 0)}
        if where.startswith("a server"):
            said["guild_id"], said["app_permissions"] = "4242", str(discord.Permissions.all().value)
        else:
            said["user"] = said.pop("member")["user"]
            del said["guild_id"]
        if where.endswith("null"):  # Discord leaves the key out, says its documentation
            said["member"] = None

    room.env.backend.subscribers.insert(0, moved)
    said = sentence(await room.people[0].slash(room.channel, f"shithead {command}"))
    assert said == "**I cannot post a table here.** In this channel I need: **a server manager to invite me**."
    assert not room.opened


@pytest.mark.parametrize("make", ["create_voice_channel", "create_stage_channel", "create_text_channel"])
async def test_in_a_channel_with_voices_the_bot_also_needs_the_permission_to_connect(room: Room, make):
    room.channel = getattr(room.guild, make)("lounge")
    room.forbid(connect=True)
    said = sentence(await room.people[0].slash(room.channel, "shithead start"))
    assert ("I need: **Connect**." in said) == (make != "create_text_channel")


@pytest.mark.parametrize("command", ["hand", "table", "leave", "stop"])
async def test_commands_without_a_table_say_how_to_open_one(room: Room, command):
    result = await room.people[0].slash(room.channel, f"shithead {command}")
    assert "/shithead start" in sentence(result)


async def test_an_unknown_button_is_answered(room: Room):
    await room.open(seats=1)
    message = room.env.backend.messages[room.channel.id][room.public().id]
    for id_ in ("sh:dance:1:1", "elephant", "sh:play:99999:1:7c", "sh:play:1:1:zz"):
        message.components[0]["components"][-2]["components"][0]["custom_id"] = id_
        result = await room.people[0].click(room.public(), custom_id=id_)
        assert sentence(result).startswith("**")


async def test_a_forged_play_of_somebody_who_is_not_on_turn_is_refused_and_nothing_is_played(room: Room):
    await in_play(room)
    before = await snapshot(room)
    person = room.people[1 - not_none(before.view.turn)]
    hand = await room.hand(person)
    button = the_button(room.env.backend.messages[room.channel.id][hand.id], "refresh")
    (held, *_) = (await room.tables.play.hand(request_at(before.table, person.id, id=7))).view.hand
    button["custom_id"] = format_id("play", before.table.id, before.table.revision, format_cards([held]))
    assert sentence(await person.click(hand, custom_id=button["custom_id"])).startswith("**It is not your turn")
    assert (await snapshot(room)).moves == before.moves


async def test_a_button_of_another_version_is_out_of_date_whether_or_not_a_game_or_a_table_is_there(room: Room):
    ann, table = room.people[0], (await room.open(seats=2)).id
    for id_ in (f"sh:gone:{room.table_id}:1", f"sh:gone:{room.table_id}:99", "sh:teapot:0:0", "sh:dance:99999:1"):
        message = room.env.backend.messages[room.channel.id][table]
        next(each for each in walk(message.components) if each["type"] == BUTTON)["custom_id"] = id_
        result = await ann.click(room.public(), custom_id=id_)
        assert sentence(result) == "**This button is out of date:** I have been updated since."


async def test_only_the_host_changes_the_table(room: Room):
    await room.open(seats=2)
    more = (await room.press(room.people[1], room.public(), "more")).response
    assert not [i for i in ids_on(more) if matches(i, "variant")]
    assert "The host chooses" in texts(more.components)


async def test_a_click_after_the_end_is_answered_and_changes_nothing(room: Room):
    await room.start(seats=2)
    hand = await room.hand(room.people[1])
    more = (await room.press(room.people[0], room.public(), "more")).response
    await room.press(room.people[0], more, "stopping")
    await room.press(room.people[0], more, "stop")
    assert "The game is stopped. Nobody owes anything for it." in texts(more.components)
    result = await room.press(room.people[1], hand, "ready")
    assert result.acknowledged
    assert texts(hand.components).endswith("### Ann stopped the game\nNobody owes anything for this game.")
    assert not ids_on(hand)


async def test_no_click_or_command_looks_for_a_table_in_all_servers(room: Room, monkeypatch):
    await room.open(seats=2)
    ann, cy, real, servers = room.people[0], room.people[2], room.house.store.games.with_table, []

    async def with_table(table_id, guild_id=None):
        servers.append(guild_id)
        return await real(table_id, guild_id)

    def forgotten():
        for known in (room.tables._doorway._tables, room.tables._doorway._guilds):
            known.clear()

    monkeypatch.setattr(room.house.store.games, "with_table", with_table)
    for command in ("start", "rules", "hand", "leave", "table"):
        forgotten()
        await cy.slash(room.channel, f"shithead {command}")
    await room.idle()
    for is_gone in (False, True):
        if is_gone:
            await room.house.store.tables.remove(await room.table())
        forgotten()
        await room.press(ann, room.public(), "more")
    assert len(servers) > 6
    assert None not in servers


async def test_an_outsider_who_leaves_a_table_whose_game_is_over_is_told_that_they_do_not_sit_there(room: Room):
    await finished(room)
    said = sentence(await room.people[5].slash(room.channel, "shithead leave"))
    assert said.startswith("**You do not sit at this table.** Only its players can do that.")


async def test_the_minority_can_only_vote_to_stop(room: Room):
    await room.start(seats=4)
    more = (await room.press(room.people[1], room.public(), "more")).response
    await room.press(room.people[1], more, "stopping")
    assert "Vote counted: the table shows all votes." in texts(more.components)
    assert "If more than half of the players want it, the game stops" in texts(more.components)
    assert "votes needed" not in texts(more.components), "this page is not redrawn when others vote"
    hand = (await room.press(room.people[0], room.public(), "hand")).response
    await room.press(room.people[0], hand, "ready")
    for seen, how in ((room.public(), " · vote under **More**"), (hand, "")):
        assert f"Bob wants to stop the game · 1 of the 3 votes needed{how}\n" in f"{texts(seen.components)}\n"
    again = await room.people[1].slash(room.channel, "shithead stop")
    assert "voted already" in sentence(again)
    assert "Under **More** you can take your vote back." in sentence(again)


async def test_a_vote_can_be_taken_back_where_it_was_given(room: Room):
    await room.start(seats=4)
    bob = room.people[1]
    more = (await room.press(bob, room.public(), "more")).response
    await room.press(bob, more, "stopping")
    assert "Vote to stop" not in labels(more.components)
    old = next(each for each in ids_on(more) if matches(each, "unvote"))
    await room.press(bob, more, "unvote")
    assert "Vote to stop" in labels(more.components)
    assert "Vote counted" not in texts(more.components)
    assert (await room.table()).stop_votes == 0
    assert "wants to stop" not in texts(room.public().components)
    assert old not in ids_on(more)


async def test_a_vote_that_is_taken_back_already_is_no_longer_shown(room: Room):
    await room.start(seats=4)
    bob = room.people[1]
    await bob.slash(room.channel, "shithead stop")
    pages = [(await room.press(bob, room.public(), "more")).response for _ in range(2)]
    for page in pages:
        await room.press(bob, page, "unvote")
        assert "Vote to stop" in labels(page.components)
    assert "Already done" not in texts(room.notes(bob)[-1].components)


async def test_the_deciding_vote_asks_first_and_the_end_names_the_voters(room: Room):
    await room.start(seats=4)
    pages = [(await room.press(person, room.public(), "more")).response for person in room.people[1:4]]
    for person, page in zip(room.people[1:4], pages, strict=True):
        await room.press(person, page, "stopping")
    assert "Bob and Cy want to stop the game" in texts(room.public().components)
    assert "Stop the game? Your vote decides." in texts(pages[-1].components)
    assert (await room.table()).status == "playing"
    assert "voted already" in sentence(await room.people[2].slash(room.channel, "shithead stop"))
    await room.press(room.people[3], pages[-1], "stop")
    assert (await room.table()).status == "stopped"
    assert "Bob, Cy and Dee voted for it. Nobody owes anything for this game." in texts(room.public().components)


def replace_by_moderator(room: Room, place):
    """Replace one of the people, before they sit down, by Boss, who may manage messages."""
    role = room.guild.create_role("managers", permissions=discord.Permissions(manage_messages=True))
    room.people[place] = room.guild.add_member(room.env.create_user("boss", global_name="Boss"), roles=[role])


@pytest.mark.parametrize(
    ("boss", "said"),
    [(0, "Boss stopped the game"), (2, "Boss stopped the game"), (5, "A moderator stopped the game")],
)
async def test_a_game_stopped_by_one_person_names_them_and_no_voters(room: Room, boss, said):
    replace_by_moderator(room, boss)
    await room.start(seats=4)
    page = (await room.press(room.people[1], room.public(), "more")).response
    await room.press(room.people[1], page, "stopping")
    await room.confirm(room.people[boss], "stop")
    assert texts(room.public().components).startswith(f"# {said}\n")
    assert "Nobody owes anything for this game." in texts(room.public().components)
    assert "Bob" not in texts(room.public().components)


@pytest.mark.parametrize(
    ("boss", "said"),
    [(0, "Boss closed the table."), (1, "Boss closed the table."), (5, "A moderator closed the table.")],
)
async def test_a_lobby_says_who_closed_it(room: Room, boss, said):
    replace_by_moderator(room, boss)
    await room.open(seats=2)
    await room.confirm(room.people[boss], "stop")
    assert texts(room.public().components).startswith("# Closed\n")
    assert f"\n{said}\n" in texts(room.public().components)


async def test_a_lobby_that_its_host_left_to_the_computer_says_that_everybody_left(room: Room):
    await room.open(seats=1)
    page = (await room.press(room.people[0], room.public(), "more")).response
    await room.choose(room.people[0], page, "computer", "easy")
    await room.press(room.people[0], page, "leave")
    assert "\nEverybody left the table.\n" in texts(room.public().components)


async def test_only_a_creditor_can_mark_tea_served(room: Room):
    result = await room.people[0].slash(room.channel, "tea served")
    assert "Nobody owes you anything." in sentence(result)
    assert "Only somebody to whom a debt is owed can mark it as served." in sentence(result)
    forgiving = await room.people[0].slash(room.channel, "tea forgive")
    assert "Nobody owes you anything." in sentence(forgiving)
    assert "mark it as served" not in sentence(forgiving)


@pytest.mark.parametrize(("polite", "command"), [(False, "shithead"), (True, "palace")])
async def test_a_missing_table_is_answered_with_the_command_that_the_server_uses(room: Room, polite, command):
    settings = await room.tables.servers.settings(room.guild.id)
    await room.tables.servers.choose(settings, settings.but(polite=polite))
    result = await room.people[0].slash(room.channel, "shithead hand")
    assert f"`/{command} start`" in sentence(result)


@pytest.mark.parametrize("command", ["shithead stats", "tea history"])
async def test_somebody_who_is_not_on_the_server_any_more_can_be_named_in_a_command(room: Room, command):
    """Discord then sends the user, but no member of the server."""
    await room.open()
    gone = room.env.create_user("Gone")
    said = sentence(await room.people[0].slash(room.channel, command, player=gone))
    assert f"<@{gone.id}>" in said


@pytest.mark.parametrize("options", [[], [{"name": "dance", "type": 1}]])
async def test_a_command_in_the_form_of_another_version_is_answered(room: Room, options, caplog):
    await room.open()
    data = {"id": "1", "name": "shithead", "type": 1, "options": options}
    said = sentence(await room.people[0]._dispatch_interaction(2, room.channel, data))
    assert said.startswith("**I do not know that command any more:**")
    assert "a command cannot be read" in caplog.text
    room.env.errors.clear()  # SimCord has noted why


@pytest.mark.parametrize(
    ("option", "kind", "value"), [("pace", 3, "warp"), ("seats", 3, "4"), ("seats", 10, 3.5), ("variant", 4, 5)]
)
async def test_a_command_with_an_option_of_another_version_is_answered(room: Room, option, kind, value, caplog):
    given = [{"name": option, "type": kind, "value": value}]
    data = {"id": "1", "name": "shithead", "type": 1, "options": [{"name": "start", "type": 1, "options": given}]}
    said = sentence(await room.people[0]._dispatch_interaction(2, room.channel, data))
    assert said.startswith("**I do not know that command any more:**")
    assert "a click failed" not in caplog.text
    room.env.errors.clear()  # SimCord has noted why


@pytest.mark.parametrize("kind", [0, 2, 5, 11, 12, 13, 99])
async def test_a_command_is_answered_however_little_discord_says_of_its_channel(room: Room, kind):
    def shorten(event, said):
        if event == "INTERACTION_CREATE":
            said["channel"] = {"id": "424242", "type": kind, "name": "cards"}

    room.env.backend.subscribers.insert(0, shorten)
    said = sentence(await room.people[0].slash(room.channel, "shithead help"))
    assert said.startswith("## Shithead")


async def test_whoever_is_not_the_host_any_more_cannot_change_the_table_from_an_old_page(room: Room):
    await room.open(seats=2)
    ann, bob = room.people[:2]
    page = (await room.press(ann, room.public(), "more")).response
    await ann.slash(room.channel, "shithead leave")
    assert (await room.table()).host_id == bob.id
    refused = (await room.choose(ann, page, "pace", "slow")).response
    assert texts(refused.components) == "**Only Bob, the host of the table, can do that.**"
    assert (await room.table()).pace == "normal"
