"""Names that can be printed, written to files and hashed: text in whole characters."""

from __future__ import annotations

from ..errors import ModelError


def check_printable(name: str, what: str) -> None:
    """Raise ModelError for a name with half a character (a lone surrogate), which no encoding has."""
    if not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name):
        raise ModelError(f"{what}'s name is {name!r}, which has half a character and cannot be printed")
