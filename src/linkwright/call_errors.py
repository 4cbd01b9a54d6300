"""Calls of public functions with arguments that they do not take: told by name, with the ones that are meant."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from .errors import InputError

Called = TypeVar("Called", bound=Callable[..., Any])

# Words of other libraries, and of habit, for what has another name here; taken only where the function has that.
_OTHER_WORDS = {
    "duration": "seconds", "time": "seconds", "t_end": "seconds", "tf": "seconds", "n_steps": "steps",
    "num_steps": "steps", "nsteps": "steps", "timestep": "dt", "time_step": "dt", "h": "dt", "q": "q0", "qpos": "q0",
    "qpos0": "q0", "v": "v0", "qvel": "v0", "qvel0": "v0", "u": "ctrl", "controls": "ctrl", "action": "ctrl",
    "tau": "control", "torque": "control", "torques": "control", "n_threads": "threads", "num_threads": "threads",
    "nthread": "threads", "workers": "threads", "n_jobs": "threads", "out": "outputs", "every": "record",
    "batch_size": "batch", "num_envs": "batch", "filename": "path", "file": "path", "robot": "model", "model": "robot",
    "fixed_base": "floating_base", "precision": "dtype", "axis_of_rotation": "axis",
}  # fmt: skip


class ArgumentError(InputError, TypeError):
    """A call gives an argument that the function does not take, or lacks one that it needs."""


def names_arguments(what: Called) -> Called:
    """Makes Python's TypeError about the arguments of a function, or of a class, an `ArgumentError` that says which are
    meant. Errors from within it pass as they are."""
    if isinstance(what, type):
        what.__init__ = _told(what.__init__, what.__name__, skip=1)  # type: ignore[misc]
        return what
    return _told(what, what.__name__)  # type: ignore[return-value]


def _told(function: Callable[..., Any], name: str, skip: int = 0) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            if isinstance(error, InputError):
                raise
            problem = _problem(inspect.signature(function), name, arguments, named, skip)
            if problem is None:  # the call was right: it is about something within
                raise
        raise ArgumentError(problem)

    return called


def _problem(
    signature: inspect.Signature, name: str, arguments: Sequence[Any], named: Mapping[str, Any], skip: int
) -> str | None:
    """What is wrong with the arguments; None if they fit."""
    try:
        signature.bind(*arguments, **named)
    except TypeError as error:
        told = str(error)
    else:
        return None
    own = list(signature.parameters.values())[skip:]
    known = [p.name for p in own if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY)]
    takes_more = any(p.kind is p.VAR_KEYWORD for p in own)
    unknown = [] if takes_more else [given for given in named if given not in known]
    if unknown:
        listed = "; ".join(f"{given!r}{_meant(given, known)}" for given in unknown)
        return f"{name} takes no argument {listed}. Its arguments: {', '.join(known) or '(none)'}"
    by_place = [p.name for p in own if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    given_by_place = len(arguments) - skip
    if given_by_place > len(by_place):
        keywords = [x for x in known if x not in by_place]
        others = f"; give the others by name: {', '.join(keywords)}" if keywords else ""
        taken = f"{_counted(len(by_place))} without a name ({', '.join(by_place)})"
        return f"{name} takes {taken}, {given_by_place} were given{others}"
    return f"{name}: {told}. Its arguments: {', '.join(known) or '(none)'}"


def _counted(n: int) -> str:
    return f"{n} argument{'' if n == 1 else 's'}"


def _meant(given: str, known: Sequence[str]) -> str:
    other = _OTHER_WORDS.get(given.lower())
    close = [other] if other in known else difflib.get_close_matches(given, known, n=2)
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""
