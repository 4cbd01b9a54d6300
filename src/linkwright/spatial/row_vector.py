"""A number for each row of some constraints, or for each direction of a joint, with the arithmetic that papers write:
lam + mu r, tau - S' p, r' z."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..scalar import Scalar, is_zero, maximum
from .matrix import dot, sum_of

_SUMS = 4


class RowVector(Sequence):
    """Immutable. `*` takes a number, or another row vector entry by entry; `x @ y` is x' y, added up in order."""

    __slots__ = ("_entries",)
    __array_ufunc__ = None  # a NumPy number or array on the left is a scalar to us: it must not take us for an array

    def __init__(self, entries: Iterable[Scalar]):
        self._entries = tuple(entries)

    @classmethod
    def zeros(cls, size: int) -> RowVector:
        return cls([0.0] * size)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, k):
        return RowVector(self._entries[k]) if isinstance(k, slice) else self._entries[k]

    def __iter__(self) -> Iterator[Scalar]:
        return iter(self._entries)

    def __add__(self, other: Sequence[Scalar]) -> RowVector:
        return RowVector(x + y for x, y in zip(self._entries, other, strict=True))

    def __sub__(self, other: Sequence[Scalar]) -> RowVector:
        return RowVector(x - y for x, y in zip(self._entries, other, strict=True))

    def __rsub__(self, other: Sequence[Scalar]) -> RowVector:
        return RowVector(x - y for x, y in zip(other, self._entries, strict=True))

    def __matmul__(self, other: Sequence[Scalar]) -> Scalar:
        return dot(self._entries, other)

    def __neg__(self) -> RowVector:
        return RowVector(-x for x in self._entries)

    def __mul__(self, other) -> RowVector:
        if isinstance(other, RowVector):
            return RowVector(x * y for x, y in zip(self._entries, other, strict=True))
        return RowVector(x * other for x in self._entries)

    __rmul__ = __mul__

    def dot(self, other: Sequence[Scalar]) -> Scalar:
        """As @, but in four sums, each of every fourth term: a processor waits for a long sum term by term."""
        terms = [x * y for x, y in zip(self._entries, other, strict=True) if not (is_zero(x) or is_zero(y))]
        parts = [sum_of(terms[k::_SUMS]) for k in range(min(_SUMS, len(terms)))]
        return sum_of(parts) if parts else 0.0

    @property
    def square(self) -> Scalar:
        return self.dot(self)

    @property
    def largest(self) -> Scalar:
        """The largest entry: of pairs, then of pairs of those, ..."""
        entries = list(self._entries)
        while len(entries) > 1:
            pairs = [maximum(x, y) for x, y in zip(entries[::2], entries[1::2], strict=False)]
            entries = pairs + entries[2 * len(pairs) :]
        return entries[0]

    def __repr__(self) -> str:
        return f"RowVector({list(self._entries)})"
