"""A Discord made of sockets: a gateway with shards, the REST routes that a bot uses, and people who click.

    world.py     what there is: servers, channels, messages, interactions; knows no socket
    gateway.py   the connections of the shards: identify, resume, heartbeats, and what can go wrong there
    routes.py    what can be asked over HTTP; a new route is a decorated function
    limits.py    how many requests Discord takes
    server.py    all of it on a port, with trouble on demand
    clicker.py   a person with a client, who sees messages and presses what is on them

It stands in a process of its own, with the people in it, so that the process on the other side is the bot's alone.
"""
