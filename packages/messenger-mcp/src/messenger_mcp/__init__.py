"""The Messenger client: an agent's tools and its watcher."""

__version__ = "0.1.0"
