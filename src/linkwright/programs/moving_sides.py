"""What PV-OSIMr moves where constraints meet, rows inward or accelerations outward: whatever takes fewer operations, by
counts. Accelerations are hardly ever dearer, so a large mechanism is not counted (`MOST_COUNTED`)."""

from __future__ import annotations

from ..algorithms.delassus.meeting_rows import MOVING
from ..algorithms.delassus.pv_osimr import has_nested_links, pv_osimr
from ..model import Model, tree_of
from ..model.found_once import found_once
from ..trace import count_operations, simplify, trace

MOST_COUNTED = 48  # rows: some ten thousand operations


@found_once
def cheapest_to_move(model: Model) -> str:
    """One of MOVING."""
    if model.nc > MOST_COUNTED or not has_nested_links(tree_of(model)):
        return MOVING[0]
    return min(MOVING, key=lambda moving: _count(model, moving))


def _count(model: Model, moving: str) -> int:
    tree = tree_of(model)

    def evaluate(q):
        return [x for row in pv_osimr(tree, q, moving=moving) for x in row]

    return count_operations(simplify(trace(evaluate, {"q": model.nq}))).total
