"""Robots of files in legged tasks: their own motors made servos, standing as their keyframe has them."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from ..errors import InputError
from ..io import load
from ..model import Model
from ..model.actuators import Actuator
from ..robots.menagerie import scene_file
from .legged import with_servos

STANCES = ("home", "stand", "standing")
HOLD_TIME = 0.03  # s: derivative over proportional gain


def robot_of_file(file: str | os.PathLike[str], sag: float) -> tuple[Model, np.ndarray, tuple[str, ...]]:
    """(robot with servos, its standing pose, the joints that they move) of a file with robot, floor and actuators, or
    of a scene by its short name (robots/menagerie.py). Servos give all that the file's actuators can at an error of
    `sag` rad."""
    robot = load(scene_file(str(file))).unwatched()
    if not robot.joints[0].moves.is_free or not robot.pairs or not robot.actuators:
        raise InputError(f"{robot.name!r} has no legs: expected a floating base, shapes on a floor, actuators")
    most = {_joint(one): _most(one) for one in robot.actuators}
    gains = {joint: (force / sag, HOLD_TIME * force / sag) for joint, force in most.items()}
    stance = next((robot.keyframes[name].q for name in STANCES if name in robot.keyframes), robot.drawn)
    servos = with_servos(replace(robot, actuators=(), keyframes={}), gains, most)
    return servos, np.asarray(stance), tuple(most)


def _joint(one: Actuator) -> str:
    if len(one.drives) != 1 or len(one.drives[0][1]) != 1:
        raise InputError(f"actuator {one.name!r} moves more than one joint; a servo cannot take its place")
    return one.drives[0][0]


def _most(one: Actuator) -> float:
    """N m that its joint can get."""
    if one.force_range is not None:
        largest = max(abs(x) for x in one.force_range)
    elif one.ctrl_range is not None and not any(one.bias) and not any(one.gain[1:]):
        largest = abs(one.gain[0]) * max(abs(x) for x in one.ctrl_range)
    else:
        raise InputError(f"actuator {one.name!r} says no largest force; expected force_range, or a motor's ctrl_range")
    return largest * abs(one.drives[0][1][0])
