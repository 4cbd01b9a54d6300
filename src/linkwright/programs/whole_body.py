"""Programs for identification and whole-body control: what inverse dynamics is linear in, and terms of their QPs."""

from __future__ import annotations

import numpy as np

from ..algorithms.tree.regressor import joint_torque_regressor, torques_without_bodies
from ..algorithms.tree.whole_body_terms import whole_body_terms
from ..errors import InputError
from ..model import Model
from .recipe import Recipe, square


def _regressor(tree, x, options):
    q, v, a = x["q"], x["v"], x["a"]
    return {"Y": joint_torque_regressor(tree, q, v, a), "rest": torques_without_bodies(tree, q, v, a)}


def _terms(tree, x, options):
    terms = whole_body_terms(tree, x["q"], x["v"], _touching(options), points=options["points"])
    nothing = np.zeros((0, tree.nv))
    return {"M": square(terms.M), "h": terms.h, "J": terms.J or nothing, "dJv": terms.dJv, "S": terms.S}


def _touching(options) -> list[str]:
    chosen = options["frames"]
    return [chosen] if isinstance(chosen, str) else list(chosen)


def _check_terms(model: Model, options) -> None:
    frames = options["frames"]
    if not isinstance(frames, str | list | tuple) or not all(isinstance(x, str) for x in _touching(options)):
        raise InputError(f"frames is {frames!r}; expected names of frames that touch something")
    if len(set(_touching(options))) != len(_touching(options)):
        raise InputError(f"frames is {frames!r}; expected each frame once")
    for name in _touching(options):
        model.frame(name)  # refuses what is not there
    if not isinstance(options["points"], bool):
        raise InputError(f"points is {options['points']!r}; expected True or False")


WHOLE_BODY = (
    Recipe(
        "joint_torque_regressor", "Y with inverse dynamics tau = Y pi + rest, pi all inertial parameters",
        ("q", "v", "a"), ("Y", "rest"), _regressor, default_outputs=("Y",), reads_inertias=False,
        constraints="none",
    ),
    Recipe(
        "whole_body_terms", "M, h, J, dJ/dt v and S of M a + h = S u + J' f, J a + dJ/dt v = 0",
        ("q", "v"), ("M", "h", "J", "dJv", "S"), _terms, options={"frames": (), "points": False},
        check_options=_check_terms, constraints="any", takes_actuators=lambda options: True,
    ),
)  # fmt: skip
