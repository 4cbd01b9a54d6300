"""What a program is made of that stands in other modules: kinds of joints and constraints, operations, recipes,
integrators.

Our own sources are part of every cache key. Those of others cannot be known, so such a program is identified by what
was traced, which takes a trace at each start and is right whatever has changed.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from ..model import Model
from ..model.joints import JOINT_KINDS
from ..trace.ops import DefinedOp
from .recipe import Recipe

_OURS = __name__.partition(".")[0]


def is_outside(recipe: Recipe, model: Model, options: Mapping[str, Any] = {}) -> bool:
    """Whether something of the program is defined outside the library; options may be objects, such as integrators."""
    parts = (recipe.evaluate, type(recipe), *(type(x) for x in options.values() if is_dataclass(x)))
    return any(_foreign(part) for part in parts) or has_outside_parts(model)


def has_outside_parts(model: Model) -> bool:
    kinds = {joint.kind for joint in model.joints}
    if any(_foreign(JOINT_KINDS[kind]) for kind in kinds) or any(_foreign(type(c)) for c in model.constraints):
        return True
    return any(isinstance(op, DefinedOp) for c in model.constraints for f in c.functions for op in f.every_op())


def _foreign(what: Any) -> bool:
    while isinstance(what, functools.partial):
        what = what.func
    home = getattr(what, "__module__", None) or type(what).__module__
    return home.partition(".")[0] != _OURS
