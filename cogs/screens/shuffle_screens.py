"""The fair shuffle of a table: what to note before its game ends, what verifying it shows, and the transcript."""

from __future__ import annotations

from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id, key_of
from cogs.screens.language import mark
from cogs.screens.wording import seal_words
from data.models import Table
from game.fairness import Verdict
from tables.snapshots import Checked

_VERDICTS: Final = {
    Verdict.VERIFIED: mark(
        "All {cards} cards follow from the secret that was sealed before anyone joined, and from {joiners} clicks."
    ),
    Verdict.SEAL_DIFFERS: mark("The secret is not the one that was sealed: don’t trust this shuffle."),
    Verdict.PACK_DIFFERS: mark("Secret and clicks give a different pack: don’t trust this shuffle."),
}


def verified_screen(t: Formatter, which: tuple[int, int], checked: Checked) -> ui.Screen:
    """The result of verifying the shuffle of `which` table and game, and what a person needs to repeat it."""
    good = checked.verdict is Verdict.VERIFIED
    title = t("The shuffle is verified ✓") if good else t("The shuffle fails the check ×")
    verdict = t(_VERDICTS[checked.verdict], cards=checked.cards, joiners=checked.joiners)
    seal, secret = t("**Seal** `{seal}`", seal=checked.seal), t("**Secret** `{secret}`", secret=checked.secret)
    parts = [
        ui.lines(ui.h2(title), verdict),
        ui.lines(seal, secret, t("**Table** `{name}`", name=checked.name)),
        ui.lines(
            ui.small(t("Compare all 64 digits with the seal that you wrote down from **Fair shuffle**.")),
            ui.small(t("Without me, check the **Transcript** with `docs/verify_shuffle.py` from my source code.")),
        ),
        ui.row(ui.button(format_id("transcript", which[0], argument=str(which[1])), t("Transcript"))),
    ]
    return ui.container(ui.Accent.GREEN if good else ui.Accent.RED, parts)


def transcript_screen(t: Formatter, file: str) -> ui.Screen:
    """The transcript, to download."""
    what = t("The whole game as text: the pack, every move, and what verifies the shuffle.")
    return ui.container(ui.Accent.BLUE, [ui.lines(what), ui.attached(file)])


def fair_screen(t: Formatter, table: Table, user_id: int, *, noting: bool = False) -> ui.Screen:
    """The fair shuffle of a table before its game is over; with `noting`, what to write down to verify it later."""
    key, verify = key_of(table), t.command("verify")
    if noting:
        seat, seal = table.seat_of(user_id), t("**Seal** `{seal}`", seal=table.seal)
        own = "" if seat is None else t("**Your click** `{id}`", id=table.players[seat].joined_by)
        noted = ui.lines(seal, own, t("**Table** `{name}`", name=f"{table.id}.{table.game}"))
        how = t("Write these down before the game ends, and compare them with what {verify} shows then.", verify=verify)
        back = ui.row(ui.button(key("fair"), t("Back")))
        return ui.container(ui.Accent.BLUE, [ui.lines(ui.h2(t("What to write down")), how), noted, back])
    nobody = t("Nobody chooses the order of the cards, and after the game {verify} shows it.", verify=verify)
    how = t(
        "The order follows from a secret that was drawn before anyone joined, and from the clicks of those who joined."
    )
    seal = t("**Seal** `{seal}`", seal=seal_words(table.seal).strip("`"))
    doubt = t("The seal is the secret’s fingerprint. If you doubt me, note all 64 digits now: the button shows them.")
    head = ui.lines(ui.h2(t("Fair shuffle")), nobody, t("You need not do anything now."), ui.small(how))
    ways = [ui.button(key("fair", "note"), t("What to write down"))]
    if table.status != "lobby":  # there it is opened from the table itself
        ways.append(ui.button(key("more"), t("Back")))
    return ui.container(ui.Accent.BLUE, [head, ui.lines(seal, ui.small(doubt)), ui.row(*ways)])
