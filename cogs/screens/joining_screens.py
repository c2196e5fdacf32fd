"""Sitting down and getting up, in private: joined, asked for a rematch, leaving, stopping."""

from __future__ import annotations

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.ids import key_of
from cogs.screens.wording import person_name
from data.models import Table
from tables.match import is_between_games


def joined_screen(t: Formatter, table: Table) -> ui.Screen:
    """What somebody reads who sat down, until cards are dealt: then the message becomes the hand."""
    host = table.seat_of(table.host_id)
    said = t("Your cards appear here as soon as they are dealt.")
    if host is not None and not table.is_asking:
        said = t("Your cards appear here when {name} starts.", name=person_name(t, table, host))
    return ui.container(ui.Accent.GREEN, [ui.lines(ui.h3(t("You are in")), said)])


def asked_screen(t: Formatter, table: Table) -> ui.Screen:
    """The hand of the last game, for somebody who is asked for a rematch."""
    host = table.seat_of(table.host_id)
    name = "" if host is None else person_name(t, table, host)
    when = "" if table.deadline is None else t("dealt {when}", when=ui.stamp(table.deadline))
    head = ui.lines(ui.h3(t("{name} wants a rematch", name=name)), ui.small(when if table.is_asking else ""))
    return ui.container(ui.Accent.GREEN, [head, ui.row(ui.button(key_of(table)("join"), t("Join"), ui.Style.GREEN))])


def leaving_screen(t: Formatter, table: Table) -> ui.Screen:
    """Asks whether to leave a game or a match."""
    question, end = t("Leave the game? The computer plays your cards; a loss still counts."), t("Leave the game")
    if table.status != "playing":
        question, end = t("Leave the match? The next game is dealt without you."), t("Leave the match")
    key = key_of(table)
    yes, no = ui.button(key("leave"), end, ui.Style.RED), ui.button(key("more"), t("Back"))
    return ui.container(ui.Accent.RED, [ui.lines(f"**{question}**"), ui.row(yes, no)])


def stopping_screen(t: Formatter, table: Table) -> ui.Screen:
    """Asks whether to stop a game, or to close a lobby."""
    question = t("Stop the game for everybody? Stopped games owe no tea.")
    end = t("Stop the game")
    if table.status == "lobby":
        question, end = t("Close the table for everybody?"), t("Close the table")
    key = key_of(table)
    yes, no = ui.button(key("stop"), end, ui.Style.RED), ui.button(key("more"), t("Back"))
    return ui.container(ui.Accent.RED, [ui.lines(f"**{question}**"), ui.row(yes, no)])


def left_screen(t: Formatter, table: Table) -> ui.Screen:
    """What leaving a game or a match has done, and the way back while there is one."""
    said = t("You left the match. The next game is dealt without you.")
    if table.status == "playing":
        said = t("You left. The computer plays your cards; a loss still counts.")
    back = [ui.row(take_back_button(t, table))] if table.status == "playing" or is_between_games(table) else []
    return ui.container(ui.Accent.GREY, [ui.lines(said), *back])


def take_back_button(t: Formatter, table: Table) -> ui.Component:
    """The way back for somebody who has left."""
    return ui.button(key_of(table)("return"), t("Take my seat back"), ui.Style.GREEN)
