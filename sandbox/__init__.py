"""A simulated Discord in the browser with the real bot in it. Imported by nobody."""
