"""How the Delassus operator is applied: the way with the fewest operations, factorization and applications together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.delassus.efpa import efpa
from ..algorithms.delassus.ltl_osim import ltl_osim
from ..algorithms.delassus.pv_osim import pv_osim
from ..algorithms.delassus.pv_osimr import pv_osimr
from ..algorithms.delassus.two_stage_delassus import DelassusMatrix, DelassusSweeps
from ..algorithms.rows.free_rows import free_row_acceleration
from ..algorithms.rows.row_scales import row_scales
from ..model import Model, Tree, tree_of
from ..model.found_once import found_once
from ..scalar import Scalar
from ..trace import Op, count_operations, simplify, trace
from .penalties import automatic_penalties
from .stages import Stages, cut

METHODS = ("matrix", "sweeps")
# Ways to the matrix. KJR and dense algebra have not been the cheapest on any mechanism of docs/delassus.md.
_MATRICES = {f.__name__: f for f in (pv_osim, ltl_osim, efpa, pv_osimr)}
_FOR_TREES = ("pv_osimr",)


# mu times the scale of a row (row_scales.py) where mu is automatic, by the precision of the arithmetic.
STIFFNESS = {"float64": 1e6, "float32": 1e3}
# Solutions by sweeps lose about as many digits as this has, so stiffer ones take the matrix: docs/delassus.md.
STIFFEST_SWEPT = {"float64": 1e6, "float32": 1e1}


@dataclass(frozen=True)
class OperatorMethod:
    """"matrix" or "sweeps" for each way to apply the operator, and the algorithm that makes the matrix."""

    product: str
    solve: str
    matrix: str = "pv_osim"

    @classmethod
    def named(cls, name: str | None) -> OperatorMethod | None:
        return None if name is None else cls(name, name)

    def operators(
        self, tree: Tree, q: Sequence[Scalar], mu: Sequence[Scalar], active: Sequence[Scalar] | None
    ) -> dict[str, DelassusMatrix | DelassusSweeps]:
        made: dict[str, DelassusMatrix | DelassusSweeps] = {}
        if "sweeps" in (self.product, self.solve):
            made["sweeps"] = DelassusSweeps(tree, q, mu, active=active)
        if "matrix" in (self.product, self.solve):
            made["matrix"] = DelassusMatrix(_MATRICES[self.matrix](tree, q, active=active), mu)
        return {"product": made[self.product], "solve": made[self.solve]}


@found_once
def cheapest_method(
    model: Model, outputs: tuple[str, ...], applications: int, swept_solutions: bool = True
) -> OperatorMethod:
    """By exact count, with the model's own numbers, for so many vectors a factorization; kept for the process.

    `swept_solutions` allows solutions by sweeps.
    """

    def cost(method: OperatorMethod) -> int:
        early, late = _operations(model, method, outputs)
        return early + sum(count if name == "bias" else count * applications for name, count in late.items())

    sweeps = OperatorMethod("sweeps", "sweeps")
    way, operations, product = _cheapest_matrix(model, "bias" in outputs)
    may_sweep = swept_solutions or "solve" not in outputs
    if may_sweep and cost(sweeps) <= operations + product * applications * len(set(outputs) - {"bias"}):
        return sweeps  # solutions take no fewer operations than products, so factoring the matrix need not be counted
    candidates = [*([sweeps] if may_sweep else []), OperatorMethod("matrix", "matrix", way)]
    if {"product", "solve"} <= set(outputs):
        candidates.append(OperatorMethod("sweeps", "matrix", way))
    return min(candidates, key=cost)


def sweeps_are_accurate(model: Model, mu: np.ndarray | None, precision: str) -> bool:
    """Whether solutions by sweeps keep half of the digits. Penalties that come with the call (None) are thought soft,
    except in single precision, where not even those of a contact would be; `status` says where they were not.
    """
    stiffest = float(np.max(mu * row_scales(model), initial=0.0)) if mu is not None else STIFFNESS["float64"]
    return stiffest <= STIFFEST_SWEPT[precision] * (1 + 1e-9)


@found_once
def _cheapest_matrix(model: Model, with_bias: bool) -> tuple[str, int, int]:
    """The algorithm that makes the matrix with the fewest operations, how many, and those of a product with it.

    The bias, if there is one, shares what it can with the matrix, and is counted here too.
    """
    tree, found = tree_of(model), []
    for way in _MATRICES:
        if model.has_loops and way in _FOR_TREES:
            continue

        def evaluate(q, v, tau, way=way):
            bias = free_row_acceleration(tree, q, v, tau) if with_bias else []
            return {"matrix": _MATRICES[way](tree, q), "bias": bias}

        program = simplify(trace(evaluate, {"q": model.nq, "v": model.nv, "tau": model.nv}))
        is_zero = [program.nodes[x] == (Op.CONST, 0.0) for x in program.outputs[0].nodes]
        entries = len(is_zero) - sum(is_zero)
        found.append((count_operations(program).total, way, max(0, 2 * entries - model.nc)))
    operations, way, product = min(found)
    return way, operations, product


@found_once
def _operations(model: Model, method: OperatorMethod, outputs: tuple[str, ...]) -> tuple[int, dict[str, int]]:
    """Of the factorization, and of one application by output."""
    stages = stages_of(model, method, outputs)
    return count_operations(stages.early).total, {
        name: count_operations(program).total for name, program in stages.late.items()
    }


def stages_of(model: Model, method: OperatorMethod, outputs: Sequence[str]) -> Stages:
    """The operator as it would be compiled, in two stages, for one vector."""
    tree, mu = tree_of(model), automatic_penalties(model).tolist()

    def evaluate(q, v, tau, x) -> Mapping:
        operators = method.operators(tree, q, mu, None)
        results = {name: getattr(operators[name], name)(list(x)) for name in outputs if name != "bias"}
        if "bias" in outputs:
            results["bias"] = free_row_acceleration(tree, q, v, tau)
        return results

    shapes = {"q": model.nq, "v": model.nv, "tau": model.nv, "x": model.nc}
    program = simplify(trace(evaluate, shapes, "delassus_operator"))
    return cut(program, {name: ("v", "tau") if name == "bias" else ("x",) for name in outputs})
