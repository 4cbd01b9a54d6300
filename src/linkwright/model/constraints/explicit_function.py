"""Some joints given by others: q = gamma(y), a traced program with its derivatives (`linkwright.explicit`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from ...scalar import Scalar
from ...trace import run_on_scalars
from .constraint import constraint_kind
from .implicit_function import ImplicitFunction
from .joint_tie import slides


@constraint_kind
@dataclass(frozen=True, eq=False, kw_only=True)
class ExplicitFunction(ImplicitFunction):
    """The coordinates of `joints` as a function of those of `independent`.

    function   of y and yd: outputs "q", "G" (by rows) and "g"
    """

    independent: tuple[str, ...]

    kind: ClassVar[str] = "explicit_function"

    def __post_init__(self):
        object.__setattr__(self, "independent", tuple(self.independent))
        super().__post_init__()

    @property
    def size(self) -> int:
        return len(self.joints)

    @property
    def tied_joints(self) -> tuple[str, ...]:
        return (*self.joints, *self.independent)

    def evaluate(self, y: Sequence[Scalar], yd: Sequence[Scalar]):
        """(q, G by rows, g)."""
        result = run_on_scalars(self.function, y, yd)
        n = len(self.independent)
        return result["q"], [result["G"][r * n : (r + 1) * n] for r in range(self.size)], result["g"]

    def value(self, q, v):
        y, yd = q[self.size :], v[self.size :]
        positions, G, g = self.evaluate(y, yd)
        phi = [a - b for a, b in zip(q[: self.size], positions, strict=True)]
        K = [[*(1.0 if r == c else 0.0 for c in range(self.size)), *(-x for x in row)] for r, row in enumerate(G)]
        return phi, K, [-x for x in g]

    def renamed(self, prefix: str, ground: str) -> ExplicitFunction:
        given = tuple(prefix + joint for joint in self.independent)
        return replace(cast(ExplicitFunction, super().renamed(prefix, ground)), independent=given)

    def to_dictionary(self) -> dict[str, Any]:
        return {**super().to_dictionary(), "independent": list(self.independent)}

    @property
    def followers(self) -> tuple[str, ...]:
        return self.joints

    @property
    def leaders(self) -> tuple[str, ...]:
        return self.independent

    def lengths(self, model) -> np.ndarray:
        """Each row is in the unit of the joint that it gives."""
        return np.array([slides(model, joint) for joint in self.joints])

    def given(self, known: Collection[str]) -> tuple[str, ...]:
        return self.joints if set(self.independent) <= set(known) and not set(self.joints) & set(known) else ()

    def formula(self, tree, x, rates, wanted):
        return self.evaluate(x, rates)
