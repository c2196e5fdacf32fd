"""What the commands are called in the languages of their readers: names, options, choices, what each one does.

Discord shows the names of the reader's language in its picker, so a sentence that tells somebody to type a command uses
`typed`. A name is one word in small letters; where a language has no other word than English it stays as it is.
"""

from __future__ import annotations

from typing import Final

from cogs.screens.language import Translator, mark, mark_c

COMMANDS: Final = (
    mark_c("command", "shithead"),
    mark_c("command", "palace"),
    mark_c("command", "start"),
    mark_c("command", "hand"),
    mark_c("command", "table"),
    mark_c("command", "leave"),
    mark_c("command", "stop"),
    mark_c("command", "rules"),
    mark_c("command", "tutorial"),
    mark_c("command", "replay"),
    mark_c("command", "verify"),
    mark_c("command", "stats"),
    mark_c("command", "settings"),
    mark_c("command", "me"),
    mark_c("command", "help"),
    mark_c("command", "privacy"),
    mark_c("command", "show"),
    mark_c("command", "export"),
    mark_c("command", "delete"),
    mark_c("command", "tea"),
    mark_c("command", "owed"),
    mark_c("command", "served"),
    mark_c("command", "forgive"),
    mark_c("command", "history"),
    mark_c("command", "correct"),
)
OPTIONS: Final = (
    mark_c("option", "variant"),
    mark_c("option", "pace"),
    mark_c("option", "seats"),
    mark_c("option", "forfeit"),
    mark_c("option", "game"),
    mark_c("option", "player"),
)
CHOICES: Final = (mark_c("choice", "quick"), mark_c("choice", "normal"), mark_c("choice", "slow"))
DESCRIPTIONS: Final = (
    mark("The card game Shithead"),
    mark("The card game Palace"),
    mark("Open a table in this channel"),
    mark("Which rules to play by"),
    mark("How much time there is for a turn"),
    mark("How many may play"),
    mark("What the loser owes instead of a cup of tea"),
    mark("See your cards"),
    mark("Bring the table to the bottom of the channel"),
    mark("Leave the table; the computer plays on for you"),
    mark("Stop the game, or vote for it; nobody owes tea then"),
    mark("Read the rules of this table, or of any variant"),
    mark("Learn the game in ten short steps"),
    mark("Which rules; those of this channel's table if you say nothing"),
    mark("Step through a finished game and see what each seat saw"),
    mark("Work the shuffle of a game out again from its opened secret"),
    mark("Which game; the last one here if you say nothing"),
    mark("Learn the game in ten short steps"),
    mark("See who loses how often"),
    mark("Whose; the whole server if you say nothing"),
    mark("Choose language, name, variant and reminders of this server"),
    mark("Choose how you see the cards and whether you are reminded and counted"),
    mark("How to play and what to press"),
    mark("What is stored about you"),
    mark("See what is stored about you"),
    mark("Download everything that is stored about you"),
    mark("Have everything about you forgotten"),
    mark("Who owes whom a cup of tea"),
    mark("See who owes whom a cup of tea"),
    mark("Mark tea that was owed to you as served"),
    mark("Forgive what is owed to you"),
    mark("See what was done to the debts, by whom and when"),
    mark("Whose debts; everybody's if you say nothing"),
    mark("Put a debt right; for who may manage this server"),
    mark("Download all debts as a CSV file"),
)


def typed(t: Translator, *names: str) -> str:
    """A command as its reader types it: ``typed(t, "tea", "owed")`` is `/tea owed`, in German `/tee schulden`."""
    return f"`/{' '.join(t.c('command', name) for name in names)}`"
