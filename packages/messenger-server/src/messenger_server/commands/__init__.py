"""What the commands of `messenger-server` do, one noun a module."""
