"""A mechanism in simulation: what acts on its joints, its dynamics, and what keeps its constraints together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
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
from ..model import Model, Tree
from ..model.configuration import difference, integrate
from ..model.parameters import PARAMETER_NAMES
from ..scalar import Scalar, guard, maximum, minimum
from ..spatial import Force
from .choice import FORWARD_DYNAMICS, Wish, choose
from .joint_inertia import joint_inertias
from .recipe import Recipe, external_forces
from .registry import RECIPES
from .substeps import bearable_change, is_shortest

# Shares of the velocity and of the position error that one step answers where stabilization is derived from the step;
# docs/simulation.md has reasons and margins. Euler closes what a step leaves open in the next one.
ANSWERED = {"damped_euler": (1.0, 1.0), "euler": (1.0, 1.0), "implicitfast": (1.0, 1.0), "rk4": (1.0, 0.25)}
ANSWERED_IN_PARTS = (1.25, 0.7)  # by Runge-Kutta, in place of a step of Euler's
# Coulomb friction is viscous below this velocity (rad/s, m/s).
FRICTION_VELOCITY = 1e-4
# Frequency of limits times dt. Implicit treatment bears any; explicit schemes must resolve it.
LIMIT_FREQUENCY = {"damped_euler": 1.0, "euler": 0.5, "implicitfast": 0.5, "rk4": 0.5}
_MOST_EXPLICIT_DAMPING = 1.5  # damping times dt over inertia; Euler is stable up to 2, RK4 up to 2.78
_DRIVEN = 4.0  # times what joints would do without constraints is believed without asking
# Errors (m, rad) that are not pulled at: rounding; and where the digits of a file leave loops open, some multiple of
# that, but no more than nobody would see.
_ROUNDING, _DIGITS_MARGIN, _UNSEEN = 1e-14, 10.0, 1e-7
_PROJECTIONS = 2  # of a pose off by 1e-6 or less, with the last step's factors: the first leaves some 1e-9, both 1e-12


def solver_of(model: Model, iterations: int | None) -> str:
    """The forward dynamics that steps take unasked."""
    asked = {"desired": "input", "iterations": iterations} if model.constraints else {}
    return choose(model, FORWARD_DYNAMICS, Wish("a", options=tuple(asked.items()))).algorithm


class SimulatedMechanism:
    """Everything that the stages of a step need."""

    def __init__(self, tree: Tree, x, options):
        self.tree, self.model, self.x, self.options = tree, tree.model, x, options
        self.dt = self.h = x["dt"][()]
        self.given = {name: list(x[name]) for name in PARAMETER_NAMES if name in x}
        self.damping = self.given.get("dampings", self.model.stacked("damping").tolist())
        self.straight = StraightMotion(self.model, x.get("inertias"), centred=options["contact"] is None)
        self.armature = self.given.get("armatures", self.model.stacked("armature").tolist())
        self.constrained = bool(self.model.constraints)

    @cached_property
    def solver(self) -> Recipe:
        return RECIPES[self.options["solver"] or solver_of(self.model, self.options["iterations"])]

    @cached_property
    def solver_options(self) -> dict[str, Any]:
        own, options = self.solver.options, self.options
        return {
            **own, **{name: options[name] for name in ("iterations", "mu") if name in own},
            **{name: options[name] for name in ("precision", "arithmetic") if name in options},
        }  # fmt: skip

    def taking(self, h: Scalar) -> SimulatedMechanism:
        """The same for a part of the step. Stabilization, friction and limits stay those of the whole one."""
        other = copy(self)
        other.h = h
        return other

    def pace(self, v) -> Scalar:
        """The largest of velocities, or of accelerations. How fast free bodies travel or fall does not count: that
        says nothing of how a mechanism moves, and in the axes of a body that turns it is a great acceleration."""
        travelling = {
            self.model.iv[i].start + k
            for i, joint in enumerate(self.model.joints, start=1) if joint.moves.is_free
            for k in range(3)
        }  # fmt: skip
        return largest_residual([x for k, x in enumerate(v) if k not in travelling])

    def turning(self, v) -> Scalar:
        """The largest velocity at which a joint turns on the way around a loop. In a loop that turns fast rows are
        curved, whether or not velocities change; gears are not, and rotors may turn as fast as they like."""
        return largest_residual([v[k] for k in self.turning_in_loops])

    @cached_property
    def turning_in_loops(self) -> list[int]:
        return _turning_in_loops(self.tree)

    # Joint torques

    def actuator_forces(self, q, v, act) -> list[ActuatorForce]:
        """Of the model's actuators, if they are asked for."""
        if not self.options["actuators"]:
            return []
        return actuator_forces(self.tree, q, v, self.x["ctrl"], act, self.h)

    def after_actuators(self, act, actuators: Sequence[ActuatorForce]) -> dict[str, Any]:
        """Their forces, and the activations that they leave behind."""
        rates = activation_rates(actuators)
        after = next_activations(self.model, act, rates, self.h) if rates else act
        return {"act": after, "actuator_force": [one.force for one in actuators]}

    def control(self, q, v, actuators: Sequence[ActuatorForce]) -> Resistance:
        """The given torques, actuators, and proportional-derivative feedback, whose slope is the derivative gain."""
        driven = joint_torques(self.model, actuators, growing=self.options["integrator"] == "implicitfast")
        torque = [x + y for x, y in zip(self.x["tau"], driven.torque, strict=True)]
        slope = list(driven.slope)
        if self.options["feedback"]:
            x = self.x
            away = difference(self.model, q, x["q_ref"])
            for k in self.options["feedback"]:
                torque[k] = torque[k] + x["kp"][k] * away[k] + x["kd"][k] * (x["v_ref"][k] - v[k])
                slope[k] = slope[k] + x["kd"][k]
        driving = Resistance(torque, slope)
        if self.options["effort_limits"]:
            driving = within_effort(self.model, driving)
        return within_speed(self.model, driving, v) if self.options["velocity_limits"] else driving

    @cached_property
    def _inertias(self) -> tuple[np.ndarray, np.ndarray]:
        return joint_inertias(self.model)

    def friction(self, v, *, implicit: bool) -> Resistance:
        F = self.tree.friction
        if not self.options["friction"] or not self.model.stacked("friction").any():
            return Resistance([0.0] * self.model.nv, [0.0] * self.model.nv)
        scale: list[Scalar] = [FRICTION_VELOCITY] * self.model.nv
        if not implicit:  # the slope F / scale, times dt and over the inertia, must not exceed one
            free = self._inertias[0]
            scale = [maximum(self.dt * (f * float(1.0 / m)), s) for f, m, s in zip(F, free, scale, strict=True)]
        return friction(self.model, F, v, scale)

    def limits(self, q, v, time: Scalar | None) -> Resistance:
        """`time` is how far ahead they are taken where they are implicit; None where they are not."""
        bounded = np.isfinite(self.model.stacked("lower")) | np.isfinite(self.model.stacked("upper"))
        if not self.options["limits"] or not bounded.any():
            return Resistance([0.0] * self.model.nv, [0.0] * self.model.nv)
        free, rigid = self._inertias
        frequency = LIMIT_FREQUENCY[self.options["integrator"]] / self.dt
        if time is not None:
            return limits(self.model, q, v, rigid, frequency, time)
        return limits(self.model, q, v, free, frequency, 0.0, most_damping=_MOST_EXPLICIT_DAMPING / self.dt)

    # Dynamics

    @property
    def f_ext(self) -> dict[str, Any]:
        """External forces as inputs of a solver, if there are any."""
        return {"f_ext": self.x["f_ext"]} if "f_ext" in self.x else {}

    @property
    def external_forces(self) -> list[Force] | None:
        """The same in frames of computation."""
        return external_forces(self.tree, self.x)

    def outside_power(self, q, v) -> Scalar:
        """Of external forces."""
        power: Scalar = 0.0
        forces = self.external_forces
        if forces is not None:
            for force, velocity in zip(forces[1:], velocities(self.tree, q, v)[1:], strict=True):
                power = power + velocity.dot(force)
        return power

    def solve(self, tree: Tree, q, v, tau, desired, lam, outside: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Accelerations, multipliers, ... of the chosen solver."""
        values = {"q": q, "v": v, "tau": tau, **(outside or {})}
        if not self.constrained or self.solver.constraints == "none":
            none = {"lam": np.zeros(0), "forces": np.zeros((0, 6)), "residual": 0.0, "status": np.float64(0.0)}
            return {**none, **self.solver.evaluate(tree, values, self.solver_options)}
        values["desired"] = desired
        if lam is not None and "warm_start" in self.solver_options:
            values["lam"] = lam
        return self.solver.evaluate(tree, values, self.solver_options)

    def within_reason(self, tree: Tree, q, v, tau, a) -> list[Scalar]:
        """Accelerations of a part so short that it is taken as it is. Where even that is too long for a dead point, the
        constraints' say is limited: the direction they would turn velocities into is nearly closed to them anyway, and
        what is left undone opens them by no more than rounding does."""
        change, bearable = self.pace(a) * self.h, bearable_change(self.pace(v), self.dt)
        too_sudden = is_shortest(self.h, self.dt) & ~(change <= bearable)

        def limited():
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
        T = self.options["baumgarte"]
        if T is None:
            return [0.0] * len(state.velocity)
        if T == "auto":
            in_parts = lag is None and self.options["integrator"] != "rk4"
            rate, place = ANSWERED_IN_PARTS if in_parts else ANSWERED[self.options["integrator"]]
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
            pull = pull if error is None else self._beyond(limit, pull + error * of_position)
            result.append(-pull)
        return result

    def _beyond(self, limit: Scalar, pull: Scalar) -> Scalar:
        """What of a pull answers more than is let be. Its derivative is that of what is pulled."""
        if self.options.get("differentiated"):
            return pull
        return pull - maximum(minimum(pull, limit), -limit)

    @cached_property
    def let_be(self) -> float:
        """Errors (m, rad) that stabilization does not answer."""
        digits = _DIGITS_MARGIN * file_digits(self.model).open
        return min(rounded_up(digits), _UNSEEN) if digits > _ROUNDING else _ROUNDING

    def velocities_in_axes_of(self, lag: Scalar, q, v) -> Sequence[Scalar]:
        """v in the axes of the pose of `lag` seconds ago, to which velocities of semi-implicit Euler belong. Only
        axes of joints that carry bodies freely have turned since; constraints among what they carry do not notice."""
        inside = all(c.is_internal(self.model) for c in self.model.constraints)
        return v if inside else stepped_back(self.straight, q, v, lag)[1]

    def project(self, q) -> tuple[list[Scalar], list[Scalar]]:
        """(q on the constraints, how far it had to move), the shortest way as the mechanism's inertia measures it."""
        start, moved = q, [0.0] * self.model.nv
        for _ in range(_PROJECTIONS):
            change = self._correction(start, constraint_state(self.tree, q, [0.0] * self.model.nv).error)
            q = integrate(self.model, q, change)
            moved = [x + y for x, y in zip(moved, change, strict=True)]
        return q, moved

    def project_velocity(self, start, q, v) -> list[Scalar]:
        """v on the constraints at q, with the factors of the pose `start` that q was projected from."""
        for _ in range(_PROJECTIONS):
            change = self._correction(start, constraint_state(self.tree, q, v).velocity)
            v = [x + y for x, y in zip(v, change, strict=True)]
        return v

    def _correction(self, q, off) -> list[Scalar]:
        """The least motion that takes `off` from the rows. Tiny ones share the factors of where they started from."""
        still, zeros = self.at_rest(), [0.0] * self.model.nv
        return self.solve(still, q, zeros, zeros, [0.0 if x is None else -x for x in off], None)["a"]


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
