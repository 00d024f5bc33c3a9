"""The database: one writer with group commit, readers that never wait for it, and how it is opened.

Everything else of the server sees these names alone; which engine works below stays in here.
"""

from messenger_server.database.batch import Batch
from messenger_server.database.opening import (
    DatabaseRefused,
    ManyNames,
    NoDatabase,
    NotOurs,
    SchemaAhead,
    SchemaBehind,
    Unusable,
)
from messenger_server.database.prepared import Bulk, Lookup
from messenger_server.database.sqlite import Database, open_for_command

__all__ = [
    "Batch",
    "Bulk",
    "Database",
    "DatabaseRefused",
    "Lookup",
    "ManyNames",
    "NoDatabase",
    "NotOurs",
    "SchemaAhead",
    "SchemaBehind",
    "Unusable",
    "open_for_command",
]
