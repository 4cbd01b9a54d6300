"""How a soft constraint gives way: MuJoCo's `solref` and `solimp`, checked."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError
from ...scalar import Numbers
from ..pose import LARGEST_NUMBER, finite_array

# Impedances are kept this far from 0 and 1, as MuJoCo does: at 1 a constraint would be rigid.
SMALLEST_IMPEDANCE, LARGEST_IMPEDANCE = 1e-4, 0.9999
_EDGE = 1e-15


@dataclass(frozen=True)
class Softness:
    """What pulls a constraint's acceleration to its reference, and how hard.

    solref   (time constant, damping ratio) of the pull, both positive; or (-stiffness, -damping), neither positive
    solimp   impedance at zero violation and at `width` of it, that width, and where and how steeply it changes between
    """

    solref: tuple[float, ...] = (0.02, 1.0)
    solimp: tuple[float, ...] = (0.9, 0.95, 0.001, 0.5, 2.0)

    def __post_init__(self):
        object.__setattr__(self, "solref", checked_solref(self.solref))
        solimp = tuple(finite_array(self.solimp, (5,), "solimp").tolist())
        start, end, width, middle, power = solimp
        if not (0.0 < start < 1.0 and 0.0 < end < 1.0):
            raise ModelError(f"solimp is {list(solimp)}; its first two numbers, impedances, must be between 0 and 1")
        if width < 0.0:
            raise ModelError(f"solimp is {list(solimp)}; its third number, a width, must not be negative")
        if not (0.0 < middle < 1.0 and power >= 1.0):
            raise ModelError(
                f"solimp is {list(solimp)}; its fourth number, the midpoint, must be between 0 and 1 and its fifth, "
                f"the power, at least 1"
            )
        object.__setattr__(self, "solimp", solimp)

    @classmethod
    def clipped(cls, solref: Numbers, solimp: Numbers) -> Softness:
        """As MuJoCo takes numbers of a file: moved into their ranges, and the usual solref for one of mixed signs.

        How close to 0 and 1 impedances may be is said where they are used, after those of two surfaces have been mixed.
        """
        start, end, width, middle, power = (float(x) for x in solimp)
        start, end, middle = (min(max(x, _EDGE), 1.0 - _EDGE) for x in (start, end, middle))
        time, ratio = (float(x) for x in solref)
        if (time > 0.0) != (ratio > 0.0):
            time, ratio = cls().solref
        return cls((time, ratio), (start, end, max(width, 0.0), middle, max(power, 1.0)))


def checked_solref(solref: Numbers) -> tuple[float, ...]:
    time, ratio = finite_array(solref, (2,), "solref", largest=LARGEST_NUMBER).tolist()
    if (time > 0.0) != (ratio > 0.0):
        raise ModelError(
            f"solref is {[time, ratio]}; expected a time constant and a damping ratio, both positive, or -stiffness "
            f"and -damping, neither positive"
        )
    return (time, ratio)
