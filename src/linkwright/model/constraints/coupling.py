"""Joints that move together: gears, belts, differentials, mimic joints, cams given by a polynomial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, ModelError
from ...fixed_order import least_squares, product
from ...scalar import Numbers
from ..pose import LARGEST_NUMBER
from .constraint import Constraint, bodies_of_joints


@dataclass(frozen=True, eq=False, kw_only=True)
class Coupling(Constraint):
    """The sum of one polynomial per joint, each of that joint's coordinate, is zero.

    terms   (joint, coefficients c0, c1, ...) of each, the first joint first
    """

    terms: tuple[tuple[str, tuple[float, ...]], ...]

    kind: ClassVar[str] = "coupling"
    size: ClassVar[int] = 1  # type: ignore[assignment]
    has_position: ClassVar[bool] = True  # type: ignore[assignment]

    def __post_init__(self):
        super().__post_init__()
        terms = tuple((joint, _polynomial(coefficients, self.name)) for joint, coefficients in self.terms)
        object.__setattr__(self, "terms", terms)
        names = [joint for joint, _ in terms]
        if not names or len(set(names)) != len(names) or not all(isinstance(x, str) and x for x in names):
            raise ModelError(f"coupling {self.name!r} is between joints {names}; expected names, each once")
        for joint, coefficients in terms:
            if not any(coefficients[1:]):
                raise ModelError(
                    f"coupling {self.name!r}: joint {joint!r} has the constant polynomial {list(coefficients)}, so its "
                    f"motion would make no difference (a gear ratio of zero?)"
                )

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(joint for joint, _ in self.terms)

    def bodies(self, model) -> tuple[int, ...]:
        return bodies_of_joints(model, self, self.joints)

    def renamed(self, prefix: str, ground: str) -> Coupling:
        return replace(self, name=prefix + self.name, terms=tuple((prefix + joint, c) for joint, c in self.terms))

    def with_locked(self, fixed: Mapping[str, float]) -> Coupling | None:
        constant = sum(np.polynomial.Polynomial(c)(fixed[joint]) for joint, c in self.terms if joint in fixed)
        left = [(joint, c) for joint, c in self.terms if joint not in fixed]
        if not left:
            if abs(constant) > 1e-9:
                raise InputError(
                    f"locking joints {list(self.joints)} breaks coupling {self.name!r}, which is off by {constant:.3g}"
                )
            return None
        joint, coefficients = left[0]
        return replace(self, terms=((joint, (coefficients[0] + float(constant), *coefficients[1:])), *left[1:]))

    def to_dictionary(self) -> dict[str, Any]:
        return {"terms": [[joint, list(coefficients)] for joint, coefficients in self.terms]}


def couple(
    joint1: str, joint2: str | None, polynomial: Numbers, *, name: str | None = None, mu=None
) -> Coupling:
    """q1 = c0 + c1 q2 + c2 q2^2 + ... for polynomial = [c0, c1, c2, ...]; without a second joint q1 = c0.

    A gear that turns joint1 six times as fast, backwards: couple("motor", "knee", [0, -6]).
    """
    label = name or f"{joint1}_coupling"
    coefficients = _polynomial(polynomial, label)
    if joint2 is None:
        if any(coefficients[1:]):
            raise ModelError(f"coupling {label!r} has no second joint for polynomial {list(coefficients)} to act on")
        return Coupling(name=label, terms=((joint1, (-coefficients[0], 1.0)),), mu=mu)
    follower = (joint2, tuple(-c for c in coefficients))
    return Coupling(name=label, terms=((joint1, (0.0, 1.0)), follower), mu=mu)


def transmission(
    ratios: Mapping[str, float], offset: float = 0.0, *, name: str | None = None, mu=None
) -> Coupling:
    """The sum of ratio * q over the joints is `offset`: transmission({"motor": 1, "hip": -6, "knee": -6})."""
    if not isinstance(ratios, Mapping) or not ratios:
        raise ModelError(f"transmission was given {ratios!r}; expected a ratio for each joint: {{'motor': 1.0, ...}}")
    terms = [(joint, (0.0, ratio)) for joint, ratio in ratios.items()]
    terms[0] = (terms[0][0], (-offset, terms[0][1][1]))
    return Coupling(name=name or f"{terms[0][0]}_coupling", terms=tuple(terms), mu=mu)


def _polynomial(coefficients, name: str) -> tuple[float, ...]:
    try:
        array = np.array(coefficients, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"coupling {name!r} has polynomial {coefficients!r}; expected numbers c0, c1, ...") from None
    if array.ndim != 1 or not len(array) or not np.all(np.abs(array) <= LARGEST_NUMBER):
        raise ModelError(
            f"coupling {name!r} has polynomial {array.tolist()}; expected finite numbers c0, c1, ... up to "
            f"{LARGEST_NUMBER:g}"
        )
    return tuple(array.tolist())


def check_couplings(couplings: Sequence[Coupling]) -> None:
    """Refuse linear couplings that contradict one another: they would hold in no configuration."""
    linear = [c for c in couplings if all(len(p) < 3 or not any(p[2:]) for _, p in c.terms)]
    joints = sorted({joint for c in linear for joint in c.joints})
    if not linear:
        return
    A = np.zeros((len(linear), len(joints)))
    b = np.zeros(len(linear))
    for r, c in enumerate(linear):
        for joint, p in c.terms:
            A[r, joints.index(joint)] = p[1]
            b[r] -= p[0]
    solved = product(A, least_squares(A, b)) - b
    worst = np.abs(solved) > 1e-9 * (1 + np.abs(b))
    if np.any(worst):
        off = [(c.name, abs(r)) for c, r in zip(linear, solved, strict=True) if abs(r) > 1e-12]
        listed = ", ".join(f"{name!r} (off by {by:.3g})" for name, by in off)
        raise InputError(f"couplings contradict one another, no configuration meets them all: {listed}")
