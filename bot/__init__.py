"""The process: settings, the connection to Discord, the clock, the painter, the health pages. Contains no rules."""

__version__ = "1.0.0"
