"""Programs about motion: placements, velocities, accelerations, Jacobians, the configuration manifold."""

from __future__ import annotations

from functools import partial

from ..algorithms.tree.frames import frame_accelerations, frame_placements, frame_velocities
from ..algorithms.tree.jacobians import frame_jacobian, frame_jacobian_rate
from ..errors import InputError
from ..model import configuration
from .recipe import Recipe


def _frames(tree, options) -> list[str]:
    """The named frames; every body, ground included, if none are named."""
    chosen = options["frames"]
    if chosen is None:
        return [body.name for body in tree.model.bodies]
    chosen = [chosen] if isinstance(chosen, str) else list(chosen)
    if not chosen:
        raise InputError("frames is empty; name at least one frame, or leave it out for all bodies")
    return chosen


def _frame(options) -> str:
    if not isinstance(options["frame"], str):
        raise InputError(f"frame is {options['frame']!r}; expected the name of one frame: compile(..., frame='tool')")
    return options["frame"]


def _forward_kinematics(tree, x, options):
    poses = frame_placements(tree, _frames(tree, options), x["q"])
    return {
        "rotations": [[list(row) for row in pose.rotation.rows] for pose in poses],
        "positions": [list(pose.position) for pose in poses],
    }


def _frame_velocities(tree, x, options):
    moving = frame_velocities(tree, _frames(tree, options), x["q"], x["v"], seen_from=options["seen_from"])
    return {"velocities": [m.to_public() for m in moving]}


def _frame_accelerations(tree, x, options):
    changing = frame_accelerations(
        tree, _frames(tree, options), x["q"], x["v"], x["a"],
        seen_from=options["seen_from"], classical_linear=options["classical"],
    )  # fmt: skip
    return {"accelerations": [m.to_public() for m in changing]}


def _frame_jacobian(tree, x, options):
    return {"J": frame_jacobian(tree, _frame(options), x["q"], seen_from=options["seen_from"])}


def _frame_jacobian_rate(tree, x, options):
    return {"dJ": frame_jacobian_rate(tree, _frame(options), x["q"], x["v"], seen_from=options["seen_from"])}


_MANY = {"frames": None, "seen_from": "local"}
_ONE = {"frame": None, "seen_from": "local"}

_program = partial(Recipe, reads_inertias=False)

KINEMATICS = (
    _program(
        "forward_kinematics", "rotation matrices and positions of frames in the world", ("q",),
        ("rotations", "positions"), _forward_kinematics, options={"frames": None},
    ),
    _program(
        "frame_velocities", "[linear; angular] velocities of frames", ("q", "v"), ("velocities",), _frame_velocities,
        options=_MANY,
    ),
    _program(
        "frame_accelerations", "[linear; angular] accelerations of frames", ("q", "v", "a"), ("accelerations",),
        _frame_accelerations, options={**_MANY, "classical": False},
    ),
    _program("frame_jacobian", "J with frame velocity = J v", ("q",), ("J",), _frame_jacobian, options=_ONE),
    _program(
        "frame_jacobian_rate", "dJ/dt along the motion", ("q", "v"), ("dJ",), _frame_jacobian_rate, options=_ONE,
    ),
    _program(
        "integrate", "q moved along v for unit time", ("q", "v"), ("q",),
        lambda tree, x, options: {"q": configuration.integrate(tree.model, x["q"], x["v"])},
    ),
    _program(
        "difference", "the v that leads from q0 to q1 in unit time", ("q0", "q1"), ("v",),
        lambda tree, x, options: {"v": configuration.difference(tree.model, x["q0"], x["q1"])},
    ),
)  # fmt: skip
