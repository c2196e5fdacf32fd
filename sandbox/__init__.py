"""A simulated Discord in the browser, with the real bot in it. No layer of the product may import it."""
