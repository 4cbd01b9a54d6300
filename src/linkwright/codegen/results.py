"""What a function with several outputs returns: a tuple whose elements also have names."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword
from typing import Any

import numpy as np

from ..errors import unknown_name
from .signature import ArraySpec


class Labelled:
    """An array whose rows have names: `forces["left_foot"]`, for every sample at once if there is a batch.

    `array` is the array itself, and NumPy takes this object as it.
    """

    __slots__ = ("_axis", "_labels", "array")

    def __init__(self, array: np.ndarray, labels: tuple[str, ...], axis: int):
        self.array, self._labels, self._axis = array, labels, axis

    def __getitem__(self, label: str) -> np.ndarray:
        if label not in self._labels:
            raise unknown_name("entry", label, self._labels)
        return self.array.take(self._labels.index(label), axis=self._axis)

    def keys(self) -> tuple[str, ...]:
        return self._labels

    def __iter__(self):
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.array, dtype=dtype) if copy else np.asarray(self.array, dtype=dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{label!r}: {self[label]!r}" for label in self._labels) + "}"


class Result(tuple):
    """Arrays by name (`r.a`, `r["a"]`), by position, or unpacked in declared order. Read-only.

    By name, an output with labelled rows comes as `Labelled`; by position as the plain array.
    """

    __slots__ = ()
    _specs: tuple[ArraySpec, ...] = ()

    def __getitem__(self, key):
        if not isinstance(key, str):
            return tuple.__getitem__(self, key)
        for position, spec in enumerate(self._specs):
            if spec.name == key:
                array = tuple.__getitem__(self, position)
                return Labelled(array, spec.labels, array.ndim - len(spec.shape)) if spec.labels else array
        raise unknown_name("output", key, self.keys())

    def keys(self) -> tuple[str, ...]:
        return tuple(spec.name for spec in self._specs)

    def __repr__(self) -> str:
        parts = ",\n  ".join(f"{name}={self[name]!r}" for name in self.keys())
        return f"{type(self).__name__}(\n  {parts}\n)"

    def __reduce__(self):
        return _rebuild, (type(self).__name__, self._specs, tuple(self))


def _item(name: str) -> property:
    return property(lambda self: self[name], doc=f"output {name!r}")


def result_class(function_name: str, specs: Sequence[ArraySpec]) -> type[Result]:
    """Names that are no identifiers are reachable as items only."""
    members: dict[str, Any] = {"__slots__": (), "_specs": tuple(specs), "__module__": __name__}
    for spec in specs:
        name = spec.name
        if name.isidentifier() and not iskeyword(name) and not name.startswith("_") and not hasattr(Result, name):
            members[name] = _item(name)
    return type(f"{function_name}_result", (Result,), members)


def _rebuild(class_name: str, specs: tuple[ArraySpec, ...], values: tuple) -> Result:
    return result_class(class_name.removesuffix("_result"), specs)(values)
