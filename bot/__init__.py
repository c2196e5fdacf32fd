"""The process: settings, the doorway to the tables, the clock, the painter. Never imports the screens."""

__version__ = "0.1.0"
