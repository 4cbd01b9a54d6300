"""What a compiled function was made from: enough to compile it for another processor, export it or differentiate it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..trace import Program


@dataclass(frozen=True)
class Origin:
    """program    makes the traced program, or gives it again
    asked      what the program answers, to those who asked; None of functions of a user's own
    """

    program: Callable[[], Program]
    arithmetic: str
    repeat: bool
    asked: Any = None
