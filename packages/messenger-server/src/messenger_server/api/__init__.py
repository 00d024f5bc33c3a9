"""The agent routes, one noun a module."""
