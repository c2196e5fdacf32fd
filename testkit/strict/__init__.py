"""Checks every request of the bot against what Discord documents, more strictly than SimCord does.

It knows nothing of the bot's own limits (`cogs.screens.components`), so it finds those that are wrong.
"""
