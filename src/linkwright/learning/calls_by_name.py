"""Functions of other libraries' arrays that are called as ours are: by position or by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..codegen import CompiledFunction
from ..errors import InputError, unknown_name


def by_name(f: CompiledFunction, operation: Callable[..., Any], what: str) -> Callable[..., Any]:
    """`operation`, which takes all inputs of `f` in their order and gives all outputs, as a function like `f`.

    `what` it takes, for its docstring.
    """
    names = [x.name for x in f.inputs]

    def call(*arrays: Any, **named: Any) -> Any:
        if named:
            arrays = ordered(f.name, names, arrays, named)
        found = operation(*arrays)
        return found[0] if len(found) == 1 else found

    call.__name__ = call.__qualname__ = f.name
    call.__doc__ = f"{f!r} on {what}."
    return call


def ordered(name: str, inputs: Sequence[str], given: Sequence[Any], named: Mapping[str, Any]) -> tuple:
    """What was given by position and by name, in the order of the inputs."""
    values = dict(zip(inputs, given, strict=False))
    for key, value in named.items():
        if key not in inputs:
            raise unknown_name(f"input of {name!r}", key, inputs)
        if key in values:
            raise InputError(f"{name}: input '{key}' was given twice, by position and by name")
        values[key] = value
    missing = [key for key in inputs if key not in values]
    if missing:
        raise InputError(f"{name}: missing {', '.join(map(repr, missing))}; it takes {', '.join(inputs)}")
    return tuple(values[key] for key in inputs)
