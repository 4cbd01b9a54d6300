"""Joints that move together: gears, belts, differentials, mimic joints, cams given by a polynomial."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ...call_errors import names_arguments
from ...errors import InputError, ModelError
from ...fixed_order import least_squares, product
from ...scalar import Numbers, Scalar, is_zero
from ...spatial import Force, sum_of
from ..pose import LARGEST_NUMBER, real_array
from .at_state import Motions, Terms
from .constraint import constraint_kind
from .joint_tie import JointTie, TieAtState, sum_of_rates
from .polynomial import derivative, value_of

Polynomials = tuple[tuple[str, tuple[Scalar, ...]], ...]  # by joint


@constraint_kind
@dataclass(frozen=True, eq=False, kw_only=True)
class Coupling(JointTie):
    """The sum of one polynomial per joint, each of that joint's coordinate, is zero.

    terms   (joint, coefficients c0, c1, ...) of each, the first joint first
    """

    terms: tuple[tuple[str, tuple[float, ...]], ...]

    kind: ClassVar[str] = "coupling"
    size: ClassVar[int] = 1  # type: ignore[assignment]

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

    tied_joints = joints

    @property
    def followers(self) -> tuple[str, ...]:
        return self.joints[:1]

    @property
    def is_linear(self) -> bool:
        return not any(any(polynomial[2:]) for _, polynomial in self.terms)

    @property
    def equality(self) -> Literal["joint"]:
        return "joint"

    @property
    def gear_ratios(self) -> tuple[tuple[str, float], ...]:
        if not all(len(p) > 1 and not any(p[2:]) for _, p in self.terms):
            return ()
        return tuple((joint, -p[1] / self.terms[0][1][1]) for joint, p in self.terms[1:])

    def on(self, tree) -> Polynomials:
        """Its terms: with the gear ratios given with the call, or its own."""
        ratios = tree.gear_ratios(self)
        if ratios is None:
            return self.terms
        first, *others = self.terms
        return (first, *((joint, (p[0], x * -first[1][1])) for (joint, p), x in zip(others, ratios, strict=True)))

    @classmethod
    def check_together(cls, every) -> None:
        """Linear couplings that contradict one another would hold in no configuration."""
        check_couplings(every)

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

    def at(self, tree, q, poses) -> CouplingAtState:
        return CouplingAtState(tree, q, poses, self)

    def joint_rows(self, tree, x, rates):
        polynomials = [polynomial for _, polynomial in self.on(tree)]
        error = sum_of(value_of(p, y) for p, y in zip(polynomials, x, strict=True))
        slopes = [value_of(derivative(p), y) for p, y in zip(polynomials, x, strict=True)]
        curving = sum_of(
            value_of(derivative(derivative(p)), y) * (rate * rate)
            for p, y, rate in zip(polynomials, x, rates, strict=True)
        )
        return [error], [slopes], [curving]

    def given(self, known: Collection[str]) -> tuple[str, ...]:
        """One joint that is not known, and enters linearly."""
        missing = [(joint, p) for joint, p in self.terms if joint not in known]
        return (missing[0][0],) if len(missing) == 1 and not any(missing[0][1][2:]) else ()

    def formula(self, tree, x, rates, wanted):
        terms = self.on(tree)
        constant, slope = next(p for joint, p in terms if joint in wanted)[:2]
        constant, scale = -constant / slope, -1.0 / slope
        values: list[Scalar] = []
        slopes: list[Scalar] = []
        bias: Scalar = 0.0
        for p, y, rate in zip((p for joint, p in terms if joint not in wanted), x, rates, strict=True):
            values.append(value_of(p, y) * scale)
            slopes.append(value_of(derivative(p), y) * scale)
            curvature = value_of(derivative(derivative(p)), y)
            if not is_zero(curvature):
                bias = bias + curvature * (rate * rate) * scale
        return [sum_of([*values, constant]) if values else constant], [slopes], [bias]


class CouplingAtState(TieAtState):
    """The sum of the joints' polynomials."""

    def _polynomials(self) -> list[tuple[Scalar, ...]]:
        return [polynomial for _, polynomial in self.constraint.on(self.tree)]

    def _slopes(self) -> list[Scalar]:
        """Derivatives of the polynomials."""
        return [value_of(derivative(p), x) for p, x in zip(self._polynomials(), self.coordinates(), strict=True)]

    def rows(self) -> list[Force]:
        return self.on_first_body(self._slopes()[:1])

    def terms(self) -> Terms:
        return sum_of_rates(self.tree, self.joints(), self._slopes())

    def motion(self, motions: Motions) -> tuple[list[Scalar], list[Scalar]]:
        velocity, rate = [], []
        speeds = self.rates(motions.rates)
        for p, x, slope, speed in zip(self._polynomials(), self.coordinates(), self._slopes(), speeds, strict=True):
            velocity.append(slope * speed)
            rate.append(value_of(derivative(derivative(p)), x) * (speed * speed))
        return [sum_of(velocity)], [sum_of(rate)]

    def error(self) -> list[Scalar]:
        return [sum_of(value_of(p, x) for p, x in zip(self._polynomials(), self.coordinates(), strict=True))]


@names_arguments
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


@names_arguments
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
        array = real_array(coefficients)
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
    linear = [c for c in couplings if c.is_linear]
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
