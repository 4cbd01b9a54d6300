"""What a loop carries from pass to pass, by name: nested lists of scalars as one flat list, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..scalar import Scalar


class Carried:
    """`start` says what there is; values come back as flat lists, one per name."""

    def __init__(self, start: Mapping[str, Any]):
        self.sizes = {name: len(flattened(value)) for name, value in start.items()}

    def flat(self, state: Mapping[str, Any]) -> list[Scalar]:
        return [x for name in self.sizes for x in flattened(state[name])]

    def split(self, values) -> dict[str, list[Scalar]]:
        parts, at = {}, 0
        for name, size in self.sizes.items():
            parts[name] = list(values[at : at + size])
            at += size
        return parts


def flattened(value: Any) -> list[Scalar]:
    """Scalars of nested lists. An array of numbers is one scalar: of a batch."""
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        return [x for part in value for x in flattened(part)]
    return [value]
