"""The mark by which a file that this package drew is known again, so that only such files are overwritten unasked."""

from __future__ import annotations

from pathlib import Path

GENERATOR = "drawn by linkwright"
_HEAD = 4096  # bytes in which the mark is


def drawn_by_us(path: Path) -> bool:
    """Whether a picture or an animation at `path` came from here; False for anything else, or if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return GENERATOR.encode() in file.read(_HEAD)
    except OSError:
        return False
