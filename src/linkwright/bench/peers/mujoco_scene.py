"""A scene in MuJoCo that touches just what its model of ours touches, and the states that contacts are measured at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...io import MujocoCoordinates
from ...io.mjcf.mjcf_compiling import import_mujoco
from ...io.mjcf.mjcf_reader import read_with_source
from ...model import Model

_NEVER = -1e6  # m: a margin at which nothing touches
_INTEGRATORS = {0: "euler", 3: "implicitfast"}  # mjtIntegrator
_CONES = {"pyramidal": 0, "elliptic": 1}  # mjtCone
_SEGMENT = 0.25  # s between changes of commands, and pushes
_SEGMENTS = 6
_KICK = 0.4  # m/s and rad/s: what a push gives to a free body
_TRAJECTORIES = 32
_SPREAD, _SPREAD_OF_TORQUES = 0.15, 0.05  # of random commands, relative to their ranges
_SETTLING = 1.0  # s
_FALL_HEIGHTS, _FALL_TIME = (0.1, 0.5), 1.0  # m above where it stands, s
_SAG, _HOLD_TIME = 0.3, 0.05  # rad at which a motor that holds gives all it has; derivative over proportional gain, s


class MujocoScene:
    """An MJCF file in MuJoCo with contacts between the pairs of `self.ours` alone; `touching`: there must be some."""

    def __init__(self, path: str | Path, *, touching: bool = True):
        self.mujoco = import_mujoco("comparing with MuJoCo")
        from mujoco import rollout

        self._rollout = rollout
        self.ours, self.model = read_with_source(path)
        if touching and not self.ours.pairs:
            raise InputError(f"{str(path)!r} has nothing that touches: there is no contact to measure")
        if int(self.model.opt.integrator) not in _INTEGRATORS:
            raise InputError(f"{str(path)!r} is integrated neither by Euler nor by implicitfast; MuJoCo's are compared")
        self.dt, self.integrator = float(self.model.opt.timestep), _INTEGRATORS[int(self.model.opt.integrator)]
        self.coordinates = MujocoCoordinates(self.ours)
        touch_alike(self.model, self.ours)
        self.data = self.mujoco.MjData(self.model)
        self._kind = self.mujoco.mjtState.mjSTATE_FULLPHYSICS

    @property
    def tolerance(self) -> float:
        """At which MuJoCo's solver ends: the file's, or its default."""
        return float(self.model.opt.tolerance)

    def standing(self, samples: int) -> SceneStates:
        """All alike: the first keyframe after a while on the ground, with the commands that hold it."""
        self._settle()
        one, warm = self._state(), self.data.qacc_warmstart.copy()
        return SceneStates(*(np.tile(x, (samples, 1)) for x in (one, warm, self.data.ctrl)))

    def _settle(self) -> None:
        """Servos get the keyframe's commands; motors, which know no pose, are made servos from outside."""
        self._reset()
        motors, joints = self._motors()
        held = self.data.qpos[self.model.jnt_qposadr[joints]].copy()
        reach = np.abs(self.model.actuator_ctrlrange[motors]).max(axis=1, initial=0.0)
        gear = self.model.actuator_gear[motors, 0]
        kp = np.sign(gear) * np.where(reach > 0.0, reach, 1.0) / _SAG
        for _ in range(round(_SETTLING / self.dt)):
            angle = self.data.qpos[self.model.jnt_qposadr[joints]]
            rate = self.data.qvel[self.model.jnt_dofadr[joints]]
            self.data.ctrl[motors] = np.clip(kp * (held - angle - _HOLD_TIME * rate), -reach, reach)
            self.mujoco.mj_step(self.model, self.data)

    def _motors(self) -> tuple[np.ndarray, np.ndarray]:
        """(actuators whose force is their command alone, their joints)."""
        plain = (self.model.actuator_biastype == 0) & (self.model.actuator_dyntype == 0)
        found = np.flatnonzero(plain & (self.model.actuator_trntype == 0))
        return found, self.model.actuator_trnid[found, 0]

    def moving(self, samples: int, rng: np.random.Generator) -> SceneStates:
        """Along trajectories with random commands and pushes, each from another moment, with commands of its own."""
        self._settle()
        count, steps = min(_TRAJECTORIES, samples), round(_SEGMENT / self.dt)
        state, held = np.tile(self._state(), (count, 1)), self.data.ctrl.copy()
        warm, seen = np.zeros((count, self.model.nv)), []
        for segment in range(_SEGMENTS):
            ctrl = self.commands(held, count, rng)
            state[:, 1 + self.model.nq :][:, self.pushed] += rng.normal(size=(count, 6)) * _KICK
            path, _ = self._run(state, warm, ctrl, steps)
            state, warm = path[:, -1], np.zeros_like(warm)
            if segment:
                seen.append(path)
        path = np.concatenate(seen, axis=1)
        moments = rng.integers(path.shape[1], size=samples)
        chosen = path[np.arange(samples) % count, moments]
        chosen = chosen[np.isfinite(chosen).all(axis=1)]
        chosen = chosen[np.arange(samples) % len(chosen)]
        ctrl = self.commands(held, samples, rng)
        path, warm = self._run(chosen, np.zeros((samples, self.model.nv)), ctrl, 2)
        return SceneStates(path[:, -1], warm, ctrl)

    def falling(self, samples: int, rng: np.random.Generator) -> SceneStates:
        """Along falls: turned anyhow, moving, a little above the ground, with commands of their own."""
        self._settle()
        one, held, free = self._state(), self.data.ctrl.copy(), self.pushed
        if not (self.model.jnt_type == 0).any():
            return self.moving(samples, rng)
        place = 1 + int(self.model.jnt_qposadr[np.flatnonzero(self.model.jnt_type == 0)[0]])
        state, ctrl = np.tile(one, (samples, 1)), self.commands(held, samples, rng)
        state[:, place + 2] += rng.uniform(*_FALL_HEIGHTS, samples)
        state[:, place + 3 : place + 7] = rng.normal(size=(samples, 4))
        state[:, place + 3 : place + 7] /= np.linalg.norm(state[:, place + 3 : place + 7], axis=1)[:, None]
        state[:, 1 + self.model.nq :][:, free] = rng.normal(size=(samples, 6))
        path, _ = self._run(state, np.zeros((samples, self.model.nv)), ctrl, round(_FALL_TIME / self.dt))
        chosen = path[np.arange(samples), rng.integers(path.shape[1] // 5, path.shape[1], size=samples)]
        return SceneStates(chosen, np.zeros((samples, self.model.nv)), ctrl)

    def take(self, cone: str) -> None:
        """This one in place of the file's."""
        self.model.opt.cone = _CONES[cone]

    def solve_to_the_end(self) -> None:
        """Let MuJoCo's solver stop where rounding does."""
        options = self.model.opt
        options.tolerance, options.iterations, options.ls_tolerance, options.ls_iterations = 0.0, 300, 1e-14, 300
        options.jacobian = self.mujoco.mjtJacobian.mjJAC_DENSE

    @property
    def shape_names(self) -> dict[int, str]:
        """By geom, the name that our reader gave to it."""
        return {_geom(self.model, shape.name): shape.name for shape in self.ours.shapes}

    def _run(self, state: np.ndarray, warm: np.ndarray, ctrl: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """(states after each step, what the next step starts from)."""
        held = np.repeat(ctrl[:, None], steps, axis=1)
        path, _ = self._rollout.rollout(
            self.model, [self.data], state, held, nstep=steps, initial_warmstart=warm, control_spec=self._ctrl_spec
        )
        ends = np.array([self._warm_after(s, c) for s, c in zip(path[:, -1], ctrl, strict=True)])
        return path, ends

    @property
    def _ctrl_spec(self) -> int:
        return int(self.mujoco.mjtState.mjSTATE_CTRL)

    def _warm_after(self, state: np.ndarray, ctrl: np.ndarray) -> np.ndarray:
        self.set(state, ctrl)
        self.mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def set(self, state: np.ndarray, ctrl: np.ndarray, warm: np.ndarray | None = None) -> None:
        self.mujoco.mj_setState(self.model, self.data, state, self._kind)
        self.data.ctrl[:] = ctrl
        self.data.qacc_warmstart[:] = 0.0 if warm is None else warm

    def rollout(self, states: SceneStates, steps: int) -> None:
        """On one thread, which is this one."""
        held = np.repeat(states.ctrl[:, None], steps, axis=1)
        self._rollout.rollout(
            self.model, [self.data], states.state, held, nstep=steps, initial_warmstart=states.warm,
            control_spec=self._ctrl_spec,
        )  # fmt: skip

    def accelerations(self, states: SceneStates, *, exact: bool) -> np.ndarray:
        """In our coordinates, of each state: as the file has it, or to the last digit."""
        options = self.model.opt
        kept = options.tolerance, options.iterations, options.ls_tolerance, options.ls_iterations
        if exact:
            options.tolerance, options.iterations, options.ls_tolerance, options.ls_iterations = 0.0, 200, 1e-6, 100
        found = []
        q, v = self.ours_at(states)
        for k, (state, ctrl, warm) in enumerate(zip(states.state, states.ctrl, states.warm, strict=True)):
            self.set(state, ctrl, warm)
            self.mujoco.mj_forward(self.model, self.data)
            found.append(self.coordinates.from_qacc(q[k], v[k], self.data.qacc))
        options.tolerance, options.iterations, options.ls_tolerance, options.ls_iterations = kept
        return np.array(found)

    def counts(self, states: SceneStates, steps: int) -> tuple[float, float]:
        """Means over all steps: passes of MuJoCo's Newton method, points that touch."""
        found = []
        for state, ctrl, warm in zip(states.state, states.ctrl, states.warm, strict=True):
            self.set(state, ctrl, warm)
            for _ in range(steps):
                self.mujoco.mj_step(self.model, self.data)
                found.append((float(self.data.solver_niter[0]), float(self.data.ncon)))
        passes, touching = np.mean(found, axis=0)
        return float(passes), float(touching)

    def ours_at(self, states: SceneStates) -> tuple[np.ndarray, np.ndarray]:
        nq, nv = self.model.nq, self.model.nv
        q = self.coordinates.from_qpos(states.state[:, 1 : 1 + nq])
        return q, self.coordinates.from_qvel(q, states.state[:, 1 + nq : 1 + nq + nv])

    def ours_to_start_from(self, states: SceneStates) -> dict[str, np.ndarray]:
        """Inputs of the program `step`."""
        q, v = self.ours_at(states)
        warm = np.array([self.coordinates.from_qacc(*row) for row in zip(q, v, states.warm, strict=True)])
        nv = self.model.nv
        act = states.state[:, 1 + self.model.nq + nv :][:, : self.model.na]
        return {"q": q, "v": v, "warm": warm, "ctrl": states.ctrl, "act": np.ascontiguousarray(act)}

    def _reset(self) -> None:
        if self.model.nkey:
            self.mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        else:
            self.mujoco.mj_resetData(self.model, self.data)

    def _state(self) -> np.ndarray:
        state = np.empty(self.mujoco.mj_stateSize(self.model, self._kind))
        self.mujoco.mj_getState(self.model, self.data, state, self._kind)
        return state

    @property
    def base(self) -> int | None:
        """Our first free body, if there is one."""
        free = (i for i, joint in enumerate(self.ours.joints, start=1) if joint.moves.is_free)
        return next(free, None)

    @property
    def weight(self) -> float:
        """Of all that moves (N); 1 where nothing weighs."""
        return float(self.model.body_mass.sum() * np.linalg.norm(self.model.opt.gravity)) or 1.0

    @property
    def pushed(self) -> np.ndarray:
        """Velocities of the first free body; of none, the first six."""
        free = np.flatnonzero(self.model.jnt_type == 0)
        first = int(self.model.jnt_dofadr[free[0]]) if len(free) else 0
        return np.arange(first, min(first + 6, self.model.nv))

    def commands(self, around: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
        """Within their ranges."""
        low, high = self.model.actuator_ctrlrange.T
        limited, share = self.model.actuator_ctrllimited.astype(bool), np.full(self.model.nu, _SPREAD)
        share[self._motors()[0]] = _SPREAD_OF_TORQUES
        spread = np.where(limited, share * (high - low), 1.0)
        ctrl = around + rng.normal(size=(count, self.model.nu)) * spread
        return np.where(limited, np.clip(ctrl, low, high), ctrl)


class SceneStates:
    """Of MuJoCo, a row each: the full state, accelerations to start from, commands."""

    def __init__(self, state: np.ndarray, warm: np.ndarray, ctrl: np.ndarray):
        self.state, self.warm, self.ctrl = state, warm, ctrl


def touch_alike(source: Any, ours: Model) -> None:
    """Let a compiled model touch where ours does: floors by masks, listed pairs unless they are not ours."""
    geoms = {shape.name: _geom(source, shape.name) for shape in ours.shapes}
    pairs = [tuple(geoms[name] for name in (pair.first, pair.second)) for pair in ours.pairs]
    floors = [geoms[shape.name] for shape in ours.shapes if shape.kind == "plane"]
    listed = [frozenset((int(a), int(b))) for a, b in zip(source.pair_geom1, source.pair_geom2, strict=True)]
    source.geom_contype[:], source.geom_conaffinity[:] = 0, 0
    for bit, floor in enumerate(floors):
        source.geom_contype[floor] = 1 << bit
        for first, second in pairs:
            if second == floor and frozenset((first, second)) not in listed:
                source.geom_conaffinity[first] |= 1 << bit
    known = {frozenset(pair) for pair in pairs}
    for k, pair in enumerate(listed):
        if pair not in known:
            source.pair_margin[k] = source.pair_gap[k] = _NEVER


def _geom(source: Any, name: str) -> int:
    """By the name that our reader gave to it."""
    for plain in (name, name.rstrip("'")):
        try:
            return int(source.geom(plain).id)
        except KeyError:
            pass
    return int(name.rstrip("'").rpartition("geom_")[2])
