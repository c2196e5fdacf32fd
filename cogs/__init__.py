"""Discord's words and pictures: commands, clicks and what they draw. Never sees the full state of a game."""
