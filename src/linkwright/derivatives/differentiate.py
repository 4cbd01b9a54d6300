"""`linkwright.jacobian`, `linkwright.vjp`, `linkwright.jvp` and `linkwright.hessian_vector`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..call_errors import names_arguments
from ..codegen import CompiledFunction, check_dtype, compile_cached, compile_program
from ..compilation import declared_inputs
from ..errors import InputError, unknown_name
from ..model import Model
from ..trace import Measured, Varied, simplify, trace
from .question import ANSWERS, Question, names_given

Names = str | Sequence[str]
Shapes = Mapping[str, int | tuple[int, ...]]


@names_arguments
def jacobian(
    what: Model | Callable[..., Any], algorithm: str | None = None, *, of: Names | None = None,
    wrt: Names | None = None, values: bool = False, inputs: Shapes | None = None, parameters: Names = (),
    f_ext: bool = False, lanes: int | str = "auto", dtype: str = "float64", threads: int | str = 1,
    cache: bool = True, **options: Any,
) -> CompiledFunction:  # fmt: skip
    """Machine code for all partial derivatives of a program's outputs.

    jacobian(model, "rnea", wrt=("q", "v")) takes what `compile(model, "rnea")` takes and returns dtau_dq and dtau_dv.

    of           outputs to differentiate (by default the main ones)
    wrt          inputs to differentiate with respect to (by default all); naming a parameter of the model, or "f_ext",
                 makes it an input
    values       True also returns the outputs themselves, first
    inputs       shapes of the inputs of a function of your own: jacobian(function, inputs={"x": 3})
    others       as for `compile`

    Configurations vary in their tangent space: a derivative with respect to q is along `integrate(q, dq)` and has nv
    columns, that of a configuration is a velocity. Outputs are dy_dx of shape (*y's, *x's), zero where nothing depends.
    """
    target = {"lanes": lanes, "dtype": dtype, "threads": threads, "cache": cache}
    return _compiled("jacobian", what, algorithm, of, wrt, values, inputs, parameters, f_ext, options, target)


@names_arguments
def vjp(
    what: Model | Callable[..., Any], algorithm: str | None = None, *, of: Names | None = None,
    wrt: Names | None = None, values: bool = False, inputs: Shapes | None = None, parameters: Names = (),
    f_ext: bool = False, lanes: int | str = "auto", dtype: str = "float64", threads: int | str = 1,
    cache: bool = True, **options: Any,
) -> CompiledFunction:  # fmt: skip
    """Machine code for the gradient of a weighted sum of a program's outputs, at a small multiple of its cost.

    vjp(model, "aba") takes q, v, tau and weights a_bar, and returns q_bar, v_bar, tau_bar: the gradients of a_bar' a.
    Arguments as for `jacobian`.
    """
    target = {"lanes": lanes, "dtype": dtype, "threads": threads, "cache": cache}
    return _compiled("vjp", what, algorithm, of, wrt, values, inputs, parameters, f_ext, options, target)


@names_arguments
def jvp(
    what: Model | Callable[..., Any], algorithm: str | None = None, *, of: Names | None = None,
    wrt: Names | None = None, values: bool = False, inputs: Shapes | None = None, parameters: Names = (),
    f_ext: bool = False, lanes: int | str = "auto", dtype: str = "float64", threads: int | str = 1,
    cache: bool = True, **options: Any,
) -> CompiledFunction:  # fmt: skip
    """Machine code for the derivative of a program's outputs along a direction of its inputs.

    jvp(model, "aba") takes q, v, tau and directions q_dot, v_dot, tau_dot, and returns a_dot. Arguments as for
    `jacobian`.
    """
    target = {"lanes": lanes, "dtype": dtype, "threads": threads, "cache": cache}
    return _compiled("jvp", what, algorithm, of, wrt, values, inputs, parameters, f_ext, options, target)


@names_arguments
def hessian_vector(
    what: Model | Callable[..., Any], algorithm: str | None = None, *, of: Names | None = None,
    wrt: Names | None = None, values: bool = False, inputs: Shapes | None = None, parameters: Names = (),
    f_ext: bool = False, lanes: int | str = "auto", dtype: str = "float64", threads: int | str = 1,
    cache: bool = True, **options: Any,
) -> CompiledFunction:  # fmt: skip
    """Machine code for the change of a gradient along a direction: second derivatives times a vector.

    hessian_vector(model, "aba") takes q, v, tau, weights a_bar and directions q_dot, v_dot, tau_dot, and returns
    q_bar_dot, v_bar_dot, tau_bar_dot: how the gradients of a_bar' a change. `values` returns the gradients too, first.
    Arguments as for `jacobian`. Where configurations are curved, gradients are those of the tangent space at the
    configuration reached, so that the matrix behind it need not be symmetric there.
    """
    target = {"lanes": lanes, "dtype": dtype, "threads": threads, "cache": cache}
    return _compiled("hessian_vector", what, algorithm, of, wrt, values, inputs, parameters, f_ext, options, target)


def _compiled(
    kind: str, what, algorithm, of, wrt, values: bool, inputs, parameters, f_ext: bool, options, target: dict[str, Any]
) -> CompiledFunction:  # fmt: skip
    if not isinstance(values, bool):
        raise InputError(f"values is {values!r}; expected True or False (of= names outputs)")
    if isinstance(what, CompiledFunction):
        raise InputError(
            f"{what!r} is machine code already; give {kind} what it was compiled from, a model and the name of a "
            f"program, or a function (for second derivatives there is hessian_vector)"
        )
    if isinstance(what, Model):
        if inputs is not None:
            raise InputError(f"inputs= belongs to {kind}(function, inputs=...); a named algorithm knows its inputs")
        question = Question.of_model(
            kind, what, algorithm, of, wrt, values=values, parameters=parameters, f_ext=f_ext, options=options,
            precision=check_dtype(target["dtype"]),
        )  # fmt: skip
        return compile_cached(
            question.program, key=question.key, arithmetic=question.request.arithmetic, asked=question, **target
        )
    if not callable(what):
        raise InputError(
            f"cannot differentiate {type(what).__name__} {what!r}; expected a Model (see linkwright.load) or a function"
        )
    if algorithm is not None or parameters or f_ext or options:
        raise InputError("algorithm=, parameters=, f_ext= and options are for models, not for functions")
    return compile_program(_of_function(kind, what, of, wrt, values, inputs), **target)


def _of_function(kind: str, function: Callable, of, wrt, values: bool, inputs):
    program = simplify(trace(function, declared_inputs(function, inputs)))
    chosen = []
    for what, given, declared in (("output", of, program.outputs), ("input", wrt, program.inputs)):
        every = [x.name for x in declared]
        names = every if given is None else list(names_given("of" if what == "output" else "wrt", given))
        for name in names:
            if name not in every:
                raise unknown_name(f"{what} of {program.name!r}", name, every)
        if not names or len(set(names)) != len(names):
            raise InputError(f"{what}s are {names}; expected at least one name, each once")
        chosen.append(names)
    outputs, varied = chosen
    answer = ANSWERS[kind]
    kept = outputs if values else ()
    return simplify(answer(program, [Measured(x) for x in outputs], [Varied(x) for x in varied], kept))
