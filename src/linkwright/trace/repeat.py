"""Tracing a counted loop over tables: `linkwright.scalar.repeat` on symbols.

The body is run once, on symbols of what is carried and of one row of each table. As in `until.py` what depends on
neither is computed once, before the loop; a column of a table that holds the same value in every row is such a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..errors import TraceError
from .expr import Expr
from .graph import CARRIED, ROW, Graph
from .nesting import loop_body, placed
from .ops import Op
from .program import Input, Output, Program, Repeat
from .until import node_of


def traced_repeat(around: Graph, body: Callable, start: Sequence, tables: Sequence[list], count: int) -> tuple:
    """The node of a counted loop; see `linkwright.scalar.repeat`."""
    grids = [_grid(table) for table in tables]
    symbols = [x for x in (*start, *(x for grid in grids for x in grid.ravel())) if isinstance(x, Expr)]
    return placed(around, symbols, lambda graph: _repeat(graph, body, start, grids, count))


def _grid(table: list) -> np.ndarray:
    """An array of a table's numbers and expressions, row by row."""
    rows = [np.asarray(row, dtype=object) for row in table]
    shapes = {row.shape for row in rows}
    if len(shapes) > 1:
        raise TraceError(f"the rows of a table have the shapes {sorted(shapes)}; give rows of one shape")
    grid = np.empty((len(rows), rows[0].size), dtype=object)
    for k, row in enumerate(rows):
        grid[k, :] = row.ravel()
    return grid.reshape(len(rows), *rows[0].shape)


def _repeat(around: Graph, body: Callable, start: Sequence, grids: list[np.ndarray], count: int) -> tuple:
    inner = Graph(around)
    inner.running = around.running  # loops within are not entered by samples that have left a loop around
    columns: list[list[int]] = []  # of nodes of `around`, one per row

    def symbol(column: list):
        nodes = [node_of(around, x) for x in column]
        if len(set(nodes)) == 1:
            return column[0]
        columns.append(nodes)
        return Expr(inner, inner.input(ROW, len(columns) - 1))

    with loop_body(inner):
        carried = [Expr(inner, inner.input(CARRIED, k)) for k in range(len(start))]
        rows = []
        for grid in grids:
            row = np.empty(grid.size // count, dtype=object)
            for k, column in enumerate(grid.reshape(count, -1).T):
                row[k] = symbol(list(column))
            rows.append(row.reshape(grid.shape[1:]) if grid.ndim > 1 else row[0])
        values, results = body(carried, *rows)
        if len(values) != len(start):
            raise TraceError(f"the body of a loop returned {len(values)} values; it carries {len(start)}")
    following = tuple(node_of(inner, x) for x in values)
    found = tuple(node_of(inner, x) for x in results)
    outputs = (Output("next", (len(following),), following), Output("results", (len(found),), found))
    starts = [node_of(around, x) for x in start]
    sizes = {"carried": len(start), "outer": len(inner.outer), "row": len(columns)}
    inputs = tuple(Input(name, (size,)) for name, size in sizes.items())
    around.loops.append(Repeat(Program("body", tuple(inner.nodes), inputs, outputs, tuple(inner.loops)), count))
    table = [column[p] for p in range(count) for column in columns]
    loop = around.node(Op.REPEAT, len(around.loops) - 1, *starts, *inner.outer, *table)
    ends = [Expr(around, around.node(Op.RESULT, loop, k)) for k in range(len(start) + count * len(found))]
    rest = ends[len(start) :]
    return ends[: len(start)], [rest[p * len(found) : (p + 1) * len(found)] for p in range(count)]
