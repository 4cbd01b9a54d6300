"""Programs about motors of closed mechanisms, and the forces that multipliers stand for."""

from __future__ import annotations

from ..algorithms.constrained.closed_loop_inverse_dynamics import closed_loop_inverse_dynamics
from ..algorithms.delassus.propagators import Posture
from ..algorithms.rows import constraints_at
from ..errors import InputError
from ..model import Model
from ..spatial import Force, sum_of
from .recipe import Recipe, external_forces
from .status import status


def _inverse_dynamics(tree, x, options):
    motors = motor_velocities(tree.model, options["motors"])
    u, lam, pivots = closed_loop_inverse_dynamics(
        tree, x["q"], x["v"], x["a"], motors, f_ext=external_forces(tree, x)
    )
    return {"tau": u, "forces": _wrenches(tree, x["q"], lam), "lam": lam, "status": status([*u, *lam], pivots)}


def _forces(tree, x, options):
    return {"forces": _wrenches(tree, x["q"], x["lam"])}


def _wrenches(tree, q, lam) -> list:
    """The wrench of each constraint on its first frame, [linear; angular] in that frame: -rows' lam."""
    forces, start = [], 0
    for held in constraints_at(tree, q, Posture(tree, q).X):
        rows = held.rows()
        wrench: Force = sum_of(row * lam[start + r] for r, row in enumerate(rows))
        forces.append((-wrench).to_public())
        start += len(rows)
    return forces


def motor_velocities(model: Model, motors) -> list[int]:
    """Where the motors' velocities are in v, in the order given."""
    names = [motors] if isinstance(motors, str) else list(motors)
    return [k for name in names for k in range(model.nv)[model.iv[model.joint_index(name)]]]


def _check(model: Model, options) -> None:
    motors = options["motors"]
    if not motors or not (isinstance(motors, str) or all(isinstance(name, str) for name in motors)):
        raise InputError(f"motors is {motors!r}; expected names of driven joints: compile(..., motors=['hip', 'knee'])")
    driven = motor_velocities(model, motors)
    if len(set(driven)) != len(driven):
        raise InputError(f"motors is {list(motors)}; expected each joint once")
    free = model.nv - len(driven) - model.nc
    if free > 0:
        raise InputError(
            f"{model.name!r} has {model.nv} velocities, {len(driven)} driven, and {model.nc} constraint rows: at least "
            f"{free} ways to move have no motor; name more motors, or add the constraints that are missing"
        )


ACTUATION = (
    Recipe(
        "closed_loop_inverse_dynamics", "motor torques (least norm) and constraint forces of a closed motion",
        ("q", "v", "a"), ("tau", "forces", "lam", "status"), _inverse_dynamics, ("f_ext",), ("tau", "forces"),
        {"motors": None}, check_options=_check, solves="inverse_dynamics", constraints="any",
    ),
    Recipe(
        "constraint_forces", "wrenches on first frames of multipliers lam", ("q", "lam"), ("forces",), _forces,
        constraints="any",
    ),
)  # fmt: skip
