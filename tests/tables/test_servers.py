"""Joining and leaving servers, and concurrent changes of settings: what is kept, and what is deleted."""

import asyncio

import pytest

from data.errors import UnavailableError
from data.guild_models import GuildSettings
from tables.services import Decline, Declined, Tables
from testkit.offline import GUILD, Offline, People, prefer
from testkit.stored import execute, stored_table


async def test_f26_a_server_that_invites_the_bot_again_while_no_process_runs_is_kept(house: Offline, people: People):
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=1)
    again = house.another()
    await again.servers.catch_up({GUILD: True}.get)
    house.time.pass_by(days=31)
    await again.servers.upkeep()
    assert await house.store.guilds.known() == {GUILD: None}
    assert await stored_table(house.store, table)


async def test_f26_a_return_is_recorded_only_by_the_process_that_serves_the_server(house: Offline, people: People):
    await house.lobby(people[0])
    await house.tables.servers.removed(GUILD)
    other = Tables(house.store, now=house.time, serves=lambda guild_id: guild_id != GUILD)
    await other.servers.catch_up({GUILD: True}.get)
    assert await house.store.guilds.known() == {GUILD: house.time()}


async def test_f36_a_debt_of_a_newer_version_keeps_no_table_from_being_drawn(house: Offline, people: People):
    ended = [await house.game(*people[:2], channel=number) for number in (5, 6)]
    for each in ended:
        await house.finish(each)
    await house.tables.lobby.open(house.by(people[0], guild=GUILD + 1))
    newer = f"UPDATE tea_debts SET state = 'doubled' WHERE table_id = {ended[0]}"
    await execute(house.store.database, newer, "UPDATE tables SET drawn = -1")
    after, drawn = house.another(), []
    after.listeners.append(lambda changed: drawn.append(changed.table.id))
    await after.servers.joined(GUILD)
    assert drawn == ended


async def test_settings_that_are_stored_are_not_said_to_be_lost_if_a_table_cannot_be_read_then(
    house: Offline, people: People, monkeypatch
):
    await house.lobby(people[0])
    after, usual = house.another(), GuildSettings(guild_id=GUILD)

    async def gone(*_):
        raise UnavailableError

    monkeypatch.setattr(house.store.games, "with_table", gone)
    await after.servers.choose(usual, usual.but(polite=True))
    assert (await after.servers.settings(GUILD)).polite


async def test_leaving_a_server_is_dated_when_it_is_first_noticed(house: Offline, people: People):
    await house.lobby(people[0])
    left = house.time()
    for _ in range(2):
        await house.tables.servers.removed(GUILD)
        await house.tables.servers.catch_up({}.get)
        house.time.pass_by(days=1)
    assert await house.store.guilds.known() == {GUILD: left}


async def test_while_the_store_is_away_only_one_server_is_asked_about(house: Offline, people: People, monkeypatch):
    async def away(guild_id, _at):
        asked.append(guild_id)
        raise UnavailableError

    asked = []
    await house.lobby(people[0])
    await house.tables.lobby.open(house.by(people[0], guild=GUILD + 1))
    monkeypatch.setattr(house.store.guilds, "set_left", away)
    with pytest.raises(Declined):
        await house.tables.servers.catch_up({}.get)
    assert asked == [GUILD]


async def test_of_servers_that_neither_came_nor_went_a_start_records_nothing(
    house: Offline, people: People, monkeypatch
):
    await house.lobby(people[0])
    await house.tables.lobby.open(house.by(people[0], guild=GUILD + 1))
    await house.tables.servers.removed(GUILD + 1)
    recorded = []

    async def set_left(guild_id, _at):
        recorded.append(guild_id)

    monkeypatch.setattr(house.store.guilds, "set_left", set_left)
    await house.tables.servers.catch_up({GUILD: True}.get)
    assert recorded == []


async def test_f26_a_server_that_is_back_before_it_is_forgotten_is_kept(house: Offline, people: People):
    table = await house.lobby(people[0])
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=31)
    real = house.store.guilds.known

    async def looked_up_too_early(left_before=None):
        found = await real(left_before)
        await house.tables.servers.joined(GUILD)
        return found

    house.store.guilds.known = looked_up_too_early
    await house.tables.servers.upkeep()
    assert await stored_table(house.store, table)


async def test_what_people_chose_in_a_server_that_was_forgotten_is_forgotten_without_a_restart(
    house: Offline, people: People
):
    await house.lobby(people[0])
    await prefer(house.tables, GUILD, 1, text_mode=True)
    assert (await house.tables.people.preferences(GUILD, 1)).text_mode
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=31)
    await house.tables.servers.upkeep()
    await house.tables.servers.joined(GUILD)
    assert not (await house.tables.people.preferences(GUILD, 1)).text_mode


async def test_what_people_chose_in_a_server_that_was_forgotten_is_forgotten_even_if_another_one_cannot_be(
    house: Offline, monkeypatch
):
    for guild in (GUILD, GUILD + 1):
        await prefer(house.tables, guild, 1, text_mode=True)
        assert (await house.tables.people.preferences(guild, 1)).text_mode
        await house.tables.servers.removed(guild)
    house.time.pass_by(days=31)
    forget, forgotten = house.store.guilds.forget, []

    async def only_one(guild_id, left_before):
        if forgotten:
            raise UnavailableError
        forgotten.append(guild_id)
        return await forget(guild_id, left_before)

    monkeypatch.setattr(house.store.guilds, "forget", only_one)
    with pytest.raises(Declined):
        await house.tables.servers.upkeep()
    await house.tables.servers.joined(forgotten[0])
    assert not (await house.tables.people.preferences(forgotten[0], 1)).text_mode


async def test_what_somebody_chose_who_was_forgotten_by_another_process_counts_no_more_after_an_upkeep(house: Offline):
    await prefer(house.tables, GUILD, 1, text_mode=True)
    assert (await house.tables.people.preferences(GUILD, 1)).text_mode
    another = Tables(house.store, now=house.time, serves=lambda guild_id: guild_id != GUILD)
    assert await another.people.forget(1) is None
    await house.tables.servers.upkeep()
    assert not (await house.tables.people.preferences(GUILD, 1)).text_mode


async def test_a_preference_is_not_stored_where_its_tables_cannot_be_found_as_the_person_then_reads(
    house: Offline, monkeypatch
):
    usual = await house.tables.people.preferences(GUILD, 1)

    async def at_which_sits(_guild_id, _user_id):
        raise UnavailableError

    monkeypatch.setattr(house.store.tables, "at_which_sits", at_which_sits)
    with pytest.raises(Declined):
        await house.tables.people.choose(usual, usual.but(text_mode=True))
    assert not (await house.tables.people.preferences(GUILD, 1)).text_mode


async def test_a_server_is_forgotten_by_the_process_that_serves_it(house: Offline, people: People):
    table = await house.lobby(people[0])
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=31)
    await Tables(house.store, now=house.time, serves=lambda guild_id: guild_id != GUILD).servers.upkeep()
    assert await stored_table(house.store, table)


async def test_concurrent_settings_by_managers_are_all_kept_and_a_removal_too(house: Offline):
    servers = house.tables.servers
    shown = await servers.settings(GUILD)
    await servers.choose(shown, shown.but(locale="de"))
    await servers.removed(GUILD)
    await servers.choose(shown, shown.but(polite=True))
    found = await servers.settings(GUILD)
    assert (found.locale, found.polite) == ("de", True)
    assert await house.store.guilds.known() == {GUILD: house.time()}


async def test_a_table_is_drawn_with_all_settings_of_its_server(house: Offline, people: People):
    table = await house.lobby(people[0])
    shown = await house.tables.servers.settings(GUILD)
    await house.tables.servers.choose(shown, shown.but(locale="de"))
    await house.tables.servers.choose(shown, shown.but(pictures=False))
    drawn = (await house.tables.snapshot(table)).settings
    assert (drawn.locale, drawn.pictures) == ("de", False)


async def test_a_setting_reaches_the_tables_when_it_is_chosen_again(house: Offline, people: People, monkeypatch):
    table, put = await house.lobby(people[0]), house.store.guilds.put
    shown = await house.tables.servers.settings(GUILD)
    with monkeypatch.context() as broken:

        async def unanswered(*choices):
            await put(*choices)
            raise Declined(Decline.SAVING_FAILED)

        broken.setattr(house.store.guilds, "put", unanswered)
        with pytest.raises(Declined):
            await house.tables.servers.choose(shown, shown.but(polite=True))
    assert not (await house.tables.snapshot(table)).settings.polite
    shown = await house.tables.servers.settings(GUILD)
    await house.tables.servers.choose(shown, shown.but(polite=True))
    assert (await house.tables.snapshot(table)).settings.polite


async def test_a_setting_reaches_a_table_that_is_being_read_while_it_is_chosen(house: Offline, people: People):
    table, shown = await house.lobby(people[0]), GuildSettings(guild_id=GUILD)
    other, get, put = house.another(), house.store.guilds.get, house.store.guilds.put
    was_read, stored = asyncio.Event(), asyncio.Event()

    async def read(guild_id):
        found = await get(guild_id)
        was_read.set()
        await stored.wait()
        return found

    async def written(before, after):
        await put(before, after)
        house.store.guilds.get = get
        stored.set()

    house.store.guilds.get, house.store.guilds.put = read, written
    reading = asyncio.create_task(other.snapshot(table))
    await was_read.wait()
    await other.servers.choose(shown, shown.but(nudge_seconds=0))
    assert (await reading).settings.nudge_seconds == 0
    assert (await other.snapshot(table)).settings.nudge_seconds == 0


async def test_a_game_that_could_not_be_aborted_at_removal_is_aborted_at_the_next_start(
    house: Offline, people: People, monkeypatch
):
    table = await house.game(*people[:2])
    with monkeypatch.context() as broken:

        async def abort(*_):
            raise Declined(Decline.SAVING_FAILED)

        broken.setattr(house.tables.servers._doorway, "abort", abort)
        with pytest.raises(Declined):
            await house.tables.servers.removed(GUILD)
    assert (await house.tables.snapshot(table)).table.is_open
    await house.tables.servers.catch_up({}.get)
    assert not (await house.tables.snapshot(table)).table.is_open


async def test_a_game_that_ends_while_the_bot_is_removed_keeps_its_result(house: Offline, people: People, monkeypatch):
    table, open_in = await house.game(*people[:2]), house.store.tables.open_in

    async def just_before_its_end(guild_id):
        found = await open_in(guild_id)
        await house.finish(table)
        return found

    monkeypatch.setattr(house.store.tables, "open_in", just_before_its_end)
    await house.tables.servers.removed(GUILD)
    assert (await house.tables.snapshot(table)).table.status == "over"


async def test_a_table_that_cannot_be_read_keeps_no_other_from_new_settings_or_from_being_aborted(
    house: Offline, people: People
):
    bad = await house.game(people[0], computers=1, channel=5)
    good = await house.game(people[1], computers=1, channel=6)
    await house.tables._doorway.drop(bad)
    await execute(house.store.database, f"UPDATE tables SET pace = 'never' WHERE id = {bad}")
    plain = GuildSettings(guild_id=GUILD)
    await house.tables.servers.choose(plain, plain.but(polite=True))
    assert (await house.tables.snapshot(good)).settings.polite
    await house.tables.servers.removed(GUILD)
    assert (await house.tables.snapshot(good)).table.status == "aborted"
    assert await house.store.guilds.known() == {GUILD: house.time()}
