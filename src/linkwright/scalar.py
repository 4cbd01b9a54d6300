"""Elementary functions for whatever an algorithm's numbers are.

A scalar is a Python float, a NumPy value, an array of shape (B,) holding one number per sample, a traced
expression, or any object with arithmetic and methods named like the functions here (`casadi.SX` has them).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

from .errors import InputError, TraceError

Scalar = Any
Numbers = Sequence[float] | np.ndarray
"""Plain numbers one after the other, however they are kept."""
Carried = TypeVar("Carried")
"""What a loop or a guard carries: a structure of scalars."""
Found = TypeVar("Found")
"""What a pass of a counted loop gives: likewise."""


def _elementary(name: str, on_float, on_array):
    def function(x: Scalar) -> Scalar:
        if isinstance(x, float | int):
            return on_float(x)
        method = getattr(x, name, None)
        return method() if method is not None else on_array(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of a number, an array or a traced expression."
    return function


def _float_or_nan(function):
    """math.sqrt(-1) raises where compiled code and NumPy give NaN; every backend must answer alike."""

    def guarded(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return float(getattr(np, function.__name__)(x))

    return guarded


sin = _elementary("sin", _float_or_nan(math.sin), np.sin)
cos = _elementary("cos", _float_or_nan(math.cos), np.cos)
sqrt = _elementary("sqrt", _float_or_nan(math.sqrt), np.sqrt)
exp = _elementary("exp", _float_or_nan(math.exp), np.exp)
log = _elementary("log", _float_or_nan(math.log), np.log)


def absolute(x: Scalar) -> Scalar:
    return abs(x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y) in (-pi, pi]."""
    for operand in (y, x):
        method = getattr(operand, "_atan2", None)
        if method is not None:
            return method(y, x)
    return np.arctan2(y, x) if np.ndim(y) or np.ndim(x) else math.atan2(y, x)


def minimum(x: Scalar, y: Scalar) -> Scalar:
    for operand in (x, y):
        method = getattr(operand, "_minimum", None)
        if method is not None:
            return method(x, y)
    return np.minimum(x, y)


def maximum(x: Scalar, y: Scalar) -> Scalar:
    for operand in (x, y):
        method = getattr(operand, "_maximum", None)
        if method is not None:
            return method(x, y)
    return np.maximum(x, y)


def negated(condition: Scalar) -> Scalar:
    """Whether a condition does not hold. `~` of a Python bool, as comparing two floats gives, would be a number that is
    never false."""
    return not condition if isinstance(condition, bool) else ~condition


def where(condition: Scalar, if_true: Any, if_false: Any) -> Any:
    """`if_true` where the condition holds, else `if_false`: the only branch on values an algorithm may take. Both may
    be structures (see `leaves`) of one kind."""
    if _is_structure(if_true):
        pairs = zip(leaves(if_true), leaves(if_false), strict=True)
        return rebuild(if_true, [where(condition, x, y) for x, y in pairs])
    method = getattr(condition, "_where", None)
    if method is not None:
        return method(if_true, if_false)
    if isinstance(condition, bool | np.bool_):
        return if_true if condition else if_false
    return np.where(condition, if_true, if_false)


def _is_structure(x: Any) -> bool:
    return hasattr(type(x), "__dataclass_fields__")


def leaves(structure: Any) -> list[Scalar]:
    """The scalars of a structure, in order: of a dataclass field by field as they are declared, of sequences and arrays
    of objects entry by entry, of None nothing. An array of numbers is one scalar: of a batch."""
    found: list[Scalar] = []
    _gather(structure, found)
    return found


def _gather(x: Any, found: list[Scalar]) -> None:
    if type(x) is list or type(x) is tuple:
        for entry in x:
            _gather(entry, found)
    elif _is_structure(x):
        for name in x.__dataclass_fields__:
            _gather(getattr(x, name), found)
    elif isinstance(x, np.ndarray):
        if x.dtype == object:
            for entry in x.ravel():
                _gather(entry, found)
        else:
            found.append(x)
    elif isinstance(x, str):
        raise TraceError(f"a loop or guard was given {x!r} among its scalars; texts cannot change from pass to pass")
    elif isinstance(x, Sequence):  # rows of scalars, named tuples
        for entry in x:
            _gather(entry, found)
    elif x is not None:
        found.append(x)


def rebuild(like: Carried, values: Sequence[Scalar]) -> Carried:
    """The structure of the same kind as `like` whose scalars these are, in the order of `leaves`."""
    rest = iter(values)
    built = _built(like, rest)
    surplus = sum(1 for _ in rest)
    if surplus:
        raise TraceError(f"{len(values)} scalars were given for a structure of {len(values) - surplus}")
    return built


def _built(like: Any, rest: Iterator[Scalar]) -> Any:
    if type(like) is list:
        return [_built(entry, rest) for entry in like]
    if _is_structure(like):
        return type(like)(**{name: _built(getattr(like, name), rest) for name in like.__dataclass_fields__})
    if isinstance(like, np.ndarray) and like.dtype == object:
        array = np.empty(like.size, dtype=object)
        for k, entry in enumerate(like.ravel()):
            array[k] = _built(entry, rest)
        return array.reshape(like.shape)
    if not isinstance(like, np.ndarray) and isinstance(like, Sequence):
        entries = [_built(entry, rest) for entry in like]
        return type(like)(*entries) if hasattr(like, "_fields") else type(like)(entries)  # type: ignore[call-arg]
    if like is None:
        return None
    try:
        return next(rest)
    except StopIteration:
        raise TraceError("fewer scalars were given than the structure holds") from None


def until(
    body: Callable[..., tuple[Carried, Scalar]], start: Carried, *, limit: int, done: Scalar = False,
    expected: float | None = None, keeps: bool = False,
) -> Carried:  # fmt: skip
    """Repeat `body` on what it carries until its condition holds, at most `limit` times; what is carried in the end.

    What is carried is a structure of scalars (see `leaves`): a list, or a dataclass of lists and arrays. body(values)
    returns the next values and whether that was all; `done` says so of the start. Every sample of a batch ends by
    itself: once it is done its values stay, whatever the others still need. `expected` is how many passes a typical
    sample takes, for operation counts (by default half of the limit).

    With `keeps` the body sees to that itself: it is called as body(values, running), and must return the values of a
    sample that is not running as they are (a step of length zero is cheaper than choosing between old and new values).
    """
    expected = limit / 2 if expected is None else expected

    def flat(values: Sequence[Scalar], *running: Scalar) -> tuple[list[Scalar], Scalar]:
        new, finished = body(rebuild(start, values), *running)
        return leaves(new), finished

    first = leaves(start)
    for value in (*first, done):
        if hasattr(value, "_until"):
            return rebuild(start, value._until(flat, first, done, limit, expected, keeps))
    values, running = list(first), np.logical_not(done)
    for _ in range(limit):
        if not np.any(running):
            break
        new, finished = flat(values, running) if keeps else flat(values)
        for value in (*new, finished):
            if hasattr(value, "_until"):  # plain numbers to start from, but the body reads traced ones
                return rebuild(start, value._until(flat, first, done, limit, expected, keeps))
        if len(new) != len(values):
            raise TraceError(f"the body of a loop returned {len(new)} values; it carries {len(values)}")
        values = new if keeps else [where(running, x, old) for x, old in zip(new, values, strict=True)]
        running = np.logical_and(running, np.logical_not(finished))
    return rebuild(start, values)


def repeat(
    body: Callable[..., tuple[Carried, Found]], start: Carried = (), *, count: int,  # type: ignore[assignment]
    tables: Sequence[Sequence] = (),
) -> tuple[Carried, list[Found]]:  # fmt: skip
    """Run `body` `count` times; what is carried in the end, and the results of every pass.

    body(values, *rows) returns the next values and the results of the pass, both structures of scalars (see `leaves`);
    in pass p the rows are tables[0][p], tables[1][p], ... A table has `count` rows, scalars or arrays of one shape.
    Compiled, the body is there once and reads its rows by index: code does not grow with the count.
    """
    if not isinstance(count, int) or count < 0:
        raise InputError(f"a loop was asked for {count!r} passes; give a whole number from 0 on")
    tables = [list(table) for table in tables]
    for table in tables:
        if len(table) != count:
            raise InputError(f"a loop of {count} passes was given a table of {len(table)} rows; give one row a pass")
    first = leaves(start)
    shown: list[Found] = []  # the results of a pass, whose structure all have

    def flat(values: Sequence[Scalar], *rows: Any) -> tuple[list[Scalar], list[Scalar]]:
        following, results = body(rebuild(start, values), *rows)
        shown[:] = [results]
        return leaves(following), leaves(results)

    given = (first, *(row for table in tables for row in table))
    traced = _first_traced(x for part in given for x in np.asarray(part, dtype=object).ravel())
    values, found = list(first), []
    for p in range(count):
        if traced is None:
            following, results = flat(values, *(table[p] for table in tables))
            if len(following) != len(values):
                raise TraceError(f"the body of a loop returned {len(following)} values; it carries {len(values)}")
            values = following
            found.append(results)
            traced = _first_traced((*values, *results))  # the body may read traced numbers where tables hold plain ones
        if traced is not None:
            values, found = traced._repeat(flat, list(first), tables, count)
            break
    return rebuild(start, values), [rebuild(shown[0], results) for results in found]  # type: ignore[return-value]


def _first_traced(values: Iterable[Scalar]) -> Scalar | None:
    return next((x for x in values if hasattr(x, "_repeat")), None)


def guard(
    condition: Scalar, body: Callable[[], Carried], otherwise: Carried, *, expected: float = 1.0, keeps: bool = False
) -> Carried:
    """The values of body() where the condition holds, elsewhere `otherwise`: `where`, but what is computed in the body
    is skipped if no sample needs it (in compiled code, no sample of those computed together). Both are structures of
    scalars of one kind (see `leaves`).

    What the body computes stays within it: what is also needed elsewhere is better computed before. `expected` is the
    share of samples that need the body, for operation counts. With `keeps` the body sees to it that samples which do
    not need it keep `otherwise` (adding zeros is cheaper than choosing between old and new values).
    """
    if not 0.0 <= expected <= 1.0:
        raise InputError(f"a guard expects a share of {expected!r} of all samples; give a number from 0 to 1")
    others = leaves(otherwise)
    method = getattr(condition, "_guard", None)
    if method is not None:
        return rebuild(otherwise, method(lambda: leaves(body()), others, float(expected), keeps))
    if not np.any(condition):
        return rebuild(otherwise, others)
    with np.errstate(all=None if np.all(condition) else "ignore"):  # samples that do not need it are computed along
        values = leaves(body())
    if len(values) != len(others):
        raise TraceError(f"the body of a guard returned {len(values)} values; otherwise there are {len(others)}")
    if not keeps:
        values = [where(condition, new, old) for new, old in zip(values, others, strict=True)]
    return rebuild(otherwise, values)


# who is asked in place of `solved`, and how many steps of Newton's method derivatives need
_witness: ContextVar[tuple[Callable | None, int]] = ContextVar("witness", default=(None, 1))


def solved(
    find: Callable[[], tuple[Sequence[Scalar], Any]], equations: Callable[[Sequence[Scalar]], Sequence[Scalar]],
    again: Callable[[Sequence[Scalar], bool], tuple[Sequence[Scalar], Scalar | None]], size: int,
) -> tuple[Sequence[Scalar], Any]:  # fmt: skip
    """What find() returns: `size` unknowns z with equations(z) = 0, and whatever else was found on the way to them.

    Derivatives do not go through the way: z changes by what keeps the equations met. again(sides, transposed) returns w
    with (d equations / dz) w = sides, or with the transposed matrix, and its status if it has one. Those who
    differentiate are the witness of all solutions (`witnessed`); to others this is find().
    """
    witness, _ = _witness.get()
    return find() if witness is None else witness(find, equations, again, size)


def corrected(
    find: Callable[[], Sequence[Scalar]], correct: Callable[[Sequence[Scalar]], Sequence[Scalar]], size: int
) -> Sequence[Scalar]:
    """What find() returns: `size` numbers that Newton's step `correct` leaves as they are. Derivatives are those of one
    more such step, which leads to the same place from wherever it starts nearby; second ones those of two."""
    witness, order = _witness.get()
    if witness is None:
        return find()
    values, _ = witness(lambda: (find(), None), None, None, size)
    for _ in range(order):
        values = correct(values)
    return values


@contextmanager
def witnessed(witness: Callable | None, order: int = 1) -> Iterator[Callable]:
    """While a function is run for its derivatives of that order: who is asked in place of `solved`. Gives what was done
    before: who was asked then, or to find the solution."""
    before, _ = _witness.get()
    token = _witness.set((witness, order))

    def around(find: Callable, equations: Callable | None, again: Callable | None, size: int) -> tuple:
        with witnessed(None):
            return find() if before is None else before(find, equations, again, size)

    try:
        yield around
    finally:
        _witness.reset(token)


def is_zero(x: Scalar) -> bool:
    """True for a number known to be exactly zero while the algorithm is being written down (structure, not value)."""
    return isinstance(x, float | int) and x == 0


def reciprocal(x: Scalar) -> Scalar:
    """1/x, infinite at zero as in compiled code (Python's floats would raise)."""
    if isinstance(x, float | int) and x == 0:
        return math.inf
    return 1.0 / x
