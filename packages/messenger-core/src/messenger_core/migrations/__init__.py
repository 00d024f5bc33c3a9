"""The migrations of the schema (Alembic), run by `messenger_core.migrate` or by `alembic`."""
