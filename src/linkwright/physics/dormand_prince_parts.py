"""A step in parts by Dormand and Prince's pair, as long as the error allows (dormand_prince.py, step_size.py).

Each pass of one loop is one stage: the dynamics are there once in the compiled program, and every sample of a batch is
at its own stage of its own part. Stages live in the space of displacements from the part's start (Munthe and Kaas); the
last one is at the part's end, where rows are closed with its factors, and is the first one of the next part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..algorithms.parts.actuator_forces import activation_rates, next_activations
from ..algorithms.parts.integration import scaled_sum
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..programs.status import STATUS_NOT_CONVERGED
from ..scalar import Scalar, absolute, guard, leaves, maximum, negated, rebuild, sqrt, until, where
from .acting import judged_without_pull, power, total
from .dormand_prince import ENDS, ERRORS, STAGES, share_at, weight_at_end, weighted, weights_at
from .embedded_mechanism import EmbeddedMechanism
from .leapfrog_mechanics import Answer, LeapfrogMechanics, Scalars
from .passing import counted
from .progress import Progress
from .simulated_mechanism import Dynamics
from .state import Work
from .step_size import SHORTEST, fitting, judged, length_after, length_instead, remembered
from .stepping_memory import SteppingMemory

MOST_STAGES = 2**14  # of a step: what needs more ends where it got, and the status says so
_TYPICAL = 13.0  # stages of a step that is taken so: two parts, for operation counts
_CLOSES = 1.0 / STAGES  # of all stages, likewise
_WHOLE = 1.0 - 1e-12
_A_LITTLE = 1.0001
_CUT_SHORT = 0.999  # of the length that a part might have had: it ended with the step
_TINY = 1e-300


class Corners(NamedTuple):
    """Torques of dry friction and of limits, (nv,) each, which have corners that no part is short enough for. A
    leapfrog finds them implicitly for the whole step; in its parts they act all the time."""

    friction: Scalars
    limits: Scalars


@dataclass(frozen=True)
class _Stages:
    """What a loop over stages carries.

    progress, memory   as they are at the part's start
    ways, changes   (nv,) of every stage: rates of the displacement from there, and of velocities u
    act_rates       (na,) of every stage
    a_first, power_first   of the stage at the part's start
    done            joules in this part so far, but for that stage's
    worst           largest residual, status, unmet and verdict in this part so far: of what is rejected nothing is said
    at              number of the stage that is next
    grows           1 unless the last part was rejected: then the next one is no longer
    """

    progress: Progress
    memory: SteppingMemory
    ways: list[list[Scalar]]
    changes: list[list[Scalar]]
    act_rates: list[list[Scalar]]
    a_first: Scalars
    power_first: Work
    done: Work
    worst: list[Scalar]
    at: Scalar
    elapsed: Scalar
    length: Scalar
    grows: Scalar


class _Found(NamedTuple):
    """At one stage."""

    solution: Dynamics
    torque: Scalars
    power: Work
    act_rates: Scalars
    actuator_force: Scalars
    least: Answer | None


def in_dormand_prince_parts(
    own: LeapfrogMechanics, start: Progress, memory: SteppingMemory, length: Scalar, allowed: Scalar | None,
    corners: Corners, idle: Scalar = False, instead: tuple[Progress, SteppingMemory] | None = None,
) -> tuple[Progress, SteppingMemory]:  # fmt: skip
    """What `start` is after the step; samples that are `idle` need not know.

    length    seconds of the first part that is tried
    allowed   error of a part relative to the speed of the motion; None takes the whole step as one part
    instead   what the step is where it needs more stages than it is given (dampers far stiffer than the step); without
              it the step ends where it got. The status says so
    """
    nothing = [0.0] * own.model.nv
    none = [nothing for _ in range(STAGES)]
    begun = _Stages(
        start, memory, none, none, [[0.0] * len(start.act) for _ in range(STAGES)], nothing, Work(), Work(), [0.0] * 4,
        0.0, 0.0, length, 1.0,
    )  # fmt: skip

    def stage(now: _Stages, running: Scalar) -> tuple[_Stages, Scalar]:
        new, over = _after_stage(own, now, allowed, corners)
        return where(running, new, now), over

    ended = until(stage, begun, limit=MOST_STAGES, done=idle, expected=_TYPICAL, keeps=True)
    given, status = own.physics.inputs, ended.progress.status
    unfinished = ended.elapsed < own.physics.dt * _WHOLE
    status = where(unfinished, maximum(status, STATUS_NOT_CONVERGED), status)
    verdict = where(unfinished, maximum(ended.progress.verdict, STATUS_NOT_CONVERGED), ended.progress.verdict)
    before, after = (own.momentum.of(one.q, one.v) for one in (start, ended.progress))
    mean = [(x - y) * (1.0 / own.physics.dt) for x, y in zip(after, before, strict=True)]
    memory = replace(
        ended.memory.after_parts(mean, ended.length), jumping=total(given.tau, *corners),
        commands=ended.memory.commands if given.ctrl is None else given.ctrl,
    )  # fmt: skip
    progress = replace(ended.progress, lag=0.0, status=status, verdict=verdict)
    if instead is None:
        return progress, memory
    whole, known = instead
    doubt = [whole.passed[0], whole.passed[1] + own.physics.dt]  # nobody knows how far off it is
    whole = replace(
        whole, status=maximum(whole.status, STATUS_NOT_CONVERGED), iterations=progress.iterations, passed=doubt
    )  # fmt: skip
    return where(unfinished, whole, progress), where(unfinished, known, memory)


def _after_stage(
    own: LeapfrogMechanics, now: _Stages, allowed: Scalar | None, corners: Corners
) -> tuple[_Stages, Scalar]:  # fmt: skip
    """What is carried after one more stage; and whether the step has ended."""
    physics, straight, dt, at = own.physics, own.physics.straight, own.physics.dt, now.at
    before, begins, last = now.progress, now.at < 0.5, now.at > STAGES - 1.5
    h = dt if allowed is None else fitting(maximum(now.length, dt * SHORTEST), dt - now.elapsed)

    # where the stage is, and the dynamics there
    u, weights = straight.of(before.q, before.v), weights_at(at)
    ways = [u, *now.ways[1:]]  # the first stage moves as the part begins
    way = [h * x for x in weighted(weights, ways)]
    u_now = scaled_sum(u, h, weighted(weights, now.changes))
    q = straight.moved(before.q, way)
    v, branch = straight.velocities(q, u_now), None
    if isinstance(physics, EmbeddedMechanism):
        q, v, branch = physics.closed(before.q, before.v, q, v, 0.0)
    act = before.act
    if act:
        share = share_at(at)
        mean = [x / maximum(share, _TINY) for x in weighted(weights, now.act_rates)]
        act = next_activations(own.model, act, [where(begins, 0.0, x) for x in mean], h * share)
    found = _at_stage(own, q, v, act, before.lam, corners)
    a = found.solution.a
    here = [(at > k - 0.5) & (at < k + 0.5) for k in range(STAGES)]
    rate, change = straight.displacement_rate(way, u_now), straight.rate(q, v, a)
    ways, changes = _put(here, rate, ways), _put(here, change, now.changes)
    act_rates = _put(here, found.act_rates, now.act_rates)

    # whether the part is as it may be; what follows counts where this was its last stage
    error, accepted = _error(own, now, v, q, ways, changes, h, allowed), last
    status = found.solution.status if branch is None else maximum(found.solution.status, branch)
    if allowed is not None:
        accepted = last & ((error <= 1.0) | (h <= dt * (SHORTEST * _A_LITTLE)))
        status = where(accepted & (error > 1.0), maximum(status, STATUS_NOT_CONVERGED), status)
    rejected = last & negated(accepted)
    q_end, v_end, drift = _closed(own, found.least, accepted, q, v)
    elapsed = now.elapsed + h
    over = accepted & (elapsed >= dt * _WHOLE)
    finite = physics.pace(a) < float("inf")
    lost = begins & ~finite  # where not even the first stage is finite nothing is tried
    memory, length, grows = _next_part(own, now, h, error, accepted, rejected)

    # the books
    first_power = where(begins, found.power, now.power_first)
    done = _sum(now.done, found.power, where(begins, 0.0, h * weight_at_end(at)))
    act_end = next_activations(own.model, before.act, weighted(ENDS, act_rates), h) if before.act else before.act
    judgement = counted(replace(found.solution, status=status), v, [0.0, 0.0], physics.pace, h)
    said = [found.solution.residual, status, judgement.unmet, judgement.verdict]
    worst = [maximum(x, y) for x, y in zip(said, now.worst, strict=True)]
    known = [before.residual, before.status, before.unmet, before.verdict]
    known = [where(accepted, maximum(x, y), y) for x, y in zip(worst, known, strict=True)]
    forces = [list(row) for row in found.solution.forces]
    told = _chosen(
        begins, (list(a), list(found.torque), forces, list(found.actuator_force)),
        (list(before.a), list(before.torque), before.forces, list(before.actuator_force)),
    )  # fmt: skip
    progress = replace(
        before, q=_chosen(accepted, q_end, before.q), v=_chosen(accepted, v_end, before.v),
        lam=_chosen(finite, found.solution.lam, before.lam), a=told[0], torque=told[1], forces=told[2],
        actuator_force=told[3],
        residual=known[0], status=known[1], unmet=known[2], verdict=known[3],
        drift=where(accepted, maximum(drift, before.drift), before.drift),
        passed=scaled_sum(before.passed, where(accepted, 1.0, 0.0), judgement.passed),
        work=where(accepted, _sum(_sum(before.work, done, 1.0), first_power, h * ENDS[0]), before.work),
        iterations=before.iterations + 1.0, act=_chosen(accepted, act_end, before.act),
    )  # fmt: skip
    # the last stage of a part is the first one of the next; what was rejected begins with its own first one
    progress = replace(progress, v=_chosen(lost, a, progress.v))
    new = _Stages(
        progress, memory, ways, [_chosen(accepted, change, changes[0]), *changes[1:]],
        [_chosen(accepted, found.act_rates, act_rates[0]), *act_rates[1:]],
        _chosen(begins | accepted, a, now.a_first), where(accepted, found.power, first_power),
        where(last, Work(), done), [where(last, 0.0, x) for x in worst], where(last, 1.0, at + 1.0),
        where(accepted, elapsed, now.elapsed), length, grows,
    )  # fmt: skip
    return new, over | lost


def _at_stage(own: LeapfrogMechanics, q: Scalars, v: Scalars, act: Scalars, lam: Scalars, corners: Corners) -> _Found:
    physics = own.physics
    actuators = physics.actuator_forces(q, v, act)
    applied = physics.control(q, v, actuators).torque
    torque, desired = total(applied, *corners), [0.0] * own.model.nc
    solution = physics.solve(physics.tree, q, v, torque, desired, lam, physics.f_ext)
    solution = judged_without_pull(physics, solution, desired)
    solution = replace(solution, lam=list(solution.lam))
    lost = [t - d * x for t, d, x in zip(corners.friction, physics.damping, v, strict=True)]
    lost = total(lost, tendon_damping_torques(physics.tree, v))
    done = Work(power(applied, v), power(lost, v), power(corners.limits, v), physics.outside_power(q, v))
    least = own.least_motion(physics.tree, q, v, torque) if own.holds_by_forces else None
    return _Found(
        solution, applied, done, activation_rates(actuators), [one.force for one in actuators], least
    )  # fmt: skip


def _closed(
    own: LeapfrogMechanics, least: Answer | None, accepted: Scalar, q: Scalars, v: Scalars
) -> tuple[Scalars, Scalars, Scalar]:
    """(q, v, how far rows are open) with rows closed where the part has ended."""
    if least is None:
        return q, v, 0.0

    def closing() -> tuple[list[Scalar], list[Scalar], Scalar]:
        q_closed, v_closed = own.closed(least, q, v, 2 if own.physics.options.projection else 1)
        return list(q_closed), list(v_closed), own.open_by(q_closed)

    return guard(accepted, closing, (list(q), list(v), 0.0), expected=_CLOSES)


def _error(
    own: LeapfrogMechanics, now: _Stages, v_end: Scalars, q_end: Scalars, ways: Sequence[Scalars],
    changes: Sequence[Scalars], h: Scalar,
    allowed: Scalar | None,
) -> Scalar:  # fmt: skip
    """Of the part, relative to what is allowed: the larger of that of velocities and of that of positions, over the
    step; both relative to the speed of the motion."""
    if allowed is None:
        return 0.0
    physics, norm = own.physics, own.norm
    fastest = [maximum(absolute(x), absolute(y)) for x, y in zip(now.progress.v, v_end, strict=True)]
    scale = norm.squared_speed(fastest, now.a_first, h)
    of_velocity = physics.straight.velocities(q_end, [h * x for x in weighted(ERRORS, changes)])
    of_position = physics.straight.velocities(q_end, [(h / physics.dt) * x for x in weighted(ERRORS, ways)])
    off = maximum(norm.squared(of_velocity), norm.squared(of_position))
    return judged(sqrt(off / scale) / allowed)


def _next_part(
    own: LeapfrogMechanics, now: _Stages, h: Scalar, error: Scalar, accepted: Scalar, rejected: Scalar
) -> tuple[SteppingMemory, Scalar, Scalar]:
    """(memory, length, grows) for the part after one of h seconds."""
    longer = length_after(h, error, now.memory.error)
    longer = where(now.grows > 0.5, longer, where(longer < h, longer, h))
    was_cut = (h < _CUT_SHORT * now.length) & (longer >= h)
    longer = where(was_cut, maximum(longer, now.length), longer)
    length = where(accepted, longer, where(rejected, length_instead(h, error), now.length))
    memory = now.memory.counting(h, accepted, rejected)
    memory = replace(memory, error=where(accepted, remembered(error), memory.error))
    return memory, length, where(accepted, 1.0, where(rejected, 0.0, now.grows))


def _put(here: Sequence[Scalar], new: Scalars, stages: Sequence[Scalars]) -> list[list[Scalar]]:
    """`new` at the place of the stage that it was found at."""
    return [_chosen(now, new, old) for now, old in zip(here, stages, strict=True)]


def _chosen(condition: Scalar, these: Any, those: Any) -> Any:
    """As `where`, of sequences."""
    chosen = [where(condition, x, y) for x, y in zip(leaves(these), leaves(those), strict=True)]
    return rebuild(those, chosen)


def _sum(work: Work, more: Work, weight: Scalar) -> Work:
    return rebuild(work, [x + weight * y for x, y in zip(leaves(work), leaves(more), strict=True)])
