"""What a Messenger mailbox is: identifiers, limits, errors, shapes, tools and the schema."""

__version__ = "0.1.0"
