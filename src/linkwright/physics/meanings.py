"""Shapes and meanings of what a step takes and gives, from the fields in which they are declared."""

from __future__ import annotations

from ..programs.meanings import INPUTS, OPTIONS, OUTPUTS, Meaning
from ..programs.recipe import SHAPES
from .options import declared
from .quantities import quantities, shape_function
from .state import ContactReport, State, StepInputs, StepReport


def declare() -> None:
    """Add them to the tables that all programs share: under their name where it is new, else as those of the step."""
    for taken in (State, StepInputs):
        for own in quantities(taken):
            SHAPES.setdefault(own.name, shape_function(own))
            _add(INPUTS, own.name, Meaning(own.metadata["shape"], own.metadata["text"]))
    for given in (State, StepReport, ContactReport):
        for own in quantities(given):
            _add(OUTPUTS, own.name, Meaning(own.metadata["shape"], own.metadata["after"]))
    for name, (_, values, text, _) in declared().items():
        _add(OPTIONS, name, Meaning(values, text))


def _add(table: dict[str, Meaning], name: str, meaning: Meaning) -> None:
    if table.setdefault(name, meaning) != meaning:
        table[f"step.{name}"] = meaning
