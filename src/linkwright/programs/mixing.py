"""Which constraints of a mechanism `mixed` carries with multipliers, and which it gives penalties: whatever takes the
fewest operations, by counts.

All by penalties (LCABA), all carried (proxBBO), those on more than two bodies carried: the cheapest of these is where
a search begins that changes alike constraints, a left and a right one say, at a time, and goes on from whatever was
cheaper. It ends when it has traced `MOST_TRACED` operations, the same ones on every machine: within a second. What
counted iterations take is counted exactly. Where nobody has counted them, a typical sample is: the factorization, one
of the papers' iterations and one descent (converge.py), without what hardly any sample needs. That is known to a
percent, so a pure solver that comes nearer is counted to the last operation: a mixture is never dearer.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from ..algorithms.constrained.mixed import MixedGraph
from ..algorithms.convergence.converge import AccelerationSizes
from ..algorithms.convergence.proximal import Iterations, iterate
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..errors import InputError, unknown_name
from ..model import Model, Tree, tree_of
from ..model.found_once import found_once
from ..scalar import Scalar
from ..spatial import RowVector
from ..trace import CommonBeginning, count_operations
from .breaking_ties import cheapest_ties
from .least_operations import least_of_bbo, least_of_lcaba
from .penalties import automatic_penalties

MOST_TRACED = 250_000
FEW = 2  # bodies that a penalty couples for little
_NEAR = 1.01  # times the fewest operations, those of a typical sample: what is left out differs by less

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
    if not model.constraints:
        return ()
    everything, counted = tuple(range(len(model.constraints))), _counted_mixtures(model, iterations)
    best = min(counted, key=lambda plan: (counted[plan], plan))
    near = [plan for plan in ((), everything) if counted.get(plan, math.inf) <= _NEAR * counted[best]]
    rivals = dict.fromkeys([best, *near])
    if iterations is not None or len(rivals) == 1:
        return best
    return min(rivals, key=lambda plan: (_count_converging(model, plan), plan))


def _counted_mixtures(model: Model, iterations: int | None) -> dict[Plan, int]:
    tree, everything, many = tree_of(model), tuple(range(len(model.constraints))), _on_many(model)
    count = _counter(model, iterations)
    least = {(): least_of_lcaba(tree), everything: least_of_bbo(tree), many: 0}
    counted: dict[Plan, int] = {}
    for plan in sorted(least, key=lambda plan: least[plan]):
        if not counted or least[plan] < min(counted.values()):
            counted[plan] = count(plan)
    groups, traced = _alike(model, tree), 0
    best = min(counted, key=lambda plan: counted[plan])
    for group in groups if len(groups) > 1 else ():
        plan = _changed(best, group)
        if plan not in counted:
            if traced + counted[best] > MOST_TRACED:
                break
            traced += counted[best]
            counted[plan] = count(plan)
        if counted[plan] < counted[best]:
            best = plan
    return counted


def _counter(model: Model, iterations: int | None) -> Callable[[Plan], int]:
    """What says how many operations a plan takes."""
    tree, start = tree_of(model), [0.0] * model.nc
    mu, ties = automatic_penalties(model).tolist(), cheapest_ties(model)

    def begin(q, v, tau, residuals, length):
        return ConstrainedProblem(tree, q, v, tau, mu=mu, ties=ties), RowVector(residuals), length[0]

    def go_on(begun: tuple[ConstrainedProblem, RowVector, Scalar], plan: Plan) -> Sequence[Scalar]:
        problem, residuals, length = begun
        graph = MixedGraph(problem, start, plan)
        if iterations is not None:
            return iterate(graph, Iterations(iterations), start).a
        return _typical_sample(graph, residuals, length)

    inputs = {"q": model.nq, "v": model.nv, "tau": model.nv, "residuals": model.nc, "length": 1}
    begun = CommonBeginning(begin, inputs)
    return lambda plan: begun.operations(functools.partial(go_on, plan=plan))


def _typical_sample(graph: MixedGraph, residuals: RowVector, length: Scalar) -> list[Scalar]:
    """What `converge` computes of one: to the end of the papers' iteration, and one descent from given residuals."""
    problem = graph.problem
    first = graph.residuals()
    graph.push(problem.mu * first)
    a, left = graph.solution()
    sizes = AccelerationSizes(problem.constraints, graph.sizes(), first)
    step = problem.mu * residuals
    change, moved = graph.response(step)
    after = residuals + moved * length
    shares = [sizes.relative_square(left), sizes.relative_square(after), moved.dot(step), residuals.dot(step)]
    return [*a, *left, *change, *after, *shares]


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
