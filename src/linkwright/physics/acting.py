"""What acts on the joints of a simulated mechanism, as its integrator takes it, and what is said of the solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..algorithms.parts.actuator_forces import ActuatorForce
from ..algorithms.parts.joint_resistance import Resistance
from ..algorithms.rows.constraint_rows import largest_residual
from ..algorithms.rows.constraint_state import ConstraintState
from ..programs.status import STATUS_INFEASIBLE, STATUS_NOT_CONVERGED, STATUS_OK
from ..scalar import Scalar, where
from .pull import pull_on_positions
from .simulated_mechanism import Dynamics, SimulatedMechanism

_FORGIVEN = 1e-3  # of a step's accelerations, as in the verdict


def acting(
    step: SimulatedMechanism, q: Sequence[Scalar], v: Sequence[Scalar], actuators: Sequence[ActuatorForce], time: Scalar
) -> list[Resistance]:
    """Control, friction, limits; what is implicit is taken `time` seconds ahead, and has a slope."""
    explicit = step.options.integrator.explicit
    ahead = None if "limits" in explicit else time
    parts = {
        "control": step.control(q, v, actuators), "friction": step.friction(v, implicit="friction" not in explicit),
        "limits": step.limits(q, v, ahead),
    }  # fmt: skip
    none = [0.0] * len(v)
    return [Resistance(part.torque, none) if name in explicit else part for name, part in parts.items()]


def judged_without_pull(step: SimulatedMechanism, solution: Dynamics, desired: Sequence[Scalar]) -> Dynamics:
    """The solution with what of its status and of its residual counts; what its pull explains does not (pull.py). A
    solver that did not find its answer is forgiven only what the verdict would forgive any step."""
    pull = pull_on_positions(step.model, desired)
    code, residual = solution.status, solution.residual
    infeasible = (code > STATUS_INFEASIBLE - 0.5) & (code < STATUS_INFEASIBLE + 0.5)
    small = residual <= (step.pace(solution.a) + 1.0) * _FORGIVEN
    by_pull = (infeasible | ((code < STATUS_NOT_CONVERGED + 0.5) & small)) & (residual <= pull)
    return replace(solution, status=where(by_pull, STATUS_OK, code), unmet=where(by_pull, 0.0, residual))


def open_by(state: ConstraintState) -> Scalar:
    """The largest error of position."""
    return largest_residual([error for error in state.error if error is not None])


def total(*vectors: Sequence[Scalar]) -> list[Scalar]:
    result = list(vectors[0])
    for vector in vectors[1:]:
        result = [x + y for x, y in zip(result, vector, strict=True)]
    return result


def power(torque: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    result: Scalar = 0.0
    for t, x in zip(torque, v, strict=True):
        result = result + t * x
    return result
