"""What was asked about the derivatives of a named program, checked; and the program that answers it.

Configurations are varied in their tangent space: q becomes q + dq/dt(q, shift) with a shift of nv numbers that is zero,
and configurations that come out are measured in velocities (`velocity_chart`).
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..errors import InputError, unknown_name
from ..model import Model
from ..model.configuration import coordinate_rates, is_curved, velocity_chart
from ..model.parameters import PARAMETER_NAMES
from ..physics import RECIPES
from ..programs import Recipe, Request
from ..programs.cluster_state import independent_places
from ..scalar import Scalar
from ..trace import Program, jacobians, pullback, pushforward
from .analytic import AnalyticProgram, answers
from .held_columns import held_columns, holds
from .implicit import ImplicitProgram
from .second_order import gradient_along, second_order
from .unknowns import Subject

ANSWERS: dict[str, Callable[..., Program]] = {
    "jacobian": jacobians, "vjp": pullback, "jvp": pushforward, "hessian_vector": gradient_along
}  # fmt: skip
CONFIGURATIONS = frozenset({"q", "q0", "q1"})
# Outputs that count, judge, or tell of the way to a solution: they have no slope.
VERDICTS = frozenset({"status", "iterations", "effort", "active", "rank", "residual", "drift", "worst", "clamped"})
# Inputs that switch something on or off.
SWITCHES = frozenset({"active"})
# Inputs of a step that has actuators.
COMMANDS = frozenset({"ctrl", "act"})


@dataclass(frozen=True)
class Question:
    """kind      "jacobian", "vjp", "jvp" or "hessian_vector"
    request   the program with the outputs that are differentiated and those that are given along
    """

    kind: str
    request: Request
    of: tuple[str, ...]
    wrt: tuple[str, ...]
    values: tuple[str, ...]

    @classmethod
    def of_model(
        cls, kind: str, model: Model, algorithm: str | None, of: str | Sequence[str] | None,
        wrt: str | Sequence[str] | None, *, values: bool, parameters: str | Sequence[str], f_ext: bool,
        options: Mapping[str, Any], precision: str,
    ) -> Question:  # fmt: skip
        if algorithm not in RECIPES:
            raise unknown_name("algorithm", algorithm, RECIPES)
        recipe = RECIPES[algorithm]
        of = names_given("of", of) if of is not None else None
        wrt = names_given("wrt", wrt) if wrt is not None else None
        parameters = list(names_given("parameters", parameters))
        for name in wrt or ():  # naming a parameter, a force or a command makes it an input
            if name in PARAMETER_NAMES and name not in parameters:
                parameters.append(name)
            f_ext = f_ext or name == "f_ext"
            if name in COMMANDS and "actuators" in recipe.options:
                options = {"actuators": "input", **options}
        usual = ("a",) if recipe.solver is not None else recipe.resolve_outputs(None)
        asked = tuple(name for name in usual if name not in VERDICTS) if of is None else of
        for name in asked:
            if name in VERDICTS and name in recipe.outputs:
                raise InputError(
                    f"output {name!r} of {algorithm!r} tells of the way to the solution, a verdict or a count, and has "
                    f"no derivative; {', '.join(x for x in recipe.outputs if x not in VERDICTS)} may have"
                )
        if "improvement" in recipe.options and options.get("improvement") is None:
            options = {**options, "improvement": 0.0}  # derivatives are those of the solution, so be it one
        request = Request.of(model, algorithm, asked, tuple(parameters), f_ext, options, precision)
        shapes = request.input_shapes
        wrt = tuple(shapes) if wrt is None else wrt
        for name in wrt:
            if name not in shapes:
                _refuse_unknown(name, recipe, shapes)
            if name in SWITCHES:
                raise InputError(f"{name!r} switches constraints on and off; there is no derivative with respect to it")
        for what, names in (("of", asked), ("wrt", wrt)):
            if not names or len(set(names)) != len(names):
                raise InputError(f"{what} is {list(names)}; expected at least one name, each name once")
        return cls(kind, request, asked, wrt, asked if values else ())

    @property
    def key(self) -> str:
        """Identifies the program without tracing it."""
        text = "\n".join([self.kind, self.request.key, *map(repr, (self.of, self.wrt, self.values))])
        return hashlib.sha256(text.encode()).hexdigest()

    def place(self, name: str, shape: tuple[int, ...]) -> tuple[Sequence[int], Sequence[int]] | None:
        """(coordinates, velocities) of the mechanism that a configuration holds, or None: its numbers are plain."""
        model = self.request.model
        if name in CONFIGURATIONS and shape == (model.nq,):
            coordinates, velocities = [*range(model.nq)], [*range(model.nv)]
        elif name == "y" and self.request.recipe.coordinates == "independent":
            coordinates, velocities = independent_places(model, self.request.options)
        else:
            return None
        return (coordinates, velocities) if is_curved(model, coordinates) else None

    @functools.cached_property
    def _shifted_places(self) -> dict[str, tuple[Sequence[int], Sequence[int]]]:
        shapes = self.request.input_shapes
        places = {name: self.place(name, shapes[name]) for name in self.wrt}
        return {name: place for name, place in places.items() if place is not None}

    @functools.cached_property
    def shifted(self) -> dict[str, str]:
        """Configurations that are differentiated with respect to -> the inputs that shift them."""
        return {name: f"{name}_shift" for name in self._shifted_places}

    @property
    def shift_shapes(self) -> dict[str, tuple[int, ...]]:
        return {self.shifted[name]: (len(velocities),) for name, (_, velocities) in self._shifted_places.items()}

    def moved(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all inputs with configurations shifted, and without the shifts."""
        moved, model = dict(values), self.request.model
        for name, (coordinates, velocities) in self._shifted_places.items():
            shift = moved.pop(self.shifted[name])
            rates = coordinate_rates(
                model, spread(model.nq, coordinates, moved[name]), spread(model.nv, velocities, shift)
            )
            moved[name] = moved[name] + [rates[n] for n in coordinates]
        return moved

    def measured(self, **values: Any) -> dict[str, Any]:
        """Outputs of the program at shifted configurations, with the charts of configurations among them."""
        results, model = self.request.evaluate(self.moved(values), differentiated=True), self.request.model
        for name in self.of:
            place = self.place(name, np.shape(np.asarray(results[name], dtype=object)))
            if place is not None:
                coordinates, velocities = place
                chart = velocity_chart(model, spread(model.nq, coordinates, results[name]))
                results[self.chart(name)] = [[chart[r][c] for c in coordinates] for r in velocities]
        return results

    @staticmethod
    def chart(name: str) -> str:
        return f"{name}_chart"

    def program(self) -> Program:
        request = self.request
        request.check_plan()
        if request.recipe.check is not None:
            request.recipe.check(request.model)
        if answers(self):
            return AnalyticProgram(self).program()
        if holds(self):
            return held_columns(self)
        if self.kind == "hessian_vector":
            return second_order(self.subject(2))
        return ImplicitProgram(self.subject()).program(self.kind)

    def subject(self, order: int = 1) -> Subject:
        """The program as a function to differentiate."""
        request = self.request
        return Subject(
            request.recipe.name, request.labels, request.input_shapes, self.shift_shapes, self.moved,
            lambda values: request.evaluate(values, differentiated=True, status=True), self.measured, self.of,
            {name: self.shifted.get(name) for name in self.wrt}, self.values,
            {name: self.chart(name) for name in self.of}, order,
        )  # fmt: skip


def spread(size: int, places: Sequence[int], values: Sequence[Scalar]) -> list[Scalar]:
    """Values at their places, zeros elsewhere."""
    every: list[Scalar] = [0.0] * size
    for n, x in zip(places, values, strict=True):
        every[n] = x
    return every


def names_given(argument: str, given: Any) -> tuple[str, ...]:
    """One name or several, as a tuple."""
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{argument} is {given!r}; expected a name, or a sequence of names")
    return tuple(names)


def _refuse_unknown(name: str, recipe: Recipe, shapes: Mapping[str, Any]) -> NoReturn:
    if name in recipe.options:
        raise InputError(
            f"{name!r} is an option of {recipe.name!r}: the program itself depends on it, and there is no derivative "
            f"with respect to it; there are with respect to its inputs, {', '.join(shapes)}, and to parameters"
        )
    raise unknown_name(f"input of {recipe.name!r}", name, {**shapes, **dict.fromkeys(PARAMETER_NAMES)})
