"""A mechanism in simulation: what acts on its joints, its dynamics, and what keeps its constraints together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.parts.actuator_forces import (
    ActuatorForce,
    activation_rates,
    actuator_forces,
    joint_torques,
    next_activations,
)
from ..algorithms.parts.integration import stepped_back
from ..algorithms.parts.joint_resistance import Resistance, friction, limits
from ..algorithms.parts.motor_limits import within_effort, within_speed
from ..algorithms.parts.straight_motion import StraightMotion
from ..algorithms.rows.constraint_rows import largest_residual
from ..algorithms.rows.constraint_state import ConstraintState, constraint_state
from ..algorithms.rows.file_digits import file_digits, rounded_up
from ..algorithms.tree.kinematics import velocities
from ..errors import UnsupportedError
from ..model import Model, Tree
from ..model.configuration import difference, integrate
from ..model.parameters import PARAMETER_NAMES
from ..programs import RECIPES, Recipe
from ..programs.choice import solver_of
from ..programs.recipe import external_forces
from ..scalar import Scalar, guard, maximum, minimum, negated, where
from ..spatial import Force
from .joint_inertia import joint_inertias
from .options import Held, SoftLaw, StepOptions
from .quantities import Scalars
from .state import StepInputs
from .suddenness import bearable_change, is_shortest

# Shares of the velocity and of the position error that stabilization answers in a part of a step
ANSWERED_IN_PARTS = (1.25, 0.7)  # by Runge-Kutta, in place of a step of Euler's
# Coulomb friction is viscous below this velocity (rad/s, m/s).
FRICTION_VELOCITY = 1e-4
_MOST_EXPLICIT_DAMPING = 1.5  # damping times dt over inertia; Euler is stable up to 2, RK4 up to 2.78
_DRIVEN = 4.0  # times what joints would do without constraints is believed without asking
# Errors (m, rad) that are not pulled at: rounding; and where the digits of a file leave loops open, some multiple of
# that, but no more than nobody would see.
_ROUNDING, _DIGITS_MARGIN, _UNSEEN = 1e-14, 10.0, 1e-7
_PROJECTIONS = 2  # of a pose off by 1e-6 or less, with the last step's factors: the first leaves some 1e-9, both 1e-12


@dataclass(frozen=True)
class Dynamics:
    """What a solver finds: accelerations (nv,), multipliers (nc,), wrenches of constraints (constraints, 6), the
    largest acceleration error of a row, the status, and what of the error counts."""

    a: Scalars
    lam: Scalars
    forces: Any
    residual: Scalar
    status: Scalar
    unmet: Scalar = 0.0

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Dynamics:
        """From the outputs of a program."""
        return cls(*(found[name] for name in ("a", "lam", "forces", "residual", "status")))


class SimulatedMechanism:
    """Everything that the stages of a step need."""

    def __init__(self, tree: Tree, values: Mapping[str, Any], options: StepOptions):
        self.tree, self.model, self.options = tree, tree.model, options
        self.inputs = StepInputs.of(values, self.model)
        self.dt = self.h = self.inputs.dt
        self.given = {name: list(values[name]) for name in PARAMETER_NAMES if name in values}
        self.damping = self.given.get("dampings", self.model.stacked("damping").tolist())
        self.straight = StraightMotion(self.model, values.get("inertias"), centred=options.law is None)
        self.armature = self.given.get("armatures", self.model.stacked("armature").tolist())
        self.constrained = bool(self.model.constraints)

    @cached_property
    def solver(self) -> Recipe:
        """The forward dynamics."""
        how = self.options.dynamics
        name, iterations = (how.solver, how.iterations) if isinstance(how, Held) else ("aba", None)
        return RECIPES[name or solver_of(self.model, iterations)]

    @cached_property
    def solver_options(self) -> dict[str, Any]:
        """Those of the forward dynamics."""
        own, how, precision = self.solver.options, self.options.dynamics, self.options.purpose.precision
        asked = {"iterations": how.iterations, "mu": how.mu} if isinstance(how, Held) else {}
        if self.inputs.holding is not None:
            if "active" not in own:
                raise UnsupportedError(f"solver {self.solver.name!r} switches no constraints; name another one")
            asked["active"] = "input"
        return {
            **own, **{name: value for name, value in asked.items() if name in own},
            "precision": precision.answer, "arithmetic": precision.arithmetic,
        }  # fmt: skip

    @property
    def law(self) -> SoftLaw | None:
        """The law of contacts, if there is one."""
        return self.options.law

    @property
    def remembers(self) -> bool:
        """Whether the scheme has what the last steps left behind."""
        return bool(self.options.warm_start)

    @property
    def differentiated(self) -> bool:
        """Whether the step is traced for its derivatives."""
        return self.options.purpose.differentiated

    def over(self, dt: Scalar) -> SimulatedMechanism:
        """The same for a whole step of dt seconds."""
        if dt is self.dt:
            return self
        other = copy(self)
        other.dt = other.h = dt
        return other

    def taking(self, h: Scalar) -> SimulatedMechanism:
        """The same for a part of the step. Stabilization, friction and limits stay those of the whole one."""
        other = copy(self)
        other.h = h
        return other

    def pace(self, v: Scalars) -> Scalar:
        """The largest of velocities, or of accelerations. How fast free bodies travel or fall does not count: that
        says nothing of how a mechanism moves, and in the axes of a body that turns it is a great acceleration."""
        travelling = {
            self.model.iv[i].start + k
            for i, joint in enumerate(self.model.joints, start=1) if joint.moves.is_free
            for k in range(3)
        }  # fmt: skip
        return largest_residual([x for k, x in enumerate(v) if k not in travelling])

    def turning(self, v: Scalars) -> Scalar:
        """The largest velocity at which a joint turns on the way around a loop. In a loop that turns fast rows are
        curved, whether or not velocities change; gears are not, and rotors may turn as fast as they like."""
        return largest_residual([v[k] for k in self.turning_in_loops])

    @cached_property
    def turning_in_loops(self) -> list[int]:
        return _turning_in_loops(self.tree)

    # Joint torques

    def actuator_forces(self, q: Scalars, v: Scalars, act: Scalars) -> list[ActuatorForce]:
        """Of the model's actuators, if they are asked for."""
        if self.inputs.ctrl is None:
            return []
        return actuator_forces(self.tree, q, v, self.inputs.ctrl, act, self.h)

    def after_actuators(self, act: Scalars, actuators: Sequence[ActuatorForce]) -> tuple[Scalars, list[Scalar]]:
        """The activations that they leave behind, and their forces."""
        rates = activation_rates(actuators)
        after = next_activations(self.model, act, rates, self.h) if rates else act
        return after, [one.force for one in actuators]

    def control(self, q: Scalars, v: Scalars, actuators: Sequence[ActuatorForce]) -> Resistance:
        """The given torques, actuators, and proportional-derivative feedback, whose slope is the derivative gain."""
        driven = joint_torques(self.model, actuators, growing=self.options.integrator.growing)
        torque = [x + y for x, y in zip(self.inputs.tau, driven.torque, strict=True)]
        slope, joints = list(driven.slope), self.options.joints
        if joints.feedback:
            given = self.inputs
            away = difference(self.model, q, given.q_ref)
            for k in joints.feedback:
                torque[k] = torque[k] + given.kp[k] * away[k] + given.kd[k] * (given.v_ref[k] - v[k])
                slope[k] = slope[k] + given.kd[k]
        driving = Resistance(torque, slope)
        if joints.effort_limits:
            driving = within_effort(self.model, driving)
        return within_speed(self.model, driving, v) if joints.velocity_limits else driving

    @cached_property
    def _inertias(self) -> tuple[np.ndarray, np.ndarray]:
        return joint_inertias(self.model)

    def friction(self, v: Scalars, *, implicit: bool) -> Resistance:
        F = self.tree.friction
        if not self.options.joints.friction or not self.model.stacked("friction").any():
            return Resistance([0.0] * self.model.nv, [0.0] * self.model.nv)
        scale: list[Scalar] = [FRICTION_VELOCITY] * self.model.nv
        if not implicit:  # the slope F / scale, times dt and over the inertia, must not exceed one
            free = self._inertias[0]
            scale = [maximum(self.dt * (f * float(1.0 / m)), s) for f, m, s in zip(F, free, scale, strict=True)]
        return friction(self.model, F, v, scale)

    def limits(self, q: Scalars, v: Scalars, time: Scalar | None) -> Resistance:
        """`time` is how far ahead they are taken where they are implicit; None where they are not."""
        bounded = np.isfinite(self.model.stacked("lower")) | np.isfinite(self.model.stacked("upper"))
        if not self.options.joints.limits or not bounded.any():
            return Resistance([0.0] * self.model.nv, [0.0] * self.model.nv)
        free, rigid = self._inertias
        frequency = self.options.integrator.limit_frequency / self.dt
        if time is not None:
            return limits(self.model, q, v, rigid, frequency, time)
        return limits(self.model, q, v, free, frequency, 0.0, most_damping=_MOST_EXPLICIT_DAMPING / self.dt)

    # Dynamics

    @property
    def f_ext(self) -> dict[str, Any]:
        """External forces as inputs of a solver, if there are any."""
        return {} if self.inputs.f_ext is None else {"f_ext": self.inputs.f_ext}

    @property
    def switches(self) -> dict[str, Any]:
        """Which constraints hold, as an input of a solver, if that is given."""
        return {} if self.inputs.holding is None else {"active": self.inputs.holding}

    @property
    def external_forces(self) -> list[Force] | None:
        """The same in frames of computation."""
        return external_forces(self.tree, self.f_ext)

    def outside_power(self, q: Scalars, v: Scalars) -> Scalar:
        """Of external forces."""
        power: Scalar = 0.0
        forces = self.external_forces
        if forces is not None:
            for force, velocity in zip(forces[1:], velocities(self.tree, q, v)[1:], strict=True):
                power = power + velocity.dot(force)
        return power

    def solve(
        self, tree: Tree, q: Scalars, v: Scalars, tau: Scalars, desired: Scalars, lam: Scalars | None,
        outside: Mapping[str, Any] | None = None,
    ) -> Dynamics:  # fmt: skip
        """Accelerations, multipliers, ... of the chosen solver."""
        values = {"q": q, "v": v, "tau": tau, **(outside or {})}
        if not self.constrained or self.solver.constraints == "none":
            none = {"lam": np.zeros(0), "forces": np.zeros((0, 6)), "residual": 0.0, "status": np.float64(0.0)}
            return Dynamics.of({**none, **self.solver.evaluate(tree, values, self.solver_options)})
        values["desired"] = desired
        values |= self.switches
        if lam is not None and "warm_start" in self.solver_options:
            values["lam"] = self._of_held_rows(lam)
        return Dynamics.of(self.solver.evaluate(tree, values, self.solver_options))

    def within_reason(self, tree: Tree, q: Scalars, v: Scalars, tau: Scalars, a: Scalars) -> list[Scalar]:
        """Accelerations of a part so short that it is taken as it is. Where even that is too long for a dead point, the
        constraints' say is limited: the direction they would turn velocities into is nearly closed to them anyway, and
        what is left undone opens them by no more than rounding does."""
        change, bearable = self.pace(a) * self.h, bearable_change(self.pace(v), self.dt)
        too_sudden = is_shortest(self.h, self.dt) & negated(change <= bearable)

        def limited() -> list[Scalar]:
            given = {"q": q, "v": v, "tau": tau, **self.f_ext}
            loose = RECIPES["aba"].evaluate(tree, given, RECIPES["aba"].options)
            driven = _DRIVEN * self.pace(loose["a"]) * self.h  # what torques and weight do is no dead point
            share = minimum(1.0, maximum(bearable, driven) / change)
            return [share * x for x in a]

        return guard(too_sudden, limited, list(a), expected=0.0)

    def stiffened(self, slope: Sequence[Scalar], time: Scalar) -> Tree:
        """The mechanism as it feels when torques fall by `slope` per velocity: the time until then times that is
        inertia."""
        armature = [m + time * s for m, s in zip(self.armature, slope, strict=True)]
        return Tree(self.model, {**self.given, "armatures": armature})

    def at_rest(self) -> Tree:
        """Without gravity and springs: forces come from constraints alone."""
        none = [0.0] * self.model.nv
        model = replace(self.model, passive=()) if self.model.passive else self.model
        return Tree(model, {**self.given, "gravity": [0.0] * 3, "springs": none, "dampings": none})

    def desired(self, state: ConstraintState, lag: Scalar | None, part: Scalar | None = None) -> list[Scalar]:
        """Accelerations of the rows that stabilize them: - 2/T (velocity error) - 1/T^2 (position error), or as much as
        the step bears, of the velocity error as a part of so many seconds bears: near a dead point all that velocities
        are off by does work.

        Where velocities are those of `lag` seconds ago, a row that will be met has J v = J-dot v lag left now. What
        would be open by no more than rounding, or than what a file cannot close, is let be: rows that depend on one
        another would be asked for what they contradict each other in.
        """
        T, integrator = self.options.baumgarte, self.options.integrator
        if T is None:
            return [0.0] * len(state.velocity)
        if T == "auto":
            in_parts = lag is None and integrator.is_answered_in_parts
            rate, place = ANSWERED_IN_PARTS if in_parts else integrator.answered
            time = self.dt if part is None else part
            of_velocity, of_position = rate / time, place / (self.dt * self.dt)
            limit = self.let_be * (place / (self.dt * time))
        else:
            of_velocity, of_position = 2.0 / float(T), 1.0 / float(T) ** 2
            limit = self.let_be * of_position
        result: list[Scalar] = []
        for error, velocity, bias in zip(*state, strict=True):
            too_fast = velocity if lag is None else velocity - bias * lag
            pull = too_fast * of_velocity
            pull = pull if error is None else self.beyond(limit, pull + error * of_position)
            result.append(-pull)
        return result

    def beyond(self, limit: Scalar, pull: Scalar) -> Scalar:
        """What of a pull answers more than is let be. Its derivative is that of what is pulled."""
        if self.differentiated:
            return pull
        return pull - maximum(minimum(pull, limit), -limit)

    def rows_at(self, q: Scalars, v: Scalars) -> ConstraintState:
        """What every constraint row is open by, its velocity and its acceleration without any of the joints'; zero for
        constraints that do not hold."""
        state = constraint_state(self.tree, q, v)
        return state if self.inputs.holding is None else ConstraintState(*(self._of_held_rows(rows) for rows in state))

    def _of_held_rows(self, rows: Sequence[Scalar | None]) -> list[Any]:
        """Numbers of constraint rows; zero for constraints that do not hold."""
        holding = self.inputs.holding
        if holding is None:
            return list(rows)
        on = [x for x, constraint in zip(holding, self.model.constraints, strict=True) for _ in range(constraint.size)]
        return [None if x is None else where(share > 0.5, x, 0.0) for x, share in zip(rows, on, strict=True)]

    @cached_property
    def let_be(self) -> float:
        """Errors (m, rad) that stabilization does not answer."""
        digits = _DIGITS_MARGIN * file_digits(self.model).open
        return min(rounded_up(digits), _UNSEEN) if digits > _ROUNDING else _ROUNDING

    def velocities_in_axes_of(self, lag: Scalar, q: Scalars, v: Scalars) -> Sequence[Scalar]:
        """v in the axes of the pose of `lag` seconds ago, to which velocities of semi-implicit Euler belong. Only
        axes of joints that carry bodies freely have turned since; constraints among what they carry do not notice."""
        inside = all(c.is_internal(self.model) for c in self.model.constraints)
        return v if inside else stepped_back(self.straight, q, v, lag)[1]

    def project(self, q: Scalars) -> tuple[Scalars, list[Scalar]]:
        """(q on the constraints, how far it had to move), the shortest way as the mechanism's inertia measures it."""
        start, moved = q, [0.0] * self.model.nv
        for _ in range(_PROJECTIONS):
            change = self._correction(start, self.rows_at(q, [0.0] * self.model.nv).error)
            q = integrate(self.model, q, change)
            moved = [x + y for x, y in zip(moved, change, strict=True)]
        return q, moved

    def project_velocity(self, start: Scalars, q: Scalars, v: Scalars) -> Scalars:
        """v on the constraints at q, with the factors of the pose `start` that q was projected from."""
        for _ in range(_PROJECTIONS):
            change = self._correction(start, self.rows_at(q, v).velocity)
            v = [x + y for x, y in zip(v, change, strict=True)]
        return v

    def _correction(self, q: Scalars, off: Scalars) -> Scalars:
        """The least motion that takes `off` from the rows. Tiny ones share the factors of where they started from."""
        still, zeros = self.at_rest(), [0.0] * self.model.nv
        return self.solve(still, q, zeros, zeros, [0.0 if x is None else -x for x in off], None).a


def _turning_in_loops(tree: Tree) -> list[int]:
    """Velocities that turn something between the bodies that a constraint holds together."""
    model, between = tree.model, set()
    for constraint in model.constraints:
        if constraint.is_linear:
            continue
        ways = [set(_ancestors(model, body)) for body in constraint.bodies(model)] or [set()]
        shared = set.intersection(*ways) if constraint.is_internal(model) else set()
        between |= set.union(*ways) - shared
    return [tree.iv[i].start + k for i in sorted(between) for k in tree.joint[i].turning_velocities]


def _ancestors(model: Model, body: int) -> list[int]:
    found = []
    while body > 0:
        found.append(body)
        body = model.bodies[body].parent
    return found
