"""What PV-OSIMr moves where constraints meet, rows inward or accelerations outward: whatever takes the fewest
operations, by counts. A large mechanism tries fewer ways (`MOST_TRACED`, the same ones on every machine)."""

from __future__ import annotations

from ..algorithms.delassus.meeting_rows import MOVING
from ..algorithms.delassus.pv_osimr import has_nested_links, pv_osimr
from ..model import Model, tree_of
from ..model.found_once import found_once
from ..trace import count_operations, simplify, trace

MOST_TRACED = 25_000


@found_once
def cheapest_to_move(model: Model) -> str:
    """One of MOVING."""
    if not has_nested_links(tree_of(model)):
        return MOVING[0]
    counted: dict[str, int] = {}
    for moving in MOVING:
        if len(counted) > 1 and sum(counted.values()) > MOST_TRACED:
            break
        counted[moving] = _count(model, moving)
    return min(counted, key=lambda moving: counted[moving])


def _count(model: Model, moving: str) -> int:
    tree = tree_of(model)

    def evaluate(q):
        return [x for row in pv_osimr(tree, q, moving=moving) for x in row]

    return count_operations(simplify(trace(evaluate, {"q": model.nq}))).total
