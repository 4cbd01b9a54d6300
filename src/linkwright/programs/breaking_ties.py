"""Which of equally coupled links LCABA eliminates first: whatever takes the fewest operations, by counts.

Only elimination and one sweep after it are traced: enough to tell ways apart, and done within a second or so, because a
large mechanism tries fewer ways (`MOST_TRACED`, the same ones on every machine). They are counted before common factors
are taken out of sums: that takes as long as tracing and changed no choice on 77 named and random mechanisms.
"""

from __future__ import annotations

from ..algorithms.constrained.elimination_order import TIES, elimination_order
from ..algorithms.constrained.lcaba import EliminatedGraph
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..model import Model, tree_of
from ..model.found_once import found_once
from ..trace import count_operations, drop_dead, trace
from .penalties import automatic_penalties

MOST_TRACED = 25_000


@found_once
def cheapest_ties(model: Model) -> str:
    """One of TIES."""
    tree = tree_of(model)
    orders = {name: elimination_order(tree, ties=name) for name in TIES}
    different = [name for k, name in enumerate(TIES) if orders[name] not in list(orders.values())[:k]]
    if len(different) == 1:
        return different[0]
    counted: dict[str, int] = {}
    for name in different:
        if len(counted) > 1 and sum(counted.values()) > MOST_TRACED:
            break
        counted[name] = _count(model, name)
    return min(counted, key=lambda name: counted[name])


def _count(model: Model, ties: str) -> int:
    tree, mu = tree_of(model), automatic_penalties(model).tolist()
    zeros, step = [0.0] * model.nv, [1.0] * model.nc

    def evaluate(q, tau):
        problem = ConstrainedProblem(tree, q, zeros, tau, mu=mu, ties=ties)
        graph = EliminatedGraph(problem, [0.0] * model.nc)
        y = list(graph.y)
        for i, dy in graph.change_of_y(step).items():
            y[i] = y[i] + dy
        return {"a": graph.accelerate(y, None)[0]}

    return count_operations(drop_dead(trace(evaluate, {"q": model.nq, "tau": model.nv}))).total
