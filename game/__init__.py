"""The rules of the card game as pure functions: no clock, no randomness, no input or output, no text for players."""
