"""Joints that a file says mimic others: kept as data, and told."""

from __future__ import annotations

from ...model import Model

_LISTED = 10


def told_of_mimics(model: Model) -> tuple[str, ...]:
    """A warning that names them; none if there are none."""
    if not model.mimics:
        return ()
    names = [repr(mimic.joint) for mimic in model.mimics]
    listed = ", ".join(names[:_LISTED]) + (f", ... ({len(names)} in all)" if len(names) > _LISTED else "")
    return (f"mimic joints move on their own until model.with_mimics_coupled() makes constraints of them: {listed}",)
