"""The card game, pure: no clock, no entropy, no input or output, and no word shown to a player."""
