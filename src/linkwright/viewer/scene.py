"""What a picture of a mechanism is made of: rods, plates, boxes and skins fixed to its bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..model import Model
from .skin import Skin

Point = tuple[int, np.ndarray]  # on a body, in its frame

JOINT, CLOSURE, GROUND_LINK = -1, -2, -3  # groups of colour besides the limbs', which count from 0
_MOST_POSTS = 2


@dataclass(frozen=True)
class Bar:
    """A capsule between two points, each fixed to a body; a ball where they are one."""

    start: Point
    end: Point
    radius: float
    group: int
    label: str


@dataclass(frozen=True)
class Box:
    body: int
    rotation: np.ndarray
    centre: np.ndarray
    half: np.ndarray
    group: int
    label: str


@dataclass(frozen=True)
class Plate:
    """A flat polygon fixed to one body."""

    body: int
    corners: np.ndarray
    group: int
    label: str


@dataclass(frozen=True)
class Tie:
    """Two points that a closure holds together; a dashed line where they are apart."""

    start: Point
    end: Point
    label: str


@dataclass
class Scene:
    """Everything in body frames; `size` is the mechanism's extent at its first pose."""

    size: float
    rods: list[Bar] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    plates: list[Plate] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    anchors: list[np.ndarray] = field(default_factory=list)
    """Where the mechanism is held by the ground, in the world."""
    skins: list[Skin] = field(default_factory=list)
    """Bodies as their file says they look; these are not drawn as rods and boxes then."""
    missing: list[str] = field(default_factory=list)
    """What the file says and cannot be drawn, with the reason."""

    @property
    def posts(self) -> list[np.ndarray]:
        """Anchors that stand on the floor by posts: where there are many, these would hide the mechanism."""
        return self.anchors if len(self.anchors) <= _MOST_POSTS else []


def limb_groups(model: Model) -> list[int]:
    """A number per body: 0 for the trunk, and one for each limb that hangs on the first body that branches."""
    graph = model.graph
    trunk = 0
    while len(graph.children[trunk]) == 1:
        trunk = graph.children[trunk][0]
    groups = [0] * model.nbodies
    for number, limb in enumerate(graph.children[trunk], start=1):
        for i in graph.subtree[limb]:
            groups[i] = number
    return groups
