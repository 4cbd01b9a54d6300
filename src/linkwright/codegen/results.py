"""What a function with several outputs returns: a tuple whose elements also have names."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword
from operator import itemgetter

from ..errors import unknown_name


class Result(tuple):
    """Arrays by name (`r.a`, `r["a"]`), by position, or unpacked in declared order. Read-only."""

    __slots__ = ()
    _names: tuple[str, ...] = ()

    def __getitem__(self, key):
        if isinstance(key, str):
            try:
                key = self._names.index(key)
            except ValueError:
                raise unknown_name("output", key, self._names) from None
        return tuple.__getitem__(self, key)

    def keys(self) -> tuple[str, ...]:
        return self._names

    def __repr__(self) -> str:
        parts = ",\n  ".join(f"{name}={value!r}" for name, value in zip(self._names, self, strict=True))
        return f"{type(self).__name__}(\n  {parts}\n)"

    def __reduce__(self):
        return _rebuild, (type(self).__name__, self._names, tuple(self))


def result_class(function_name: str, names: Sequence[str]) -> type[Result]:
    """Names that are no identifiers are reachable as items only."""
    members: dict[str, object] = {"__slots__": (), "_names": tuple(names), "__module__": __name__}
    for position, name in enumerate(names):
        if name.isidentifier() and not iskeyword(name) and not name.startswith("_"):
            members[name] = property(itemgetter(position), doc=f"output {name!r}")
    return type(f"{function_name}_result", (Result,), members)


def _rebuild(class_name: str, names: tuple[str, ...], values: tuple) -> Result:
    return result_class(class_name.removesuffix("_result"), names)(values)
