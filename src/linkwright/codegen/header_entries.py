"""What headers of stored functions hold: texts, counts, lists of them, asked before anything is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Question = Callable[[Any], bool]
_LARGEST_COUNT = 1 << 48  # bytes or entries: what an address can reach


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _LARGEST_COUNT


def is_amount(value: Any) -> bool:
    """A number that is not negative, whole or not."""
    return type(value) in (int, float) and 0 <= value < float("inf")


def list_of(is_right: Question) -> Question:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def row_of(*each: Question) -> Question:
    """A list with one of each, in this order."""
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(each)
        and all(is_right(x) for is_right, x in zip(each, value, strict=True))
    )


def entries_of(is_right: Question) -> Question:
    """A dictionary whose values are such."""
    return lambda value: isinstance(value, dict) and all(map(is_right, value.values()))


def differing(found: Any, expected: dict[str, Question]) -> str | None:
    """What is wrong with a dictionary that should have these entries, and no others; None if nothing is."""
    if not isinstance(found, dict) or found.keys() != expected.keys():
        return "it has other entries than it should"
    return next(
        (f"{entry!r} is not what it should be" for entry in expected if not expected[entry](found[entry])), None
    )
