"""Writing what a host needs to run the client: its configuration entry, a reminder, a plugin."""
