"""`Request`: a named program, asked of one model."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..codegen import program_content
from ..errors import InputError, UnsupportedError, unknown_name
from ..model import Model, Tree, configuration, tree_of
from ..model.constraint_parameters import CONSTRAINT_PARAMETERS, PLANNED_WITH
from ..model.parameters import CONTACT_PARAMETERS, parameter_shapes
from ..trace import Program, simplify, trace
from .outside import is_outside
from .recipe import CONTACT_OUTPUTS, Recipe
from .registry import RECIPES, names_of, problems


@dataclass(frozen=True)
class Request:
    """A named program on a model, with its options checked."""

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
            raise unknown_name("algorithm", algorithm, [*problems(), *RECIPES])
        chosen = RECIPES[algorithm].resolve_outputs(outputs)
        recipe = RECIPES[algorithm].for_outputs(chosen)
        parameters = (parameters,) if isinstance(parameters, str) else tuple(parameters)
        if f_ext and "f_ext" not in recipe.optional_inputs:
            able = names_of(lambda other: "f_ext" in other.optional_inputs)
            raise InputError(f"{algorithm!r} takes no external forces; {', '.join(able)} do")
        settled = recipe.settled_options(model, recipe.resolve_options(options), parameters)
        request = cls(model, recipe, chosen, parameters, bool(f_ext), settled, precision)
        if recipe.check_plan is None:
            request.input_shapes  # noqa: B018  refuses unknown parameters
        else:
            parameter_shapes(model, parameters)
        if recipe.check_options is not None:
            recipe.check_options(model, request.options)
        frozen = [name for name in parameters if name in PLANNED_WITH]
        if frozen and recipe.freezes_constraints(request.options):
            raise UnsupportedError(
                f"{algorithm!r} plans its work from the constraints' own numbers, so {', '.join(frozen)} cannot be "
                f"inputs of it; 'lcaba', 'ltl', 'pv_osim' and 'delassus_operator' take them"
            )
        refuse_unknown_constraints(model, recipe)
        return request

    @property
    def arithmetic(self) -> str:
        """The precision to compute in."""
        return "float64" if self.recipe.needs_double(self.options) else self.precision

    @functools.cached_property
    def input_shapes(self) -> dict[str, tuple[int, ...]]:
        return self.recipe.input_shapes(self.model, self.parameters, self.f_ext, self.options)

    @property
    def knows_contacts(self) -> bool:
        return self.recipe.contacts(self.options) != "none"

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Names of the rows of outputs that have one row per constraint, contact or actuator."""
        touching = tuple(point.name for point in self.model.contacts) if self.knows_contacts else ()
        driven = tuple(one.name for one in self.model.actuators) if self.recipe.takes_actuators(self.options) else ()
        return {
            "forces": tuple(c.name for c in self.model.constraints), **dict.fromkeys(CONTACT_OUTPUTS, touching),
            **dict.fromkeys(("actuator_force", "clamped"), driven),
        }  # fmt: skip

    @property
    def sections(self) -> tuple[str, ...]:
        """Those of the model that the program depends on."""
        given = any(name in CONSTRAINT_PARAMETERS for name in self.parameters)
        touching = any(name in CONTACT_PARAMETERS for name in self.parameters)
        closed = given or self.recipe.constraints in ("ground", "any")
        read = {
            "inertias": self.recipe.reads_inertias, "constraints": closed,
            "contacts": self.knows_contacts or touching or bool(self.options.get("watch")),
            "actuators": self.recipe.takes_actuators(self.options) or "actuator_gains" in self.parameters,
        }  # fmt: skip
        return ("structure", *(section for section, is_read in read.items() if is_read))

    @property
    def key(self) -> str:
        """Identifies the program without tracing it: the model, the request and our own sources.

        What stands in other modules can only be known by tracing it (outside.py)."""
        request = [
            self.recipe.name, self.outputs, self.parameters, self.f_ext, sorted(self.options.items()), self.precision
        ]  # fmt: skip
        known = self.model.fingerprint_of(*self.sections)
        traced = program_content(self.program()) if is_outside(self.recipe, self.model, self.options) else ""
        text = json.dumps([request, known, sources_hash(), traced], default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def tree(self, values: Mapping[str, Any]) -> Tree:
        given = {name: values[name] for name in self.parameters}
        return Tree(self.model, given) if given else tree_of(self.model)

    def evaluate(self, values: Mapping[str, Any], *, differentiated: bool = False, status: bool = False) -> dict:
        """`differentiated`: for its derivatives, which some programs take at a simpler way to the same result;
        `status`: with the status, if that is found along with the outputs."""
        tree, values = self.tree(values), self._widened(values)
        further = {"precision": self.precision, "arithmetic": self.arithmetic, "differentiated": differentiated}
        results = self.recipe.evaluate(tree, values, {**self.options, **further})
        found = {name: results[name] for name in self.outputs}
        if status:
            with contextlib.suppress(KeyError):
                found["status"] = results["status"]
        return found

    def _widened(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """As they are computed with. Quaternions of floats have unit length to seven digits; in double precision the
        rest would stretch whatever passes the joint, gravity too, and look like constraints that contradict one
        another. Moving nowhere normalises them."""
        if self.arithmetic == self.precision or "q" not in values:
            return values
        return {**values, "q": configuration.integrate(self.model, values["q"], [0.0] * self.model.nv)}

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


# What else would do for a problem that no program solves with such constraints.
_INVERSES = {"operational_inertia": "delassus_matrix"}


_MOST_NAMED = 3  # constraints in a message


def refuse_unknown_constraints(model: Model, recipe: Recipe, called: str = "") -> None:
    """Raise if a model has constraints that a program does not know; `called` says what the program is asked as."""
    if recipe.takes_constraints_of(model):
        return
    suits = lambda other: other.exact and other.takes_constraints_of(model)  # noqa: E731
    able = names_of(suits, like=recipe)
    inverse = names_of(lambda other: suits(other) and other.solves == _INVERSES.get(recipe.solves or ""))
    others = f"{', '.join(map(repr, able))} take them into account" if able else "no other way of it takes them"
    if inverse and not able:
        others += f", but {', '.join(map(repr, inverse))} do, which give its inverse"
    if recipe.constraints == "none":
        named = ", ".join(repr(c.name) for c in model.constraints[:_MOST_NAMED])
        more = ", ..." if len(model.constraints) > _MOST_NAMED else ""
        raise UnsupportedError(
            f"{called}{recipe.name!r} is for trees without constraints, and {model.name!r} has "
            f"{len(model.constraints)} ({named}{more}), which change what its joints feel; {others}, or leave them "
            f"out: model.without_constraints() is the spanning tree alone"
        )
    raise UnsupportedError(
        f"{called}{recipe.name!r} takes constraints to the ground only, and {model.name!r} has some between two "
        f"bodies (loops); {others}"
    )


# Rooms of this package that no traced program depends on. Those that are not named here, new ones too, are hashed.
_UNREAD = frozenset({
    "codegen", "export", "learning", "robots", "io", "referee", "assembly", "analysis", "sim", "rollouts", "envs",
    "viewer", "live", "bench", "reproduce", "cli",
})  # fmt: skip


def source_files() -> list[Path]:
    """Every file whose change could change a traced program, however deep it lies in its room."""
    root = Path(__file__).parent.parent
    files = (path.relative_to(root) for path in root.rglob("*.py"))
    return [root / path for path in sorted(files) if len(path.parts) == 1 or path.parts[0] not in _UNREAD]


@functools.cache
def sources_hash() -> str:
    """Of `source_files`, with the places where they lie."""
    digest = hashlib.sha256()
    root = Path(__file__).parent.parent
    for path in source_files():
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
