"""What tests, benches and the sandbox share: made-up tables, random games, a forger of clicks, a Discord on sockets."""
