"""The rules of the card game as pure functions: no clock, no randomness, no files but their own and their commands'."""
