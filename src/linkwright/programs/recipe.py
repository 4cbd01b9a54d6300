"""`Recipe`: everything `compile` needs to know about a named program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..errors import InputError, deprecated, unknown_name
from ..model import Model, Tree
from ..model.parameters import parameter_shapes
from ..spatial import Force

Coordinates = Literal["tree", "independent"]
Constraints = Literal["irrelevant", "none", "ground", "any"]
Contacts = Literal["none", "soft", "rigid"]
Shape = tuple[int, ...]
CONTACT_OUTPUTS = ("contact_force", "contact_point", "contact_frame", "gap", "active")
"""Outputs of programs that have one row per contact."""

SHAPES: dict[str, Callable[[Model], Shape]] = {
    "q": lambda m: (m.nq,),
    "q0": lambda m: (m.nq,),
    "q1": lambda m: (m.nq,),
    "v": lambda m: (m.nv,),
    "a": lambda m: (m.nv,),
    "tau": lambda m: (m.nv,),
    "b": lambda m: (m.nv,),
    "x": lambda m: (m.nv,),
    "f_ext": lambda m: (m.nbodies, 6),
    "desired": lambda m: (m.nc,),
    "active": lambda m: (len(m.constraints),),
    "mu": lambda m: (m.nc,),
    "lam": lambda m: (m.nc,),
    "rows": lambda m: (m.nc,),
    "warm": lambda m: (m.nv,),
    "dt": lambda m: (),
    "ctrl": lambda m: (m.nu,),
    "act": lambda m: (m.na,),
    "clamped": lambda m: (m.nu,),
}


def square(rows: list[list[Any]]) -> Any:
    """A matrix whose shape survives even if it is empty."""
    return rows or np.zeros((0, 0))


def external_forces(tree: Tree, values: Mapping[str, Any]) -> list[Force] | None:
    """External forces as the user gives them, in the frames of computation; None if they are not asked for."""
    if "f_ext" not in values:
        return None
    return [tree.force_from_user(i, Force.from_public(row)) for i, row in enumerate(values["f_ext"])]


RENAMED_OPTIONS = {"reference": "seen_from"}  # old names still work, with a warning

@dataclass(frozen=True)
class Recipe:
    """`evaluate(tree, values, options)` returns all outputs by name; what is not asked for is dropped unpaid."""

    name: str
    summary: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    evaluate: Callable[[Tree, Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
    optional_inputs: tuple[str, ...] = ()
    default_outputs: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[Model], None] | None = None
    """Raises if the model cannot be served."""
    check_options: Callable[[Model, Mapping[str, Any]], None] | None = None
    switched_inputs: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda options: ()
    """Further inputs that options switch on."""
    solves: str = ""
    """The problem it is one way of many to solve, such as "forward_dynamics"; empty if it is the only one."""
    coordinates: Coordinates = "tree"
    """In which motions and torques are given: those of the spanning tree, or independent ones of closed loops."""
    constraints: Constraints = "irrelevant"
    """Which constraints of the model it takes into account: those between a body and the ground, or any. With "none" it
    would need them and cannot have them, so models with constraints are refused; where they are "irrelevant"
    (kinematics, inertias) they make no difference."""
    contacts: Callable[[Mapping[str, Any]], Contacts] = lambda options: "none"
    """The law by which the model's contacts act."""
    reads_inertias: bool = True
    """Whether masses and inertias of bodies make a difference."""
    needs_independent_rows: bool = False
    """Whether constraint rows that depend on one another have no answer, only a status that says so."""
    approximation: str | None = None
    """What it puts in place of the mechanism, such as "penalties"; None if it is exact."""
    differentiable: bool = True
    """Whether its first output has derivatives, with the options it has by default."""
    expected_passes: int | None = None
    """Passes of a typical sample where `iterations` are not counted: what choosers reckon with."""
    why_not_unasked: Callable[[Model], str | None] = lambda model: None
    """Why it is no candidate for a model where nobody has named it."""
    least_operations: Callable[[Tree], int] | None = None
    """A lower bound of its operations that needs no trace."""

    takes_actuators: Callable[[Mapping[str, Any]], bool] = lambda options: False
    """Whether the model's actuators make a difference."""

    freezes_constraints: Callable[[Mapping[str, Any]], bool] = lambda options: False
    """Whether something is planned from the constraints' own numbers, which then cannot be inputs of the call."""

    needs_double: Callable[[Mapping[str, Any]], bool] = lambda options: False
    """Whether double precision is computed in also where arrays hold floats: `precision.py` says why."""
    solver: Any = None
    """Of programs that solve the equations of motion under constraints: `constrained.Solver`."""
    check_plan: Callable[[Model, Mapping[str, Any]], Any] | None = None
    """Of recipes that plan on numbers before they know their shapes: raises if the plan fails. What is in the cache has
    passed this, so it is asked only when there is something to trace.
    """
    settled_options: Callable[[Model, dict[str, Any], Sequence[str]], dict[str, Any]] = (
        lambda model, options, parameters: options
    )
    """Options with what the model and the names of its parameters that are inputs say where the call says nothing."""

    @property
    def exact(self) -> bool:
        return self.approximation is None

    def takes_constraints_of(self, model: Model) -> bool:
        """Whether every constraint of a model is one that it knows, or makes no difference."""
        if self.constraints == "none":
            return not model.constraints
        return self.constraints != "ground" or not model.has_loops

    def input_shapes(
        self, model: Model, parameters: tuple[str, ...], f_ext: bool, options: Mapping[str, Any]
    ) -> dict[str, Shape]:
        """Inputs in the order of the call: the algorithm's own, external forces, switched ones, then parameters."""
        names = (*self.inputs, *(("f_ext",) if f_ext else ()), *self.switched_inputs(options))
        return {**{name: SHAPES[name](model) for name in names}, **parameter_shapes(model, parameters)}

    def resolve_outputs(self, outputs: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
        if outputs is None:
            return self.default_outputs or self.outputs
        chosen = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        for name in chosen:
            if name not in self.outputs:
                raise unknown_name(f"output of {self.name!r}", name, self.outputs)
        if not chosen or len(set(chosen)) != len(chosen):
            raise InputError(f"outputs of {self.name!r} are {list(chosen)}; expected at least one name, each once")
        return chosen

    def for_outputs(self, outputs: tuple[str, ...]) -> Recipe:
        """The recipe of these outputs alone, where others would need further inputs or another method."""
        return self

    def resolve_options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those that were given, by the names they have today, and the defaults of the others."""
        given = dict(given)
        for old, new in RENAMED_OPTIONS.items():
            if old in given and old not in self.options and new in self.options:
                deprecated(f"{old}= of {self.name!r}", f"{new}=")
                given[new] = given.pop(old)
        for name in given:
            if name not in self.options:
                raise unknown_name(f"option of {self.name!r}", name, self.options)
        return {**self.options, **given}
