"""`linkwright.export_casadi`: a compiled function as one of CasADi's."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..call_errors import names_arguments
from ..codegen import ArraySpec, CompiledFunction
from ..derivatives.plain_coordinates import PlainDerivatives
from ..errors import InputError, MissingExtraError, UnsupportedError
from ..trace import Op, Program, Repeat
from ..trace.ops import OPERATIONS

# An expression of more operations than this takes CasADi minutes to build and gigabytes to keep.
MOST_OPERATIONS = 2_000_000
_KEPT: list[Any] = []
"""Callbacks: expressions refer to them, and CasADi does not keep them alive."""


@names_arguments
def export_casadi(function: CompiledFunction, *, kind: str = "SX", passes: int | None = None) -> Any:
    """A `casadi.Function` that computes what a compiled function does.

    kind     "SX": its operations as a symbolic expression, which CasADi differentiates, optimises and turns into code;
             "MX": a callback that runs the machine code, with our own Jacobians, for use in MX expressions
    passes   of every loop that ends when a condition holds, where kind is "SX": an expression has no such loops. By
             default as many as the loop may take at the most; with fewer, what needs more is not finished

    Vectors are columns, numbers 1 x 1, matrices themselves, what has more axes a matrix of as many rows. Configurations
    are vectors of nq numbers, and derivatives are with respect to these.
    """
    if not isinstance(function, CompiledFunction):
        raise InputError(
            f"cannot export {type(function).__name__} {function!r}; expected what compile, jacobian, vjp or jvp "
            "returned"
        )
    if kind not in ("SX", "MX"):
        raise InputError(f"kind is {kind!r}; expected 'SX' or 'MX'")
    if passes is not None and (kind == "MX" or not isinstance(passes, int) or isinstance(passes, bool) or passes < 1):
        raise InputError(f"passes is {passes!r}; expected a positive whole number, and kind 'SX'")
    if function.dtype != np.float64:
        raise UnsupportedError(f"CasADi computes in double precision; {function.name!r} is of {function.dtype}")
    try:
        import casadi
    except ImportError:
        raise MissingExtraError("casadi", "casadi", "export_casadi") from None
    return _expression(casadi, function, passes) if kind == "SX" else _callback(casadi, function)


def matrix_shape(spec: ArraySpec) -> tuple[int, int]:
    """Of CasADi's matrix for an array."""
    if not spec.shape:
        return 1, 1
    return spec.shape[0], prod(spec.shape[1:])


def _expression(casadi: Any, function: CompiledFunction, passes: int | None) -> Any:
    program = function.program
    size = _unrolled_size(program, passes)
    if size > MOST_OPERATIONS:
        raise UnsupportedError(
            f"{function.name!r} has loops, which would make an expression of {size} operations; give passes=, so many "
            "as they need, or kind='MX'"
        )
    symbols = [casadi.SX.sym(f"x{k}", *matrix_shape(x)) for k, x in enumerate(function.inputs)]
    flat = [casadi.vertsplit(casadi.vec(x.T)) if x.numel() else [] for x in symbols]  # row by row
    found = _evaluated(casadi, program, flat, passes)
    results = []
    for spec, output in zip(function.outputs, program.outputs, strict=True):
        rows, columns = matrix_shape(spec)
        entries = [casadi.SX(found[node]) for node in output.nodes]
        matrix = casadi.vertcat(*entries) if entries else casadi.SX(rows, columns)
        results.append(casadi.reshape(matrix, columns, rows).T if entries else matrix)
    names = _names(function)
    return casadi.Function(_identifier(function.name), symbols, results, *names)


def _unrolled_size(program: Program, passes: int | None) -> int:
    return len(program.nodes) + sum(_passes(x, passes) * _unrolled_size(x.body, passes) for x in program.loops)


def _passes(loop: Any, passes: int | None) -> int:
    """Counted loops and guards have their own number."""
    return loop.limit if isinstance(loop, Repeat) or loop.limit == 1 or passes is None else min(passes, loop.limit)


def _evaluated(casadi: Any, program: Program, inputs: list[list], passes: int | None) -> list:
    """The value of every node. A body leaves alone what is done, so passes too many change nothing."""
    special = {
        Op.SELECT: casadi.if_else, Op.MIN: casadi.fmin, Op.MAX: casadi.fmax, Op.ATAN2: casadi.atan2,
        Op.AND: casadi.logic_and, Op.OR: casadi.logic_or, Op.NOT: casadi.logic_not, Op.ABS: casadi.fabs,
        Op.SIN: casadi.sin, Op.COS: casadi.cos, Op.SQRT: casadi.sqrt, Op.EXP: casadi.exp, Op.LOG: casadi.log,
    }  # fmt: skip
    values: list = []
    for op, *operands in program.nodes:
        if op is Op.INPUT:
            values.append(inputs[operands[0]][operands[1]])
        elif op is Op.CONST:
            values.append(casadi.SX(operands[0]))
        elif op is Op.RESULT:
            values.append(values[operands[0]][operands[1]])
        elif op in (Op.UNTIL, Op.REPEAT):
            values.append(_loop(casadi, program.loops[operands[0]], [values[x] for x in operands[1:]], passes))
        else:
            meaning = special.get(op) or OPERATIONS[op].on_scalars
            values.append(meaning(*(values[x] for x in operands)))
    return values


def _loop(casadi: Any, loop: Any, given: list, passes: int | None) -> list:
    carried, outer = given[: loop.carried], given[loop.carried : loop.carried + loop.body.inputs[1].size]
    table, rows = given[loop.carried + len(outer) :], []
    for p in range(_passes(loop, passes)):
        own = [table[p * loop.row : (p + 1) * loop.row]] if isinstance(loop, Repeat) else []
        values = _evaluated(casadi, loop.body, [carried, outer, *own], passes)
        carried = [values[x] for x in loop.body.outputs[0].nodes]
        if isinstance(loop, Repeat):
            rows += [values[x] for x in loop.body.outputs[1].nodes]
    return [*carried, *rows]


def _names(function: CompiledFunction) -> tuple[list[str], list[str]]:
    """CasADi wants names of inputs and outputs that differ."""
    inputs = [_identifier(x.name) for x in function.inputs]
    outputs = [_identifier(x.name) for x in function.outputs]
    return inputs, [f"next_{x}" if x in inputs else x for x in outputs]


def _identifier(name: str) -> str:
    """Letters, digits and single underscores inside."""
    text = "".join(x if x.isascii() and x.isalnum() else "_" for x in name)
    while "__" in text:
        text = text.replace("__", "_")
    text = text.strip("_")
    return text if text and text[0].isalpha() and text not in ("null", "jac", "hess") else f"f_{text}".rstrip("_")


def _callback(casadi: Any, function: CompiledFunction) -> Any:
    derivatives = PlainDerivatives(function)
    inputs, outputs = _names(function)

    def arrays(given) -> list[np.ndarray]:
        return [np.asarray(x.full()).reshape(spec.shape) for x, spec in zip(given, function.inputs, strict=False)]

    class Called(casadi.Callback):
        """Shapes, and how to get a value; CasADi asks for the rest."""

        def __init__(self, name: str, specs: list[tuple[int, int]], results: list[tuple[int, int]], named: tuple):
            casadi.Callback.__init__(self)
            self._specs, self._results, self._named = specs, results, named
            self.construct(name, {})

        def get_n_in(self):
            return len(self._specs)

        def get_n_out(self):
            return len(self._results)

        def get_name_in(self, k):
            return self._named[0][k]

        def get_name_out(self, k):
            return self._named[1][k]

        def get_sparsity_in(self, k):
            return casadi.Sparsity.dense(*self._specs[k])

        def get_sparsity_out(self, k):
            return casadi.Sparsity.dense(*self._results[k])

    class Jacobian(Called):
        def eval(self, given):
            every = self.compiled(*arrays(given))
            blocks = iter(every if isinstance(every, tuple) else (every,))
            results = []
            for y in function.outputs:
                for x in function.inputs:
                    size = prod(y.shape), prod(x.shape)
                    if y.name not in derivatives.differentiable:
                        results.append(casadi.DM(*size))
                        continue
                    block = np.asarray(next(blocks)).reshape(*matrix_shape(y), *matrix_shape(x))
                    results.append(casadi.DM(block.transpose(1, 0, 3, 2).reshape(size)))  # column by column
            return results

    class Value(Called):
        def eval(self, given):
            found = function(*arrays(given))
            found = found if isinstance(found, tuple) else (found,)
            return [
                casadi.DM(np.asarray(x).reshape(matrix_shape(y))) for x, y in zip(found, function.outputs, strict=True)
            ]

        def has_jacobian(self):
            return True

        def get_jacobian(self, name, inames, onames, opts):
            specs = [matrix_shape(x) for x in (*function.inputs, *function.outputs)]
            sizes = [(prod(y.shape), prod(x.shape)) for y in function.outputs for x in function.inputs]
            self.jacobian_found = Jacobian(name, specs, sizes, (list(inames), list(onames)))
            every = [x.name for x in function.inputs]
            self.jacobian_found.compiled = derivatives.jacobian(derivatives.differentiable, every)
            return self.jacobian_found

    taken, given_back = ([matrix_shape(x) for x in specs] for specs in (function.inputs, function.outputs))
    made = Value(_identifier(function.name), taken, given_back, (inputs, outputs))
    _KEPT.append(made)
    return made
