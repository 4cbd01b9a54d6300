"""Names and messages as text of a page that reads Markdown."""

from __future__ import annotations

import re

from ..printable import printable

_MARKS = re.compile(r"([!-/:-@\[-`{-~])")  # all that Markdown, HTML or MDX may read as more than itself


def in_markdown(text: object) -> str:
    """As itself: no link, no picture, no markup; lines stay lines."""
    return "\n".join(_MARKS.sub(r"\\\1", printable(line)) for line in str(text).split("\n"))
