"""Text from files as people may see it: what would steer a terminal or turn a line around is written out instead."""

from __future__ import annotations

import unicodedata

# Characters that count as printable and show nothing: joiners, fillers, selectors of variants, the empty Braille cell.
_INVISIBLE = frozenset(
    (
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
        *range(0xE0100, 0xE01F0),
    )
)  # fmt: skip
_OURS_GO_ON = "\n  "
"""Messages of several lines indent all but the first; a line that is not indented was begun by a name within."""


def printable(text: object) -> str:
    """`text` in one line, with `\\x1b` and the like in place of what must not be shown raw.

    These are control characters, line feeds and tabs among them, C1 codes, marks that change the direction of writing,
    characters without width or ink, separators of lines, halves of characters, and whatever else Python's `isprintable`
    refuses, but for spaces. What has been through it stays as it is.
    """
    given = str(text)
    if given.isascii() and given.isprintable():
        return given
    return "".join(c if _shows(c) else c.encode("unicode_escape").decode("ascii") for c in given)


def printable_lines(text: object) -> str:
    """The same for a message of ours that may have several lines, those after the first indented."""
    return _OURS_GO_ON.join(printable(line) for line in str(text).split(_OURS_GO_ON))


def _shows(character: str) -> bool:
    # of spaces `isprintable` takes that of ASCII alone; those of other scripts are as harmless
    shown = character.isprintable() or unicodedata.category(character) == "Zs"
    return shown and ord(character) not in _INVISIBLE
