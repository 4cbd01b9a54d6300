"""`linkwright.delassus_operator`: J M^-1 J' factored at a state by one compiled function, applied by others.

Contact solvers apply the operator many times at one state. What depends on the state alone is worked out by `factor`
and handed over in arrays; `programs/stages.py` finds out what that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache as remember
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from .call_errors import names_arguments
from .codegen import CompiledFunction, check_dtype, compile_cached
from .errors import InputError
from .model import Model
from .programs import Request
from .programs.delassus_operator import LATE_INPUTS
from .programs.stages import Stages, cut
from .trace import Operations, Program

# Applications of each kind that a factorization serves, unless the caller says. Contact solvers need tens.
_APPLICATIONS = 10


@names_arguments
def delassus_operator(
    model: Model,
    *,
    outputs: str | Sequence[str] = tuple(LATE_INPUTS),
    parameters: str | Sequence[str] = (),
    f_ext: bool = False,
    applications: int = _APPLICATIONS,
    lanes: int | str = "auto",
    dtype: str = "float64",
    threads: int | str = 1,
    cache: bool = True,
    **options: Any,
) -> DelassusOperator:
    """The Delassus operator of all constraints of a model, loops included, to be factored at states and applied.

        operator = lw.delassus_operator(robot)
        at = operator.factor(q)                # (nq,), or (B, nq)
        at.product(x)                          # J M^-1 J' x
        at.solve(x)                            # (J M^-1 J' + 1/mu)^-1 x
        at.bias(v, tau)                        # J M^-1 (tau - c) + J-dot v: the rows if no constraint force acts

        at.status                              # 0 where solutions can be believed

    outputs        those of "product", "solve", "bias" and "status" that are wanted; `factor` works for these only
    f_ext          True adds external forces (nbodies, 6) to `bias`, after v and tau
    applications   how many vectors a factorization will serve, about: what the choice between a matrix and sweeps
                   through the mechanism goes by
    options        mu (None: automatic; a number; {"left_foot": 1e4}; or "input", to give (nc,) with `factor`),
                   active="input" (one number per constraint with `factor`), method ("matrix" or "sweeps")
    """
    options = {"applications": applications, **options}
    request = Request.of(model, "delassus_operator", outputs, parameters, f_ext, options, check_dtype(dtype))
    if request.options["count"] is not None:
        raise InputError(
            f"count is {request.options['count']}, which is for compile(model, 'delassus_operator'); here each call "
            f"may bring any number of vectors, so leave it out"
        )
    late = {name: (*LATE_INPUTS[name], *(("f_ext",) if f_ext and name == "bias" else ())) for name in request.outputs}

    @remember
    def stages() -> Stages:
        return cut(request.program(), late)

    target: dict[str, Any] = {"lanes": lanes, "dtype": dtype, "threads": threads, "cache": cache}
    factor = compile_cached(lambda: stages().early, key=f"{request.key} factor", **target)
    apply = {
        name: compile_cached(partial(_late, stages, name), key=f"{request.key} {name}", **target)
        for name in request.outputs
    }
    return DelassusOperator(factor, apply)


def _late(stages: Callable[[], Stages], name: str) -> Program:
    return stages().late[name]


class DelassusOperator:
    """Compiled; `factor` returns the operator at a state. Safe to use from many threads."""

    def __init__(self, factor: CompiledFunction, apply: Mapping[str, CompiledFunction]):
        self._factor, self._apply = factor, apply

    def factor(self, *arrays: Any, **named: Any) -> FactoredDelassus:
        """At q, (nq,) or (B, nq); then active, mu and parameters, as far as they were asked for."""
        states = self._factor(*arrays, **named)
        each = (states,) if len(self._apply) == 1 else states
        return FactoredDelassus(self._apply, dict(zip(self._apply, each, strict=True)))

    @property
    def operations(self) -> dict[str, Operations]:
        """Exact counts of "factor" and of one application of each kind."""
        return {name: function.operations for name, function in self.stages.items()}

    @property
    def stages(self) -> dict[str, CompiledFunction]:
        """The compiled functions: "factor" of q, and those of a state and what is given with each application."""
        return {"factor": self._factor, **self._apply}

    @property
    def inputs(self) -> tuple[str, ...]:
        """What `factor` takes."""
        return tuple(spec.name for spec in self._factor.inputs)

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {operations.total}" for name, operations in self.operations.items())
        return f"<Delassus operator, operations: {counts}>"


class FactoredDelassus:
    """The operator at one state, or at B of them. Never changes; keep as many as you like.

    x is (nc,) or, at one state, (k, nc) for k vectors; at B states (B, nc), or (B, k, nc) for k vectors each.
    """

    def __init__(self, apply: Mapping[str, CompiledFunction], states: dict[str, np.ndarray]):
        self._apply = apply
        self.states = MappingProxyType(states)
        """What each application starts from: arrays (size,) or (B, size)."""

    def product(self, x: Any) -> np.ndarray:
        """J M^-1 J' x: how the constraint rows accelerate by constraint forces x."""
        return self._applied("product", x)

    def solve(self, x: Any) -> np.ndarray:
        """(J M^-1 J' + 1/mu)^-1 x: damped, so rows may depend on one another."""
        return self._applied("solve", x)

    @property
    def status(self) -> np.ndarray:
        """Of solutions, one number a state: 0 ok, 1 too many digits lost to stiff penalties, 2 singular (rows that
        depend on one another, damped too little), 3 not finite."""
        return self._function("status")(self.states["status"])

    def bias(self, v: Any, tau: Any, f_ext: Any = None) -> np.ndarray:
        """J M^-1 (tau - c) + J-dot v: how the rows accelerate if no constraint force acts."""
        return self._function("bias")(self.states["bias"], v, tau, *(() if f_ext is None else (f_ext,)))

    def _applied(self, name: str, x: Any) -> np.ndarray:
        function, state = self._function(name), self.states[name]
        if np.ndim(x) == 3 and state.ndim == 2:
            x = np.asarray(x)
            columns = [function(state, x[:, k]) for k in range(x.shape[1])]
            return np.stack(columns, axis=1) if columns else np.zeros(x.shape)
        return function(state, x)

    def _function(self, name: str) -> CompiledFunction:
        if name not in self._apply:
            raise InputError(
                f"this operator was made for {', '.join(self._apply)}; make it with outputs= that include {name!r}"
            )
        return self._apply[name]
