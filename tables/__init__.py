"""Tables from lobby to end, and the tea debts: only this package changes them, all other code gets views.

Above the store, only this package may import the `State` of a game. It has no knowledge of Discord's API. This file
must import nothing: the processes that draw import the snapshots from here, and should not load the database.
"""
