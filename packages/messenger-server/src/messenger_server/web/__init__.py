"""What surrounds the routes: the gate, headers, the client's address."""
