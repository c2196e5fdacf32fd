"""Tables from lobby to end, and the tea: the only code that changes them; all other code gets views.

Of everything above the store only this package may name the state of a game. Knows nothing of Discord. Importing the
package itself loads nothing: the processes that draw take snapshots from it, and need no database.
"""
