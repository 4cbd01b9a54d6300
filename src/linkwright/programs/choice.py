"""Which algorithm is taken when nobody names one: of those that suit the model exactly, the one with the fewest
operations.

`compile`, `simulate`, `inspect` and messages all ask here. Counting takes a trace, seconds for large programs; so the
candidates that promise to be small are traced first, one that must have more operations than the best so far is not
traced at all, and what was found is kept in the cache.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..codegen import load_note, store_note
from ..errors import LinkwrightError, UnsupportedError, unknown_name
from ..model import Model, tree_of
from ..model.found_once import found_once
from ..printable import printable_lines
from ..trace import count_operations
from .outside import has_outside_parts, is_outside
from .recipe import Recipe
from .registry import RECIPES, problems
from .request import Request, refuse_unknown_constraints, sources_hash

FORWARD_DYNAMICS = "forward_dynamics"
NO_CONSTRAINTS = "for constraints, of which there are none"


@dataclass(frozen=True)
class Contender:
    """One way to solve a problem. `operations` is None if it was not counted, `problem` says why it does not suit."""

    name: str
    operations: int | None = None
    at_least: int | None = None
    problem: str | None = None

    def __str__(self) -> str:
        if self.problem is not None:
            return f"{self.name}: {printable_lines(self.problem)}"
        if self.operations is not None:
            return f"{self.name}: {self.operations} operations"
        return f"{self.name}: {f'at least {self.at_least} operations' if self.at_least else 'the only one that suits'}"


@dataclass(frozen=True)
class Choice:
    """What was taken and why: `candidates` are all programs that solve the problem, cheapest first.

    Operations are those of the problem's first output, or of the outputs asked for, with the passes that a typical
    sample takes.
    """

    problem: str
    algorithm: str
    candidates: tuple[Contender, ...]

    def request(self, model: Model, wish: Wish) -> Request:
        """What was chosen, asked of the model."""
        return _in_coordinates(wish)[0].request(model, self.algorithm)

    def __str__(self) -> str:
        able = [str(candidate) for candidate in self.candidates if candidate.problem is None]
        return "\n  ".join([f"{self.problem} by {self.algorithm!r}", *able, *_refusals(self.candidates)])


def _refusals(candidates: Sequence[Contender]) -> list[str]:
    """Reasons, each with the names of those it holds for."""
    names: dict[str, list[str]] = {}
    for candidate in candidates:
        if candidate.problem is not None:
            names.setdefault(candidate.problem, []).append(candidate.name)
    return [f"not {', '.join(own)}: {printable_lines(reason)}" for reason, own in names.items()]


@dataclass(frozen=True)
class Wish:
    """What is asked of `compile` but the algorithm."""

    outputs: tuple[str, ...] | str | None = None
    parameters: tuple[str, ...] = ()
    f_ext: bool = False
    options: tuple[tuple[str, Any], ...] = ()
    precision: str = "float64"

    def request(self, model: Model, name: str) -> Request:
        return Request.of(model, name, self.outputs, self.parameters, self.f_ext, dict(self.options), self.precision)


def choose(model: Model, problem: str = FORWARD_DYNAMICS, wish: Wish | None = None, *, cache: bool = True) -> Choice:
    """The cheapest program that solves a problem exactly; remembered, unless `cache` is False in the on-disk cache too.

    Programs are chosen in coordinates of the spanning tree, unless the option coordinates= says otherwise; and only
    those that can do with constraint rows that depend on one another, which they may do at some pose whatever they do
    at others.
    """
    known = problems()
    if problem not in known:
        raise unknown_name("algorithm", problem, [*known, *RECIPES])
    wish = Wish() if wish is None else wish
    try:
        return _remembered(model, problem, wish, cache)
    except TypeError:  # options that are no dictionary keys
        return _choose(model, problem, wish, cache)


@found_once
def _remembered(model: Model, problem: str, wish: Wish, cache: bool) -> Choice:
    return _choose(model, problem, wish, cache)


def _choose(model: Model, problem: str, wish: Wish, cache: bool) -> Choice:
    recipes = problems()[problem]
    wish, coordinates = _in_coordinates(wish)
    reasons = {recipe.name: why_not(model, recipe, wish, coordinates) for recipe in recipes}
    able = [recipe for recipe in recipes if reasons[recipe.name] is None]
    unfit = tuple(Contender(name, problem=reason) for name, reason in reasons.items() if reason is not None)
    if not able:
        told = "\n  ".join(_refusals(unfit))
        raise UnsupportedError(f"no algorithm for {problem} of {model.name!r} suits what is asked for:\n  {told}")
    if len(able) == 1:
        return Choice(problem, able[0].name, (Contender(able[0].name), *unfit))
    known = not has_outside_parts(model) and not any(is_outside(recipe, model) for recipe in recipes)
    key = _key(model, problem, wish) if cache and known else None
    stored = None if key is None else load_note(key)
    if stored is not None:
        return Choice(problem, stored["algorithm"], tuple(Contender(**x) for x in stored["candidates"]))
    counted = _count(model, able, wish)
    best = min((c for c in counted if c.operations is not None), key=lambda c: c.operations or 0, default=None)
    if best is None:
        raise UnsupportedError(str(counted[0].problem))
    choice = Choice(problem, best.name, (*counted, *unfit))
    if key is not None:
        store_note(key, asdict(choice))
    return choice


def why_not(model: Model, recipe: Recipe, wish: Wish, coordinates: str = "tree") -> str | None:
    """Why a program does not suit, in a few words; None if it does, as far as is known before it is traced."""
    if recipe.coordinates != coordinates:
        return f"in {recipe.coordinates} coordinates (coordinates={recipe.coordinates!r})"
    reason = unsuitable(model, recipe)
    if reason is not None:
        return reason
    if not recipe.exact:
        return f"approximate: {recipe.approximation}"
    if recipe.needs_independent_rows and model.constraints:
        return "needs constraint rows that are independent at every pose"
    aside = recipe.why_not_unasked(model)
    if aside is not None:
        return aside
    try:
        wish.request(model, recipe.name)
    except LinkwrightError as error:
        return str(error)
    return None


def unsuitable(model: Model, recipe: Recipe) -> str | None:
    """Why a program is not for the constraints of a model."""
    if not recipe.takes_constraints_of(model):
        return "knows no constraints" if recipe.constraints == "none" else "takes constraints to the ground only"
    if recipe.coordinates == "tree" and recipe.constraints in ("ground", "any") and not model.constraints:
        return NO_CONSTRAINTS
    return None


def _count(model: Model, recipes: list[Recipe], wish: Wish) -> list[Contender]:
    """Cheapest first, then those that cannot be cheaper, then those that turned out not to suit."""
    bounds = {r.name: r.least_operations(tree_of(model)) if r.least_operations else 0 for r in recipes}
    counted: list[Contender] = []
    hopeless: list[Contender] = []
    refused: list[Contender] = []
    fewest = float("inf")
    for recipe in sorted(recipes, key=lambda r: bounds[r.name]):
        if bounds[recipe.name] >= fewest:
            hopeless.append(Contender(recipe.name, at_least=bounds[recipe.name]))
            continue
        try:
            operations = count(model, recipe, wish)
        except LinkwrightError as error:  # found out only when traced
            refused.append(Contender(recipe.name, problem=str(error)))
            continue
        counted.append(Contender(recipe.name, operations))
        fewest = min(fewest, operations)
    order = list(RECIPES)
    return [*sorted(counted, key=lambda c: (c.operations, order.index(c.name))), *hopeless, *refused]


def count(model: Model, recipe: Recipe, wish: Wish) -> int:
    """Operations with the model's own numbers: setup and, for a typical sample, passes of the iteration."""
    options = dict(wish.options)
    if recipe.expected_passes is not None and options.get("iterations") is None:
        options |= {"iterations": recipe.expected_passes, "rank_tolerance": None}
    outputs = wish.outputs or recipe.resolve_outputs(None)[0]
    counted = replace(wish, outputs=outputs, options=tuple(options.items()))
    return count_operations(counted.request(model, recipe.name).program()).total


def check_solver(model: Model, name: str) -> None:
    """Refuse a solver that is none, or that does not know some constraint of this model."""
    solvers = {r.name: r for r in problems()[FORWARD_DYNAMICS] if r.coordinates == "tree"}
    if name not in solvers:
        raise unknown_name("solver", name, solvers)
    refuse_unknown_constraints(model, solvers[name], "solver ")


def _in_coordinates(wish: Wish) -> tuple[Wish, str]:
    """Programs in independent coordinates have an option of that name; to name the tree's is to say nothing."""
    options: Mapping[str, Any] = dict(wish.options)
    coordinates = options.get("coordinates", "tree")
    if coordinates != "tree":
        return wish, "independent"
    rest = tuple((name, value) for name, value in options.items() if name != "coordinates")
    return replace(wish, options=rest), "tree"


def _key(model: Model, problem: str, wish: Wish) -> str:
    asked = [problem, wish.outputs, wish.parameters, wish.f_ext, sorted(wish.options), wish.precision]
    known = model.fingerprint_of("structure", "inertias", "constraints")
    text = json.dumps(["choice", asked, known, sources_hash()], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def solver_of(model: Model, iterations: int | None) -> str:
    """The name of the forward dynamics that steps of a simulation take unasked."""
    asked = {"desired": "input", "iterations": iterations} if model.constraints else {}
    return choose(model, FORWARD_DYNAMICS, Wish("a", options=tuple(asked.items()))).algorithm
