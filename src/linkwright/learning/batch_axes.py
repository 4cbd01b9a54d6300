"""Calls with any number of batch axes as the one that compiled functions take, and gradients back to their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..codegen import ArraySpec
from ..errors import InputError

Shape = tuple[int, ...]


def leading_axes(name: str, specs: Sequence[ArraySpec], shapes: Sequence[Shape]) -> list[Shape]:
    """The batch axes of every input, checked."""
    if len(shapes) != len(specs):
        names = ", ".join(x.name for x in specs)
        raise InputError(f"{name} takes {len(specs)} inputs ({names}) but {len(shapes)} were given")
    leads = []
    for spec, shape in zip(specs, shapes, strict=True):
        lead = len(shape) - len(spec.shape)
        if lead < 0 or tuple(shape[lead:]) != spec.shape:
            inner = ", ".join(map(str, spec.shape))
            raise InputError(
                f"{name}: input '{spec.name}' has shape {tuple(shape)}; expected {spec.shape}, or (..., {inner}) with "
                "batch axes in front"
            )
        leads.append(tuple(shape[:lead]))
    return leads


def common_axes(name: str, specs: Sequence[ArraySpec], leads: Sequence[Shape]) -> Shape:
    """What the batch axes of all inputs broadcast to, aligned at the end as NumPy does."""
    rank = max((len(x) for x in leads), default=0)
    common = [1] * rank
    for spec, lead in zip(specs, leads, strict=True):
        for k, length in enumerate(lead, start=rank - len(lead)):
            if length != 1 and common[k] not in (1, length):
                raise InputError(
                    f"{name}: input '{spec.name}' has batch axes {lead}, which do not fit those of others, "
                    f"{tuple(common)}"
                )
            common[k] = length if length != 1 else common[k]
    return tuple(common)


def summed_axes(lead: Shape, common: Shape) -> tuple[list[int], list[int]]:
    """Of a gradient with batch axes `common`, to get one with `lead`: axes to sum away, and to sum but keep."""
    missing = len(common) - len(lead)
    kept = [k for k, length in enumerate(lead, start=missing) if length == 1 and common[k] != 1]
    return list(range(missing)), kept


def samples(lead: Shape) -> int:
    return prod(lead)
