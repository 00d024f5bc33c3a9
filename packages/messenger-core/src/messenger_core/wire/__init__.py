"""The JSON shapes of the HTTP interface, one noun a module; plain structs that do nothing."""
