"""`linkwright bench agree`: whether robots of files move as in MuJoCo, step for step and on the whole.

Same file, same pairs, same integrator and time step, equalities soft, MuJoCo's solver run to the last digit, but
for long paths:

- states along trajectories with random commands, pushes and falls: accelerations and the forces of all contacts;
- short paths from some of them, with the commands held: how far apart both are in the end;
- long paths with the same commands and pushes, on which both may be elsewhere soon (a contact a little earlier, a foot
  that slips): means and spreads of the base's height and of what the ground carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen import CompiledFunction
from ..compilation import compile
from ..robots.menagerie import MENAGERIE, scene_file
from .peers.mujoco_scene import MujocoScene, SceneStates

CONES = ("elliptic", "pyramidal")
STATES = 500
_OUTPUTS = ("q", "v", "lam", "lead", "lag", "warm", "act", "contact_force", "contact_point", "status")
_PATHS, _PATH_TIME = 32, 0.2  # s
_RUNS, _RUN_TIME, _SEGMENT = 32, 5.0, 0.25  # s: commands change and pushes come once a segment
_PUSH = 0.4  # m/s, rad/s
_BETWEEN = 0.02  # s: of long runs a height and a force are kept so often
_SAME_POINT = 1e-6  # m
_ACCELERATIONS, _FORCES, _PATH = 1e-6, 1e-5, 1e-6  # what is asked for
_ALIKE = 3.0  # standard errors between two means


@dataclass(frozen=True)
class Spread:
    """Of a quantity over all runs and times: mean, standard deviation, and the standard error of the mean."""

    mean: float
    deviation: float
    error: float

    @classmethod
    def of(cls, values: np.ndarray) -> Spread:
        """`values`: (runs, times); runs are independent, times are not."""
        return cls(float(values.mean()), float(values.std()), float(values.mean(axis=1).std() / np.sqrt(len(values))))


@dataclass(frozen=True)
class Agreement:
    """of_accelerations, of_forces   largest difference, relative to 1 + the largest of that state
    unmatched       contacts of MuJoCo that have no point here
    touching        contacts per state that MuJoCo has
    path, far_paths largest difference of coordinates (m, rad) after 0.2 s, the median over paths and the largest
    heights, forces of ours and of MuJoCo's: of the base (m), and of the ground's push over the robot's weight
    not_ok          states and steps whose status is not ok
    seconds, seed   what was asked for: how long long paths are, which random numbers
    """

    robot: str
    cone: str
    dof: int
    points: int
    states: int
    touching: float
    of_accelerations: float
    of_forces: float
    unmatched: int
    path: float
    far_paths: float
    heights: tuple[Spread, Spread] | None
    forces: tuple[Spread, Spread] | None
    not_ok: int
    seconds: float
    seed: int

    @property
    def complaints(self) -> list[str]:
        told = [
            (self.of_accelerations > _ACCELERATIONS, "accelerations"), (self.of_forces > _FORCES, "forces"),
            (self.unmatched > 0, "contacts"), (self.far_paths > _PATH, "paths"), (self.not_ok > 0, "status"),
            (not alike(self.heights), "heights"), (not alike(self.forces), "mean forces"),
        ]  # fmt: skip
        return [what for wrong, what in told if wrong]

    def as_dictionary(self) -> dict[str, Any]:
        return {**asdict(self), "complaints": self.complaints}

    @classmethod
    def from_dictionary(cls, data: dict[str, Any]) -> Agreement:
        told = {name: value for name, value in data.items() if name != "complaints"}
        for name in ("heights", "forces"):
            told[name] = told[name] and tuple(Spread(**one) for one in told[name])
        return cls(**told)


def alike(both: tuple[Spread, Spread] | None) -> bool:
    """Whether two means differ by no more than their standard errors explain."""
    if both is None:
        return True
    ours, theirs = both
    return abs(ours.mean - theirs.mean) <= _ALIKE * np.hypot(ours.error, theirs.error) + 1e-9 * (1 + abs(theirs.mean))


def measure(
    robots: Sequence[str] = tuple(MENAGERIE), cones: Sequence[str] = CONES, *, states: int = STATES,
    seconds: float = _RUN_TIME, seed: int = 0, known: Sequence[Agreement] = (),
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Agreement]:  # fmt: skip
    """`robots`: short names of the Menagerie or MJCF files; `seconds`: of long paths, none if 0; those in `known` are
    left out."""
    done = {(one.robot, one.cone, one.states, one.seconds, one.seed) for one in known}
    for name in robots:
        label = name if name in MENAGERIE else Path(name).stem
        for cone in cones:
            if (label, cone, states, seconds, seed) in done:
                continue
            progress(f"{name}, {cone}: compiling")
            scene = MujocoScene(scene_file(name), touching=False)
            scene.take(cone)
            step = compile(
                scene.ours.unwatched(), "step", outputs=_OUTPUTS, warm_start="input", actuators="input",
                integrator=scene.integrator, equality="soft", contact="soft", cone=cone, improvement=0.0, repeat=True,
            )  # fmt: skip
            comparison = _Comparison(scene, step, np.random.default_rng(seed), progress, f"{name}, {cone}")
            yield comparison.result(label, cone, states, seconds, seed)


class _Comparison:
    def __init__(
        self, scene: MujocoScene, step: CompiledFunction, rng: np.random.Generator, progress: Callable[[str], None],
        label: str,
    ):  # fmt: skip
        self.scene, self.step, self.rng, self.not_ok = scene, step, rng, 0
        self._tell = lambda what: progress(f"{label}: {what}")

    def result(self, label: str, cone: str, states: int, seconds: float, seed: int) -> Agreement:
        scene = self.scene
        self._tell("states")
        half = scene.moving(states - states // 2, self.rng), scene.falling(states // 2, self.rng)
        every = _together(*half)
        heights = forces = None
        if seconds:  # at the file's tolerance: to the last digit MuJoCo takes a hundred times as long
            self._tell("long paths")
            heights, forces = self.runs(_some(half[0], _RUNS), seconds)
        scene.solve_to_the_end()
        of_a, of_forces, unmatched, touching = self.forward(every)
        self._tell("short paths")
        away = self.paths(_some(every, _PATHS))
        return Agreement(
            label, cone, scene.ours.nv, len(scene.ours.contacts), len(every.state), touching, of_a, of_forces,
            unmatched, float(np.median(away)), float(away.max()), heights, forces, self.not_ok, seconds,
            seed,
        )  # fmt: skip

    def _inputs(self, start: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        model, dt, count = self.scene.ours, self.scene.dt, len(start["q"])
        rest = {"lam": np.zeros(model.nc), "lead": np.zeros(3 * model.nv), "tau": np.zeros(model.nv)}
        return {**rest, **start, "lag": np.full(count, dt / 2), "dt": np.array(dt)}

    def forward(self, states: SceneStates) -> tuple[float, float, int, float]:
        """(largest error of accelerations, of forces, contacts without a point, contacts per state)."""
        scene = self.scene
        start = scene.ours_to_start_from(states)
        found = self.step(**self._inputs({**start, "warm": np.zeros_like(start["v"])}))
        self.not_ok += int(np.count_nonzero(found.status))
        points, pushes = np.asarray(found.contact_point), np.asarray(found.contact_force)
        places: dict[frozenset[str], list[int]] = {}
        for k, one in enumerate(scene.ours.contacts):
            places.setdefault(frozenset((one.first, one.second)), []).append(k)
        names, of_a, of_forces, unmatched, touching = scene.shape_names, 0.0, 0.0, 0, 0
        for n, (state, ctrl) in enumerate(zip(states.state, states.ctrl, strict=True)):
            scene.set(state, ctrl)
            scene.mujoco.mj_forward(scene.model, scene.data)
            a = scene.coordinates.from_qacc(start["q"][n], start["v"][n], scene.data.qacc)
            of_a = max(of_a, float(np.abs(found.warm[n] - a).max() / (1.0 + np.abs(a).max())))
            theirs = [self._force(k) for k in range(scene.data.ncon)]
            largest = 1.0 + max((np.abs(force).max() for *_, force in theirs), default=0.0)
            touching += len(theirs)
            for geoms, point, force in theirs:
                same = places.get(frozenset(names[g] for g in geoms), [])
                away = np.abs(points[n, same] - point).max(axis=1)
                if not len(away) or away.min() > _SAME_POINT:
                    unmatched += 1
                else:
                    push = pushes[n, same[int(away.argmin())]]
                    of_forces = max(of_forces, float(np.abs(push - force).max() / largest))
        return of_a, of_forces, unmatched, touching / len(states.state)

    def _force(self, k: int) -> tuple[tuple[int, int], np.ndarray, np.ndarray]:
        contact, force = self.scene.data.contact[k], np.zeros(6)
        self.scene.mujoco.mj_contactForce(self.scene.model, self.scene.data, k, force)
        return (int(contact.geom[0]), int(contact.geom[1])), np.array(contact.pos), force

    def paths(self, states: SceneStates) -> np.ndarray:
        """How far apart coordinates are in the end, of each."""
        scene, steps = self.scene, max(1, round(_PATH_TIME / self.scene.dt))
        start = scene.ours_to_start_from(states)
        told = ("q", "status")
        found = self.step.repeat(
            self._inputs(start), steps, every=1, last=tuple(x for x in _OUTPUTS if x not in told)
        )
        self.not_ok += int(np.count_nonzero(found.status))
        away = np.zeros(len(states.state))
        for n, (state, ctrl, warm) in enumerate(zip(states.state, states.ctrl, states.warm, strict=True)):
            scene.set(state, ctrl, warm)
            for t in range(steps):
                scene.mujoco.mj_step(scene.model, scene.data)
                q = scene.coordinates.from_qpos(scene.data.qpos.copy())
                away[n] = max(away[n], np.abs(scene.ours.difference(q, found.q[n, t])).max())
        return away

    def runs(
        self, states: SceneStates, seconds: float
    ) -> tuple[tuple[Spread, Spread] | None, tuple[Spread, Spread] | None]:
        """Heights and forces, each ours and MuJoCo's."""
        scene, count = self.scene, len(states.state)
        segments, steps = max(1, round(seconds / _SEGMENT)), round(_SEGMENT / scene.dt)
        every = max(1, round(_BETWEEN / scene.dt))
        ctrl = np.stack([scene.commands(states.ctrl[0], count, self.rng) for _ in range(segments)], axis=1)
        pushes = self.rng.normal(size=(count, segments, 6)) * _PUSH
        ours, theirs = self._our_runs(states, ctrl, pushes, steps, every), []
        for n in range(count):
            self._tell(f"long path {n} of {count}")
            theirs.append(self._their_run(states, n, ctrl[n], pushes[n], steps, every))
        both = [(Spread.of(a), Spread.of(b)) for a, b in zip(ours, np.moveaxis(np.array(theirs), 1, 0), strict=True)]
        return both[0] if scene.base is not None else None, both[1] if scene.ours.contacts else None

    def _our_runs(self, states, ctrl, pushes, steps: int, every: int) -> tuple[np.ndarray, np.ndarray]:
        scene, inputs = self.scene, self._inputs(self.scene.ours_to_start_from(states))
        heights, forces = [], []
        base = 0 if scene.base is None else scene.ours.iq[scene.base].start + 2
        last = ("v", "lam", "lead", "lag", "warm", "act", "contact_point")
        for segment in range(ctrl.shape[1]):
            qvel = scene.coordinates.to_qvel(inputs["q"], inputs["v"])
            qvel[:, scene.pushed] += pushes[:, segment, : len(scene.pushed)]
            inputs["v"] = scene.coordinates.from_qvel(inputs["q"], qvel)
            inputs["ctrl"] = np.ascontiguousarray(ctrl[:, segment])
            found = self.step.repeat(inputs, steps, every=every, last=last)
            self.not_ok += int(np.count_nonzero(found.status))
            heights.append(np.asarray(found.q)[:, :, base])
            forces.append(np.asarray(found.contact_force)[..., 0].sum(axis=-1) / scene.weight)
            inputs |= {name: np.asarray(getattr(found, name)) for name in last[:-1]}
            inputs["q"] = np.ascontiguousarray(np.asarray(found.q)[:, -1])
        return np.concatenate(heights, axis=1), np.concatenate(forces, axis=1)

    def _their_run(self, states, n: int, ctrl, pushes, steps: int, every: int) -> tuple[list[float], list[float]]:
        scene, heights, forces = self.scene, [], []
        mujoco, model, data = scene.mujoco, scene.model, scene.data
        base = 0 if scene.base is None else int(model.jnt_qposadr[np.flatnonzero(model.jnt_type == 0)[0]]) + 2
        scene.set(states.state[n], states.ctrl[n], states.warm[n])
        for commands, push in zip(ctrl, pushes, strict=True):
            data.ctrl[:] = commands
            data.qvel[scene.pushed] += push[: len(scene.pushed)]
            for t in range(1, steps + 1):
                mujoco.mj_step(model, data)
                if t % every == 0 or t == steps:
                    heights.append(float(data.qpos[base]))
                    forces.append(sum(self._force(k)[2][0] for k in range(data.ncon)) / scene.weight)
        return heights, forces


def _together(one: SceneStates, two: SceneStates) -> SceneStates:
    pairs = ((one.state, two.state), (one.warm, two.warm), (one.ctrl, two.ctrl))
    return SceneStates(*(np.concatenate(pair) for pair in pairs))


def _some(states: SceneStates, count: int) -> SceneStates:
    """As many, from all over."""
    chosen = np.unique(np.linspace(0, len(states.state) - 1, count).astype(int))
    return SceneStates(states.state[chosen], states.warm[chosen], states.ctrl[chosen])
