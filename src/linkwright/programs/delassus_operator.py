"""The Delassus operator as a program: products, damped solutions and the free acceleration of constraint rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from ..algorithms.rows.free_rows import free_row_acceleration
from ..algorithms.rows.row_scales import row_scales
from ..errors import InputError
from ..spatial import RowVector
from .operator_choice import METHODS, STIFFEST_SWEPT, STIFFNESS, OperatorMethod, cheapest_method, sweeps_are_accurate
from .penalties import penalties
from .recipe import Recipe, external_forces
from .solvable import check_solvable
from .status import status

LATE_INPUTS = {"product": ("x",), "solve": ("x",), "bias": ("v", "tau"), "status": ()}
"""What each output needs beside what the operator is factored with."""
_DEFAULT = ("product", "solve")
# Below this product of mu and a row's scale, solutions by sweeps lose no more than 1e-6 (float32: 1e-3) of x.
_STIFFEST_BELIEVED = {name: 100.0 * stiffest for name, stiffest in STIFFEST_SWEPT.items()}
# Of the damped matrix, relative to its diagonal, whose rounding is about 1e-7 (float32: 1e-3) of a smaller one.
_SMALLEST_PIVOT = {"float64": 1e-9, "float32": 1e-4}


@dataclass(frozen=True)
class OperatorRecipe(Recipe):
    """Takes v and tau only for the bias and x only for the others, x as one vector or as `count` of them."""

    def for_outputs(self, outputs):
        late = {name for output in outputs for name in LATE_INPUTS[output]}
        return replace(
            self, inputs=tuple(name for name in self.inputs if name == "q" or name in late),
            optional_inputs=self.optional_inputs if "bias" in outputs else (),
            evaluate=partial(_evaluate, outputs),
        )  # fmt: skip

    def input_shapes(self, model, parameters, f_ext, options):
        shapes = super().input_shapes(model, parameters, f_ext, options)
        if "x" in shapes:
            count = options["count"]
            shapes["x"] = (model.nc,) if count is None else (count, model.nc)
        return shapes


def _evaluate(outputs, tree, x, options):
    active, results = x.get("active"), {}
    if "bias" in outputs:
        results["bias"] = free_row_acceleration(
            tree, x["q"], x["v"], x["tau"], f_ext=external_forces(tree, x), active=active
        )
    applied = [name for name in outputs if name in ("product", "solve")]
    if applied or "status" in outputs:
        precision = options["precision"]
        given = None if options["mu"] == "input" else penalties(tree.model, options["mu"], STIFFNESS[precision])
        mu = list(x["mu"]) if given is None else given.tolist()
        method = OperatorMethod.named(options["method"]) or cheapest_method(
            tree.model, tuple(name for name in outputs if name != "status"),
            options["applications"] or options["count"] or 1,
            sweeps_are_accurate(tree.model, given, precision),
        )  # fmt: skip
        operators = method.operators(tree, x["q"], mu, active)
        for name in applied:
            apply = getattr(operators[name], name)
            results[name] = apply(list(x["x"])) if x["x"].ndim == 1 else [apply(list(row)) for row in x["x"]]
        if "status" in outputs:
            results["status"] = _status(operators["solve"], method, mu, row_scales(tree.model), precision)
    return results


def _status(operator, method: OperatorMethod, mu, scales, precision: str):
    """Of solutions: whether they are determined, and whether sweeps leave them enough digits."""
    converged = None
    if mu and method.solve == "sweeps":
        stiffest = RowVector(m * d for m, d in zip(mu, scales.tolist(), strict=True)).largest
        converged = stiffest <= _STIFFEST_BELIEVED[precision]
    return status(mu, operator.margins(_SMALLEST_PIVOT[precision]), converged)


def _check_options(model, options) -> None:
    if options["active"] not in (None, "input"):
        raise InputError(f"active is {options['active']!r}; expected 'input', to give it with each call, or None")
    if options["method"] not in (None, *METHODS):
        raise InputError(f"method is {options['method']!r}; expected one of {', '.join(METHODS)}, or None to choose")
    for option in ("count", "applications"):
        number = options[option]
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
            raise InputError(f"{option} is {number!r}; expected a whole number of vectors, 1 or more, or None")


def _switched(options) -> tuple[str, ...]:
    return tuple(name for name in ("active", "mu") if options[name] == "input")


DELASSUS_OPERATOR = OperatorRecipe(
    "delassus_operator", "J M^-1 J' x, (J M^-1 J' + 1/mu)^-1 x, and the rows' acceleration without constraint forces",
    ("q", "v", "tau", "x"), tuple(LATE_INPUTS), partial(_evaluate, _DEFAULT), ("f_ext",), _DEFAULT,
    {"active": None, "mu": None, "count": None, "method": None, "applications": None}, check_solvable, _check_options,
    _switched, constraints="any",
)  # fmt: skip
