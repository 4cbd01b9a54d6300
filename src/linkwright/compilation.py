"""`linkwright.compile` and `linkwright.reference`: one program, as machine code or run on numbers as it is written."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .codegen import ArraySpec, CompiledFunction, check_dtype, compile_cached, compile_program, result_class
from .codegen.arguments import is_masked
from .errors import InputError, UnsupportedError, unknown_name
from .model import Model, Tree, tree_of
from .model.constraint_parameters import CONSTRAINT_PARAMETERS
from .model.parameters import parameter_shapes
from .programs import RECIPES, Recipe, kin_that_take_loops
from .programs.soft_dynamics import CONTACT_OUTPUTS
from .trace import Program, simplify, trace


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

    compile(model, "aba") takes q, v, tau and returns a; `linkwright.list_algorithms()` lists the names. Arrays have
    shape (n,) or (B, n).

    outputs      which outputs to compute (by default the main one); nothing else is paid for
    parameters   numbers of the model that become inputs of the call, e.g. ("gravity", "masses"): see
                 `linkwright.model.parameters`
    f_ext        True adds external forces (nbodies, 6), [linear; angular] in body frames, as the next input. Otherwise
                 a call may still give them by name; the function that takes them is compiled at the first such call
    lanes        samples computed at once in a batch; threads a number or "all"
    dtype        of all arrays, "float64" or "float32"; constrained solvers compute in double precision in either case,
                 unless their iterations are counted
    repeat       True makes a function that can also run many times in one call: see `CompiledFunction.repeat`
    options      of the algorithm, e.g. frame="tool", reference="world"

    compile(function, inputs={"x": 3, "A": (2, 3)}) traces `function(x, A)`, which receives arrays of symbols and
    returns an array, a number or a dictionary of them.
    """
    if isinstance(what, Model):
        if inputs is not None:
            raise InputError("inputs= belongs to compile(function, inputs=...); a named algorithm knows its inputs")
        request = Request.of(what, algorithm, outputs, parameters, f_ext, options, check_dtype(dtype))
        target = {"lanes": lanes, "dtype": dtype, "threads": threads, "cache": cache, "repeat": repeat}
        target["arithmetic"] = request.arithmetic
        function = compile_cached(request.program, key=request.key, **target)
        if "f_ext" in request.recipe.optional_inputs and not f_ext:
            with_forces = replace(request, f_ext=True)
            function.accept("f_ext", lambda: compile_cached(with_forces.program, key=with_forces.key, **target))
        return function
    if not callable(what):
        raise InputError(
            f"cannot compile {type(what).__name__} {what!r}; expected a Model (see linkwright.load) or a function"
        )
    if algorithm is not None or outputs is not None or parameters or f_ext or options:
        raise InputError("algorithm=, outputs=, parameters=, f_ext= and options are for models, not for functions")
    program = simplify(trace(what, declared_inputs(what, inputs)))
    return compile_program(program, lanes=lanes, dtype=dtype, threads=threads, cache=cache, repeat=repeat)


def reference(
    model: Model,
    algorithm: str,
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
    request = Request.of(model, algorithm, outputs, parameters, f_ext, options, dtype)
    request.check_plan()
    shapes = request.input_shapes

    def call(*arrays, **named):
        if len(arrays) > len(shapes):
            raise InputError(f"{algorithm!r} takes {len(shapes)} inputs ({', '.join(shapes)}); {len(arrays)} given")
        given = {**dict(zip(shapes, arrays, strict=False)), **named}
        if set(given) != set(shapes):
            raise InputError(f"{algorithm!r} takes {', '.join(shapes)}; got {', '.join(given) or 'nothing'}")
        values, batch = _as_scalars(given, shapes, dtype)
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


def trace_program(model: Model, algorithm: str, **kwargs: Any) -> Program:
    """The simplified program that `compile` would turn into machine code; takes its model options."""
    outputs, parameters = kwargs.pop("outputs", None), kwargs.pop("parameters", ())
    return Request.of(model, algorithm, outputs, parameters, kwargs.pop("f_ext", False), kwargs).program()


@dataclass(frozen=True)
class Request:
    """What was asked of `compile`, checked."""

    model: Model
    recipe: Recipe
    outputs: tuple[str, ...]
    parameters: tuple[str, ...]
    f_ext: bool
    options: Mapping[str, Any]
    precision: str = "float64"
    """Of the arrays: what is converged, right or dependent depends on it."""

    @classmethod
    def of(cls, model, algorithm, outputs, parameters, f_ext, options, precision="float64") -> Request:
        if not isinstance(model, Model):
            raise InputError(f"expected a Model (see linkwright.load), got {type(model).__name__}")
        if algorithm not in RECIPES:
            raise unknown_name("algorithm", algorithm, RECIPES)
        chosen = RECIPES[algorithm].resolve_outputs(outputs)
        recipe = RECIPES[algorithm].for_outputs(chosen)
        parameters = (parameters,) if isinstance(parameters, str) else tuple(parameters)
        if f_ext and "f_ext" not in recipe.optional_inputs:
            able = [name for name, other in RECIPES.items() if "f_ext" in other.optional_inputs]
            raise InputError(f"{algorithm!r} takes no external forces; {', '.join(able)} do")
        settled = recipe.settled_options(model, recipe.resolve_options(options))
        request = cls(model, recipe, chosen, parameters, bool(f_ext), settled, precision)
        if recipe.check_plan is None:
            request.input_shapes  # noqa: B018  refuses unknown parameters
        else:
            parameter_shapes(model, parameters)
        if recipe.check_options is not None:
            recipe.check_options(model, request.options)
        frozen = [name for name in parameters if name in CONSTRAINT_PARAMETERS]
        if frozen and recipe.freezes_constraints(request.options):
            raise UnsupportedError(
                f"{algorithm!r} plans its work from the constraints' own numbers, so {', '.join(frozen)} cannot be "
                f"inputs of it; 'lcaba', 'ltl', 'pv_osim' and 'delassus_operator' take them"
            )
        if model.constraints and not recipe.ignores_constraints:
            raise UnsupportedError(
                f"{algorithm!r} is for trees without constraints, and {model.name!r} has {len(model.constraints)}; use "
                f"one that takes them into account, such as 'constrained_aba', or model.without_constraints()"
            )
        if model.has_loops and not recipe.takes_loops:
            raise UnsupportedError(
                f"{algorithm!r} takes constraints to the ground only, and {model.name!r} has some between two bodies; "
                f"{', '.join(map(repr, kin_that_take_loops(algorithm)))} take those too"
            )
        return request

    @property
    def arithmetic(self) -> str:
        """The precision to compute in."""
        return "float64" if self.recipe.needs_double(self.options) else self.precision

    @functools.cached_property
    def input_shapes(self) -> dict[str, tuple[int, ...]]:
        return self.recipe.input_shapes(self.model, self.parameters, self.f_ext, self.options)

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Names of the rows of outputs that have one row per constraint, or per contact."""
        touching = tuple(point.name for point in self.model.contacts) if self.recipe.contacts(self.options) else ()
        return {"forces": tuple(c.name for c in self.model.constraints), **dict.fromkeys(CONTACT_OUTPUTS, touching)}

    @property
    def key(self) -> str:
        """Identifies the program without tracing it: the model, the request and our own sources."""
        request = [
            self.recipe.name, self.outputs, self.parameters, self.f_ext, sorted(self.options.items()), self.precision
        ]  # fmt: skip
        touching = self.recipe.contacts(self.options)
        known = self.model.fingerprint_of_dynamics if touching else self.model.fingerprint_without_contacts
        text = json.dumps([request, known, _sources_hash()], default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def evaluate(self, values: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: values[name] for name in self.parameters}
        tree = Tree(self.model, given) if given else tree_of(self.model)
        precisions = {"precision": self.precision, "arithmetic": self.arithmetic}
        results = self.recipe.evaluate(tree, values, {**self.options, **precisions})
        return {name: results[name] for name in self.outputs}

    def check_plan(self) -> None:
        """The part of checking that takes long."""
        if self.recipe.check_plan is not None:
            self.recipe.check_plan(self.model, self.options)

    def program(self) -> Program:
        self.check_plan()
        if self.recipe.check is not None:
            self.recipe.check(self.model)
        evaluate = lambda **values: self.evaluate(values)  # noqa: E731  trace passes inputs by name
        return simplify(trace(evaluate, self.input_shapes, name=self.recipe.name, labels=self.labels))


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


def _as_scalars(given: Mapping[str, Any], shapes, dtype: str) -> tuple[dict[str, np.ndarray], tuple[int, ...]]:
    """Arrays of scalars, each an array of shape (B,) if there is a batch."""
    batch: tuple[int, ...] = ()
    values = {}
    for name, shape in shapes.items():
        if is_masked(given[name]):
            raise InputError(f"{name} is a masked array with masked entries; give them a value with .filled(...)")
        array = np.asarray(given[name], dtype).astype(float, copy=False)
        if array.shape[array.ndim - len(shape) :] != tuple(shape) or array.ndim - len(shape) not in (0, 1):
            raise InputError(f"{name} has shape {array.shape}; expected {tuple(shape)} or (B, {str(tuple(shape))[1:]}")
        leading = array.shape[: array.ndim - len(shape)]
        if leading and batch and leading != batch:
            raise InputError(f"{name} has {leading[0]} samples where others have {batch[0]}")
        batch = batch or leading
        scalars = np.empty(shape, dtype=object)
        for index in np.ndindex(*shape):
            scalars[index] = array[(..., *index)] if leading else np.float64(array[index])
        values[name] = scalars
    return values, batch


def _as_array(value, batch: tuple[int, ...]) -> np.ndarray:
    """Nested lists of scalars, each a number or of shape (B,), as one array with the batch first."""
    if isinstance(value, list | tuple):
        parts = [_as_array(x, batch) for x in value]
        return np.stack(parts, axis=len(batch)) if parts else np.zeros((*batch, 0))
    array = np.asarray(value, dtype=float)
    if not array.size:
        return np.zeros((*batch, *array.shape))
    return np.broadcast_to(array, batch).copy()


@functools.cache
def _sources_hash() -> str:
    """Of every file whose change could change a traced program."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for folder in ("fixed_order", "spatial", "model", "algorithms", "programs", "trace", "derivatives", "."):
        for path in sorted((root / folder).glob("*.py" if folder == "." else "**/*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
