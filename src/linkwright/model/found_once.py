"""What is found once per model: frames, scales and ranks of rows, penalties, cluster plans, schedules, choices.

One table and one memory for all of it (docs/architecture.md lists it, "Planning"). The memory knows models by their
content, so equal ones share what was found, and keeps the models that were asked about last.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from .model import Model

MOST_MODELS = 64

P = ParamSpec("P")
R = TypeVar("R")
FOUND_ONCE: dict[str, Callable[..., Any]] = {}
"""Everything that is found once, by module and name; as far as it has been imported."""
_found: OrderedDict[Model, dict[tuple, Any]] = OrderedDict()
_lock = threading.Lock()


def found_once(function: Callable[Concatenate[Model, P], R]) -> Callable[Concatenate[Model, P], R]:
    """A function of a model, and of arguments that can be dictionary keys, whose results are remembered."""

    @functools.wraps(function)
    def remembered(model: Model, *args: P.args, **kwargs: P.kwargs) -> R:
        own = _memory_of(model)
        key = (function, args, tuple(sorted(kwargs.items())))
        if key not in own:
            own[key] = function(model, *args, **kwargs)
        return own[key]

    FOUND_ONCE[_name(function)] = remembered
    return remembered


def found_for(model: Model) -> list[str]:
    """What has been found for a model so far, in that order; nothing by a program that came from the cache."""
    return list(dict.fromkeys(_name(function) for function, *_ in _memory_of(model)))


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__.removeprefix('linkwright.')}.{function.__qualname__}"


def forget_models() -> None:
    """Find everything again when it is next asked for."""
    with _lock:
        _found.clear()


def _memory_of(model: Model) -> dict[tuple, Any]:
    with _lock:
        own = _found.setdefault(model, {})
        _found.move_to_end(model)
        while len(_found) > MOST_MODELS:
            _found.popitem(last=False)
        return own
