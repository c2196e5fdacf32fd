"""The Discord interface: commands, clicks, screens and pictures. It is never given the full state of a game."""
