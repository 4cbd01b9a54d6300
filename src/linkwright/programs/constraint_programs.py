"""Programs that look at the constraints themselves: how far from met, their Jacobian, its rate."""

from __future__ import annotations

import numpy as np

from ..algorithms.delassus.propagators import Posture
from ..algorithms.parts.motion_sweep import MotionSweep
from ..algorithms.rows import FrameMotions, constraints_at
from ..algorithms.rows.constraint_jacobian import terms_jacobian
from ..algorithms.rows.constraint_rows import constrained_bodies
from ..errors import InputError
from .recipe import Recipe


def _error(tree, x, options):
    every = constraints_at(tree, x["q"], Posture(tree, x["q"]).X)
    return {"error": [error for constraint in every for error in constraint.error()]}


def _jacobian(tree, x, options):
    posture = Posture(tree, x["q"])
    every = constraints_at(tree, x["q"], posture.X)
    J = [row for c in every for row in terms_jacobian(tree, posture, c.terms())]
    return {"J": J or np.zeros((0, tree.nv))}


def _bias(tree, x, options):
    sweep = MotionSweep(tree, x["q"], x["v"])
    motions = FrameMotions(tree, sweep, x["v"], constrained_bodies(tree))
    return {"bias": [rate for c in constraints_at(tree, x["q"], sweep.X) for rate in c.motion(motions)[1]]}


def check_positions(model) -> None:
    """Refuse constraints that do not say where things should be."""
    untargeted = [c.name for c in model.constraints if not c.has_position]
    if untargeted:
        raise InputError(
            f"constraints {untargeted} do not say where they want things to be: make them with at=<pose in the world>"
        )


CONSTRAINT_PROGRAMS = (
    Recipe(
        "constraint_error", "how far each constraint row is from being met", ("q",), ("error",), _error,
        check_options=lambda model, options: check_positions(model), constraints="any",
    ),
    Recipe("constraint_jacobian", "J of all constraint rows", ("q",), ("J",), _jacobian, constraints="any"),
    Recipe("constraint_bias", "dJ/dt v of all constraint rows", ("q", "v"), ("bias",), _bias, constraints="any"),
)  # fmt: skip
