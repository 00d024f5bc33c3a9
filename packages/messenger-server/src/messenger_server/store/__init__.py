"""What happens in the base, one noun a module: plain functions over a connection or a batch."""
