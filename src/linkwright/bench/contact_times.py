"""`linkwright bench contact`: steps of robots on the ground, beside MuJoCo's `mj_step` and `rollout`.

Same run, same file, same pairs, same integrator and time step, equalities soft as MuJoCo's; both start each step from
the last one's accelerations, ours with most of their last change added, and end it at MuJoCo's tolerance
(`improvement`), or ours at rounding. States move out of step with each other (random commands and pushes), or all stand
still.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen import CompiledFunction
from ..compilation import compile
from ..robots.menagerie import MENAGERIE, scene_file
from .peers.mujoco_scene import MujocoScene, SceneStates

ROBOTS = tuple(MENAGERIE)
KINDS = ("moving", "standing")
BATCH = 256
STEPS = 25  # of a run: commands stay, states go on being out of step
_SINGLES = 16  # states that are timed one at a time
_LOOKED_AT = 64  # states of which MuJoCo's passes and contacts are counted
_TURNS = 3  # at least
_LOST_EACH = 8  # of so many samples one is not finite, in the batch that shows what such samples cost their neighbours
_OUTPUTS = ("q", "v", "lam", "lead", "lag", "warm", "act", "iterations", "effort", "status")


@dataclass(frozen=True)
class ContactTimes:
    """Microseconds of processor time per step, on one core.

    occupancy     mean passes over those of the slowest of the samples computed together, were they taken as they come
    error         largest of accelerations at the start, relative to 1 + the largest, against MuJoCo to the last digit
    touching      points that touch, on average
    failed        steps of all timed ones whose status is not ok
    diverged      time of a batch of which every eighth sample is not finite, over that of the same batch as it is
    compile_seconds   of the whole way from the model to the function; None if it came from the cache
    """

    robot: str
    dof: int
    points: int
    touching: float
    states: str
    single: float
    batched: float
    mujoco_step: float
    mujoco_rollout: float
    passes: float
    most_passes: int
    mujoco_passes: float
    lanes: int
    occupancy: float
    error: float
    mujoco_error: float
    failed: int
    diverged: float
    operations: int
    compile_seconds: float | None
    code_bytes: int

    @property
    def ratios(self) -> tuple[float, float]:
        return self.mujoco_step / self.single, self.mujoco_rollout / self.batched

    def as_dictionary(self) -> dict[str, Any]:
        return {**asdict(self), "ratio_single": self.ratios[0], "ratio_batched": self.ratios[1]}


def measure(
    robots: Sequence[str] = ROBOTS, kinds: Sequence[str] = KINDS, *, seconds: float = 3.0, batch: int = BATCH,
    exact: bool = False, tolerance: float | None = None, cache: bool = True,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[ContactTimes]:  # fmt: skip
    """`robots`: short names of the Menagerie or MJCF files; `exact`: ours ends where `tolerance` says (the default if
    None), not where MuJoCo's does."""
    for name in robots:
        progress(f"{name}: reading")
        scene = MujocoScene(scene_file(name))
        progress(f"{name}: compiling")
        begin = time.perf_counter()
        step = compile(
            scene.ours.unwatched(), "step", outputs=_OUTPUTS, warm_start="input", actuators="input",
            integrator=scene.integrator, equality="soft", contact="soft", tolerance=tolerance,
            improvement=0.0 if exact else scene.tolerance, repeat=True, cache=cache,
        )  # fmt: skip
        took = None if step.from_cache else time.perf_counter() - begin
        label = name if name in MENAGERIE else Path(name).stem
        for kind in kinds:
            progress(f"{name}: {kind}")
            rng = np.random.default_rng(0)
            states = scene.moving(batch, rng) if kind == "moving" else scene.standing(batch)
            yield _measure(label, kind, scene, step, took, states, seconds)


def _measure(
    label: str, kind: str, scene: MujocoScene, step: CompiledFunction, took: float | None, states: SceneStates,
    seconds: float,
) -> ContactTimes:  # fmt: skip
    model, count = scene.ours, len(states.state)
    start = scene.ours_to_start_from(states)
    rest = {"lam": np.zeros(model.nc), "lead": np.zeros(3 * model.nv), "tau": np.zeros(model.nv)}
    many = {**rest, **start, "lag": np.full(count, scene.dt / 2), "dt": np.array(scene.dt)}
    some = range(0, count, max(1, count // _SINGLES))
    ones = [{**rest, **{k: x[n] for k, x in start.items()}, "lag": np.array(scene.dt / 2), "dt": np.array(scene.dt)}
            for n in some]  # fmt: skip

    def singles() -> None:
        for one in ones:
            step.repeat(one, STEPS, every=STEPS, last=_OUTPUTS)

    def batched() -> None:  # as `simulate` does
        step.repeat(many, STEPS, every=STEPS, last=_OUTPUTS, effort="effort")

    ill = {**many, "q": with_lost_samples(many["q"])}

    def with_ill() -> None:
        with np.errstate(all="ignore"):
            step.repeat(ill, STEPS, every=STEPS, last=_OUTPUTS, effort="effort")

    contenders: dict[str, Callable[[], float]] = {
        "single": lambda: _clock(singles) / (STEPS * len(ones)),
        "batched": lambda: _clock(batched) / (STEPS * count),
        "diverged": lambda: _clock(with_ill) / (STEPS * count),
        "mj_step": lambda: sum(_clocked_step(scene, states, n) for n in some) / (STEPS * len(ones)),
        "rollout": lambda: _clock(lambda: scene.rollout(states, STEPS)) / (STEPS * count),
    }
    best = dict.fromkeys(contenders, np.inf)
    deadline, turns = time.perf_counter() + seconds, 0
    while turns < _TURNS or time.perf_counter() < deadline:  # contenders take turns, the best run of each counts
        for name, run in contenders.items():
            best[name] = min(best[name], run() * 1e6)
        turns += 1

    told = step.repeat(many, STEPS, every=1, last=tuple(x for x in _OUTPUTS if x not in ("iterations", "status")))
    passes = np.asarray(told.iterations)
    exact = scene.accelerations(states, exact=True)
    first = np.asarray(step(**many).warm)
    looked = SceneStates(*(x[:_LOOKED_AT] for x in (states.state, states.warm, states.ctrl)))
    mujoco_passes, touching = scene.counts(looked, STEPS)
    return ContactTimes(
        label, model.nv, len(model.contacts), touching, kind, best["single"], best["batched"], best["mj_step"],
        best["rollout"], float(passes.mean()), int(passes.max()), mujoco_passes, step.lanes,
        occupancy(passes, step.lanes), _off(first, exact), _off(scene.accelerations(states, exact=False), exact),
        int(np.count_nonzero(told.status)), best["diverged"] / best["batched"], step.operations.total, took,
        step.code_bytes,
    )  # fmt: skip


def occupancy(passes: np.ndarray, lanes: int) -> float:
    """`passes`: (samples, steps). Of samples that are computed together as they come, all wait for the slowest."""
    whole = passes[: len(passes) // lanes * lanes].reshape(-1, lanes, passes.shape[1])
    slowest = whole.max(axis=1).sum() * lanes
    return float(whole.sum() / slowest) if slowest else 1.0


def with_lost_samples(q: np.ndarray) -> np.ndarray:
    """The same configurations, every eighth of them not a number: spread, so that every group of samples computed
    together has one."""
    lost = q.copy()
    lost[::_LOST_EACH] = np.nan
    return lost


def _clock(run: Callable[[], object]) -> float:
    begin = time.thread_time()  # all run in this thread; what else the machine does is not theirs
    run()
    return time.thread_time() - begin


def _clocked_step(scene: MujocoScene, states: SceneStates, n: int) -> float:
    scene.set(states.state[n], states.ctrl[n], states.warm[n])
    return _clock(lambda: scene.mujoco.mj_step(scene.model, scene.data, STEPS))


def _off(found: np.ndarray, exact: np.ndarray) -> float:
    return float((np.abs(found - exact).max(axis=1) / (1.0 + np.abs(exact).max(axis=1))).max())
