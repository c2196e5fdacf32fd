"""A Discord made of sockets: a gateway with shards, the REST routes that a bot uses, and people who click.

    world.py     the contents: servers, channels, messages, interactions; uses no sockets
    gateway.py   the connections of the shards: identify, resume, heartbeats, and what can go wrong there
    routes.py    the HTTP routes; a new one is a decorated function
    limits.py    the rate limits
    server.py    all of it on a port, with faults on demand
    clicker.py   a person with a client, who sees messages and presses what is on them

It runs in a process of its own, together with the people, so that the other process is the bot's alone.
"""
