"""Programs for constrained mechanisms: forward dynamics with constraint forces."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from ..algorithms.constrained.bbo import bbo, prox_bbo
from ..algorithms.constrained.constrained_aba import constrained_aba
from ..algorithms.constrained.constrained_ltl import ltl, ltl_soft, prox_ltl, prox_ltls
from ..algorithms.constrained.lcaba import lcaba
from ..algorithms.constrained.mixed import MixedGraph
from ..algorithms.constrained.pv import prox_pv, pv
from ..algorithms.constrained.pv_base import pv_auto
from ..algorithms.constrained.pv_early import pv_early
from ..algorithms.convergence.balance import balance
from ..algorithms.convergence.converge import Accuracy, converge
from ..algorithms.convergence.evidence import Trusted, examined
from ..algorithms.convergence.lost_digits import usually_lost_to_masses
from ..algorithms.convergence.proximal import Iterations, iterate, least_motion
from ..algorithms.rows.constrained_problem import ConstrainedProblem, Solution
from ..algorithms.rows.row_scales import RANK_TOLERANCE, largest_dependent, rank_tolerance, row_scales
from ..errors import InputError
from ..model import Model, Tree
from ..model.constraint_parameters import CONSTRAINT_PARAMETERS
from ..scalar import maximum, solved
from ..spatial import Force, sum_of
from ..spatial.partial_factorization import WEAKEST
from .breaking_ties import cheapest_ties
from .constraint_programs import check_positions
from .least_operations import least_of_bbo, least_of_joint_space, least_of_lcaba
from .mixing import cheapest_mixture, numbers_of, too_alike_to_mix
from .penalties import AUGMENTED, DUAL, MIXED, PRIMAL, ROOTS, Stiffness, bearable_stiffness, penalties, softened
from .precision import SINGLE, Precision
from .recipe import Constraints, Recipe, external_forces
from .solvable import check_solvable
from .status import status

Method = Callable[[Model, Mapping[str, Any]], Callable[..., Any]]
_OUTPUTS = ("a", "forces", "lam", "residual", "iterations", "status")
_DEFAULT = ("a", "forces", "residual", "iterations", "status")
# Inputs that options switch on, in the order of the call.
_SWITCHED = {"desired": "desired", "active": "active", "mu": "mu", "warm_start": "lam"}
_OPTIONS = {"desired": None, "active": None, "baumgarte": None}
_ITERATED = {"iterations": None, "tolerance": None, "rank_tolerance": None, "warm_start": None}
# About the relative error of accelerations at which iterations end that nobody has counted, by the precision of the
# answer. Where the Delassus matrix is there, passes are cheap and sizes are those of unconstrained accelerations.
TOLERANCE = {"float64": 1e-8, "float32": 1e-6}
DUAL_TOLERANCE = {"float64": 1e-14, "float32": 1e-12}
CONSISTENT = {"float64": 1e-6, "float32": 1e-5}  # see `Accuracy`
ROOTS_TOLERANCE = {"float64": 1e-10, "float32": 1e-7}
# Soft penalties: a pass takes a digit or two, so residuals end just below what is allowed.
AUGMENTED_TOLERANCE = {"float64": 1e-9, "float32": 1e-7}
_TOLERANCES = {
    DUAL: DUAL_TOLERANCE, ROOTS: ROOTS_TOLERANCE, MIXED: ROOTS_TOLERANCE, AUGMENTED: AUGMENTED_TOLERANCE,
}  # fmt: skip
# What evidence has to show where digits may be lost (evidence.py), by the precision of the answer.
TRUSTED_ERROR = {"float64": 7e-7, "float32": 7e-4}


@dataclass(frozen=True)
class Family:
    """What solvers that treat constraint rows alike have in common.

    promises_answers   whether status ok says that accelerations are right: then they are computed in double precision
    """

    options: Mapping[str, Any]
    promises_answers: Callable[[Mapping[str, Any]], bool]
    needs_independent_rows: bool = False
    approximation: str | None = None
    expected_passes: int | None = None


HARD = Family(_OPTIONS, lambda options: True, needs_independent_rows=True)
SOFT = Family({**_OPTIONS, "mu": None}, lambda options: False, approximation="penalties")
# Penalties take iterations to be right, and nobody to count them. A typical sample takes the factorization and one
# sweep beyond it.
PROXIMAL = Family({**SOFT.options, **_ITERATED}, lambda options: options["iterations"] is None, expected_passes=2)


def _mixed(model: Model, options: Mapping[str, Any]):
    given = options["carried"]
    numbers = cheapest_mixture(model, options["iterations"]) if given is None else numbers_of(model, given)
    return functools.partial(MixedGraph, numbers=numbers)


def _check_mixed(model: Model, options: Mapping[str, Any]) -> None:
    _check_options(model, options)
    if options["carried"] is not None:
        numbers_of(model, options["carried"])


def _settled_base(model: Model, options: dict[str, Any], parameters: Sequence[str]) -> dict[str, Any]:
    """Algorithm 1 has eq. (49); whether it can be used is planned from the constraints' own numbers."""
    if options["base"] is not None:
        return options
    return {**options, "base": "first" if set(parameters) & set(CONSTRAINT_PARAMETERS) else "last"}


def _switched_inputs(options) -> tuple[str, ...]:
    return tuple(name for option, name in _SWITCHED.items() if option in options and options[option] == "input")


def _check_options(model, options) -> None:
    for option in ("desired", "active", "warm_start"):
        if option in options and options[option] not in (None, "input"):
            raise InputError(f"{option} is {options[option]!r}; expected 'input', to give it with each call, or None")
    if options.get("base", "first") not in ("first", "last"):
        raise InputError(f"base is {options['base']!r}; expected 'first' (eq. 47), 'last' (eq. 49), or None")
    T = options["baumgarte"]
    if T is not None:
        if not isinstance(T, Real) or isinstance(T, bool) or not 0 < float(T) < math.inf:
            raise InputError(f"baumgarte is {T!r}; expected a positive time constant in seconds")
        check_positions(model)
    if "iterations" in options:
        count, rank = options["iterations"], options["rank_tolerance"]
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 100):
            raise InputError(
                f"iterations is {count!r}; expected a whole number from 1 to 100, or None for as many as it takes"
            )
        for name in ("tolerance", "rank_tolerance"):
            value = options[name]
            number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
            if value is not None and not (number and value >= 0):
                raise InputError(f"{name} is {value!r}; expected a finite number that is not negative, or None")
        if rank is not None and count is not None:
            raise InputError(
                f"rank_tolerance is {rank!r} beside iterations={count}; counted iterations are the papers' and ask of "
                f"no direction whether it counts: leave one of the two out"
            )
        if rank is not None and rank >= 1:
            raise InputError(f"rank_tolerance is {rank!r}; singular values are scaled to about 1: expected less")


class Solver:
    """One solver's way from a state to accelerations and multipliers; called, all outputs of its program.

    method(model, options)   the algorithm: `solve(problem)`, of proximal solvers `solve(problem, start)`
    """

    def __init__(self, name: str, method: Method, stiffness: Stiffness, family: Family):
        self._name, self._method, self._stiffness, self._family = name, method, stiffness, family

    def __call__(self, tree, x, options):
        problem, start = self.problem(tree, x, options), x.get("lam")
        if not self.is_exact(options):
            return self.outputs(problem, self.solution(problem, options, start), options)
        n = tree.nv

        def find():
            solution = self.solution(problem, options, start)
            return [*solution.a, *solution.lam], solution

        def equations(z):
            missing = balance(problem, z[:n], z[n:])
            return [*(-t for t in missing.torques), *missing.residuals]

        def again(sides, transposed):  # the matrix is symmetric
            other = problem.with_right_sides(list(sides[:n]), list(sides[n:]))
            solution = self.solution(other, options)
            return [*solution.a, *solution.lam], self.outputs(other, solution, options)["status"]

        z, solution = solved(find, equations, again, n + len(problem.rows))
        if solution is None:
            solution = Solution(list(z[:n]), list(z[n:]), [0.0] * (len(z) - n), 0.0)
        return self.outputs(problem, solution, options)

    def is_exact(self, options) -> bool:
        """Whether solutions satisfy the equations of motion and the constraints, however they were found: neither
        penalties nor counted iterations are left in them."""
        return self._family is HARD or (self._family is PROXIMAL and options["iterations"] is None)

    def problem(self, tree, x, options) -> ConstrainedProblem:
        mu, precision = None, Precision.of(options)
        if self._family is not HARD:
            counted, given = options.get("iterations", 1) is not None, options["mu"]
            wanted = self._stiffness.of(counted=counted, arithmetic=precision.arithmetic)
            if not counted:
                if precision.answer == SINGLE:
                    wanted = softened(wanted, _rank_tolerance(tree.model, options, precision))
                if self._stiffness.on_links and given is None:
                    wanted = bearable_stiffness(tree.model, wanted)
            mu = list(x["mu"]) if given == "input" else penalties(tree.model, given, wanted).tolist()
        return ConstrainedProblem(
            tree, x["q"], x["v"], x["tau"], f_ext=external_forces(tree, x), desired=x.get("desired"),
            active=x.get("active"), mu=mu, baumgarte=options["baumgarte"], weakest=_weakest(tree.model, precision),
            ties=cheapest_ties(tree.model) if self._stiffness.on_links else "last",
        )  # fmt: skip

    def solution(self, problem: ConstrainedProblem, options, lam: Sequence | None = None) -> Solution:
        """From multipliers `lam`, of a proximal solver."""
        model, precision = problem.tree.model, Precision.of(options)
        trusted, solve = _trusted(precision, precision.most_lost(self._name)), self._method(model, options)
        if self._family is not PROXIMAL:
            solution = solve(problem)
            return examined(problem, solution, solve, trusted) if self._family is HARD else solution
        start = [0.0] * len(problem.rows) if lam is None else list(lam)
        factored = solve(problem, start)
        if options["iterations"] is not None:
            return iterate(factored, Iterations(options["iterations"], options["tolerance"]), start)
        usual = _TOLERANCES.get(self._stiffness, TOLERANCE)[precision.answer]
        solution = converge(factored, _accuracy(model, options, problem.mu, precision, usual), start)
        # heavy loads on light links cost digits that inertias with penalties do not show
        to_masses = usually_lost_to_masses(model) if self._stiffness.on_links else 0.0
        if self._stiffness is PRIMAL:
            return replace(solution, lost=math.inf) if to_masses > precision.most_lost_to_masses else solution
        if solution.lost is not None:
            solution = replace(solution, lost=maximum(solution.lost, to_masses))
        return examined(problem, solution, functools.partial(_damped_once, solve), trusted)

    def once(self, problem: ConstrainedProblem, torques: Sequence, options: Mapping[str, Any]) -> list:
        """Accelerations of the mechanism at rest with M a + J' lam = torques and K a = 0, by the problem's factors; of
        proximal solvers after one iteration, which leaves of the rows what a penalty leaves."""
        other = problem.with_right_sides(torques, [0.0] * len(problem.rows))
        solve = self._method(problem.tree.model, options)
        return _damped_once(solve, other).a if self._family is PROXIMAL else solve(other).a

    def least_motion(
        self, problem: ConstrainedProblem, options: Mapping[str, Any]
    ) -> Callable[[Sequence], list]:
        """rows -> the least accelerations of the mechanism at rest with K a = rows, by the factors of the problem; of
        proximal solvers after one iteration."""
        solve = self._method(problem.tree.model, options)
        if self._family is not PROXIMAL:
            none = [0.0] * problem.tree.nv
            return lambda rows: solve(problem.with_right_sides(none, rows)).a
        return functools.partial(least_motion, solve(problem, [0.0] * len(problem.rows)))

    def outputs(self, problem: ConstrainedProblem, solution: Solution, options) -> dict:
        return _outputs(problem, solution, Precision.of(options).most_lost(self._name), hard=self._family is HARD)


def _damped_once(solve, problem: ConstrainedProblem) -> Solution:
    start = [0.0] * len(problem.rows)
    return iterate(solve(problem, start), Iterations(1), start)


def _trusted(precision: Precision, most_lost: float) -> Trusted:
    return Trusted(most_lost, TRUSTED_ERROR[precision.answer], precision.rounding)


def _weakest(model: Model, precision: Precision) -> float | None:
    """Rows with weaker pivots are dependent for solvers that enforce everything: as the rank tolerance, which is larger
    in single precision, and in models whose numbers have few digits; pivots are squares."""
    tolerance, usual = rank_tolerance(model, precision.answer), RANK_TOLERANCE["float64"]
    return None if tolerance == usual else WEAKEST * (tolerance / usual) ** 2


def _rank_tolerance(model: Model, options, precision: Precision) -> float:
    given = options["rank_tolerance"]
    return rank_tolerance(model, precision.answer) if given is None else float(given)


def _consistent(model: Model, options, precision: Precision) -> float:
    """The rank tolerance is ten times what rounding leaves: the model's own, or that of its state."""
    given = options["rank_tolerance"]
    return max(0.1 * rank_tolerance(model), CONSISTENT[precision.answer]) if given is None else 0.1 * float(given)


def _accuracy(model: Model, options, mu, precision: Precision, usual: float) -> Accuracy:
    tolerance = options["tolerance"]
    products = [m * float(d) for m, d in zip(mu, row_scales(model), strict=True)] if mu else [1.0]
    return Accuracy(
        usual if tolerance is None else float(tolerance),
        _rank_tolerance(model, options, precision),
        sum_of(products) * (1.0 / len(products)),
        precision.rounding,
        _consistent(model, options, precision),
        largest_dependent(model, precision.answer) if options["rank_tolerance"] is None else options["rank_tolerance"],
    )


def accuracy_of(model: Model, mu, precision: Precision, tolerance: float) -> Accuracy:
    """That of solvers with penalties mu on bodies, at their usual options but for the tolerance."""
    return _accuracy(model, PROXIMAL.options, mu, precision, tolerance)


def _outputs(problem: ConstrainedProblem, solution: Solution, most_lost: float, *, hard: bool):
    return {
        "a": solution.a,
        "forces": wrenches_on_first_frames(problem, solution.lam),
        "lam": solution.lam,
        "residual": solution.residual,
        "iterations": solution.iterations,
        "status": status(
            solution.a, solution.pivots, solution.converged, solution.outcome, solution.lost, solution.unsure,
            most_lost, rows=solution.pivots if hard else (),
        ),
    }


def wrenches_on_first_frames(problem: ConstrainedProblem, lam) -> list:
    """The wrench of each constraint on its first frame, [linear; angular] in that frame: -rows' lam."""
    forces = []
    for c, own in zip(problem.constraints, problem.split(lam), strict=True):
        wrench: Force = sum_of(row * x for row, x in zip(c.rows, own, strict=True))
        forces.append((-wrench).to_public())
    return forces


def _recipe(
    name: str, summary: str, solve, family: Family, constraints: Constraints, *, stiffness: Stiffness = PRIMAL,
    options: Mapping[str, Any] | None = None, plans: Callable[[Mapping[str, Any]], bool] = lambda options: False,
    least: Callable[[Tree], int] | None = None, method: Method | None = None, check_options=_check_options,
    unasked: Callable[[Model], str | None] = lambda model: None, settled=lambda model, options, parameters: options,
) -> Recipe:  # fmt: skip
    solver = Solver(name, method or (lambda model, options: solve), stiffness, family)
    return Recipe(
        name, summary, ("q", "v", "tau"), _OUTPUTS, solver, ("f_ext",), _DEFAULT,
        {**family.options, **(options or {})}, check_solvable, check_options, _switched_inputs,
        solves="forward_dynamics", constraints=constraints, needs_independent_rows=family.needs_independent_rows,
        approximation=family.approximation, expected_passes=family.expected_passes, least_operations=least,
        differentiable=True, solver=solver, why_not_unasked=unasked, freezes_constraints=plans,
        needs_double=family.promises_answers, settled_options=settled,
    )  # fmt: skip


def pv_soft(problem: ConstrainedProblem) -> Solution:
    """[Sathya2024] sec. VI: penalties in place of constraints, which is constrainedABA's first iteration."""
    start = [0.0] * len(problem.rows)
    return iterate(constrained_aba(problem, start), Iterations(1), start)


CONSTRAINED = (
    _recipe(
        "lcaba", "constrained forward dynamics with loops, any constraints", lcaba, PROXIMAL, "any",
        least=least_of_lcaba,
    ),
    _recipe(
        "prox_bbo", "constrained forward dynamics with loops, proximal, multipliers eliminated at loop roots", prox_bbo,
        PROXIMAL, "any", stiffness=ROOTS, least=least_of_bbo,
    ),
    _recipe(
        "mixed", "constrained forward dynamics with loops, each constraint by penalties or by multipliers", None,
        PROXIMAL, "any", stiffness=MIXED, options={"carried": None}, method=_mixed, check_options=_check_mixed,
        unasked=too_alike_to_mix,
    ),
    _recipe("bbo", "constrained forward dynamics with loops, independent closures", bbo, HARD, "any"),
    _recipe(
        "constrained_aba", "constrained forward dynamics, O(n + m), any constraints", constrained_aba, PROXIMAL,
        "ground", least=least_of_lcaba,
    ),
    _recipe(
        "prox_pv", "constrained forward dynamics, proximal Popov-Vereshchagin", prox_pv, PROXIMAL, "ground",
        stiffness=DUAL, least=least_of_bbo,
    ),
    _recipe(
        "prox_ltl", "constrained forward dynamics, proximal, joint space", prox_ltl, PROXIMAL, "any", stiffness=DUAL,
        least=least_of_joint_space,
    ),
    _recipe(
        "prox_ltls", "constrained forward dynamics, augmented inertia matrix", prox_ltls, PROXIMAL, "ground",
        stiffness=AUGMENTED,
    ),
    _recipe(
        "pv", "constrained forward dynamics, independent constraints", pv, HARD, "ground", options={"base": None},
        plans=lambda options: options["base"] == "last", settled=_settled_base,
        method=lambda model, options: pv_auto if options["base"] == "last" else pv,
    ),
    _recipe(
        "pv_early", "constrained forward dynamics, O(n + m), multipliers eliminated early", pv_early, HARD, "ground",
        plans=lambda options: True,
    ),
    _recipe("ltl", "constrained forward dynamics, independent constraints, joint space", ltl, HARD, "any"),
    _recipe("pv_soft", "constraints as penalties, O(n + m)", pv_soft, SOFT, "ground"),
    _recipe("ltl_soft", "constraints as penalties, joint space", ltl_soft, SOFT, "any", stiffness=AUGMENTED),
)  # fmt: skip
