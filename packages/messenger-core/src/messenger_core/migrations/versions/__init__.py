"""One module for each revision, in the order of their numbers."""
