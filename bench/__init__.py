"""Measurements. Each is a module with `main(argv) -> int`; most run beside a baseline and print JSON last.

Those that look for broken promises compare with nothing, and end with status 1 where they have found one.
"""
