"""Joints that a file says mimic others: kept as data, and told."""

from __future__ import annotations

from ...model import Model
from ...model.model import MIMIC
from ..ignoring import Ignoring

_LISTED = 6


def tell_of_mimics(model: Model, ignore: Ignoring) -> None:
    """Note those of a model that is read."""
    names = [mimic.joint for mimic in model.mimics]
    if not names:
        return
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    what = f"mimic joints {', '.join(map(repr, names[:_LISTED]))}{more}"
    help_ = "model.with_mimics_coupled() makes constraints of them"
    ignore.leave(MIMIC, what, "they move on their own", help_, about=names)
