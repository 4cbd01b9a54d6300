"""`Recipe`: everything `compile` needs to know about a named program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError, unknown_name
from ..model import Model, Tree
from ..model.parameters import parameter_shapes
from ..spatial import Force

Shape = tuple[int, ...]

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
    "lead": lambda m: (m.nv,),
    "lag": lambda m: (),
    "q_ref": lambda m: (m.nq,),
    "v_ref": lambda m: (m.nv,),
    "kp": lambda m: (m.nv,),
    "kd": lambda m: (m.nv,),
    "work": lambda m: (5,),
    "worst": lambda m: (6,),
}


def square(rows: list[list[Any]]) -> Any:
    """A matrix whose shape survives even if it is empty."""
    return rows or np.zeros((0, 0))


def external_forces(tree: Tree, values: Mapping[str, Any]) -> list[Force] | None:
    """External forces as the user gives them, in the frames of computation; None if they are not asked for."""
    if "f_ext" not in values:
        return None
    return [tree.force_from_user(i, Force.from_public(row)) for i, row in enumerate(values["f_ext"])]


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
    ignores_constraints: bool = True
    """Constraints make no difference (kinematics, inertias), or are taken into account; else they are refused."""
    takes_loops: bool = True
    """Constraints between two bodies are taken into account or make no difference; else they are refused."""

    contacts: Callable[[Mapping[str, Any]], str | None] = lambda options: None
    """The law of the model's contacts, "soft"; None where contacts make no difference."""

    freezes_constraints: Callable[[Mapping[str, Any]], bool] = lambda options: False
    """Whether something is planned from the constraints' own numbers, which then cannot be inputs of the call."""

    needs_double: Callable[[Mapping[str, Any]], bool] = lambda options: False
    """Whether double precision is computed in also where arrays hold floats: `precision.py` says why."""
    settled_options: Callable[[Model, dict[str, Any]], dict[str, Any]] = lambda model, options: options
    """Options with what the model says where the call says nothing."""
    check_plan: Callable[[Model, Mapping[str, Any]], Any] | None = None
    """Of recipes that plan on numbers before they know their shapes: raises if the plan fails. What is in the cache has
    passed this, so it is asked only when there is something to trace.
    """
    settled_options: Callable[[Model, dict[str, Any]], dict[str, Any]] = lambda model, options: options
    """Options with what the model says where the call says nothing."""

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
        for name in given:
            if name not in self.options:
                raise unknown_name(f"option of {self.name!r}", name, self.options)
        return {**self.options, **given}
