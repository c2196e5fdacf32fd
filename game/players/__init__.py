"""Computer players. Each is a function of what its seat may see: `choose(view, rng) -> move`."""
