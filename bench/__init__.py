"""Measurements. Each is a module with `main(argv) -> int`, runs beside a baseline, and prints JSON last."""
