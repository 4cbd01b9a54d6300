"""The surface of a shape: friction and softness, and how those of two shapes combine where they touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral, Real

from ...errors import ModelError
from ...scalar import Numbers
from ..pose import finite_array, real_array
from .softness import Softness

DIMENSIONS = (1, 3, 4, 6)
SMALLEST_FRICTION = 1e-5  # MuJoCo's: a cone is never a line
_NO_WEIGHT = 1e-15


@dataclass(frozen=True)
class Surface:
    """friction      sliding, torsional (m), rolling (m)
    condim        what a contact resists: 1 penetration, 3 sliding too, 4 spinning too, 6 rolling too
    margin        distance at which forces begin
    priority      of two surfaces, the one of higher priority says friction, condim and softness alone
    solmix        weight of this surface's softness
    contype, conaffinity   bit masks: shapes may touch where one's type meets the other's affinity
    """

    friction: tuple[float, ...] = (1.0, 0.005, 0.0001)
    condim: int = 3
    softness: Softness = field(default_factory=Softness)
    margin: float = 0.0
    priority: int = 0
    solmix: float = 1.0
    contype: int = 1
    conaffinity: int = 1

    def __post_init__(self):
        object.__setattr__(self, "friction", checked_friction(self.friction, (1.0, 0.005, 0.0001)))
        object.__setattr__(self, "condim", checked_condim(self.condim))
        object.__setattr__(self, "margin", checked_length(self.margin, "margin"))
        object.__setattr__(self, "solmix", checked_length(self.solmix, "solmix"))
        for name in ("priority", "contype", "conaffinity"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise ModelError(f"{name} is {value!r}; expected a whole number")
            object.__setattr__(self, name, int(value))

    def may_touch(self, other: Surface) -> bool:
        return bool(self.contype & other.conaffinity or other.contype & self.conaffinity)


@dataclass(frozen=True)
class Interaction:
    """What holds where two shapes touch; friction of the five directions t1, t2, spin, roll1, roll2."""

    condim: int
    friction: tuple[float, ...]
    softness: Softness
    margin: float
    friction_solref: tuple[float, ...] | None = None  # of the friction rows, if it is another one


def interaction_of(a: Surface, b: Surface) -> Interaction:
    """MuJoCo's rule: by priority; else the larger condim and friction, softness by weight. Margins add up."""
    margin = a.margin + b.margin
    if a.priority != b.priority:
        one = a if a.priority > b.priority else b
        return Interaction(one.condim, spread(one.friction), one.softness, margin)
    friction = tuple(max(x, y) for x, y in zip(a.friction, b.friction, strict=True))
    return Interaction(max(a.condim, b.condim), spread(friction), _mixed(a, b), margin)


def _mixed(a: Surface, b: Surface) -> Softness:
    if a.solmix >= _NO_WEIGHT and b.solmix >= _NO_WEIGHT:
        share = a.solmix / (a.solmix + b.solmix)
    elif a.solmix < _NO_WEIGHT and b.solmix < _NO_WEIGHT:
        share = 0.5
    else:
        share = 0.0 if a.solmix < _NO_WEIGHT else 1.0
    mixed = lambda x, y: tuple(share * p + (1.0 - share) * q for p, q in zip(x, y, strict=True))  # noqa: E731
    one, two = a.softness, b.softness
    if one.solref[0] > 0.0 and two.solref[0] > 0.0:
        solref = mixed(one.solref, two.solref)
    else:  # stiffnesses do not mix with time constants: the stiffer of the two
        solref = tuple(min(p, q) for p, q in zip(one.solref, two.solref, strict=True))
    return Softness(solref, mixed(one.solimp, two.solimp))


def spread(friction: Numbers) -> tuple[float, ...]:
    """Sliding, torsional, rolling -> one number per direction of friction."""
    slide, spin, roll = friction
    return tuple(max(x, SMALLEST_FRICTION) for x in (slide, slide, spin, roll, roll))


def checked_friction(value, default: Numbers) -> tuple[float, ...]:
    """All of `default`, with the first ones replaced by one or several numbers that were given."""
    given = [float(value)] if isinstance(value, Real) and not isinstance(value, bool) else value
    try:
        given = real_array(list(given)).tolist()
    except (TypeError, ValueError):
        raise ModelError(f"friction is {value!r}; expected up to {len(default)} numbers") from None
    if not 1 <= len(given) <= len(default):
        raise ModelError(f"friction is {value!r}; expected one to {len(default)} numbers")
    numbers = finite_array([*given, *default[len(given) :]], (len(default),), "friction").tolist()
    if min(numbers) < 0.0:
        raise ModelError(f"friction is {value!r}; coefficients must not be negative")
    return tuple(numbers)


def checked_condim(value) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) not in DIMENSIONS:
        raise ModelError(
            f"condim is {value!r}; expected 1 (no friction), 3 (sliding), 4 (and torsional) or 6 (and rolling friction)"
        )
    return int(value)


def checked_length(value, what: str) -> float:
    number = float(finite_array(value, (), what))
    if number < 0.0:
        raise ModelError(f"{what} is {number:g}; must not be negative")
    return number
