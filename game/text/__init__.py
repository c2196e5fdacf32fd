"""The game as text: notation, records, positions, what a seat saw."""
