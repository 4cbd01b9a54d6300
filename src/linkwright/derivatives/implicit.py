"""Solutions are differentiated implicitly, not through the iterations that found them.

Unknowns z satisfy equations F(x, z) = 0; when x changes they change by the solution of a linear system,

    F_z dz = -F_x dx,

whose factors the solver has at hand (when traced they are the same nodes). Backward, the adjoint z_bar is the right
side of the transposed system, F_z' w = z_bar, and w weighs the equations: the adjoint of x is -F_x' w, one reverse
sweep through them. A program may find several solutions one after the other, each from x and those before it.

Of constrained dynamics, z = (a, lam) and F = (M a + c + J' lam - tau, J a - e): F_z is the symmetric KKT matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..scalar import Scalar, is_zero, maximum, repeat, solved
from ..trace import (
    Measured,
    Program,
    Varied,
    inlined,
    jacobians,
    placed_steps,
    pullback,
    pushforward,
    simplify,
    trace,
)
from .unknowns import EQUATIONS, FoundSolution, Subject, with_notes, with_unknowns

# Columns of the equations' derivatives are a straight line each up to about so many nodes (if none of them had zeros);
# beyond, they are found in a loop over directions, which takes more operations and less code.
MOST_IN_LINE = 500_000


class ImplicitProgram:
    """Programs for derivatives of a function, through its steps and its solutions."""

    def __init__(self, subject: Subject):
        self.subject = subject
        self.explicit, self.given = with_unknowns(subject)
        outputs = {x.name for x in self.explicit.outputs}
        # those that vary; others are what a last step of Newton's method starts from
        self.unknowns = [x for x in self.given if x.size and EQUATIONS.format(x.name) in outputs]
        charts = {name: chart for name, chart in subject.charts.items() if chart in outputs}
        self.of = [Measured(name, charts.get(name)) for name in subject.of]
        self.wrt = [Varied(name, shift) for name, shift in subject.wrt.items()]

    def program(self, kind: str) -> Program:
        build = {"vjp": self._backward, "jvp": self._forward, "jacobian": self._jacobians}[kind]
        return build()

    def _before(self, k: int) -> list[Varied]:
        return [Varied(x.name) for x in self.unknowns[:k]]

    def _equations(self, k: int) -> list[Measured]:
        return [Measured(EQUATIONS.format(self.unknowns[k].name))]

    def _traced(self, further: Mapping[str, tuple[int, ...]], function) -> Program:
        every = {**self.subject.shapes, **further}
        evaluate = lambda **values: function(values)  # noqa: E731  trace passes inputs by name
        return simplify(trace(evaluate, every, name=self.subject.name, labels=self.subject.labels))

    def _solve(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], list[FoundSolution], dict[str, Any]]:
        """Outputs, solutions, and the inputs of the explicit program."""
        results, found = with_notes(self.subject, values)
        notes = dict(zip((x.name for x in self.given), found, strict=True))
        at = {**values, **{name: np.array(list(one.z), dtype=object) for name, one in notes.items()}}
        return results, [notes[x.name] for x in self.unknowns], at

    def _closed(self, results: Mapping[str, Any], derivatives: dict, statuses: Sequence[Scalar | None]) -> dict:
        own = {name: results[name] for name in self.subject.values}
        told = [x for x in statuses if x is not None]
        if "status" not in results or (not told and len(self.given) == len(self.unknowns)):
            return {**own, **derivatives}
        return {**own, **derivatives, "status": _worst([results["status"], *told])}

    def _backward(self) -> Program:
        gradient = self.gradient()
        return self._traced(gradient.further, gradient.evaluate)

    def gradient(self) -> Gradient:
        return Gradient(self)

    def _forward(self) -> Program:
        shapes = {x.name: x.shape for x in self.explicit.inputs}
        directions = {f"{x.name}_dot": shapes[x.input] for x in self.wrt}
        along = self._pushforwards()

        def evaluate(values):
            dots = {name: values.pop(name) for name in directions}
            results, found, at = self._solve(values)
            rates, statuses = self._rates(along, found, {**at, **dots}, inlined)
            return self._closed(results, rates, statuses)

        return self._traced(directions, evaluate)

    def _pushforwards(self) -> list[Program]:
        """Of the equations of each unknown, then of the outputs."""
        count = len(self.unknowns)
        asked = [*(self._equations(k) for k in range(count)), self.of]
        return [
            simplify(pushforward(self.explicit, of, [*self._before(k), *self.wrt])) for k, of in enumerate(asked)
        ]

    def _rates(self, along: Sequence[Program], found: Sequence[FoundSolution], at: dict[str, Any], run):
        """(y_dot by name, statuses) at values and directions `at`."""
        statuses = []
        for x, one, program in zip(self.unknowns, found, along, strict=False):
            (missing,) = run(program, at).values()
            at = {**at, f"{x.name}_dot": [0.0] * x.size}
            if not all(is_zero(r) for r in missing):
                w, status = one.again([-r for r in missing], False)
                statuses.append(status)
                at[f"{x.name}_dot"] = list(w)
        return run(along[-1], at), statuses

    def _jacobians(self) -> Program:
        if not self.given:
            return simplify(jacobians(self.explicit, self.of, self.wrt, self.subject.values))
        if not self.unknowns:
            return self._at_corrections()
        if len(self.unknowns) > 1:
            return self._by_directions()
        along = simplify(pushforward(self.explicit, self._equations(0), self.wrt))
        shapes = {x.name: x.shape for x in self.explicit.inputs}
        columns = sum(int(np.prod(shapes[x.input])) for x in self.wrt)
        return self._by_blocks() if along.size * columns <= MOST_IN_LINE else self._by_directions()

    def _at_corrections(self) -> Program:
        """Of a program whose solutions are all last steps of Newton's method."""
        slopes = jacobians(self.explicit, self.of, self.wrt)

        def evaluate(values):
            results, _, at = self._solve(values)
            return self._closed(results, inlined(slopes, at), [])

        return self._traced({}, evaluate)

    def _by_blocks(self) -> Program:
        """One solution per column, in a counted loop: code does not grow with their number.

        dy_dx = y_x + y_z dz_dx, and what is known to be zero in the columns of F_x costs nothing.
        """
        (unknown,), wrt = self.unknowns, self.wrt
        slopes = jacobians(self.explicit, self.of, [Varied(unknown.name), *wrt])
        equations = jacobians(self.explicit, self._equations(0), wrt)

        def evaluate(values):
            results, (found,), at = self._solve(values)
            changed, direct = list(inlined(equations, at).values()), inlined(slopes, at)
            sides = np.concatenate([block.reshape(unknown.size, -1) for block in changed], axis=1)

            def column(side):
                w, status = found.again([-x for x in side], False)
                return list(w), [status]

            status, solved = _repeated(column, sides.shape[1], [list(sides.T)])
            change = np.array(solved, dtype=object).reshape(sides.shape[1], unknown.size).T
            blocks, first = {}, 0
            for x, block in zip(wrt, changed, strict=True):
                own = change[:, first : first + block.size // unknown.size]
                first += own.shape[1]
                for y in self.of:
                    explicit = direct[f"d{y.name}_d{x.name}"]
                    moving = _product(direct[f"d{y.name}_d{unknown.name}"].reshape(-1, unknown.size), own)
                    blocks[f"d{y.name}_d{x.name}"] = (explicit.reshape(moving.shape) + moving).reshape(explicit.shape)
            ordered = {f"d{y.name}_d{x.name}": blocks[f"d{y.name}_d{x.name}"] for y in self.of for x in wrt}
            return self._closed(results, ordered, status)

        return self._traced({}, evaluate)

    def _by_directions(self) -> Program:
        """Along one unit direction after the other, in a counted loop."""
        along = self._pushforwards()
        shapes = {x.name: x.shape for x in self.explicit.inputs}
        sizes = [int(np.prod(shapes[x.input])) for x in self.wrt]

        def evaluate(values):
            results, found, at = self._solve(values)

            def column(*row):
                parts = np.split(np.array(row, dtype=object), np.cumsum(sizes)[:-1])
                dots = {f"{x.name}_dot": part.reshape(shapes[x.input]) for x, part in zip(self.wrt, parts, strict=True)}
                rates, statuses = self._rates(along, found, {**at, **dots}, placed_steps)
                return [x for rate in rates.values() for x in np.asarray(rate, dtype=object).ravel()], statuses

            unit = [list(line) for line in np.eye(sum(sizes)).T]
            status, columns = _repeated(column, sum(sizes), unit)
            every, blocks, row = np.array(columns, dtype=object).T, {}, 0
            for y, rate in zip(self.of, along[-1].outputs, strict=True):
                first = 0
                for x, size in zip(self.wrt, sizes, strict=True):
                    block = every[row : row + rate.size, first : first + size]
                    blocks[f"d{y.name}_d{x.name}"] = block.reshape((*rate.shape, *shapes[x.input]))
                    first += size
                row += rate.size
            return self._closed(results, blocks, status)

        return self._traced({}, evaluate)


class Gradient:
    """The function that finds gradients: of inputs and of weights `further`."""

    def __init__(self, of: ImplicitProgram):
        self._of, count = of, len(of.unknowns)
        self._from_outputs = simplify(pullback(of.explicit, of.of, [*of._before(count), *of.wrt]))
        self._through = [
            simplify(pullback(of.explicit, of._equations(k), [*of._before(k), *of.wrt])) for k in range(count)
        ]
        self.further = {x.name: x.shape for x in self._from_outputs.inputs[-len(of.of) :]}

    def evaluate(self, values: Mapping[str, Any]) -> dict[str, Any]:
        of = self._of
        bars = {name: values[name] for name in self.further}
        results, found, at = of._solve({name: x for name, x in values.items() if name not in bars})
        total, statuses = inlined(self._from_outputs, {**at, **bars}), []
        for k in reversed(range(len(of.unknowns))):
            z_bar = total[f"{of.unknowns[k].name}_bar"]
            if all(is_zero(x) for x in z_bar):
                continue
            w, status = self._weights(k, found[k], list(z_bar), at)
            statuses.append(status)
            handed = inlined(self._through[k], {**at, f"{of._equations(k)[0].name}_bar": [-x for x in w]})
            total |= {name: total[name] + value for name, value in handed.items()}
        return of._closed(results, {f"{x.name}_bar": total[f"{x.name}_bar"] for x in of.wrt}, statuses)

    def _weights(self, k: int, found: FoundSolution, z_bar: list[Scalar], at: Mapping[str, Any]):
        """w of F_z' w = z_bar, itself a solution: who differentiates gradients wants to know its equations."""
        of, name = self._of, self._of.unknowns[k].name

        def equations(w):
            own = simplify(pullback(of.explicit, of._equations(k), [Varied(name), *of.wrt]))
            felt = inlined(own, {**at, f"{of._equations(k)[0].name}_bar": list(w)})[f"{name}_bar"]
            return [x - y for x, y in zip(felt, z_bar, strict=True)]

        return solved(
            lambda: found.again(z_bar, True), equations,
            lambda sides, transposed: found.again(sides, not transposed), len(z_bar),
        )  # fmt: skip


def _repeated(column, count: int, tables: Sequence[Sequence]) -> tuple[list[Scalar], list[list[Scalar]]]:
    """([the worst status, if there are any], the results of all passes); `column(*row)` returns results, statuses."""
    any_told = []

    def body(carried, *row):
        results, statuses = column(*row)
        told = [x for x in statuses if x is not None]
        any_told.extend(told)
        return [_worst([*carried, *told])], results

    (status,), columns = repeat(body, [0.0], count=count, tables=tables)
    return [status] if any_told else [], columns


def _worst(codes: Sequence[Scalar]) -> Scalar:
    """The larger code tells more."""
    worst = codes[0]
    for code in codes[1:]:
        worst = maximum(worst, code)
    return worst


def _product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Of matrices of expressions; zeros that are known cost nothing."""
    result = np.zeros((A.shape[0], B.shape[1]), dtype=object)
    for r, line in enumerate(A):
        for k, x in enumerate(line):
            if not is_zero(x):
                result[r] = [total + x * y for total, y in zip(result[r], B[k], strict=True)]
    return result
