"""What a leapfrog, and the pair within its steps, need to know of a mechanism beyond its dynamics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algorithms.parts.actuator_forces import ActuatorForce, actuator_forces, joint_torques
from ..algorithms.parts.joint_resistance import SPRING_TRAVEL, Resistance, friction, limits
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..algorithms.rows.constraint_rows import largest_residual
from ..model import Tree
from ..model.configuration import difference, integrate
from ..scalar import Scalar, absolute, maximum, where
from .embedded_mechanism import EmbeddedMechanism
from .inertia_norm import InertiaNorm
from .joint_inertia import joint_inertias
from .momentum import MomentumMotion
from .simulated_mechanism import SimulatedMechanism
from .stepping_memory import SteppingMemory

RAMP = 2.0**-10  # of what dry friction does to a joint in a step: below that speed it is viscous
RETURN = 0.1  # of SPRING_TRAVEL in a step: how fast a joint comes back that starts deep beyond a limit
LIMIT_FREQUENCY = 1.0  # of limits, times dt: implicit treatment bears any
_TINY = 1e-300  # where there is no friction

Scalars = Sequence[Scalar]
Answer = Callable[[Scalars], Scalars]


class LeapfrogMechanics:
    """Of a mechanism at its step. Speeds that count as small or large are said in steps, so that the same mechanics at
    another scale of time behave alike."""

    def __init__(self, physics: SimulatedMechanism):
        self.physics, self.model = physics, physics.model

    @cached_property
    def momentum(self) -> MomentumMotion:
        """Velocities that the leapfrog advances."""
        return MomentumMotion(self.physics.tree, self.physics.given.get("inertias"))

    @cached_property
    def norm(self) -> InertiaNorm:
        return InertiaNorm(self.model)

    @cached_property
    def inertias(self) -> tuple[np.ndarray, np.ndarray]:
        """(nv,) each: the least that a joint moves when all others are free, and what it moves when they are rigid."""
        return joint_inertias(self.model)

    @property
    def holds_by_forces(self) -> bool:
        """Whether constraints are held by forces, so that rows are to be closed."""
        return self.physics.constrained and not isinstance(self.physics, EmbeddedMechanism)

    # What acts

    def resistances(self, q: Scalars, v: Scalars, actuators: Sequence[ActuatorForce]) -> list[Resistance]:
        """Control, friction and limits with slopes, limits as they are half a step later."""
        physics, model = self.physics, self.model
        rubbing = holding = Resistance([0.0] * model.nv, [0.0] * model.nv)
        free, rigid = self.inertias
        joints, F = physics.options.joints, physics.tree.friction
        if joints.friction and model.stacked("friction").any():
            ramps = [physics.dt * (f * (RAMP / float(m))) for f, m in zip(F, free, strict=True)]
            rubbing = friction(model, F, v, [maximum(x, _TINY) for x in ramps])
        bounds = np.concatenate([model.stacked("lower"), model.stacked("upper")])
        if joints.limits and np.isfinite(bounds).any():
            frequency = LIMIT_FREQUENCY / physics.dt
            slow = RETURN * SPRING_TRAVEL / physics.dt
            holding = limits(model, q, v, rigid, frequency, 0.5 * physics.h, return_speed=slow)
        return [physics.control(q, v, actuators), rubbing, holding]

    def stiffness(self, q: Scalars, v: Scalars) -> list[Scalar]:
        """Of joint springs, and of proportional gains where effort limits do not cut them off; only where positions and
        velocities belong together."""
        physics, model, joints = self.physics, self.model, self.physics.options.joints
        stiff: list[Scalar] = list(physics.given.get("springs", model.stacked("stiffness").tolist()))
        if joints.feedback:
            given, most = physics.inputs, model.stacked("effort_limit").tolist()
            away = difference(model, q, given.q_ref)
            for k in joints.feedback:
                asked = given.tau[k] + given.kp[k] * away[k] + given.kd[k] * (given.v_ref[k] - v[k])
                cut = joints.effort_limits and np.isfinite(most[k])
                stiff[k] = stiff[k] + (where(absolute(asked) < most[k], given.kp[k], 0.0) if cut else given.kp[k])
        for i, joint in enumerate(model.joints, start=1):
            if not joint.may_have_springs:
                stiff[model.iv[i]] = [0.0] * joint.nv
        return stiff

    def drift_shares(self, share: Scalars) -> list[Scalar]:
        """The share T of the new velocity in the drift, where velocities that are advanced are those of the joint;
        half elsewhere."""
        shares: list[Scalar] = [0.5] * self.model.nv
        for joint, iv in zip(self.momentum.joints, self.model.iv[1:], strict=True):
            if not joint.needs_centre:
                shares[iv] = share[iv]
        return shares

    def new_torques(self, q: Scalars, v: Scalars, memory: SteppingMemory, jumping: Scalars, act: Scalars) -> Scalars:
        """By how much torques that may jump differ from those of the last step, with what new commands make of them."""
        new = [x - y for x, y in zip(jumping, memory.jumping, strict=True)]
        physics = self.physics
        if physics.inputs.ctrl is not None:
            now, before = (
                joint_torques(self.model, actuator_forces(physics.tree, q, v, ctrl, act, physics.h)).torque
                for ctrl in (physics.inputs.ctrl, memory.commands)
            )
            new = [t + x - y for t, x, y in zip(new, now, before, strict=True)]
        return new

    # By the factors of a solution

    def answer(self, tree: Tree, q: Scalars, v: Scalars, tau: Scalars, torques: Scalars) -> Scalars:
        """Accelerations that torques alone make of the mechanism at rest, with the factors of the solution at (q, v,
        tau)."""
        physics = self.physics
        if not self.holds_by_forces or physics.solver.constraints == "none":
            zeros = [0.0] * self.model.nv
            model = replace(self.model, passive=()) if self.model.passive else self.model
            armature = [x for own in tree.armature for x in own]
            still = {"armatures": armature, "gravity": [0.0] * 3, "springs": zeros, "dampings": zeros}
            return physics.solve(Tree(model, {**physics.given, **still}), q, zeros, torques, zeros, None).a
        return physics.solver.solver.once(self._problem(tree, q, v, tau), torques, physics.solver_options)

    def least_motion(self, tree: Tree, q: Scalars, v: Scalars, tau: Scalars) -> Answer:
        """rows -> the least motion of the mechanism that answers them, likewise."""
        return self.physics.solver.solver.least_motion(self._problem(tree, q, v, tau), self.physics.solver_options)

    def _problem(self, tree: Tree, q: Scalars, v: Scalars, tau: Scalars) -> ConstrainedProblem:
        physics = self.physics
        values: dict[str, Any] = {"q": q, "v": v, "tau": tau, **physics.f_ext, **physics.switches}
        values["desired"] = [0.0] * self.model.nc
        return physics.solver.solver.problem(tree, values, physics.solver_options)

    def open_by(self, q: Scalars) -> Scalar:
        """How far constraints are open: m, rad."""
        errors = self.physics.rows_at(q, [0.0] * self.model.nv).error
        return largest_residual([e for e in errors if e is not None])

    def closed(self, least: Answer, q: Scalars, v: Scalars, times: int = 1) -> tuple[Scalars, Scalars]:
        """q and v closer to the constraints: `times` steps of Newton's method with the factors of a pose nearby
        (linearised RATTLE), by the least motion as the mechanism's inertia measures it. Errors that rounding or the
        digits of a file make are let be."""
        for _ in range(times):
            errors = self.physics.rows_at(q, v)
            away = [0.0 if e is None else -self.physics.beyond(self.physics.let_be, e) for e in errors.error]
            moved, change = least(away), least([-w for w in errors.velocity])
            q, v = integrate(self.model, q, moved), [x + y for x, y in zip(v, change, strict=True)]
        return q, v
