"""`linkwright bench simulate`: steps per second of mechanisms with loops, beside MuJoCo's `mj_step` and `rollout`.

Both simulate the same mechanism from the same state with the same dt, semi-implicit Euler, no contacts, no limits and
no friction; ours with its default stabilization, MuJoCo with its default soft constraints.
"""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from ..compilation import compile, reference
from ..errors import LinkwrightError, MissingExtraError, UnsupportedError
from ..io import load
from ..model import Model
from ..model.constraints import connect
from ..sim import simulate
from .peers.mujoco_peer import MujocoCoordinates, mjcf

ROBOTS = ("four_bar", "slider_crank", "jansen_leg", "delta_robot", "stewart_platform", "cassie", "digit_like")
DT = 1e-3
STEPS = 400  # per call; a biped without control lies on the ground soon after
BATCH, BATCHED_STEPS = 1024, 50
_RUNS_PER_TURN = 5  # the first finds the caches full of the others' data
_OFF = ("contact", "limit", "frictionloss", "actuation")


@dataclass(frozen=True)
class SimulationTimes:
    """Microseconds of processor time per step, on one core; of a peer that cannot hold the mechanism None."""

    robot: str
    dof: int
    rows: int
    solver: str
    single: float
    batched: float
    mujoco_step: float | None
    mujoco_rollout: float | None
    mujoco_drift: float | None
    drift: float

    @property
    def ratios(self) -> tuple[float, float] | None:
        if self.mujoco_step is None or self.mujoco_rollout is None:
            return None
        return self.mujoco_step / self.single, self.mujoco_rollout / self.batched

    def as_dictionary(self) -> dict:
        ratios = self.ratios
        return {**asdict(self), "ratio_single": ratios and ratios[0], "ratio_batched": ratios and ratios[1]}


def measure(
    robots=ROBOTS, *, seconds: float = 2.0, progress: Callable[[str], None] = lambda step: None
) -> Iterator[SimulationTimes]:
    for name in robots:
        yield _measure(name, with_points_for_pins(load(name)), seconds, progress)


def with_points_for_pins(model: Model) -> Model:
    """MuJoCo has no pin in a plane, only points: let both have those, one row more than needed."""
    constraints = []
    for c in model.constraints:
        rows = c.constant_rows
        if rows is not None and len(rows) == 2 and not rows[:, 3:].any():
            (frame, _), (other, target) = c.placed_frames
            c = connect(frame, other, name=c.name, at=target)
        constraints.append(c)
    return model.without_constraints().with_constraints(*constraints)


def _measure(name: str, model: Model, seconds: float, progress) -> SimulationTimes:
    progress(f"{name}: compiling")
    options: dict[str, Any] = {"limits": False, "friction": False}
    q0 = simulate(model, dt=DT, steps=1, start="project", **options).q[0]
    check = simulate(model, q0, dt=DT, steps=STEPS, record=STEPS, **options)
    step = compile(
        model, "step", outputs=("q", "v", "lam", "lead", "lag"), warm_start="input", solver=check.solver, repeat=True,
        **options,
    )  # fmt: skip
    still, lead = np.zeros(model.nv), np.zeros(3 * model.nv)
    one = {"q": q0, "v": still, "lam": check.lam, "lead": lead, "lag": np.array(DT / 2), "tau": still, "dt": DT}
    many = {**one, **{key: np.tile(one[key], (BATCH, 1)) for key in ("q", "v", "lam", "lead")}}
    many["lag"] = np.full(BATCH, DT / 2)
    last = ("q", "v", "lam", "lead", "lag")
    contenders: dict[str, tuple[Callable[[], object], int]] = {
        "single": (lambda: step.repeat(one, STEPS, every=STEPS, last=last), STEPS),
        "batched": (lambda: step.repeat(many, BATCHED_STEPS, every=BATCHED_STEPS, last=last), BATCHED_STEPS * BATCH),
    }
    peer = None
    try:
        peer = MujocoSimulation(model, q0)
        contenders["mj_step"] = (lambda: peer.step(STEPS), STEPS)
        contenders["rollout"] = (lambda: peer.rollout(STEPS), STEPS * peer.samples)
    except LinkwrightError:
        pass  # not installed, or a mechanism it cannot hold
    progress(f"{name}: measuring")
    best = dict.fromkeys(contenders, np.inf)
    deadline, turns = time.perf_counter() + seconds, 0
    while turns < 3 or time.perf_counter() < deadline:  # contenders take turns, the best run of each counts
        for label, (run, steps) in contenders.items():
            for _ in range(_RUNS_PER_TURN):
                begin = time.thread_time()  # all run in this thread; what else the machine does is not theirs
                run()
                best[label] = min(best[label], (time.thread_time() - begin) / steps * 1e6)
        turns += 1
    return SimulationTimes(
        name, model.nv, model.nc, check.solver, best["single"], best["batched"], best.get("mj_step"),
        best.get("rollout"), None if peer is None else peer.drift(model), float(check.worst[0]),
    )  # fmt: skip


class MujocoSimulation:
    """A mechanism in MuJoCo at one state."""

    samples = 8  # of a rollout; more make it no faster

    def __init__(self, model: Model, q: np.ndarray):
        try:
            import mujoco
            import mujoco.rollout
        except ImportError:
            raise MissingExtraError("mujoco", "bench", "timing MuJoCo") from None
        self._mujoco, self._coordinates, self._q = mujoco, MujocoCoordinates(model), q
        self.model = mujoco.MjModel.from_xml_string(simulation_mjcf(model))
        self.data = mujoco.MjData(self.model)

    def _reset(self) -> None:
        self._mujoco.mj_resetData(self.model, self.data)
        self.data.qpos = self._coordinates.to_qpos(self._q)

    def step(self, steps: int) -> None:
        self._reset()
        self._mujoco.mj_step(self.model, self.data, steps)

    def rollout(self, steps: int) -> None:
        """On one thread, which is this one."""
        self._reset()
        kind = self._mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.empty(self._mujoco.mj_stateSize(self.model, kind))
        self._mujoco.mj_getState(self.model, self.data, state, kind)
        self._mujoco.rollout.rollout(self.model, [self.data], np.tile(state, (self.samples, 1)), nstep=steps)

    def drift(self, model: Model) -> float:
        """How far its constraints are open after the steps that are timed."""
        self._reset()
        self._mujoco.mj_step(self.model, self.data, STEPS)
        q = self._coordinates.from_qpos(np.array(self.data.qpos))
        return float(np.abs(reference(model, "constraint_error")(q)).max(initial=0.0))


def simulation_mjcf(model: Model) -> str:
    """The model as MJCF: joints, inertias, and its points and welds as equalities between sites."""
    root = ElementTree.fromstring(mjcf(model.without_constraints()))
    option = cast(ElementTree.Element, root.find("option"))
    option.set("timestep", repr(DT))
    flags = option.find("flag")
    if flags is None:
        flags = ElementTree.SubElement(option, "flag")
    flags.attrib.clear()
    flags.attrib.update(dict.fromkeys(_OFF, "disable"))  # a simulation may start from the last step's solution
    bodies = {element.get("name"): element for element in root.iter("body")}
    equality = ElementTree.SubElement(root, "equality")
    for c in model.constraints:
        if c.equality not in ("connect", "weld") or not c.has_position:
            raise UnsupportedError(f"constraint {c.name!r} is neither a point nor a weld, which is all MuJoCo has")
        for k, (name, offset) in enumerate(c.placed_frames):
            frame = model.frame(name)
            pose = frame.placement if offset is None else frame.placement @ offset
            element: Any = bodies[model.bodies[frame.body].name] if frame.body else root.find("worldbody")
            place = {"pos": _text(pose.translation), "quat": _text(np.roll(pose.quaternion, 1))}
            ElementTree.SubElement(element, "site", {"name": f"{c.name}/end{k}", **place})
        ElementTree.SubElement(equality, c.equality, site1=f"{c.name}/end0", site2=f"{c.name}/end1")
    return ElementTree.tostring(root, encoding="unicode")


def _text(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)
