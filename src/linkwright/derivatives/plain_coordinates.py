"""Derivatives in the very numbers of a function's arrays, as libraries expect them that know nothing of configurations.

`jacobian` and `vjp` speak of configurations in their tangent space: nv numbers where an array holds nq. Here gradients
have the shapes of the arrays. With rates dq/dt = N(q) v and velocities v = V(q) dq/dt, V N = 1,

    dy/dq = (dy/dq along v) V,    q_bar = V' (q_bar along v);    of configurations that come out: N (...), and N' q_bar.

What would change the length of a quaternion gets no share of a gradient: such changes mean nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..codegen import ArraySpec, CompiledFunction, compile_cached
from ..errors import InputError, UnsupportedError
from ..model import Model
from ..model.configuration import coordinate_rates, velocity_chart
from ..programs import Request
from ..trace import Measured, Program, Varied, inlined, jacobians, pullback, simplify, trace
from .question import VERDICTS, Question, spread

Place = tuple[Sequence[int], Sequence[int]]
FOUND = "{}_found"
"""Inputs of gradients: configurations that the function gave."""


class PlainDerivatives:
    """Of a compiled function; each is compiled when first asked for, on the same lanes, threads and type of numbers."""

    def __init__(self, function: CompiledFunction):
        if not isinstance(function, CompiledFunction):
            raise InputError(
                f"expected a compiled function, as compile, jacobian, vjp and jvp return; got {type(function).__name__}"
            )
        self.function = function
        asked = None if function.origin is None else function.origin.asked
        self._request: Request | None = asked if isinstance(asked, Request) else None
        self._known: dict[Any, CompiledFunction] = {}

    @property
    def differentiable(self) -> tuple[str, ...]:
        """Outputs that have derivatives: not those that judge or count."""
        return tuple(x.name for x in self.function.outputs if self._request is None or x.name not in VERDICTS)

    def found(self, of: Sequence[str]) -> tuple[str, ...]:
        """Those of the outputs `of` that gradients take as inputs, after those of the function."""
        specs = {x.name: x for x in self.function.outputs}
        return tuple(name for name in of if self._place(specs[name]) is not None)

    def gradient(self, of: Sequence[str], wrt: Sequence[str]) -> CompiledFunction:
        """Inputs of the function, configurations `found`, then y_bar for y in `of`; outputs x_bar for x in `wrt`."""
        return self._compiled("vjp", tuple(of), tuple(wrt))

    def jacobian(self, of: Sequence[str], wrt: Sequence[str]) -> CompiledFunction:
        """Inputs of the function; outputs dy_dx of shape (*y's, *x's), for every y and x."""
        return self._compiled("jacobian", tuple(of), tuple(wrt))

    def _compiled(self, kind: str, of: tuple[str, ...], wrt: tuple[str, ...]) -> CompiledFunction:
        if (kind, of, wrt) not in self._known:
            origin, f = self.function.origin, self.function
            if origin is None:
                raise UnsupportedError(
                    f"{f.name!r} was loaded from a file and cannot be differentiated; save its vjp or jacobian too"
                )
            target: dict[str, Any] = {"lanes": f.lanes, "dtype": str(f.dtype), "threads": f.threads}
            target["arithmetic"] = origin.arithmetic
            if self._request is None:
                made = compile_cached(lambda: self._of_program(kind, of, wrt), key=None, **target)
            else:
                question = self._question(kind, of, wrt)
                key = hashlib.sha256(f"plain {question.key}".encode()).hexdigest()
                made = compile_cached(lambda: self._of_question(question), key=key, **target)
            self._known[kind, of, wrt] = made
        return self._known[kind, of, wrt]

    def _of_program(self, kind: str, of: tuple[str, ...], wrt: tuple[str, ...]) -> Program:
        answer = {"vjp": pullback, "jacobian": jacobians}[kind]
        try:
            return simplify(answer(self.function.program, [Measured(x) for x in of], [Varied(x) for x in wrt]))
        except UnsupportedError as error:
            raise UnsupportedError(
                f"{self.function!r} cannot be differentiated as it is ({error}). For second derivatives of models' "
                f"programs, through their solutions, there is linkwright.hessian_vector"
            ) from None

    def _question(self, kind: str, of: tuple[str, ...], wrt: tuple[str, ...]) -> Question:
        request: Request = self._request  # type: ignore[assignment]  # asked for only where there is one
        return Question.of_model(
            kind, request.model, request.recipe.name, of, wrt, parameters=request.parameters, f_ext=request.f_ext,
            values=kind == "jacobian" and bool(self.found(of)), options=request.options, precision=request.precision,
        )  # fmt: skip

    def _place(self, spec: ArraySpec) -> Place | None:
        """(coordinates, velocities) of the mechanism that a configuration holds, or None: its numbers are plain."""
        if self._request is None:
            return None
        return Question("jvp", self._request, (), (), ()).place(spec.name, spec.shape)

    def _places(self, arrays: Iterable[ArraySpec]) -> dict[str, Place]:
        """Of those arrays that hold configurations."""
        every = {x.name: self._place(x) for x in arrays}
        return {name: place for name, place in every.items() if place is not None}

    def _of_question(self, question: Question) -> Program:
        base, model = question.program(), question.request.model
        shapes = {x.name: x.shape for x in (*self.function.inputs, *self.function.outputs)}
        places = self._places(self.function.inputs)
        given_back = self._places(self.function.outputs)
        found = self.found(question.of)
        inputs = {x.name: x.shape for x in self.function.inputs}

        def gradient(**values):
            given = dict(values)
            for name in found:
                rates = coordinate_matrix(model, given_back[name], given.pop(FOUND.format(name)))
                given[f"{name}_bar"] = rates.T @ given[f"{name}_bar"]
            results = inlined(base, given)
            gradients = {}
            for name in question.wrt:
                gradients[f"{name}_bar"] = results[f"{name}_bar"]
                if name in places:
                    chart = chart_matrix(model, places[name], values[name])
                    gradients[f"{name}_bar"] = chart.T @ results[f"{name}_bar"]
            return gradients

        def jacobian(**values):
            results = inlined(base, values)
            blocks = {}
            for y in question.of:
                for x in question.wrt:
                    block = results[f"d{y}_d{x}"]
                    if y in found:
                        block = np.tensordot(coordinate_matrix(model, given_back[y], results[y]), block, 1)
                    if x in places:
                        block = block @ chart_matrix(model, places[x], values[x])
                    blocks[f"d{y}_d{x}"] = block
            return blocks

        if question.kind == "jacobian":
            return simplify(trace(jacobian, inputs, name=base.name))
        further = {FOUND.format(name): shapes[name] for name in found}
        further |= {f"{name}_bar": shapes[name] for name in question.of}
        return simplify(trace(gradient, {**inputs, **further}, name=base.name))


def chart_matrix(model: Model, place: Place, q) -> np.ndarray:
    """V(q) of the coordinates and velocities of a place."""
    coordinates, velocities = place
    chart = velocity_chart(model, spread(model.nq, coordinates, q))
    return np.array([[chart[r][c] for c in coordinates] for r in velocities], dtype=object)


def coordinate_matrix(model: Model, place: Place, q) -> np.ndarray:
    """N(q) of the coordinates and velocities of a place."""
    coordinates, velocities = place
    own = spread(model.nq, coordinates, q)
    columns = [coordinate_rates(model, own, [float(k == n) for k in range(model.nv)]) for n in velocities]
    return np.array([[column[c] for column in columns] for c in coordinates], dtype=object)
