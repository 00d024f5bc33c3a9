"""The Messenger server: it receives and keeps messages."""

__version__ = "0.1.0"
