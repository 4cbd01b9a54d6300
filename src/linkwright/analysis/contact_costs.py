"""What contacts cost a mechanism, in operations: by kinds of pairs, each counted on the model with one such pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..compilation import trace_program
from ..model import Model
from ..trace import count_operations


@dataclass(frozen=True)
class PairCost:
    """Pairs of one kind: how many, their points, and the operations of one of them beyond a mechanism without contacts.

    Operations are those that are expected: passes of Newton's method, and a share of shapes that touch.
    """

    kinds: tuple[str, str]
    condim: int
    pairs: tuple[str, ...]
    points: int
    operations: int


@dataclass(frozen=True)
class ContactCosts:
    """Operations of `contact_dynamics`: of all, without contacts, and of looking at what is watched."""

    pairs: tuple[PairCost, ...]
    total: int
    without: int
    watching: int


def contact_costs(model: Model, *, progress: Callable[[str], None] = lambda step: None) -> ContactCosts:
    shapes = {shape.name: shape for shape in model.shapes}
    groups: dict[tuple[tuple[str, str], int], list] = {}
    for pair in model.pairs:
        first, second = shapes[pair.first], shapes[pair.second]
        condim = pair.interaction(first, second).condim
        groups.setdefault(((first.kind, second.kind), condim), []).append(pair)
    bare = model.unwatched()
    progress("operations of contact_dynamics")
    without = _operations(replace(bare, pairs=()))
    total, alone = _operations(model), _operations(bare)
    found = []
    for (kinds, condim), pairs in groups.items():
        progress(f"operations of {kinds[0]} with {kinds[1]}")
        one = replace(bare, pairs=(pairs[0],))
        points = len(replace(bare, pairs=tuple(pairs)).contacts)
        names = tuple(pair.name for pair in pairs)
        found.append(PairCost(kinds, condim, names, points, _operations(one) - without))
    return ContactCosts(tuple(found), total, without, total - alone)


def _operations(model: Model) -> int:
    return count_operations(trace_program(model, "contact_dynamics", outputs=("a", "status"))).total
