"""Names of arrays and functions, which may come from files, as identifiers and comments of C."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm main "
    "workspace "
    # what our code takes from the C library, and what its headers declare besides that a function may be called after
    "NAN INFINITY memcpy memset index div abs y0 y1 yn j0 j1 jn gamma sin cos tan asin acos atan atan2 exp log pow "
    "sqrt fabs fma fmin fmax floor ceil round trunc remainder hypot".split()
)


def identifier(name: str) -> str:
    """Letters, digits and underscores of `name`, others as underscores; never a keyword, nor what our code uses."""
    text = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not text or not text[0].isalpha() or text in _KEYWORDS or re.match(r"lw_", text):
        text = f"the_{text}"
    return text


def identifiers(names: Iterable[str]) -> list[str]:
    """One for each name, all different."""
    found: list[str] = []
    for name in names:
        text, k = identifier(name), 2
        while text in found:
            text, k = f"{identifier(name)}_{k}", k + 1
        found.append(text)
    return found


def comment(text: str) -> str:
    """What may stand in a comment: printable, and not its end."""
    return re.sub(r"[^A-Za-z0-9_ .,:;()\[\]<>=+-]", "?", text)
