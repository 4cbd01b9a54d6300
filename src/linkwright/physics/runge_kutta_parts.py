"""A step by Runge-Kutta in parts as long as the mechanism bears.

Each pass of one loop is one stage: the dynamics are there once in the compiled program, and every sample of a batch is
at its own stage of its own part. How long a part may be is known after its first stage, from accelerations; a part
whose later stages are too sudden is begun again, shorter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.parts.actuator_forces import next_activations
from ..algorithms.parts.integration import scaled_sum
from ..scalar import Scalar, leaves, maximum, minimum, negated, rebuild, sqrt, until, where
from .acting import open_by, total
from .passing import counted
from .progress import Progress
from .quantities import Scalars
from .runge_kutta import StepStage, projected, stage
from .simulated_mechanism import SimulatedMechanism
from .state import Work
from .suddenness import PARTS, bearable_change

SUDDEN = 0.1  # of the fastest joint's velocity is what velocities may change by in a part, as it begins
TURNED = 0.1  # rad: of a hinge of a loop in a part, whose rows are left open by its fifth power
_BENT = 0.003  # of the fastest joint's velocity is what the stages of a part may disagree by ...
_FROM_REST = 0.1  # ... and what is harmless in this share of a step
_WORSE = 1.5  # times all that in later stages
_SHORTER = 0.3  # of its length, at least, is tried instead of a part that was too long
_LONGER = 2.0  # times the last part's length, at most, is tried next
_SAFETY = 0.9
_BENDING = (1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0, 1.0 / 6.0)  # of the stages: what the rule differs by from the midpoint's
_PASSES = 8 * PARTS
_WHOLE = 1.0 - 1e-9
_TINY = 1e-300


@dataclass(frozen=True)
class _UnderWay:
    """What a loop over stages carries.

    desired        accelerations of the rows that stabilize this part
    u              straight velocities where the part began
    way, u_now, act_now   of this stage: displacement from where the part began, velocities and activations there
    gone, gained, done, rates, bent   in this part so far: displacement, change of velocities, work, rates of
                   activations, what a rule of second order makes other velocities of
    at             the number of the stage; length: seconds of the part; elapsed: seconds of the step before it
    """

    progress: Progress
    desired: Scalars
    u: Scalars
    way: Scalars
    u_now: Scalars
    act_now: Scalars
    gone: Scalars
    gained: Scalars
    done: Work
    rates: Scalars
    bent: Scalars
    at: Scalar
    length: Scalar
    elapsed: Scalar


def in_runge_kutta_parts(
    physics: SimulatedMechanism, start: Progress, first: StepStage | None = None, idle: Scalar = False
) -> Progress:
    """What `start`, whose velocities belong to its positions, is after dt; samples that are `idle` need not know.

    first   what a stage finds at the start, where that is known already, and the velocities it was solved with: in a
            body's axes accelerations depend on how fast it travels while it turns, and are right for those alone
    """
    dt, shortest = physics.dt, physics.dt * (1.0 / PARTS)
    model, implicit = physics.model, physics.options.integrator.is_answered_in_parts
    u, none = physics.straight.of(start.q, start.v), [0.0] * model.nv
    now = _UnderWay(
        start, [0.0] * model.nc, u, none, u, start.act, none, none, Work(), [0.0] * len(start.act), none,
        np.float64(0.0), dt, 0.0,
    )  # fmt: skip
    if first is not None:
        begun, _ = _after_stage(physics, now, start.q, first.v, dt, first)
        # stabilization was asked for as a whole step bears it: a shorter part begins by itself
        begins_again = replace(start, iterations=begun.progress.iterations)
        alone = replace(now, progress=begins_again, length=begun.length)
        now = where(begun.length < dt * _WHOLE, alone, begun)

    def one_stage(now: _UnderWay, running: Scalar) -> tuple[_UnderWay, Scalar]:
        q = physics.straight.moved(now.progress.q, now.way)
        v = physics.straight.velocities(q, now.u_now)
        errors, begins = physics.rows_at(q, v), now.at < 0.5
        h = minimum(now.length, dt - now.elapsed)
        desired = _chosen(begins, physics.desired(errors, None, maximum(h, shortest)), now.desired)
        found = stage(physics, q, v, now.act_now, desired, now.progress.lam, h if implicit else None)
        # stages are not meant to be closed, nor are parts where only steps are projected
        closed = begins & (now.elapsed <= 0.0) if physics.options.projection else begins
        found = replace(found, drift=where(closed, open_by(errors), 0.0))
        new, finished = _after_stage(physics, now, q, v, h, found)
        return where(running, new, now), finished

    ended = until(one_stage, now, limit=_PASSES, done=idle, expected=4.0, keeps=True)
    q: Scalars = ended.progress.q
    v: Scalars = physics.straight.velocities(q, ended.u)
    if physics.options.projection:
        q, v = projected(physics, q, v)
    return replace(ended.progress, q=q, v=v, lead=none * 3, lag=0.0)


def bears_at_once(physics: SimulatedMechanism, start: Progress, stages: list[StepStage]) -> Scalar:
    """Whether the first part is the whole step, all of whose stages are known."""
    dt, bent = physics.dt, [0.0] * physics.model.nv
    fastest = physics.pace(start.v)
    first, *later = (_parts_per_second(physics, fastest, one.a, one.v) * dt for one in stages)
    for one, weight in zip(stages, _BENDING, strict=True):
        bent = scaled_sum(bent, dt * weight, physics.straight.rate(one.q, one.v, one.a))
    bears = (first <= 1.0) & (_disagreement(physics, fastest, bent) <= 1.0)
    for suddenness in later:
        bears = bears & (suddenness <= _WORSE)
    return bears


def _parts_per_second(physics: SimulatedMechanism, fastest: Scalar, a: Scalars, v: Scalars) -> Scalar:
    """That accelerations and the turning of hinges at a stage ask for."""
    allowed = bearable_change(fastest, physics.dt, SUDDEN)
    return maximum(physics.pace(a) / maximum(allowed, _TINY), physics.turning(v) * (1.0 / TURNED))


def _disagreement(physics: SimulatedMechanism, fastest: Scalar, bent: Scalars) -> Scalar:
    """How many times as much as they may the stages of a part disagree."""
    return physics.pace(bent) / maximum(bearable_change(fastest, physics.dt * _FROM_REST, _BENT), _TINY)


def _after_stage(
    physics: SimulatedMechanism, now: _UnderWay, q: Scalars, v: Scalars, tried: Scalar, found: StepStage
) -> tuple[_UnderWay, Scalar]:
    """What is carried to the next stage after one at (q, v) of a part of `tried` seconds; and whether the step has
    ended."""
    straight, dt, shortest, before = physics.straight, physics.dt, physics.dt * (1.0 / PARTS), now.progress
    at, elapsed = now.at, now.elapsed
    first, last = at < 0.5, at > 2.5
    fastest = physics.pace(straight.velocities(before.q, now.u))
    suddenness = _parts_per_second(physics, fastest, found.a, v)
    fitting = maximum(minimum(tried, 1.0 / maximum(suddenness, _TINY)), shortest)
    h = where(first & (physics.pace(found.a) < float("inf")), fitting, tried)  # what is not finite is not tried again
    sudden = negated(first) & (suddenness * h > _WORSE)

    # what this stage adds to the part
    a = found.within_reason(h)
    rate, change = straight.displacement_rate(now.way, now.u_now), straight.rate(q, v, a)
    weight, ahead = where(first | last, 1.0 / 6.0, 1.0 / 3.0), h * where(at > 1.5, 1.0, 0.5)
    gone = scaled_sum(now.gone, h * weight, rate)
    gained = scaled_sum(now.gained, h * weight, change)
    done = Work(*scaled_sum(leaves(now.done), h * weight, leaves(found.power)))
    bent = scaled_sum(now.bent, h * where(first | last, _BENDING[0], _BENDING[1]), change)

    # whether the part ends here, or begins again, shorter
    off = maximum(_disagreement(physics, fastest, bent), _TINY)
    again = (sudden | (last & (off > 1.0))) & (h > shortest * 1.0001)
    ends, over = last & negated(again), last | again
    shorter = where(sudden, _SHORTER, maximum(_SHORTER, _SAFETY / sqrt(off)))
    longer = minimum(_LONGER, _SAFETY / sqrt(sqrt(off)))
    u = _chosen(ends, total(now.u, gained), now.u)
    judged = counted(replace(found, a=a), v, [0.0, 0.0], physics.pace, h)
    nothing = [0.0] * len(u)
    q_new = _chosen(ends, straight.moved(before.q, gone), before.q)
    way = [where(over, 0.0, ahead * x) for x in rate]
    u_now = _chosen(over, u, scaled_sum(now.u, ahead, change))
    gone, gained, bent = (_chosen(over, nothing, x) for x in (gone, gained, bent))
    done_here, work = where(over, Work(), done), where(ends, _sum(before.work, done), before.work)
    next_at, elapsed_then = where(over, 0.0, at + 1.0), where(ends, elapsed + h, elapsed)
    length = where(again, maximum(h * shorter, shortest), where(last, h * longer, h))
    iterations = before.iterations + 1.0
    passed = [x + where(again, 0.0, weight * spent) for x, spent in zip(before.passed, judged.passed, strict=True)]
    act, act_now, rates = before.act, now.act_now, now.rates
    if before.act:
        rates = scaled_sum(now.rates, weight, found.rates)
        act = _chosen(ends, next_activations(physics.model, before.act, rates, h), before.act)
        act_now = _chosen(over, act, scaled_sum(now.act_now, ahead, found.rates))
        rates = [where(over, 0.0, x) for x in rates]

    # of the first stage, or the largest of all
    a_told, torque = _chosen(first, a, before.a), _chosen(first, found.torque, before.torque)
    forces = rebuild(before.forces, _chosen(first, leaves(found.forces), leaves(before.forces)))
    actuator_force = _chosen(first, found.actuator_force, before.actuator_force)
    desired = _chosen(first, found.desired, now.desired)

    def largest(said: Scalar, so_far: Scalar) -> Scalar:
        return where(again, so_far, maximum(said, so_far))

    residual, status = largest(found.residual, before.residual), largest(found.status, before.status)
    unmet, verdict = largest(judged.unmet, before.unmet), largest(judged.verdict, before.verdict)
    drift = largest(found.drift, before.drift)
    progress = replace(
        before, q=q_new, lam=found.lam, a=a_told, torque=torque, forces=forces, residual=residual, drift=drift,
        status=status, unmet=unmet, verdict=verdict, passed=passed, work=work, iterations=iterations, act=act,
        actuator_force=actuator_force,
    )  # fmt: skip
    new = _UnderWay(
        progress, desired, u, way, u_now, act_now, gone, gained, done_here, rates, bent, next_at, length, elapsed_then
    )
    return new, ends & (elapsed + h >= dt * _WHOLE)


def _sum(work: Work, more: Work) -> Work:
    return Work(*total(leaves(work), leaves(more)))


def _chosen(condition: Scalar, these: Scalars, those: Scalars) -> list[Scalar]:
    return [where(condition, x, y) for x, y in zip(these, those, strict=True)]
