"""The leapfrog: half a drift, one solution of the dynamics in the middle, the other half (drift, kick, drift).

Velocities given and found belong to the positions beside them. Velocities u that are advanced are those of momentum.py,
in which bodies that nothing pushes drift exactly. Terms that depend on velocities are taken at the velocity expected in
the middle, from the last rates. Dampers and derivative gains are implicit by a share T of the step: decays are those of
Pade's approximation (1, 2) of the exponential, of second order, which leaves a tenth of a velocity at most where they
are stiff. Springs and proportional gains act at the mean position. Rows are closed every few steps
(`LeapfrogMechanics.closed`).

The step estimates its own error. Where that is above a threshold, Dormand and Prince's pair takes the step instead, in
parts (dormand_prince_parts.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from ..algorithms.parts.actuator_forces import activation_rates, next_activations
from ..algorithms.parts.integration import scaled_sum
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..call_errors import names_arguments
from ..errors import InputError
from ..model import Tree
from ..programs.status import STATUS_NOT_CONVERGED
from ..scalar import Scalar, guard, is_zero, maximum, minimum, negated, sqrt, where
from .acting import judged_without_pull, open_by, power, total
from .dormand_prince_parts import Corners, in_dormand_prince_parts
from .embedded_mechanism import EmbeddedMechanism
from .integrator import Integrator, Stepped, register_integrator
from .leapfrog_mechanics import Answer, LeapfrogMechanics, Scalars
from .progress import Progress
from .simulated_mechanism import SimulatedMechanism
from .soft_leapfrog import SoftLeapfrog
from .state import State, Work
from .stepping_memory import SteppingMemory

THRESHOLD = 1e-4  # of the speed of the motion: the error that a step may make
LOCAL_ERROR = 1.0 / 12.0  # of h^2 times what accelerations change by in a second: the scheme's own, in velocity
CLOSED_EVERY = 4  # steps
PROJECTIONS = 2  # where each step is to end on the constraints: the first leaves some 1e-9, both 1e-12
_CLOSES, _JUMPS, _IN_PARTS = 1.0 / CLOSED_EVERY, 0.01, 0.1  # of all steps, for operation counts
_KEPT_OF_MULTIPLIERS = 0.99  # as divided_steps.py has it


class Kick(NamedTuple):
    """How a step ended, and what is needed to judge it: its estimated error squared (infinite where nothing is known to
    tell it by), and the torques that have corners."""

    ended: Progress
    memory: SteppingMemory
    error_squared: Scalar
    corners: Corners


@names_arguments
@dataclass(frozen=True)
class Leapfrog(Integrator):
    """Drift, kick, drift; in parts by Dormand and Prince's pair where the estimated error of a step, relative to the
    speed of the motion, is above `threshold`; None never looks."""

    threshold: float | None = THRESHOLD
    name: ClassVar[str] = "leapfrog"
    title: ClassVar[str] = "leapfrog"
    order: ClassVar[int] = 2
    error_order: ClassVar[int | None] = 2
    remembers_rates: ClassVar[bool] = True
    switches_constraints: ClassVar[bool] = True

    def __post_init__(self) -> None:
        given = self.threshold
        number = isinstance(given, int | float) and not isinstance(given, bool)
        if given is not None and not (number and 0.0 < given < float("inf")):
            raise InputError(
                f"threshold of Leapfrog is {given!r}; expected a positive number such as {THRESHOLD:g}, the share of "
                f"its speed that a mechanism may be off by after a step, or None to take every step whole"
            )

    def step(self, physics: SimulatedMechanism, state: State, h: Scalar) -> Stepped:
        if physics.law is not None:
            return SoftLeapfrog().step(physics, state, h)
        physics = physics.over(h)
        own, start = LeapfrogMechanics(physics), Progress.at(physics, state)
        whole = kicked(own, start, state.memory, self.threshold)
        if self.threshold is None:
            return _ended(whole.ended, whole.memory, None)
        error = sqrt(whole.error_squared)
        enough = error <= self.threshold
        if physics.differentiated:  # of the whole step; where that is not what is simulated, the status says so
            doubted = where(enough, whole.ended.status, maximum(whole.ended.status, STATUS_NOT_CONVERGED))
            return _ended(replace(whole.ended, status=doubted), whole.memory, error)
        memory, allowed, tried = state.memory, self.threshold, whole.ended.iterations

        def parts() -> tuple[Progress, SteppingMemory]:
            known = where(memory.knows, minimum(1.0, sqrt(allowed / error)), 1.0) * h
            length = where(memory.is_after_parts, minimum(memory.length, h), known)
            begun, instead = replace(start, iterations=tried), (whole.ended, whole.memory)
            return in_dormand_prince_parts(own, begun, memory, length, allowed, whole.corners, enough, instead)

        ended, kept = guard(negated(enough), parts, (whole.ended, whole.memory), expected=_IN_PARTS)
        return _ended(ended, kept, where(enough, error, self.threshold))


def _ended(progress: Progress, memory: SteppingMemory, error: Scalar | None) -> Stepped:
    stepped = progress.stepped(error)
    return stepped._replace(state=replace(stepped.state, memory=memory))


def kicked(own: LeapfrogMechanics, start: Progress, memory: SteppingMemory, tolerated: float | None) -> Kick:
    """A whole step, whatever its error; above `tolerated` the error is looked at more closely."""
    physics, model, motion = own.physics, own.model, own.momentum
    q, v, act, h = start.q, start.v, start.act, physics.h
    u = motion.of(q, v)
    middle = motion.moved(q, [0.5 * h * x for x in u])
    felt = motion.velocities(middle, u)  # by torques; what they lose in the step is in their slopes
    now = motion.velocities(middle, scaled_sum(u, 0.5 * h, memory.expected_rate()))

    # what acts, and the mechanism as it feels when that is taken later
    actuators = physics.actuator_forces(middle, felt, act)
    rates = activation_rates(actuators)
    if rates:
        half = next_activations(model, act, rates, 0.5 * h)
        actuators = physics.actuator_forces(middle, felt, half)
        rates = activation_rates(actuators)
    torques = own.resistances(middle, felt, actuators)
    slope = total(physics.damping, *(part.slope for part in torques))
    share = [decay_share(h * d / float(m)) for d, m in zip(slope, own.inertias[0], strict=True)]
    late = [d * (y - x) for d, x, y in zip(physics.damping, felt, now, strict=True)]  # solvers take dampers at `now`
    torque = total(*(part.torque for part in torques), late)
    springs = [(0.25 * h * h) * k for k in own.stiffness(middle, felt)]
    later = [h * T for T in share]
    tree = physics.stiffened([t * d + k for t, d, k in zip(later, slope, springs, strict=True)], 1.0)
    lam = [_KEPT_OF_MULTIPLIERS * x for x in start.lam] if physics.remembers else None
    desired = [0.0] * model.nc
    solution = physics.solve(tree, middle, now, torque, desired, lam, physics.f_ext)
    solution = judged_without_pull(physics, solution, desired)

    # velocities, and the other half of the drift
    a = solution.a
    rate = motion.rate(middle, now, a)
    u_next = scaled_sum(u, h, rate)
    way = [
        (0.5 * h) * y if is_zero(T - 0.5) else h * ((0.5 - T) * x + T * y)
        for T, x, y in zip(own.drift_shares(share), u, u_next, strict=True)
    ]
    q_next: Scalars = motion.moved(middle, way)
    v_next: Scalars = motion.velocities(q_next, u_next)
    known, drift, status = memory.after(rate), 0.0, solution.status
    if isinstance(physics, EmbeddedMechanism):
        q_next, v_next, found = physics.closed(q, v, q_next, v_next, 0.0)
        status = maximum(status, found)
    elif physics.constrained:
        least = own.least_motion(tree, middle, now, torque)
        q_next, v_next, known, drift = _closed(own, least, q_next, v_next, known, _open_at_start(physics, middle, now))

    # what was done, along the mean of both velocities: to the kinetic energy, however stiff forces are
    applied, rubbed, held = (
        [t - s * (after * x) for t, s, after, x in zip(part.torque, part.slope, later, a, strict=True)]
        for part in torques
    )
    lost = [t - d * (x + after * y) for t, d, x, after, y in zip(rubbed, physics.damping, felt, later, a, strict=True)]
    lost = total(lost, tendon_damping_torques(physics.tree, now))
    then = motion.velocities(middle, u_next)
    along = [(0.5 * h) * (x + y) for x, y in zip(felt, then, strict=True)]
    work = Work(power(applied, along), power(lost, along), power(held, along), physics.outside_power(middle, along))

    jumping = total(physics.inputs.tau, rubbed, held)
    # by the factors without what has corners, of whose torques the next step knows only what they were in the end
    smooth = physics.stiffened(
        [t * (d + s) + k for t, d, s, k in zip(later, physics.damping, torques[0].slope, springs, strict=True)], 1.0
    )  # fmt: skip
    error = _error_squared(own, smooth, (middle, now, torque), felt, memory, rate, a, jumping, act, tolerated)
    commands = memory.commands if physics.inputs.ctrl is None else physics.inputs.ctrl
    known = replace(known.counting(h, True, False), jumping=jumping, commands=commands)
    act_next = next_activations(model, act, rates, h) if rates else act
    ended = replace(
        start, q=q_next, v=v_next, lam=list(solution.lam), a=a, torque=applied,
        forces=[list(row) for row in solution.forces], residual=solution.residual, drift=drift, status=status,
        unmet=solution.unmet, work=work, lag=0.0, act=act_next, actuator_force=[one.force for one in actuators],
    )  # fmt: skip
    return Kick(ended.since(start, physics, h, 1.0), known, error, Corners(rubbed, held))


def decay_share(z: Scalar) -> Scalar:
    """T of a damper that takes the share z of a velocity in a step: half where there is none."""
    return 0.5 if is_zero(z) else (3.0 + z) / (6.0 + z)


def _open_at_start(physics: SimulatedMechanism, middle: Scalars, now: Scalars) -> Scalar:
    """How far rows are open at the step's start, from its middle, to where they bend by h^2 / 8 J-dot v."""
    there, h = physics.rows_at(middle, now), physics.h
    errors = [
        None if e is None else e - (0.125 * h * h) * bias for e, bias in zip(there.error, there.bias, strict=True)
    ]
    return open_by(there._replace(error=errors))


def _closed(
    own: LeapfrogMechanics, least: Answer, q: Scalars, v: Scalars, memory: SteppingMemory, drift: Scalar
) -> tuple[Scalars, Scalars, SteppingMemory, Scalar]:
    """(q, v, memory, drift) with rows closed, if it is their turn. All samples close them in the same step. `drift` is
    that of the step's start; where every step is projected, it is what that leaves."""
    if own.physics.options.projection:
        q, v = own.closed(least, q, v, PROJECTIONS)
        return q, v, memory, own.open_by(q)
    steps = memory.open_for + 1.0
    due = steps > CLOSED_EVERY - 0.5

    def closing() -> tuple[list[Scalar], list[Scalar]]:
        q_closed, v_closed = own.closed(least, q, v)
        return list(q_closed), list(v_closed)

    q, v = guard(due, closing, (list(q), list(v)), expected=_CLOSES)
    return q, v, replace(memory, open_for=where(due, 0.0, steps)), drift


def _error_squared(
    own: LeapfrogMechanics, tree: Tree, solved_at: tuple[Scalars, Scalars, Scalars], felt: Scalars,
    memory: SteppingMemory, rate: Scalars, a: Scalars, jumping: Scalars, act: Scalars, tolerated: float | None,
) -> Scalar:  # fmt: skip
    """What the rate has changed by since the last step, but for what torques made of it that may jump: given ones and
    commands, dry friction and limits. No scheme of fixed steps is better than of first order there."""
    motion, norm, h = own.momentum, own.norm, own.physics.h
    middle, now, torque = solved_at
    factor = h * LOCAL_ERROR
    changed = motion.velocities(middle, [factor * (x - y) for x, y in zip(rate, memory.last, strict=True)])
    scale = norm.squared_speed(felt, a, h)
    squared = norm.squared(changed) / scale
    if tolerated is not None:

        def without_jumps() -> list[Scalar]:
            new = own.new_torques(middle, felt, memory, jumping, act)
            jump = own.answer(tree, middle, now, torque, new)
            return [norm.squared([x - factor * y for x, y in zip(changed, jump, strict=True)]) / scale]

        doubted = memory.knows & (squared > tolerated * tolerated)
        squared = guard(doubted, without_jumps, [squared], expected=_JUMPS)[0]
    return where(memory.knows, squared, float("inf"))


register_integrator(Leapfrog())
