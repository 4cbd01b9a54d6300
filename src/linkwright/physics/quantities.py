"""Fields that say what they hold: their shape, what it is with its unit, and when a program takes it.

A dataclass of such fields is the one place where they are listed: shapes of inputs, meanings, the arrays that drivers
keep and the order in which a program takes them follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, field, fields
from typing import Any, TypeVar

from ..model import Model
from ..scalar import Scalar, leaves, rebuild

Scalars = Sequence[Scalar]
Record = TypeVar("Record")


def quantity(
    shape: str, text: str, *, group: str = "", after: str = "", record: Any = None, default: Any = None
) -> Any:
    """A field. `shape` is that of one sample, such as "(3 * nv,)", in sizes of the model; `text` says what it is, with
    unit, `after` what it is as the output of a step where that differs. `group` names when a program takes it.

    record   a function of the model: a structure of as many scalars, in which a step sees the array (see `leaves`)
    """
    metadata = {"shape": shape, "text": text, "after": after or text, "group": group, "record": record}
    return field(default=default, metadata=metadata)


def quantities(cls: type) -> Iterator[Field[Any]]:
    """Fields that are quantities, in declared order."""
    return (own for own in fields(cls) if "shape" in own.metadata)


def shape_of(own: Field[Any], model: Model) -> tuple[int, ...]:
    """Of a quantity of one sample of this model; a record without a shape is as long as it has scalars."""
    if own.metadata["record"] is not None and not own.metadata["shape"]:
        return (len(leaves(own.metadata["record"](model))),)
    terms = own.metadata["shape"].strip("()").split(",")
    return tuple(_size(term, model) for term in terms if term.strip())


def _size(term: str, model: Model) -> int:
    return sum(_product(summand, model) for summand in term.split("+"))


def _product(term: str, model: Model) -> int:
    size = 1
    for factor in term.split("*"):
        name = factor.strip()
        if name.isdigit():
            size *= int(name)
        else:
            size *= len(model.constraints) if name == "constraints" else int(getattr(model, name))
    return size


def shape_function(own: Field[Any]) -> Callable[[Model], tuple[int, ...]]:
    """The shape as a function of the model, as `linkwright.programs.recipe.SHAPES` has them."""
    return lambda model: shape_of(own, model)


def seen(own: Field[Any], values: Mapping[str, Any], model: Model) -> Any:
    """A quantity among the arrays of a program as a step sees it: a scalar, a list, or its record."""
    array = values[own.name]
    if own.metadata["record"] is not None:
        return rebuild(own.metadata["record"](model), list(array))
    return array[()] if own.metadata["shape"] == "()" else list(array)
