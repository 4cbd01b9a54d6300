"""`Keyframe`: a state that a file names, with the commands that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..pose import finite_array

if TYPE_CHECKING:
    from ..model import Model


@dataclass(frozen=True, eq=False)
class Keyframe:
    """q, v, activations and commands; what is not given is zero."""

    q: np.ndarray
    v: np.ndarray | None = None
    act: np.ndarray | None = None
    ctrl: np.ndarray | None = None

    def checked(self, model: Model, name: str) -> Keyframe:
        """With arrays of the model's sizes that nobody can write to."""
        arrays = []
        for what, size in (("q", model.nq), ("v", model.nv), ("act", model.na), ("ctrl", model.nu)):
            value = getattr(self, what)
            array = finite_array(np.zeros(size) if value is None else value, (size,), f"{what} of keyframe {name!r}")
            array.flags.writeable = False
            arrays.append(array)
        return Keyframe(*arrays)

    def without(self, q: list[int], v: list[int], act: list[int], ctrl: list[int]) -> Keyframe:
        """Of what is left: these entries of each."""
        return Keyframe(
            *(getattr(self, what)[left] for what, left in (("q", q), ("v", v), ("act", act), ("ctrl", ctrl)))
        )
