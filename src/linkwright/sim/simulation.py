"""`linkwright.simulate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..codegen import CompiledFunction
from ..compilation import compile
from ..errors import InputError, unknown_name
from ..io import load
from ..model import Model
from ..programs.soft_dynamics import CONTACT_OUTPUTS
from ..programs.step import settled_options
from .commands import as_activations, keyframe_of
from .control import as_control
from .given import as_given
from .rollout import Rollout
from .start import as_state, check_start
from .trajectory import Trajectory

_EXTRA_OUTPUTS = ("a", "torque", "lam", "forces", "residual", "drift", "status", "iterations", *CONTACT_OUTPUTS,
                  "act", "actuator_force")  # fmt: skip
_MOST_STEPS = 2**62
_STARTS = ("check", "project", "as given")


def simulate(
    robot: Model | str | Path,
    q0: Any = None,
    v0: Any = None,
    *,
    dt: float | None = None,
    steps: int,
    control: Any = None,
    ctrl: Any = None,
    act0: Any = None,
    f_ext: Any = None,
    parameters: Any = None,
    integrator: str | None = None,
    coordinates: str = "spanning",
    solver: str | None = None,
    iterations: int | None = None,
    mu: Any = None,
    baumgarte: float | str | None = "auto",
    projection: bool = False,
    friction: bool = True,
    limits: bool = True,
    effort_limits: bool = True,
    velocity_limits: bool = True,
    contact: str | None = "auto",
    cone: str | None = None,
    equality: str = "hard",
    tolerance: float | None = None,
    improvement: float | None = None,
    record: int = 1,
    outputs: str | Sequence[str] = (),
    start: str = "check",
    lanes: int | str = "auto",
    threads: int | str = 1,
    cache: bool = True,
) -> Trajectory:
    """Move a robot for `steps` steps of `dt` seconds from (q0, v0); many steps run in one call of compiled code.

    q0, v0       (n,), or (B, n) for a batch; by default the configuration the robot is drawn in, at rest
    control      None, torques (nv,), (steps, nv) or (B, steps, nv), gains `linkwright.PD(...)`, or a function
                 control(t, q, v) that returns torques and is called before each step
    ctrl         commands of the robot's actuators (docs/actuators.md): one number for all, (nu,), by name, (steps, nu),
                 (B, steps, nu), or a function ctrl(t, q, v). Actuators act only where commands are given
    act0         activations of actuators to start with, (na,) or (B, na); zero by default
    f_ext        external forces (nbodies, 6), [linear; angular] in body frames; also per sample (B, ...), per step
                 (steps, ...) or both (B, steps, ...)
    parameters   numbers of the model by name, as `default_parameters` has them, likewise: {"masses": ...}
    dt           seconds per step; by default what the robot's file names (`robot.simulation`), else a millisecond
    integrator   likewise, else "damped_euler" (semi-implicit; dampers, derivative gains, friction and limits implicit);
                 "euler" (semi-implicit; dampers alone implicit), "implicitfast" (derivative gains too) or "rk4"
                 (Runge-Kutta 4 on the configuration manifold)
    coordinates  "spanning" keeps loops closed by forces and stabilization; "independent" embeds them: the independent
                 joints are integrated, the others follow on their branch
    solver       of forward dynamics, by name; None takes the one with the fewest operations that suits the model
    iterations   of proximal solvers, which start from the last step's multipliers: as many as it takes, or a number;
                 with contacts the most passes of Newton's method
    baumgarte    time constant of stabilization in seconds; "auto" is twice dt, None switches it off
    projection   True moves each step's result onto the constraints
    friction, limits, effort_limits, velocity_limits   whether Coulomb friction, joint limits, limits of joint torques
                 and of the speeds up to which they drive act
    contact      "soft", MuJoCo's law of contacts, limits and dry friction, or None; "auto" is soft if there are pairs
    cone, equality, tolerance, improvement   of the soft law: see docs/contact.md
    record       every how many steps states are kept (the last one always is)
    outputs      further quantities to keep: a, torque, lam, forces, residual, drift, status; of contacts
                 contact_force, contact_point, contact_frame, gap, active, iterations; of actuators act, actuator_force
    start        "check" refuses a start that violates constraints, "project" moves it onto them; or the name of a
                 keyframe of the robot's file, whose commands are given too unless `ctrl` or `control` is

    Raises `SimulationError`, with the trajectory so far, if the state becomes infinite or `control` fails.
    """
    model = robot if isinstance(robot, Model) else load(robot)
    dt = model.simulation.chosen_dt(dt)
    integrator, law = chosen_scheme(model, integrator, contact)
    if start not in _STARTS and model.keyframes:
        frame = keyframe_of(model, start, q0=q0, v0=v0, act0=act0)
        q0, v0, act0, start = frame.q, frame.v, frame.act, "check"
        ctrl = frame.ctrl if model.nu and ctrl is None and control is None else ctrl
    check_numbers(dt, steps, record, start)
    kept = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    for name in kept:
        if name not in _EXTRA_OUTPUTS:
            raise unknown_name("output of simulate", name, _EXTRA_OUTPUTS)
    check_kept(kept, coordinates)
    q, v = as_state(model, q0, v0)
    if start == "project":
        q, v = _projected(model, q, v)
    bound = as_control(model, control, q, steps, ctrl)
    act = as_activations(model, act0)
    given = as_given(model, f_ext, parameters, steps, len(q) if q.ndim == 2 else len(v) if v.ndim == 2 else None)
    if start == "check":
        check_start(model, q, v)
    options = {
        "integrator": integrator, "solver": solver, "iterations": iterations, "mu": mu, "baumgarte": baumgarte,
        "projection": projection, "friction": friction, "limits": limits, "effort_limits": effort_limits,
        "velocity_limits": velocity_limits, "actuators": None if ctrl is None else "input",
        "feedback": bound.feedback, "warm_start": "input", "books": "input", "contact": law,
        "cone": cone, "equality": equality, "tolerance": tolerance, "improvement": improvement,
        "coordinates": coordinates,
    }  # fmt: skip
    names = tuple(name for name in given.arrays if name != "f_ext")
    step = compiled_step(model, kept, hashable(options), names, "f_ext" in given.arrays, lanes, threads, cache)
    every = min(int(record), int(steps))
    rollout = Rollout(model, step, bound, given, q, v, act, float(dt), int(steps), every, kept, options)
    return rollout.under_policy() if bound.policies else rollout.at_once()


def check_kept(kept: Sequence[str], coordinates: str) -> None:
    unknown = [name for name in ("lam", "forces") if name in kept and coordinates == "independent"]
    if unknown:
        raise InputError(f"outputs {unknown} are not found with coordinates='independent'; 'spanning' finds them")


def chosen_scheme(model: Model, integrator: str | None, contact: str | None) -> tuple[str, str | None]:
    """The integrator and the law of contacts: those given, else those of the model."""
    settled = settled_options(model, {"integrator": integrator, "contact": contact})
    return settled["integrator"], settled["contact"]


def state_names(options: Mapping[str, Any]) -> tuple[str, ...]:
    """What a step gives and the next one takes, in the order of both."""
    warm, driven = ("warm",) if options["contact"] else (), ("act", "clamped") if options["actuators"] else ()
    return ("q", "v", "lam", "lead", "lag", *warm, "work", "worst", *driven)


def check_numbers(dt, steps, record, start) -> None:
    try:
        fine = not isinstance(dt, bool | np.bool_) and np.isfinite(dt) and np.ndim(dt) == 0 and dt > 0
    except TypeError:
        fine = False
    if not fine:
        raise InputError(f"dt is {dt!r}; expected a positive number of seconds")
    for name, value in (("steps", steps), ("record", record)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise InputError(f"{name} is {value!r}; expected a positive whole number")
    if steps > _MOST_STEPS:
        raise InputError(f"steps is {steps}; expected at most {_MOST_STEPS}: there is not that much time")
    if start not in _STARTS:
        raise unknown_name("start", start, _STARTS)


def _projected(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from ..assembly import project_configuration, project_velocity

    q = project_configuration(model, q)
    return q, project_velocity(model, q, v)


def hashable(options: dict[str, Any]) -> tuple:
    mu = options["mu"]
    values = mu.values() if isinstance(mu, dict) else (mu,)
    if not all(isinstance(x, int | float | None) for x in values):
        raise InputError(f"mu is {mu!r}; expected a positive number, or numbers by constraint name")
    return tuple({**options, "mu": tuple(mu.items()) if isinstance(mu, dict) else mu}.items())


@lru_cache(maxsize=32)
def compiled_step(
    model: Model, kept: tuple[str, ...], options: tuple, parameters: tuple[str, ...], f_ext: bool, lanes, threads,
    cache: bool,
) -> CompiledFunction:  # fmt: skip
    """The step, kept for the process: simulating again costs no look at the disk."""
    chosen = dict(options)
    if isinstance(chosen["mu"], tuple):
        chosen["mu"] = dict(chosen["mu"])
    wanted = tuple(dict.fromkeys((*state_names(chosen), *kept)))
    return compile(
        model, "step", outputs=wanted, parameters=parameters, f_ext=f_ext, lanes=lanes, threads=threads, cache=cache,
        repeat=True, **chosen,
    )  # fmt: skip
