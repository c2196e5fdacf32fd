"""Answers that say why: a request was declined, a click failed, a table is paused, a message is out of date."""

from __future__ import annotations

from contextlib import suppress

import cogs.screens.components as ui
from cogs.clicks import Answer, Click, notice, private, refused
from cogs.screens.formatter import Formatter, formatter
from cogs.screens.ids import message_url
from cogs.screens.joining_screens import asked_screen, join_button, left_screen
from cogs.screens.refused import decline_sentence, paused_words
from data.models import Table
from tables.match import is_between_games
from tables.services import Decline, Declined, Tables, TableSnapshot


async def explain_decline(tables: Tables, click: Click, declined: Declined) -> Answer:
    """Say why the doorway declined, linking to the table in the way, or offering a seat there."""
    why, snapshot = declined.why, declined.snapshot
    looked_at = snapshot or await _table_or_none(tables, click.guild_id, click.table_id)
    t = await _formatter_of(tables, click, looked_at)
    sentence = decline_sentence(t, declined, looked_at, click.user.id)
    is_lost = why in {Decline.NO_TABLE, Decline.NOT_SEATED}  # their own table is elsewhere, if there is one
    in_the_way = await _table_or_none(tables, click.guild_id, declined.table_id)
    if is_lost and declined.table_id is None:
        with suppress(Declined):
            elsewhere = await tables.play.elsewhere(click.about(looked_at.table.id) if looked_at else click)
            in_the_way = await _table_or_none(tables, click.guild_id, elsewhere)
    if in_the_way and in_the_way.table.message_id:
        words = t("Go to your table") if is_lost else t("Go to the table")
        sentence = t.sentences(sentence, f"[{words}]({message_url(in_the_way.table)})")
    if why is Decline.TABLE_IN_CHANNEL and in_the_way and in_the_way.table.paused:
        sentence = t.sentences(sentence, paused_words(t, in_the_way.table, is_tried=False))
    if why is Decline.TABLE_IN_CHANNEL and in_the_way and _may_join(click, in_the_way.table):
        join = ui.row(join_button(t, in_the_way.table))
        return private(ui.container(ui.Accent.RED, [ui.lines(sentence), join]))  # it becomes their hand
    if snapshot and why in {Decline.NOT_PLAYING, Decline.UNKNOWN_TABLE}:
        return _explain_no_game(t, click, snapshot.table, sentence)
    table = looked_at.table if looked_at else None
    if why is Decline.NOT_SEATED and table and table.started_at and table.seat_left_by(click.user.id) is not None:
        if table.status == "playing" or is_between_games(table):
            return Answer("private", left_screen(t, table, click.user.id), hand_at=table)
        over = decline_sentence(t, Declined(Decline.NOT_PLAYING), looked_at, click.user.id)
        return _explain_no_game(t, click, table, over)  # over for them, too
    return refused(sentence)


async def _formatter_of(tables: Tables, click: Click, looked_at: TableSnapshot | None) -> Formatter:
    """The formatter for a declined click: polite if the click, its table or its server is."""
    polite = click.polite or (looked_at is not None and looked_at.table.polite)
    public = click.guild_locale
    with suppress(Declined):
        settings = await tables.servers.settings(click.guild_id)
        polite, public = polite or settings.polite, settings.locale or public
    return formatter(click.locale, polite=polite, public=public)


def _may_join(click: Click, table: Table) -> bool:
    return table.status == "lobby" and table.free_seats(click.user.id) > 0 and table.seat_of(click.user.id) is None


async def _table_or_none(tables: Tables, guild_id: int, table_id: int | None) -> TableSnapshot | None:
    """The table of this id; None without one, or if there is none that can be read."""
    with suppress(Declined):
        return await tables.snapshot(table_id, guild_id) if table_id else None
    return None


def _explain_no_game(t: Formatter, click: Click, table: Table, sentence: str) -> Answer:
    """Say before the deal what comes next, otherwise `sentence`, which is no refusal to those who were there."""
    if table.status == "lobby":
        return Answer("here", asked_screen(t, table, click.user.id), hand_at=table)
    was_there = any(player.user_id == click.user.id for player in table.players)
    return notice(sentence) if was_there or table.status == "aborted" else refused(sentence)


def explain_failure(click: Click) -> Answer:
    """Apologize for an error. The message stays, because of the number to report."""
    t = formatter(click.locale)
    sorry = t("**Something went wrong, sorry.** Try again. If it happens again, report {number}.", number=click.id)
    return private(ui.note(ui.Accent.RED, sorry))


def explain_pause(t: Formatter, table: Table) -> Answer:
    """Say that a table was paused, and how to resume it if there is no message that could be drawn again."""
    return refused(paused_words(t, table, is_tried=bool(table.message_id)))


def explain_automod(t: Formatter) -> Answer:
    """Say that AutoMod keeps the table's message from being updated."""
    why = t("**This server’s AutoMod does not let the table through**, so its message is out of date.")
    return refused(t.sentences(why, t("A name or the forfeit may be why.")))


def explain_lost_hand(t: Formatter, declined: Declined, reader: int) -> ui.Screen:
    """Say in place of a hand why there is none any more."""
    found, gone = declined.snapshot, t("**You are not in this game:** it goes on without you.")
    plays_on = declined.why is Decline.NOT_SEATED and found and found.table.status == "playing"
    return ui.note(ui.Accent.GREY, gone if plays_on else decline_sentence(t, declined, found, reader))
