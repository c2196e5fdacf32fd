"""The rules of the card game as pure functions: no clock, no randomness of their own; only its commands read files."""
