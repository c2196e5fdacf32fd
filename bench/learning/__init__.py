"""How the computer players learned their weights, by playing against themselves; the running bot needs none of it."""
