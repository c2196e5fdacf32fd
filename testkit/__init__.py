"""What tests, benches and tools share. Each module says more.

To act at a table in a simulated Discord, with the real bot:

    channel.py         the fixture `room`: a channel with people; they press buttons by verb
    shortcuts.py       to the end of a game, to the builder, to what somebody is told
    faults.py          into the middle of a game, and ways to make things fail there
    strict             what Discord would refuse, although SimCord accepts it
    light_commands.py, light_simcord.py, light_sqlalchemy.py   make libraries faster, with the same results

To act at a table without Discord:

    offline.py         the fixture `house`: the doorway with a clock that stands still
    stored.py          what the database holds
    shuffled.py        an event loop that wakes tasks in any order

To run the bot as a process:

    wire.py            the process on a Discord that does what a test wants
    sockets            a whole Discord on sockets, also for many people at once
    forked.py          a process that starts in a tenth of the time
    ports.py, waiting.py   free ports, and how long to wait

What any test goes on with must be there:

    found.py           fails with a sentence if it is not, or is of another kind

For screens and pictures, made with the engine alone:

    made.py            tables, hands and debts; the texts and labels of a screen
    scenes.py          tables of every size and in every phase, to be drawn
    frames.py          games as the frames of a film
    card_reader.py     which cards a message names
    colours.py         how colours are seen

For the rules:

    random_games.py    random rules, deals, positions and moves
    rule_sets.py       rules for Hypothesis
    agreement.py       what is true of each state and each move
    disguise.py        the same position with other hidden cards
    golden.py          games and counts that are kept

For attacks, kills and changes of the source, which benches and tests make:

    forger.py, rights.py, debts.py   forged clicks, and who may change what
    crowd.py, observer.py            people at many tables of a process that is killed, and what is left of it
    mutations.py                     small changes that a test should notice
"""
