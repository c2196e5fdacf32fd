"""What is asked, who is on turn, when time is up: the sentences that head every screen."""

from __future__ import annotations

from datetime import datetime

from cogs.screens.faces import Formatter
from cogs.screens.language import Translator
from cogs.screens.names import escaped, fitted
from cogs.screens.ranks import one_card, rank_name
from data.models import Player, Table
from game.cards import ACE, JOKER, Rank
from game.rules import Rules
from game.variants import Variant, variants
from game.view import Asked, TableView

WIDE_NAME, NARROW_NAME = 16, 12
MOST_WIDE_SEATS = 4


def asked_words(t: Translator, asked: Asked) -> str:
    """`7 or higher`."""
    rank = "" if asked.rank is None else rank_name(t, asked.rank)
    match asked.kind:
        case "at-least":
            return t.c("what is asked", "an ace") if asked.rank == ACE else t("{rank} or higher", rank=rank)
        case "at-most":
            return t("{rank} or lower", rank=rank)
        case "below":
            return t("lower than {rank}", rank=rank)
        case "same":
            return t("{rank} only", rank=rank)
        case "not":
            return t("anything but {rank}", rank=rank)
        case "red-jack":
            return t("a red jack")
        case "anything":
            return t("anything")


def exceptions(t: Translator, view: TableView) -> str:
    """`or a 2, or a 10`; empty where nothing else goes."""
    jokers = view.rules.jokers_with(len(view.seats))
    ranks = [rank for rank in view.asked.also if rank != JOKER or jokers]
    return t.c("between the items of a list", ", ").join(t("or {card}", card=one_card(t, rank)) for rank in ranks)


def asked_in_full(t: Translator, view: TableView) -> str:
    """`7 or higher, or a 2, or a 10`."""
    also, asked = exceptions(t, view), asked_words(t, view.asked)
    return t("{asked}, {exceptions}", asked=asked, exceptions=also) if also else asked


def turn_heading(t: Formatter, name: str, view: TableView) -> str:
    """`Ann to play: 7 or higher`, `Ann leads`: for everybody."""
    if view.asked.kind == "red-jack":
        return t("{name}: a red jack, or pick up", name=name)
    if not view.pile and view.asked.kind == "anything":
        return t("{name} leads", name=name)
    return t("{name} to play: {asked}", name=name, asked=asked_words(t, view.asked))


def your_heading(t: Translator, view: TableView, lead: Rank | None = None) -> str:
    """`Your turn: 7 or higher`: for who is on turn."""
    if lead is not None and not view.started:
        return t("Your turn: lead {card}", card=one_card(t, lead))
    if not view.pile and view.asked.kind == "anything":
        return t("Your turn: lead anything")
    return t("Your turn: {asked}", asked=asked_words(t, view.asked))


def stamp(when: datetime, style: str = "R") -> str:
    """A time that Discord shows in the reader's words."""
    return f"<t:{int(when.timestamp())}:{style}>"


def time_up(t: Translator, table: Table) -> str:
    """`time is up in 2 minutes`; empty where no clock runs."""
    return t("time is up {when}", when=stamp(table.deadline)) if table.deadline else ""


def small(*parts: str) -> str:
    """A line of small print, its parts separated by a dot; empty where nothing is to say."""
    line = " · ".join(part for part in parts if part)
    return f"-# {line[:1].upper()}{line[1:]}" if line else ""


def continued(*parts: str) -> str:
    """The same where the line goes on from the one above: `or a 2, or a 10`."""
    line = " · ".join(part for part in parts if part)
    return f"-# {line}" if line else ""


def player_name(t: Translator, player: Player, seat: int) -> str:
    """What a player is called, unescaped; `player 3` where the name is forgotten."""
    return player.name or t("player {number}", number=seat + 1)


def mention(t: Translator, user_id: int) -> str:
    """A person in a text, as Discord shows them to the reader; ids below 0 are of people who were forgotten."""
    return f"<@{user_id}>" if user_id > 0 else t("a former player")


def seat_name(t: Translator, table: Table, seat: int, most: int | None = None) -> str:
    """The name of a seat, cut to `most` columns (as many as the table's size allows where None) and escaped."""
    room = most or (WIDE_NAME if len(table.players) <= MOST_WIDE_SEATS else NARROW_NAME)
    return escaped(fitted(player_name(t, table.players[seat], seat), room))


def forfeit_words(t: Translator, forfeit: str) -> str:
    """What a loser owes: free text, or a cup of tea."""
    return escaped(forfeit) if forfeit else t("a cup of tea 🍵")


def game_name(t: Formatter) -> str:
    """What the game is called here."""
    return t("Palace") if t.polite else t("Shithead")


def known_variant(name: str) -> Variant | None:
    """The variant of this id, None where there is none any more."""
    return variants().get(name)


def base_rules(name: str) -> Rules:
    """What house rules are compared with that were made from this variant; the classic game where it is gone."""
    found = known_variant(name)
    return found.rules if found else Rules()


def variant_title(t: Translator, name: str) -> str:
    """What the variant of this id is called, as its file says; the id where there is none any more."""
    found = known_variant(name)
    return t.c("variant", found.polite if t.polite else found.title) if found else name


def variant_sentence(t: Translator, name: str) -> str:
    """What makes the variant of this id, in one or two sentences; empty where nothing is to say."""
    found = known_variant(name)
    return t(found.sentence) if found and found.sentence else ""


def played_by(t: Translator, variant: str, title: str) -> str:
    """The name of saved house rules, or else the title of the variant; plain text."""
    return title or variant_title(t, variant)
