"""`linkwright bench drops`: robots thrown on the ground at random, and whether every step of it can be believed.

Joints anywhere within their limits, the base turned anyhow, moving, a little above the ground; commands at random, the
same all the way down; time step and options as `simulate` takes them from the file. Of every drop: is it finite, what
does the status say, how deep are contacts, and does energy come from nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..assembly import project_configuration
from ..compilation import compile
from ..errors import InputError, NoConvergence, SimulationError
from ..io import load
from ..io.mjcf.mjcf_reader import read_with_source
from ..model import Model
from ..robots.menagerie import MENAGERIE, scene_file
from ..sim import Trajectory, simulate

ROBOTS = tuple(MENAGERIE)
SECONDS = 2.0
_NOT_MODELLED = 6  # a status that is no failure: links of a robot in a random pose may well touch each other
_TOGETHER = 250  # drops simulated in one call
_RECORDS = 100  # states of each that energies are looked at
_HEIGHTS = (0.05, 0.5)  # m between the lowest point and the ground
_SPEEDS = (1.0, 3.0, 2.0)  # m/s and rad/s of the base, rad/s of joints: standard deviations
_POSES = 100  # of a mechanism with loops, which are looked for one by one
_SWING = 0.07  # rad: how far joints of a mechanism with loops are from where it stands, before loops are closed


@dataclass
class Drops:
    """Of one robot.

    statuses    how many drops have this as their worst status; 6, links that touch each other, counts as the least
    depths      of every drop the deepest contact, m
    gains       of every drop the most that energy was above what it was at first and what actuators put in, relative to
                what was exchanged: what limits and contacts gave beyond what they took, and the integrator's error
    law_gains   the same of the work of limits and contacts alone: they have nothing to give before they were pressed
    unaccounted of every drop the largest error of the energy books, likewise
    """

    robot: str
    dt: float
    integrator: str
    drops: int = 0
    not_finite: int = 0
    statuses: Counter = field(default_factory=Counter)
    depths: list[float] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)
    law_gains: list[float] = field(default_factory=list)
    unaccounted: list[float] = field(default_factory=list)
    seconds: float = 0.0
    seeds: list[tuple[int, int]] = field(default_factory=list)
    """(number of the call, row) of drops that are not ok, to look at again."""

    def add(self, call: int, trajectory: Trajectory) -> None:
        finite = np.asarray(trajectory.finite)
        self.drops += len(finite)
        self.seconds += trajectory.seconds
        self.not_finite += int(np.sum(~finite))
        codes = np.where(finite, trajectory.worst[:, 3], 3).astype(int)
        self.statuses.update(codes.tolist())
        self.seeds += [(call, int(k)) for k in np.flatnonzero((codes != 0) & (codes != _NOT_MODELLED))]
        self.depths += trajectory.worst[finite, 4].tolist()
        scale = np.maximum(np.asarray(trajectory.energy_exchanged), 1e-300)
        work = trajectory.work - trajectory.work[:, :1]
        risen = trajectory.energy - trajectory.energy[:, :1] - work[..., 0] - work[..., 3]
        for found, what in (
            (self.gains, risen), (self.law_gains, work[..., 2] + work[..., 4]),
            (self.unaccounted, np.abs(trajectory.energy_error)),
        ):  # fmt: skip
            found += (what.max(axis=-1) / scale)[finite].tolist()

    def as_dictionary(self) -> dict[str, Any]:
        spread = {
            name: {"median": _part(values, 50), "99 %": _part(values, 99), "largest": _part(values, 100)}
            for name, values in (
                ("depth", self.depths), ("gain", self.gains), ("law_gain", self.law_gains),
                ("unaccounted", self.unaccounted),
            )
        }  # fmt: skip
        return {
            "robot": self.robot, "dt": self.dt, "integrator": self.integrator, "drops": self.drops,
            "not_finite": self.not_finite, "statuses": dict(sorted(self.statuses.items())), **spread,
            "seconds": self.seconds, "not_ok": self.seeds[:100],
        }  # fmt: skip


def _part(values: Sequence[float], percent: float) -> float:
    return float(np.percentile(values, percent)) if len(values) else 0.0


def measure(
    robots: Sequence[str] = ROBOTS, *, drops: int = 1000, seconds: float = SECONDS, seed: int = 0,
    progress: Callable[[str], None] = lambda step: None, **options: Any,
) -> Iterator[Drops]:  # fmt: skip
    """`robots`: short names of the Menagerie, files, or names of robots with shapes; `options`: those of `simulate`."""
    for name in robots:
        progress(f"{name}: reading")
        model, dt = read_scene(name)
        result = Drops(name if name in MENAGERIE else Path(name).stem, dt, "")
        starts = Starts(model)
        for call, first in enumerate(range(0, drops, _TOGETHER)):
            progress(f"{name}: {first} of {drops} drops")
            trajectory = dropped(model, dt, starts, min(_TOGETHER, drops - first), (seed, call), seconds, **options)
            result.integrator = trajectory.integrator
            result.add(call, trajectory)
        yield result


def read_scene(name: str) -> tuple[Model, float]:
    """A model that touches something, and its file's time step (MuJoCo's own where an MJCF says nothing)."""
    path = scene_file(name) if name in MENAGERIE else Path(name)
    if path.suffix == ".xml" and path.is_file() and b"<mujoco" in path.read_bytes()[:10_000]:
        model, source = read_with_source(path)
        dt = float(source.opt.timestep)
    else:
        model = load(name)
        dt = model.simulation.chosen_dt(None)
    if not any(shape.kind == "plane" for shape in model.shapes):
        model = model.on_ground()
    if not model.pairs:
        raise InputError(f"{name!r} has nothing that touches: there is nothing to drop it on")
    return model, dt


class Starts:
    """Random states of a robot above the ground."""

    def __init__(self, model: Model):
        self.model = model
        self._bases = [i for i, joint in enumerate(model.joints, start=1) if joint.moves.is_free]
        if not self._bases:
            raise InputError(f"{model.name!r} is fixed to the ground; only what is free can be dropped")
        self._gap = compile(model, "contact_dynamics", outputs="gap")
        self._poses: np.ndarray | None = None

    def draw(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        model = self.model
        q, v = model.random_configuration(rng, count), rng.normal(size=(count, model.nv)) * _SPEEDS[2]
        if model.constraints:  # loops stay closed, and still; the base is anywhere all the same
            poses, free = self._closed_poses(), {k for i in self._bases for k in range(model.nq)[model.iq[i]]}
            kept = [k for k in range(model.nq) if k not in free]
            q[:, kept], v[:] = poses[rng.integers(len(poses), size=count)][:, kept], 0.0
        for i in self._bases:
            place = model.iq[i].start
            q[:, place : place + 2] = 0.0
            v[:, model.iv[i]] = rng.normal(size=(count, 6)) * np.repeat(_SPEEDS[:2], 3)
        zeros = np.zeros((count, model.nv))
        lowest = np.asarray(self._gap(q, zeros, zeros, 1e-3)).min(axis=1)
        for i in self._bases:
            q[:, model.iq[i].start + 2] += rng.uniform(*_HEIGHTS, count) - lowest
        return q, v

    def _closed_poses(self) -> np.ndarray:
        if self._poses is None:
            model, rng, found = self.model, np.random.default_rng(0), []
            stance = next(iter(model.configurations.values()), model.drawn)
            for _ in range(10 * _POSES):
                step = rng.normal(size=model.nv) * _SWING
                for i in self._bases:
                    step[model.iv[i]] = 0.0
                try:
                    pose = project_configuration(model, model.integrate(stance, step))
                except NoConvergence:
                    continue
                if self._within_limits(pose):
                    found.append(pose)
                if len(found) == _POSES:
                    break
            if not found:
                raise InputError(f"no closed poses of {model.name!r} were found near where it stands")
            self._poses = np.array(found)
        return self._poses

    def _within_limits(self, q: np.ndarray) -> bool:
        joints = zip(self.model.joints, self.model.iq[1:], strict=True)
        return all(np.all((q[iq] >= joint.lower) & (q[iq] <= joint.upper)) for joint, iq in joints)


def dropped(
    model: Model, dt: float, starts: Starts, count: int, seed: tuple[int, int], seconds: float = SECONDS,
    **options: Any,
) -> Trajectory:  # fmt: skip
    rng, steps = np.random.default_rng(seed), round(seconds / dt)
    q, v = starts.draw(count, rng)
    given: dict[str, Any] = {"steps": steps, "dt": dt, "record": max(1, steps // _RECORDS), "start": "as given"}
    if model.nu:
        given["ctrl"] = np.repeat(_commands(model, count, rng)[:, None], steps, axis=1)
    try:
        return simulate(model, q, v, **{**given, **options})
    except SimulationError as error:
        return cast(Trajectory, error.trajectory)


def _commands(model: Model, count: int, rng: np.random.Generator) -> np.ndarray:
    ranges = [(-1.0, 1.0) if one.ctrl_range is None else one.ctrl_range for one in model.actuators]
    low, high = np.array(ranges).T
    return rng.uniform(low, high, size=(count, model.nu))
