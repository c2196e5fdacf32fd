"""The game as text: notation, records, positions, and what a seat saw."""
