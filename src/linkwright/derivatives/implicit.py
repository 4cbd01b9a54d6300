"""Solutions of constrained dynamics are differentiated implicitly, not through the iterations that found them.

Accelerations a and multipliers lam satisfy, at x = (q, v, tau, parameters ...),

    t(x, a, lam) = tau - M a - c - J' lam = 0        torques that are missing
    r(x, a)      = J a - e                = 0        residuals of the rows

so a change of x changes them by the solution of the same linear system with other right-hand sides,

    M da + J' dlam = t_x dx,    J da = -r_x dx.

That is the solver once more; its factors are at hand (when traced they are the same nodes). Backward, the matrix being
symmetric, the adjoints of a and lam are the right-hand sides, and the solution (w, z) weighs the two equations: the
adjoint of x is t_x' w - r_x' z, one reverse sweep through the equations of motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.convergence.balance import balance
from ..algorithms.rows.constrained_problem import ConstrainedProblem, Solution
from ..errors import InputError
from ..programs.constrained import wrenches_on_first_frames
from ..scalar import Scalar, maximum, repeat
from ..trace import Measured, Program, Varied, inlined, jacobians, pullback, pushforward, simplify, trace

if TYPE_CHECKING:
    from .question import Question

# What is found from x, a and lam; all else (residuals, counts) belongs to the way to the solution.
OUTPUTS = ("a", "lam", "forces")
UNKNOWNS = ("a", "lam")
TORQUES, ROWS = "torques", "rows"


class ImplicitProgram:
    """Programs for derivatives of one solver's solutions."""

    def __init__(self, question: Question):
        self.question, request = question, question.request
        self.request, self.solver = request, request.recipe.solver
        self.options = {**request.options, "precision": request.precision, "arithmetic": request.arithmetic}
        for name in question.of:
            if name not in OUTPUTS:
                raise InputError(
                    f"output {name!r} of {request.recipe.name!r} tells of the way to the solution and is not "
                    f"differentiated; {', '.join(OUTPUTS)} are"
                )
        if "active" in question.wrt:
            raise InputError("'active' switches constraints on and off; there is no derivative with respect to it")
        self.sizes = {"a": request.model.nv, "lam": request.model.nc}

    def program(self) -> Program:
        build = {"vjp": self._backward, "jvp": self._forward, "jacobian": self._columns}[self.question.kind]
        return build()

    # The explicit parts: equations and outputs as functions of x, a and lam.

    def _problem(self, values: Mapping[str, Any]) -> ConstrainedProblem:
        return self.solver.problem(self.request.tree(values), values, self.options)

    def _explicit(self, function: Callable[[ConstrainedProblem, Any, Any], dict]) -> Program:
        """A program of x, a and lam, and of the shifts of configurations in x."""
        shifted, shapes = self.question.shifted, self.request.input_shapes

        def evaluate(**values):
            a, lam = values.pop("@a"), values.pop("@lam")
            return function(self._problem(self.question.moved(values)), a, lam)

        unknowns = {f"@{name}": (size,) for name, size in self.sizes.items()}
        every = {**shapes, **unknowns, **{shift: (self.request.model.nv,) for shift in shifted.values()}}
        return simplify(trace(evaluate, every, name=self.request.recipe.name))

    def _equations(self) -> Program:
        def found(problem, a, lam):
            missing = balance(problem, a, lam)
            return {TORQUES: list(missing.torques), ROWS: np.array(list(missing.residuals), dtype=object)}

        return self._explicit(found)

    def _outputs(self) -> Program:
        every = {
            "a": lambda problem, a, lam: a,
            "lam": lambda problem, a, lam: lam,
            "forces": lambda problem, a, lam: wrenches_on_first_frames(problem, lam),
        }
        return self._explicit(lambda *at: {name: every[name](*at) for name in self.question.of})

    # The implicit part.

    def _solve(self, values: Mapping[str, Any]) -> tuple[ConstrainedProblem, Solution, dict]:
        problem = self._problem(values)
        solution = self.solver.solution(problem, self.options, values.get("lam"))
        return problem, solution, self.solver.outputs(problem, solution, self.options)

    def _solve_again(self, problem: ConstrainedProblem, torques, rows) -> tuple[list[Scalar], list[Scalar], Scalar]:
        """(accelerations, multipliers, status) of M w + J' z = torques, J w = rows."""
        other = problem.with_right_sides(list(torques), list(rows))
        solution = self.solver.solution(other, self.options)
        return solution.a, solution.lam, self.solver.outputs(other, solution, self.options)["status"]

    def _closed(self, values: Mapping[str, Any], derivatives: dict, found: dict, statuses: Sequence[Scalar]) -> dict:
        status = found["status"]
        for other in statuses:  # the larger code tells more
            status = maximum(status, other)
        return {**{name: found[name] for name in self.question.values}, **derivatives, "status": status}

    def _traced(self, further: Mapping[str, tuple[int, ...]], function) -> Program:
        every = {**self.request.input_shapes, **further}
        evaluate = lambda **values: function(values)  # noqa: E731  trace passes inputs by name
        return simplify(trace(evaluate, every, name=self.request.recipe.name, labels=self.request.labels))

    def _wrt(self) -> list[Varied]:
        return [Varied(name, self.question.shifted.get(name)) for name in self.question.wrt]

    def _of(self) -> list[Measured]:
        return [Measured(name) for name in self.question.of]

    def _backward(self) -> Program:
        outputs = self._outputs()
        unknowns = [Varied("@a"), Varied("@lam")]
        from_outputs = simplify(pullback(outputs, self._of(), [*unknowns, *self._wrt()]))
        equations = simplify(pullback(self._equations(), [Measured(TORQUES), Measured(ROWS)], self._wrt()))
        weights = {f"{x.name}_bar": x.shape for x in outputs.outputs}

        def evaluate(values):
            bars = {name: values.pop(name) for name in weights}
            problem, solution, found = self._solve(values)
            at = {**values, "@a": solution.a, "@lam": solution.lam}
            direct = inlined(from_outputs, {**at, **bars})
            w, z, status = self._solve_again(problem, direct["@a_bar"], direct["@lam_bar"])
            through = inlined(equations, {**at, f"{TORQUES}_bar": w, f"{ROWS}_bar": [-x for x in z]})
            names = [f"{name}_bar" for name in self.question.wrt]
            return self._closed(values, {name: direct[name] + through[name] for name in names}, found, [status])

        return self._traced(weights, evaluate)

    def _forward(self) -> Program:
        outputs = self._outputs()
        unknowns = [Varied("@a"), Varied("@lam")]
        to_outputs = simplify(pushforward(outputs, self._of(), [*unknowns, *self._wrt()]))
        equations = simplify(pushforward(self._equations(), [Measured(TORQUES), Measured(ROWS)], self._wrt()))
        known = {x.name: x.shape for x in equations.inputs}
        directions = {f"{name}_dot": known[f"{name}_dot"] for name in self.question.wrt}

        def evaluate(values):
            dots = {name: values.pop(name) for name in directions}
            problem, solution, found = self._solve(values)
            at = {**values, "@a": solution.a, "@lam": solution.lam, **dots}
            missing = inlined(equations, at)
            a, lam, status = self._solve_again(problem, missing[f"{TORQUES}_dot"], -missing[f"{ROWS}_dot"])
            along = inlined(to_outputs, {**at, "@a_dot": a, "@lam_dot": lam})
            return self._closed(values, along, found, [status])

        return self._traced(directions, evaluate)

    def _columns(self) -> Program:
        """One solution per column, in a counted loop: code does not grow with their number."""
        outputs, wrt = self._outputs(), self._wrt()
        unknowns = [Varied("@a"), Varied("@lam")]
        slopes = jacobians(outputs, self._of(), [*unknowns, *wrt])
        equations = jacobians(self._equations(), [Measured(TORQUES), Measured(ROWS)], wrt)

        def evaluate(values):
            problem, solution, found = self._solve(values)
            at = {**values, "@a": solution.a, "@lam": solution.lam}
            changed, direct = inlined(equations, at), inlined(slopes, at)
            n, m = self.sizes["a"], self.sizes["lam"]
            torques = np.concatenate([changed[f"d{TORQUES}_d{x.name}"].reshape(n, -1) for x in wrt], axis=1)
            rows = np.concatenate([changed[f"d{ROWS}_d{x.name}"].reshape(m, -1) for x in wrt], axis=1)

            def column(carried, t, r):
                a, lam, status = self._solve_again(problem, t, [-x for x in r])
                return [maximum(carried[0], status)], [*a, *lam]

            tables = [list(torques.T), list(rows.T)] if m else [list(torques.T), [np.zeros(0)] * torques.shape[1]]
            (status,), solved = repeat(column, [found["status"]], count=torques.shape[1], tables=tables)
            change = np.array(solved, dtype=object).T  # (n + m, columns)
            return self._closed(values, self._blocks(direct, change), found, [status])

        return self._traced({}, evaluate)

    def _blocks(self, direct: Mapping[str, np.ndarray], change: np.ndarray) -> dict[str, np.ndarray]:
        """dy_dx = y_x + y_(a, lam) d(a, lam)/dx."""
        blocks, first, n = {}, 0, self.sizes["a"]
        for x in self._wrt():
            size = int(np.prod(direct[f"d{self.question.of[0]}_d{x.name}"].shape)) // int(
                np.prod(direct[f"d{self.question.of[0]}_d@a"].shape[:-1])
            )
            own = change[:, first : first + size]
            first += size
            for name in self.question.of:
                explicit = direct[f"d{name}_d{x.name}"]
                moving = own[:n] if name == "a" else own[n:]
                if name == "forces":
                    moving = _product(direct[f"d{name}_d@lam"].reshape(-1, self.sizes["lam"]), moving)
                flat = explicit.reshape(-1, size)
                blocks[f"d{name}_d{x.name}"] = (flat + moving).reshape(explicit.shape)
        return blocks


def _product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Of matrices of expressions; zeros that are known cost nothing."""
    result = np.empty((A.shape[0], B.shape[1]), dtype=object)
    for r, c in np.ndindex(*result.shape):
        total: Scalar = 0.0
        for x, y in zip(A[r], B[:, c], strict=True):
            total = total + x * y
        result[r, c] = total
    return result
