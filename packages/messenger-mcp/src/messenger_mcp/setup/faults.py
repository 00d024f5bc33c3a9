"""Why a setup is refused."""


class SetupRefusedError(Exception):
    """Nothing was written; the text names the file, the place of its fault, and what to do."""


class TextFaultError(Exception):
    """A text cannot be read as what it should be; its own text says where and why."""

    @classmethod
    def at(cls, text: str, position: int, reason: str) -> "TextFaultError":
        """The fault at a position of a text, told by line and column, both from 1."""
        line = text.count("\n", 0, position) + 1
        column = position - (text.rfind("\n", 0, position) + 1) + 1
        return cls(f"line {line}, column {column}: {reason}")
