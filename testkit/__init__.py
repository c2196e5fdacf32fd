"""What tests, benches and tools share: made-up tables, random games, a forger of clicks, a Discord on sockets."""
