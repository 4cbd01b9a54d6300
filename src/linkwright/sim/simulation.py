"""`linkwright.simulate`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..call_errors import names_arguments
from ..io import load
from ..model import Model
from ..physics import Integrator
from ..physics.options import given_options
from .duration import chosen_steps, refuse_a_time
from .prepared import prepare
from .rollout import Rollout
from .trajectory import Trajectory


@names_arguments
def simulate(
    robot: Model | str | Path,
    q0: Any = None,
    v0: Any = None,
    *,
    dt: float | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    control: Any = None,
    ctrl: Any = None,
    act0: Any = None,
    f_ext: Any = None,
    parameters: Any = None,
    active: Any = None,
    integrator: str | Integrator | None = None,
    accuracy: float | None = None,
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

    steps, seconds   how long, one of them: `seconds` of its time are as many steps of dt as come nearest

    q0, v0       (n,), or (B, n) for a batch; by default the configuration the robot is drawn in, at rest
    control      None, torques (nv,), (steps, nv) or (B, steps, nv), gains `linkwright.PD(...)`, or a function
                 control(t, q, v) that returns torques and is called before each step
    ctrl         commands of the robot's actuators (docs/actuators.md): one number for all, (nu,), by name, (steps, nu),
                 (B, steps, nu), or a function ctrl(t, q, v). Actuators act only where commands are given
    act0         activations of actuators to start with, (na,) or (B, na); zero by default
    f_ext        external forces (nbodies, 6), [linear; angular] in body frames; also per sample (B, ...), per step
                 (steps, ...) or both (B, steps, ...)
    parameters   numbers of the model by name, as `default_parameters` has them, likewise: {"masses": ...}
    active       which constraints hold, 1 or 0: (constraints,), by name ({"grasp": 0}; others hold), also per sample,
                 per step or both: loops open and close, grasps release (docs/simulation.md)
    dt           seconds per step; by default what the robot's file names (`robot.simulation`), else a millisecond
    integrator   likewise, else "damped_euler" (semi-implicit; dampers, derivative gains, friction and limits implicit);
                 "euler" (semi-implicit; dampers alone implicit), "implicitfast" (derivative gains too) or "rk4"
                 (Runge-Kutta 4 on the configuration manifold)
    accuracy     error that a part of a step may make, relative to the speed of the motion: steps of dt are filled by
                 Dormand and Prince's pair then, for each sample by itself; None takes steps as the integrator does
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
    options = given_options(locals())
    robot = robot if isinstance(robot, Model) else load(robot)
    refuse_a_time(robot, q0)
    steps = chosen_steps("simulate", steps, seconds, robot.simulation.chosen_dt(dt))
    prepared = prepare(
        robot, q0, v0, dt=dt, steps=steps, control=control, ctrl=ctrl, act0=act0, f_ext=f_ext, parameters=parameters,
        active=active, record=record, outputs=outputs, start=start, options=options,
    )  # fmt: skip
    rollout = Rollout(prepared, prepared.step(lanes, threads, cache))
    return rollout.under_policy() if prepared.control.policies else rollout.at_once()
