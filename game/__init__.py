"""The rules of the card game as pure functions: no clock, no chance of their own; only commands read people's files."""
