"""`linkwright.explicit` and `linkwright.implicit`: constraints given as Python functions of joint coordinates.

The function is traced once; what a constraint needs of its derivatives comes from differentiating the trace.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError, UnsupportedError
from ..model.constraints import ExplicitFunction, ImplicitFunction
from ..scalar import atan2, cos, sin
from ..trace import Output, Program, directional_derivative, jacobian, simplify, trace


@names_arguments
def explicit(
    joints: str | Sequence[str], independent: str | Sequence[str], gamma: Callable, *, name: str | None = None, mu=None
) -> ExplicitFunction:
    """The coordinates of `joints` are gamma(y), where y is an array of those of `independent`.

    gamma uses `linkwright.scalar` for sin, sqrt, where ...; its Jacobian and bias are derived from its trace.
    """
    joints, independent = _names(joints), _names(independent)
    label = name or f"{joints[0]}_function"
    program = _traced(gamma, len(independent), label, "gamma")
    if program.outputs[0].size != len(joints):
        raise InputError(
            f"constraint {label!r}: gamma returns {program.outputs[0].size} coordinates; expected {len(joints)}, one "
            f"for each of {list(joints)}"
        )
    function = _with_derivatives(program, {"value": "q", "slopes": "G", "curving": "g"})
    return ExplicitFunction(name=label, joints=joints, independent=independent, function=function, mu=mu)


@names_arguments
def implicit(joints: Sequence[str], phi: Callable, *, name: str | None = None, mu=None) -> ImplicitFunction:
    """phi(q) = 0, where q is an array of the coordinates of `joints`; phi returns a number or several."""
    joints = _names(joints)
    label = name or f"{joints[0]}_function"
    program = _traced(phi, len(joints), label, "phi")
    if not program.outputs[0].size:
        raise InputError(f"constraint {label!r}: phi returns nothing; expected at least one number that is to be zero")
    function = _with_derivatives(program, {"value": "phi", "slopes": "K", "curving": "rate"})
    return ImplicitFunction(name=label, joints=joints, function=function, mu=mu)


@names_arguments
def universal_transmission(
    joint: str, driver: str, angle: float, *, ratio: float = 1.0, phase: float = 0.0, name: str | None = None
) -> ExplicitFunction:
    """A shaft `driver` that turns `joint` through a universal joint between shafts at `angle` (radians, under pi/2).

    tan(q) = tan(q_d) / cos(angle) with q_d = ratio q_driver + phase: the driven shaft runs ahead and falls behind twice
    a turn. It is followed through whole turns.
    """
    if not isinstance(angle, int | float) or not abs(angle) < np.pi / 2:
        raise InputError(f"the angle between the shafts of {driver!r} and {joint!r} is {angle!r}; expected under pi/2")
    if not np.isfinite(ratio) or ratio == 0:
        raise InputError(f"the ratio between {driver!r} and {joint!r} is {ratio!r}; expected a number that is not zero")
    lean = math.cos(angle)

    def gamma(y):
        turned = y[0] * ratio + phase
        s, c = sin(turned), cos(turned)
        # the difference of the two angles never reaches a quarter turn, so it has no jumps
        return turned + atan2(s * c * (1.0 - lean), c * c * lean + s * s)

    return explicit(joint, driver, gamma, name=name or f"{joint}_shaft")


def _names(joints) -> tuple[str, ...]:
    names = (joints,) if isinstance(joints, str) else tuple(joints)
    if not names or not all(isinstance(x, str) for x in names):
        raise InputError(f"joints are {joints!r}; expected at least one name")
    return names


def _traced(function: Callable, size: int, label: str, what: str) -> Program:
    if not callable(function):
        raise InputError(f"constraint {label!r}: {what} is {function!r}; expected a function of an array")
    program = trace(lambda x: {"value": np.atleast_1d(np.asarray(function(x), dtype=object))}, {"x": size}, name=label)
    if len(program.outputs[0].shape) != 1:
        raise InputError(f"constraint {label!r}: {what} returns an array of shape {program.outputs[0].shape}")
    if program.loops:
        raise UnsupportedError(
            f"constraint {label!r}: {what} has a loop or a guard, and functions of joints are straight lines; write it "
            "with a fixed number of steps and linkwright.scalar.where"
        )
    return program


def _with_derivatives(program: Program, names: dict[str, str]) -> Program:
    """Value, Jacobian by rows and curvature along the motion, under these names."""
    moving = directional_derivative(directional_derivative(program, {"x": "v"}), {"x": "v"}, suffix="_again")
    whole = simplify(jacobian(moving, "value", "x"))
    found = {output.name: output.nodes for output in whole.outputs}
    sources = {"value": "value", "slopes": "dvalue_dx", "curving": "value_rate_again"}
    outputs = [Output(names[key], (len(found[source]),), found[source]) for key, source in sources.items()]
    return replace(whole, outputs=tuple(outputs)).check()
