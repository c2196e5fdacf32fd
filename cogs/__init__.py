"""The Discord interface: commands, clicks, screens and pictures. Never sees the full state of a game."""
