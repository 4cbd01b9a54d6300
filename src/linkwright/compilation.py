"""`linkwright.compile` and `linkwright.reference`: one program, as machine code or run on numbers as it is written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .call_errors import names_arguments
from .codegen import ArraySpec, CompiledFunction, check_dtype, compile_cached, compile_program, result_class
from .codegen.arguments import Bound, bind
from .codegen.signature import Signature
from .errors import InputError
from .model import Model
from .physics import RECIPES
from .programs import FORWARD_DYNAMICS, Choice, Request, Wish, choose
from .trace import Program, simplify, trace


@names_arguments
def compile(
    what: Model | Callable[..., Any],
    algorithm: str | None = None,
    *,
    inputs: Mapping[str, int | tuple[int, ...]] | None = None,
    outputs: str | Sequence[str] | None = None,
    parameters: str | Sequence[str] = (),
    f_ext: bool = False,
    lanes: int | str = "auto",
    dtype: str = "float64",
    threads: int | str = 1,
    cache: bool = True,
    repeat: bool = False,
    **options: Any,
) -> CompiledFunction:
    """Machine code for one algorithm on one robot, or for a function of your own.

    compile(model) is forward dynamics, as compile(model, "forward_dynamics"): q, v, tau in, accelerations a out, and
    constraint forces where there are constraints. The exact algorithm that suits the model with the fewest operations
    is taken; the function's `algorithm` names it and `choice` says why. "inverse_dynamics", "inertia_matrix" and
    "delassus_matrix" are chosen likewise. compile(model, "aba") is one algorithm; `linkwright.list_algorithms()` lists
    their names. Arrays have shape (n,) or (B, n).

    outputs      which outputs to compute (by default the main one); nothing else is paid for
    parameters   numbers of the model that become inputs of the call, e.g. ("gravity", "masses"): see
                 `linkwright.model.parameters`
    f_ext        True adds external forces (nbodies, 6), [linear; angular] in body frames, as the next input. Otherwise
                 a call may still give them by name; the function that takes them is compiled at the first such call
    lanes        samples computed at once in a batch; threads a number or "all"
    dtype        of all arrays, "float64" or "float32"; constrained solvers compute in double precision in either case,
                 unless their iterations are counted
    repeat       True makes a function that can also run many times in one call: see `CompiledFunction.repeat`
    options      of the algorithm, e.g. frame="tool", seen_from="world"

    compile(function, inputs={"x": 3, "A": (2, 3)}) traces `function(x, A)`, which receives arrays of symbols and
    returns an array, a number or a dictionary of them.
    """
    if isinstance(what, Model):
        if inputs is not None:
            raise InputError("inputs= belongs to compile(function, inputs=...); a named algorithm knows its inputs")
        request, choice = _request(
            what, algorithm, outputs, parameters, f_ext, options, check_dtype(dtype), cache=cache
        )
        target: dict[str, Any] = {"lanes": lanes, "dtype": dtype, "threads": threads, "cache": cache, "repeat": repeat}
        target["arithmetic"] = request.arithmetic
        function = compile_cached(request.program, key=request.key, asked=request, **target)
        function.choice = choice
        if "f_ext" in request.recipe.optional_inputs and not f_ext:
            with_forces = replace(request, f_ext=True)
            function.accept("f_ext", lambda: compile_cached(
                with_forces.program, key=with_forces.key, asked=with_forces, **target
            ))
        return function
    if not callable(what):
        raise InputError(
            f"cannot compile {type(what).__name__} {what!r}; expected a Model (see linkwright.load) or a function"
        )
    if algorithm is not None or outputs is not None or parameters or f_ext or options:
        raise InputError("algorithm=, outputs=, parameters=, f_ext= and options are for models, not for functions")
    program = simplify(trace(what, declared_inputs(what, inputs)))
    return compile_program(program, lanes=lanes, dtype=dtype, threads=threads, cache=cache, repeat=repeat)


@names_arguments
def reference(
    model: Model,
    algorithm: str | None = None,
    *,
    outputs: str | Sequence[str] | None = None,
    parameters: str | Sequence[str] = (),
    f_ext: bool = False,
    dtype: str = "float64",
    **options: Any,
) -> Callable[..., Any]:
    """The same algorithm run on numbers as it is written: slow, obvious, and what compiled code is checked against.

    Takes and returns the same arrays as the compiled function; numbers are double precision in between, whatever the
    `dtype` of the arrays.
    """
    dtype = check_dtype(dtype)
    request, _ = _request(model, algorithm, outputs, parameters, f_ext, options, dtype)
    request.check_plan()
    algorithm, inputs = request.recipe.name, (ArraySpec(*x) for x in request.input_shapes.items())
    signature = Signature(algorithm, tuple(inputs), (), dtype)

    def call(*arrays, **named):
        values, batch = _as_scalars(signature, bind(signature, arrays, named))
        with np.errstate(all="ignore"):
            found = request.evaluate(values).items()
            results = {name: _as_array(value, batch).astype(dtype, copy=False) for name, value in found}
        if len(results) == 1:
            return results[request.outputs[0]]
        specs = [
            ArraySpec(name, array.shape[len(batch) :], request.labels.get(name, ())) for name, array in results.items()
        ]
        return result_class(algorithm, specs)(results.values())

    return call


@names_arguments
def trace_program(model: Model, algorithm: str | None = None, **kwargs: Any) -> Program:
    """The simplified program that `compile` would turn into machine code; takes its model options."""
    outputs, parameters = kwargs.pop("outputs", None), kwargs.pop("parameters", ())
    return _request(model, algorithm, outputs, parameters, kwargs.pop("f_ext", False), kwargs)[0].program()


def _request(
    model: Model, algorithm: str | None, outputs, parameters, f_ext: bool, options: Mapping[str, Any],
    precision: str = "float64", *, cache: bool = True,
) -> tuple[Request, Choice | None]:  # fmt: skip
    """What is asked for, checked; and why that algorithm, if it was not named."""
    if not isinstance(model, Model) or algorithm in RECIPES:
        return Request.of(model, algorithm, outputs, parameters, f_ext, options, precision), None
    outputs = outputs if outputs is None or isinstance(outputs, str) else tuple(outputs)
    parameters = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    wish = Wish(outputs, parameters, bool(f_ext), tuple(options.items()), precision)
    choice = choose(model, FORWARD_DYNAMICS if algorithm is None else algorithm, wish, cache=cache)
    return choice.request(model, wish), choice


def declared_inputs(function: Callable, inputs) -> Mapping[str, int | tuple[int, ...]]:
    """The shapes given, checked against the function's own arguments."""
    if not isinstance(inputs, Mapping) or not inputs:
        names = ", ".join(f"'{p}': n" for p in inspect.signature(function).parameters)
        raise InputError(f"give the shapes of the function's inputs: compile(function, inputs={{{names}}})")
    for name, shape in inputs.items():
        sizes = (shape,) if isinstance(shape, int) else shape
        if not isinstance(name, str) or not all(isinstance(n, int) and n >= 0 for n in sizes):
            raise InputError(f"input {name!r} has shape {shape!r}; expected a size or a tuple of sizes")
    try:
        inspect.signature(function).bind(**dict.fromkeys(inputs))
    except TypeError as error:
        raise InputError(f"inputs {list(inputs)} do not fit {function.__name__}: {error}") from None
    return inputs


def _as_scalars(signature: Signature, bound: Bound) -> tuple[dict[str, np.ndarray], tuple[int, ...]]:
    """Arrays of scalars, each an array of shape (B,) if there is a batch."""
    values = {}
    for spec, given in zip(signature.inputs, bound.arrays, strict=True):
        array, batched = given.astype(float, copy=False), given.ndim > len(spec.shape)
        scalars = np.empty(spec.shape, dtype=object)
        for index in np.ndindex(*spec.shape):
            scalars[index] = array[(..., *index)] if batched else np.float64(array[index])
        values[spec.name] = scalars
    return values, () if bound.batch is None else (bound.batch,)


def _as_array(value, batch: tuple[int, ...]) -> np.ndarray:
    """Nested lists of scalars, each a number or of shape (B,), as one array with the batch first."""
    if isinstance(value, list | tuple):
        parts = [_as_array(x, batch) for x in value]
        return np.stack(parts, axis=len(batch)) if parts else np.zeros((*batch, 0))
    array = np.asarray(value, dtype=float)
    if not array.size:
        return np.zeros((*batch, *array.shape))
    return np.broadcast_to(array, batch).copy()
