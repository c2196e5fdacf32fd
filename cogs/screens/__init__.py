"""Drawing: a view in, component data out. Pure, and without discord.py."""
