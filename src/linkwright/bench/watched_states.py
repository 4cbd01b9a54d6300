"""`linkwright bench watched`: how often status 6 is raised while all shapes are apart.

Random states of robots within their joint limits, free bases at random places; all pairs of shapes that are watched.
For a state that is told of, another search looks for a plane between the shapes of each pair that is said to overlap:
if one is found for every pair, the status cried wolf. Meshes are taken as the hull of the corners that are known of
them, which is inside of the mesh: what is between the two counts as a false alarm.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import linkwright as lw

from ..algorithms.contact.watching import meeting, overlapping_as_drawn
from ..algorithms.tree.kinematics import placements
from ..errors import LinkwrightError
from ..model import Model, tree_of
from ..model.contact import Shape
from ..spatial import Placement

ROBOTS = (
    "a1", "allegro", "anymal_b", "anymal_c", "b1", "b1_z1", "baxter", "bolt", "cassie", "centauro", "finger_edu", "g1",
    "go1", "go2", "human", "hyq", "icub", "jvrc1", "kinova", "laikago", "panda", "pr2", "romeo", "simple_humanoid",
    "so100", "solo12", "talos", "tiago", "tiago_pro", "ur5", "xarm7", "z1",
)  # fmt: skip
STATES = 200
_FIRST, _ROUNDS, _TRIES = 1500, 40, 60  # directions: at first, and around the best one
_AT_ONCE = 50  # states


@dataclass(frozen=True)
class Watched:
    robot: str
    shapes: int = 0
    pairs: int = 0
    as_drawn: int = 0
    """Pairs that overlap as drawn and are not watched."""
    states: int = 0
    told: int = 0
    """States with status 6 ..."""
    false: int = 0
    """... in which all shapes are apart."""
    problem: str = ""

    @property
    def share(self) -> float:
        return self.false / max(self.states, 1)

    def as_dictionary(self) -> dict[str, Any]:
        return {**asdict(self), "share": self.share}


def measure(
    robots: Sequence[str] = ROBOTS, *, states: int = STATES, seed: int = 0, meshes: bool = True,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Watched]:  # fmt: skip
    for name in robots:
        progress(f"{name}: loading")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = lw.load(name, meshes=meshes)
        except (LinkwrightError, OSError) as error:
            yield Watched(name, problem=str(error)[:200])
            continue
        yield looked_at(name, model, states, seed, progress)


def looked_at(
    name: str, model: Model, states: int, seed: int, progress: Callable[[str], None] = lambda step: None
) -> Watched:  # fmt: skip
    pairs, left = lw.watched_pairs(model), overlapping_as_drawn(model)
    rng = np.random.default_rng(seed)
    q = model.random_configuration(rng, states)
    told = false = 0
    for begin in range(0, states if pairs else 0, _AT_ONCE):
        some = q[begin : begin + _AT_ONCE]
        progress(f"{name}: states {begin} to {begin + len(some)}")
        found = [(pair, np.broadcast_to(met, len(some)) > 0.5) for pair, met in meeting(model, list(some.T))]
        for k, state in enumerate(some):
            met = [pair for pair, flags in found if flags[k]]
            told += bool(met)
            false += bool(met) and not any(_overlap(model, state, pair, rng) for pair in met)
    return Watched(name, len(model.shapes), len(pairs), len(left), states, told, false)


def _overlap(model: Model, q: np.ndarray, pair: tuple[str, str], rng: np.random.Generator) -> bool:
    """Whether no plane was found between two shapes."""
    tree, shapes = tree_of(model), {shape.name: shape for shape in model.shapes}
    poses = placements(tree, [float(x) for x in q])
    placed = []
    for name in pair:
        body, X = tree.shape_transform(shapes[name])
        placed.append(_arrays((Placement.identity() if shapes[name].kind == "plane" else poses[body]).after(X)))
    one, two = (shapes[name] for name in pair)
    if two.kind == "plane":
        directions = -placed[1][0][:, 2][None]
        return bool(_gap(one, placed[0], directions, placed[1][1])[0] < two.surface.margin)
    best, direction = -np.inf, np.zeros(3)
    around, width = rng.normal(size=(_FIRST, 3)), 1.0
    for _ in range(_ROUNDS + 1):
        tried = around / np.linalg.norm(around, axis=1)[:, None]
        gaps = -_reach(one, placed[0], tried) - _reach(two, placed[1], -tried)
        k = int(np.argmax(gaps))
        if gaps[k] > best:
            best, direction = float(gaps[k]), tried[k]
        else:
            width *= 0.6
        if best > 0.0:
            return False
        around = direction + width * rng.normal(size=(_TRIES, 3))
    return True


def _gap(shape: Shape, placed, directions: np.ndarray, on: np.ndarray) -> np.ndarray:
    return -_reach(shape, placed, directions) - (on @ -directions.T)


def _arrays(pose: Placement) -> tuple[np.ndarray, np.ndarray]:
    rotation = np.array([[float(x) for x in row] for row in pose.rotation.rows])
    return rotation, np.array([float(x) for x in pose.position])


def _reach(shape: Shape, placed: tuple[np.ndarray, np.ndarray], x: np.ndarray) -> np.ndarray:
    """How far a shape reaches along directions (n, 3) of the world, margin included."""
    R, p = placed
    local, size = x @ R, np.array(shape.size)
    if shape.points:
        own = (local @ np.array(shape.points).T).max(axis=1)
    elif shape.kind == "sphere":
        own = np.full(len(x), size[0])
    elif shape.kind == "capsule":
        own = size[0] + size[1] * np.abs(local[:, 2])
    elif shape.kind == "cylinder":
        own = size[0] * np.hypot(local[:, 0], local[:, 1]) + size[1] * np.abs(local[:, 2])
    elif shape.kind == "ellipsoid":
        own = np.linalg.norm(local * size, axis=1)
    else:
        own = np.abs(local) @ size
    return own + shape.surface.margin + x @ p
