"""Semi-implicit Euler: three schemes that differ in what they take implicitly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from ..algorithms.parts.actuator_forces import activation_rates
from ..algorithms.parts.integration import scaled_sum
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..scalar import Scalar, guard, maximum, negated, where
from ..spatial import RowVector
from .acting import acting, judged_without_pull, open_by, power, total
from .divided_steps import DividedIntegrator, StepPart
from .embedded_mechanism import EmbeddedMechanism
from .integrator import register_integrator
from .progress import Progress
from .quantities import Scalars
from .runge_kutta import StepStage
from .runge_kutta_parts import in_runge_kutta_parts
from .simulated_mechanism import SimulatedMechanism
from .soft_step import soft_step
from .state import Work
from .suddenness import AFTER_PARTS, SUDDEN, SUDDEN_SOON, TURNED, bearable_change

_STEADY = 0.2  # of all accelerations is what extrapolating may add to them: more, and they jump
_IN_PARTS = 0.1  # of all steps, for operation counts


class FirstStage(NamedTuple):
    """What Runge-Kutta needs to go on from the start of a step that Euler has tried: velocities of then, the joules
    from where v belongs until then, and the stage, which was solved with velocities `stage.v`."""

    v: Scalars
    work: Work
    stage: StepStage


@dataclass(frozen=True)
class SemiImplicit(DividedIntegrator):
    """v is that of `lag` seconds ago, half of the part before; the step goes from there to the middle of this one."""

    order: ClassVar[int] = 1
    is_answered_in_parts: ClassVar[bool] = True
    extrapolates: ClassVar[bool] = False
    """Whether it takes Coriolis terms and the constraints' own accelerations at the velocity of now, knowing from the
    last three accelerations about how much v has changed since."""

    def first_lag(self, dt: float) -> float:
        return dt / 2

    def advance(self, physics: SimulatedMechanism, start: Progress, lam: Sequence[Scalar] | None) -> StepPart:
        if physics.law is not None:
            return soft_step(physics, start, physics.law)
        q, v, lag, h = start.q, start.v, start.lag, physics.h
        time = lag + 0.5 * h  # from where v belongs to the middle of this part
        u = physics.straight.of(q, v)
        last, before, first = (start.lead[k * len(v) : (k + 1) * len(v)] for k in range(3))
        knows = self.extrapolates and physics.remembers
        now = physics.straight.velocities(q, _caught_up(u, last, before, first)) if knows else v

        # what acts, and the mechanism as it feels when that is taken later
        actuators = physics.actuator_forces(q, v, start.act)
        torques = acting(physics, q, v, actuators, time)
        late = [d * (y - x) for d, x, y in zip(physics.damping, v, now, strict=True)]  # dampers feel v
        torque = total(*(part.torque for part in torques), late)
        felt = physics.stiffened(total(physics.damping, *(part.slope for part in torques)), time)

        # J-dot v at the velocity of now, which the solver needs too; by just that J v of `lag` seconds ago is off zero
        errors = physics.rows_at(q, physics.velocities_in_axes_of(lag, q, v))
        errors = errors._replace(bias=physics.rows_at(q, now).bias)
        desired = physics.desired(errors, lag)
        solution = physics.solve(felt, q, now, torque, desired, lam, physics.f_ext)
        solution = judged_without_pull(physics, solution, desired)

        # velocities first, positions along the new ones
        a = solution.a
        rate = physics.straight.rate(q, now, a)
        u_next = scaled_sum(u, time, rate)
        q_next: Scalars = physics.straight.moved(q, [h * x for x in u_next])
        v_next = physics.straight.velocities(q_next, u_next)
        if physics.options.projection and physics.constrained:
            q_next, moved = physics.project(q_next)
            v_next = [x + y / h for x, y in zip(v_next, moved, strict=True)]  # what moved it on is part of its velocity
        if isinstance(physics, EmbeddedMechanism):
            q_next, v_next, found = physics.closed(q, v, q_next, v_next, 0.5 * h)
            solution = replace(solution, status=maximum(solution.status, found))

        # what was done, along the mean of both velocities: to the kinetic energy, however stiff forces are
        applied, rubbed, held = (
            [t - s * (time * x) for t, s, x in zip(part.torque, part.slope, a, strict=True)] for part in torques
        )
        lost = [t - d * x for t, d, x in zip(rubbed, physics.damping, v_next, strict=True)]
        lost = total(lost, tendon_damping_torques(physics.tree, now))  # not implicit: as the solver took them

        def work(time: Scalar, then: Scalars) -> Work:
            way = [0.5 * time * (x + y) for x, y in zip(v, then, strict=True)]
            return _powers(physics, q, way, applied, lost, held)

        # by this acceleration, not by the mean of it and the last: what that is off by, the step after parts takes back
        caught_up = physics.straight.velocities(q, scaled_sum(u, lag, rate))
        act, actuator_force = physics.after_actuators(start.act, actuators)
        age = 0.5 * h
        lead = [*(0.5 * h * x for x in rate), *last, *before] if self.extrapolates else [0.0] * (3 * len(v))
        drift, done = open_by(errors), work(time, v_next)
        ended = Progress(
            q_next, v_next, solution.lam, a, applied, solution.forces, solution.residual, drift, solution.status,
            solution.unmet, 0.0, [0.0, 0.0], done, 1.0, lead, age, act, actuator_force,
        )  # fmt: skip
        until_now = work(lag, caught_up)
        stage = StepStage(
            q, now, a, solution.lam, applied, solution.forces, actuator_force, solution.residual, solution.status,
            solution.unmet, activation_rates(actuators), _powers(physics, q, caught_up, applied, lost, held), desired,
            open_by(errors), lambda h: physics.taking(h).within_reason(felt, q, now, torque, a),
        )  # fmt: skip
        return StepPart(ended, FirstStage(caught_up, until_now, stage))

    def is_bearable(self, physics: SimulatedMechanism, start: Progress, whole: StepPart) -> Scalar:
        margin = where(start.lag > 0.0, 1.0, AFTER_PARTS)
        fastest, turned = physics.pace(start.v), physics.turning(start.v) * physics.dt * (1.0 / TURNED)
        usually, soon = (bearable_change(fastest, physics.dt, share) for share in (SUDDEN, SUDDEN_SOON))
        bearable = where(_doubles(physics, start, whole.ended), soon, margin * usually)
        return (turned <= margin) & (physics.pace(whole.ended.a) * physics.dt <= bearable)

    def in_parts(self, physics: SimulatedMechanism, start: Progress) -> Progress:
        """By Runge-Kutta, where the step in one part is too long."""
        whole = self.part(physics, start, physics.dt)
        enough, first = self.is_bearable(physics, start, whole), whole.found

        def parts() -> Progress:
            now = replace(start, v=first.v, work=first.work)
            return in_runge_kutta_parts(physics, now, first.stage, idle=enough)

        return guard(negated(enough), parts, whole.ended, expected=_IN_PARTS)


@dataclass(frozen=True)
class SemiImplicitEuler(SemiImplicit):
    """MuJoCo's: dampers alone are implicit."""

    name: ClassVar[str] = "euler"
    title: ClassVar[str] = "semi-implicit Euler"
    explicit: ClassVar[frozenset[str]] = frozenset({"control", "friction", "limits"})
    limit_frequency: ClassVar[float] = 0.5


@dataclass(frozen=True)
class ImplicitFast(SemiImplicit):
    """MuJoCo's: dampers, derivative gains and whatever actuators lose with rate are implicit."""

    name: ClassVar[str] = "implicitfast"
    title: ClassVar[str] = "implicitfast"
    explicit: ClassVar[frozenset[str]] = frozenset({"friction", "limits"})
    growing: ClassVar[bool] = True
    limit_frequency: ClassVar[float] = 0.5


@dataclass(frozen=True)
class DampedEuler(SemiImplicit):
    """Whatever torques lose with velocity is implicit: dampers, friction, derivative gains, limits."""

    name: ClassVar[str] = "damped_euler"
    title: ClassVar[str] = "damped Euler"
    extrapolates: ClassVar[bool] = True


for _scheme in (DampedEuler(), SemiImplicitEuler(), ImplicitFast()):
    register_integrator(_scheme)


def _doubles(physics: SimulatedMechanism, start: Progress, whole: Progress) -> Scalar:
    """Whether accelerations are more than twice those of the step before, and will be again: a dead point is near."""
    if not physics.remembers:
        return False
    before, now = (RowVector(state.lead[: physics.model.nv]).square for state in (start, whole))
    return (start.lag > 0.0) & (now > before * 4.0)


def _caught_up(u: Scalars, last: Scalars, before: Scalars, first: Scalars) -> list[Scalar]:
    """Velocities u of half a step ago as they are now, from what the last three accelerations change in half a
    step: by the mean over that time of the parabola through them; by the last one, where they jump, or where there were
    none before (zeros). A straight line would do for accuracy, but what it leaves always does work of one sign."""
    trend = RowVector(last) * (17 / 12) - RowVector(before) * (25 / 12) + RowVector(first) * (2 / 3)
    share = where(trend.square <= RowVector(last).square * _STEADY**2, 1.0, 0.0)
    return scaled_sum(total(u, last), share, trend)


def _powers(
    physics: SimulatedMechanism, q: Scalars, v: Scalars, applied: Scalars, lost: Scalars, held: Scalars
) -> Work:
    return Work(power(applied, v), power(lost, v), power(held, v), physics.outside_power(q, v), 0.0)
