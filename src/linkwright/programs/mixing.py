"""Which constraints of a mechanism `mixed` carries with multipliers, and which it gives penalties: whatever takes the
fewest operations, by exact counts.

All by penalties (LCABA), all carried (proxBBO), those on more than two bodies carried: the cheapest of these is where
a search begins that changes alike constraints, a left and a right one say, at a time. Counts take traces, so the
search ends when it has traced `MOST_TRACED` operations, the same ones on every machine. It goes by counted iterations;
where nobody has counted them, those that come near the cheapest are counted once more as they are compiled, with
everything that iterating until converged takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algorithms.constrained.mixed import MixedGraph
from ..algorithms.convergence.proximal import Iterations, iterate
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..errors import InputError, unknown_name
from ..model import Model, Tree, tree_of
from ..model.found_once import found_once
from ..trace import count_operations, simplify, trace
from .breaking_ties import cheapest_ties
from .least_operations import least_of_bbo, least_of_lcaba
from .penalties import automatic_penalties

MOST_TRACED = 100_000
FEW = 2  # bodies that a penalty couples for little
_PASSES = 2  # of a typical sample
_NEAR = 1.1  # times the cheapest: what iterating until converged adds differs by less

Plan = tuple[int, ...]  # numbers of carried constraints


def numbers_of(model: Model, names: object) -> Plan:
    """Of constraints by name."""
    known = [c.name for c in model.constraints]
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"carried is {names!r}; expected names of constraints, or None to have them chosen")
    for name in names:
        if name not in known:
            raise unknown_name("constraint", name, known)
    return tuple(k for k, name in enumerate(known) if name in names)


def too_alike_to_mix(model: Model) -> str | None:
    """Why a mixture is not looked for unasked; None where constraints differ so much that it is worth it."""
    if 0 < len(_on_many(model)) < len(model.constraints):
        return None
    return "constraints are much alike: one of the pure solvers is about as good"


@found_once
def cheapest_mixture(model: Model, iterations: int | None = None) -> Plan:
    """Numbers of the constraints to carry with so many iterations, or as many as it takes."""
    counted = _counted_mixtures(model, iterations or _PASSES)
    near = [plan for plan in counted if counted[plan] <= _NEAR * min(counted.values())]
    if iterations is None and len(near) > 1:
        counted = {plan: _count_converging(model, plan) for plan in near}
    return min(counted, key=lambda plan: (counted[plan], plan))


def _counted_mixtures(model: Model, passes: int) -> dict[Plan, int]:
    tree, everything, many = tree_of(model), tuple(range(len(model.constraints))), _on_many(model)
    least = {(): least_of_lcaba(tree), everything: least_of_bbo(tree), many: 0}
    counted: dict[Plan, int] = {}
    for plan in sorted(least, key=lambda plan: least[plan]):
        if not counted or least[plan] < min(counted.values()):
            counted[plan] = _count(model, plan, passes)
    best = min(counted, key=lambda plan: counted[plan])
    groups, traced = _alike(model, tree), 0
    gains = []
    for group in groups if len(groups) > 1 else ():
        if traced + counted[best] > MOST_TRACED:
            break
        plan = _changed(best, group)
        if plan not in counted:
            traced += counted[best]
            counted[plan] = _count(model, plan, passes)
        if counted[plan] < counted[best]:
            gains.append(group)
    if len(gains) > 1:
        together = _changed(best, tuple(k for group in gains for k in group))
        counted[together] = _count(model, together, passes)
    return counted


@found_once
def _count(model: Model, plan: Plan, passes: int) -> int:
    tree, mu, start = tree_of(model), automatic_penalties(model).tolist(), [0.0] * model.nc
    ties = cheapest_ties(model)

    def evaluate(q, v, tau):
        problem = ConstrainedProblem(tree, q, v, tau, mu=mu, ties=ties)
        return {"a": iterate(MixedGraph(problem, start, plan), Iterations(passes), start).a}

    program = simplify(trace(evaluate, {"q": model.nq, "v": model.nv, "tau": model.nv}))
    return count_operations(program).total


def _count_converging(model: Model, plan: Plan) -> int:
    from .request import Request  # which knows this module's solver

    names = tuple(model.constraints[k].name for k in plan)
    return count_operations(Request.of(model, "mixed", "a", (), False, {"carried": names}).program()).total


def _on_many(model: Model) -> Plan:
    return tuple(k for k, bodies in enumerate(model.constraint_bodies) if len(bodies) > FEW)


def _changed(plan: Plan, group: Plan) -> Plan:
    return tuple(sorted(set(plan) ^ set(group)))


def _alike(model: Model, tree: Tree) -> list[Plan]:
    """Constraints with as many rows, whose bodies are as far from the ground and carry as much."""
    carries = [0] * len(tree.parent)
    for i in tree.inward():
        carries[tree.parent[i]] += carries[i] + 1
    groups: dict[tuple, list[int]] = {}
    for k, (c, bodies) in enumerate(zip(model.constraints, model.constraint_bodies, strict=True)):
        places = tuple((len(tree.graph.support[i]), carries[i]) for i in bodies)
        groups.setdefault((type(c), c.size, places), []).append(k)
    return [tuple(group) for group in groups.values()]
