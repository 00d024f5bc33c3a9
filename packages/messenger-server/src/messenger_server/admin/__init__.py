"""The routes of the console's data, one file a noun."""
