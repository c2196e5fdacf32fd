"""The process: settings, the connection to Discord, the clock, the painter, the health pages. Knows no rule."""

__version__ = "1.0.0"
