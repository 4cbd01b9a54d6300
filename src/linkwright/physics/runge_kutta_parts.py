"""A step by Runge-Kutta in parts as long as the mechanism bears.

Each pass of one loop is one stage: the dynamics are there once in the compiled program, and every sample of a batch is
at its own stage of its own part. How long a part may be is known after its first stage, from accelerations; a part
whose later stages are too sudden is begun again, shorter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..algorithms.parts.actuator_forces import next_activations
from ..algorithms.parts.integration import scaled_sum
from ..algorithms.rows.constraint_state import constraint_state
from ..scalar import Scalar, maximum, minimum, sqrt, until, where
from .acting import open_by, total
from .carried import Carried, flattened
from .passing import counted
from .runge_kutta import projected, stage
from .simulated_mechanism import SimulatedMechanism
from .substeps import PARTS, bearable_change

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
_OF_THE_FIRST = ("a", "torque", "forces", "actuator_force", "desired")  # stage of a part
_LARGEST = ("residual", "status", "unmet", "verdict", "drift")

State = Mapping[str, Any]


def in_runge_kutta_parts(
    step: SimulatedMechanism, start: State, first: State | None = None, idle: Scalar = False
) -> dict[str, Any]:
    """What `start`, whose velocities belong to its positions, is after dt; samples that are `idle` need not know.

    first   what a stage finds at the start, where that is known already, and the velocities it was solved with: in a
            body's axes accelerations depend on how fast it travels while it turns, and on no others are they its
    """
    dt, shortest = step.dt, step.dt * (1.0 / PARTS)
    model, implicit = step.model, step.options["integrator"] != "rk4"
    u, none = step.straight.of(start["q"], start["v"]), [0.0] * model.nv
    state: dict[str, Any] = {
        **start, "desired": [0.0] * model.nc, "u": u,
        "way": none, "u_now": u, "act_now": start["act"],  # of this stage: from where the part began, and there
        "gone": none, "gained": none, "done": [0.0] * 5, "rates": [0.0] * len(start["act"]),  # in this part so far
        "bent": none,  # what a rule of second order makes other velocities of
        "stage": [np.float64(0.0)], "length": [dt], "elapsed": [0.0],
    }  # fmt: skip
    carried = Carried(state)
    if first is not None:
        begun, _ = _after_stage(step, state, start["q"], first["solved_with"], dt, first)
        # stabilization was asked for as a whole step bears it: a shorter part begins by itself
        alone = {**state, "length": begun["length"], "iterations": begun["iterations"]}
        shorter = begun["length"][0] < dt * _WHOLE
        state = carried.split(_chosen(shorter, carried.flat(alone), carried.flat(begun)))

    def one_stage(values, running):
        state = carried.split(values)
        q = step.straight.moved(state["q"], state["way"])
        v = step.straight.velocities(q, state["u_now"])
        errors, begins = constraint_state(step.tree, q, v), state["stage"][0] < 0.5
        h = minimum(state["length"][0], dt - state["elapsed"][0])
        desired = _chosen(begins, step.desired(errors, None, maximum(h, shortest)), state["desired"])
        found = stage(step, q, v, state["act_now"], desired, state["lam"], h if implicit else None)
        # stages are not meant to be closed, nor are parts where only steps are projected
        closed = begins & (state["elapsed"][0] <= 0.0) if step.options["projection"] else begins
        found |= {"desired": desired, "drift": where(closed, open_by(errors), 0.0)}
        new, finished = _after_stage(step, state, q, v, h, found)
        return _chosen(running, carried.flat(new), values), finished

    passes = until(one_stage, carried.flat(state), limit=_PASSES, done=idle, expected=4.0, keeps=True)
    ended = carried.split(passes)
    q, v = ended["q"], step.straight.velocities(ended["q"], ended["u"])
    if step.options["projection"]:
        q, v = projected(step, q, v)
    return {**{name: ended[name] for name in start}, "q": q, "v": v, "lead": none * 3, "lag": [0.0]}


def bears_at_once(step: SimulatedMechanism, start: State, whole: State) -> Scalar:
    """Whether the first part is the whole step, all of whose stages are known."""
    dt, stages, bent = step.dt, whole["stages"], [0.0] * step.model.nv
    fastest = step.pace(start["v"])
    first, *later = (_parts_per_second(step, fastest, one["a"], one["v"]) * dt for one in stages)
    for one, weight in zip(stages, _BENDING, strict=True):
        bent = scaled_sum(bent, dt * weight, step.straight.rate(one["q"], one["v"], one["a"]))
    bears = (first <= 1.0) & (_disagreement(step, fastest, bent) <= 1.0)
    for suddenness in later:
        bears = bears & (suddenness <= _WORSE)
    return bears


def _parts_per_second(step: SimulatedMechanism, fastest: Scalar, a, v) -> Scalar:
    """That accelerations and the turning of hinges at a stage ask for."""
    allowed = bearable_change(fastest, step.dt, SUDDEN)
    return maximum(step.pace(a) / maximum(allowed, _TINY), step.turning(v) * (1.0 / TURNED))


def _disagreement(step: SimulatedMechanism, fastest: Scalar, bent) -> Scalar:
    """How many times as much as they may the stages of a part disagree."""
    return step.pace(bent) / maximum(bearable_change(fastest, step.dt * _FROM_REST, _BENT), _TINY)


def _after_stage(
    step: SimulatedMechanism, state: dict[str, Any], q, v, tried: Scalar, found: State
) -> tuple[dict[str, Any], Scalar]:
    """The state for the next stage after one at (q, v) of a part of `tried` seconds; and whether the step has ended."""
    straight, dt, shortest = step.straight, step.dt, step.dt * (1.0 / PARTS)
    at, elapsed = state["stage"][0], state["elapsed"][0]
    first, last = at < 0.5, at > 2.5
    fastest = step.pace(straight.velocities(state["q"], state["u"]))
    suddenness = _parts_per_second(step, fastest, found["a"], v)
    fitting = maximum(minimum(tried, 1.0 / maximum(suddenness, _TINY)), shortest)
    h = where(first & (step.pace(found["a"]) < float("inf")), fitting, tried)  # what is not finite is not tried again
    sudden = ~first & (suddenness * h > _WORSE)

    a = found["within_reason"](h)
    rate, change = straight.displacement_rate(state["way"], state["u_now"]), straight.rate(q, v, a)
    weight, ahead = where(first | last, 1.0 / 6.0, 1.0 / 3.0), h * where(at > 1.5, 1.0, 0.5)
    gone = scaled_sum(state["gone"], h * weight, rate)
    gained = scaled_sum(state["gained"], h * weight, change)
    done = scaled_sum(state["done"], h * weight, found["power"])
    bent = scaled_sum(state["bent"], h * where(first | last, _BENDING[0], _BENDING[1]), change)
    off = maximum(_disagreement(step, fastest, bent), _TINY)
    again = (sudden | (last & (off > 1.0))) & (h > shortest * 1.0001)
    ends, over = last & ~again, last | again
    shorter = where(sudden, _SHORTER, maximum(_SHORTER, _SAFETY / sqrt(off)))
    longer = minimum(_LONGER, _SAFETY / sqrt(sqrt(off)))
    u = _chosen(ends, total(state["u"], gained), state["u"])
    judged = counted({**found, "a": a}, {"v": v, "passed": [0.0, 0.0]}, step.pace, h)
    new = {
        **state, "u": u, "q": _chosen(ends, straight.moved(state["q"], gone), state["q"]), "lam": found["lam"],
        "way": [where(over, 0.0, ahead * x) for x in rate],
        "u_now": _chosen(over, u, scaled_sum(state["u"], ahead, change)),
        "gone": [where(over, 0.0, x) for x in gone], "gained": [where(over, 0.0, x) for x in gained],
        "bent": [where(over, 0.0, x) for x in bent],
        "done": [where(over, 0.0, x) for x in done], "work": _chosen(ends, total(state["work"], done), state["work"]),
        "stage": [where(over, 0.0, at + 1.0)], "elapsed": [where(ends, elapsed + h, elapsed)],
        "length": [where(again, maximum(h * shorter, shortest), where(last, h * longer, h))],
        "iterations": [state["iterations"][0] + 1.0],
        "passed": [
            x + where(again, 0.0, weight * spent) for x, spent in zip(state["passed"], judged["passed"], strict=True)
        ],
    }  # fmt: skip
    if state["act"]:
        rates = scaled_sum(state["rates"], weight, found["rates"])
        new["act"] = _chosen(ends, next_activations(step.model, state["act"], rates, h), state["act"])
        new["act_now"] = _chosen(over, new["act"], scaled_sum(state["act"], ahead, found["rates"]))
        new["rates"] = [where(over, 0.0, x) for x in rates]
    for name in _OF_THE_FIRST:
        new[name] = _chosen(first, flattened(a if name == "a" else found[name]), flattened(state[name]))
    for name in _LARGEST:
        said = judged[name] if name in judged else found[name]
        new[name] = [where(again, state[name][0], maximum(said, state[name][0]))]
    return new, ends & (elapsed + h >= dt * _WHOLE)


def _chosen(condition: Scalar, these, those) -> list[Scalar]:
    return [where(condition, x, y) for x, y in zip(these, those, strict=True)]
