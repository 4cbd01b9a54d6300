"""Errors of constraint rows, told by name and in their units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model import Model
from ..model.constraints import Constraint
from ..printable import printable


@dataclass(frozen=True)
class Residual:
    """The largest entries of one constraint's rows: of those in metres and of those in radians (0 if it has none)."""

    metres: float
    radians: float
    has_metres: bool = True
    has_radians: bool = True

    @property
    def largest(self) -> float:
        return max(self.metres, self.radians)

    def text(self, per: str = "") -> str:
        parts = [f"{self.metres:.3g} m{per}"] * self.has_metres + [f"{self.radians:.3g} rad{per}"] * self.has_radians
        return ", ".join(parts)

    def __str__(self) -> str:
        return self.text()


def residuals(model: Model, rows: np.ndarray) -> dict[str, Residual]:
    """By name, for the rows of all of the model's constraints."""
    found, start = {}, 0
    for constraint in model.constraints:
        own = np.abs(rows[start : start + constraint.size])
        linear = constraint.lengths(model)
        found[constraint.name] = Residual(
            float(own[linear].max(initial=0.0)), float(own[~linear].max(initial=0.0)), bool(linear.any()),
            bool(not linear.all()),
        )  # fmt: skip
        start += constraint.size
    return found


def described(constraint: Constraint) -> str:
    """Its name and what it holds together."""
    told = f"{constraint.name!r} ({constraint.holds})" if constraint.holds else repr(constraint.name)
    return printable(told)


def listing(model: Model, found: dict[str, Residual], tolerance: float, per: str = "") -> str:
    """One line per constraint, those not met marked."""
    lines = []
    for constraint in model.constraints:
        residual = found[constraint.name]
        state = "met" if residual.largest <= tolerance else "OPEN"
        lines.append(f"  {described(constraint)}: {residual.text(per)} {state}")
    return "\n".join(lines)
