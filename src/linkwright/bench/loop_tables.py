"""What `linkwright bench loops` prints."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from .loop_scaling import ScalingPoint
from .loop_times import BATCH, LoopTimes


def times_table(results: Sequence[LoopTimes]) -> Table:
    title = f"microseconds; batches of {BATCH}; ratios: Pinocchio's time with as many iterations over ours"
    table = _table(
        title, "system", "dof", "rows", "algorithm", "iterations", "operations", "single", "batched", "x lcaba",
        "x lcaba batched", "x prox_ltl", "x prox_ltl batched", "error",
    )  # fmt: skip
    for r in results:
        for t in r.ours:
            ratios = [r.ratio("lcaba", t), r.ratio("prox_ltl", t)] if t.iterations else [r.ratio("aba", t), None]
            cells = [f"{x:.1f}" for pair in ratios if pair for x in pair] or ["-"] * 4
            cells += ["-"] * (4 - len(cells))
            table.add_row(
                r.system, str(r.dof), str(r.rows), t.algorithm, str(t.iterations or "-"), str(t.operations),
                f"{t.single:.2f}", f"{t.batched:.3f}", *cells, "-" if t.error is None else f"{t.error:.0e}",
            )  # fmt: skip
        for label, time in r.peers.items():
            name, _, iterations = label.partition(" ")
            table.add_row(
                r.system, str(r.dof), str(r.rows), f"[dim]Pinocchio {name}[/]", iterations or "-", "", f"{time:.2f}",
                *[""] * 6,
            )  # fmt: skip
        table.add_section()
    table.caption = "of ABA the ratios are to Pinocchio's ABA; the error is relative to Pinocchio's converged prox_ltl"
    return table


def scaling_table(points: Sequence[ScalingPoint]) -> Table:
    table = _table(
        "one iteration; microseconds", "family", "links", "rows", "algorithm", "operations", "per link", "single",
        "batched",
    )  # fmt: skip
    for point in points:
        for name, operations in point.operations.items():
            table.add_row(
                point.family, str(point.links), str(point.rows), name, str(operations),
                f"{operations / point.links:.0f}", f"{point.single[name]:.2f}", f"{point.batched[name]:.3f}",
            )  # fmt: skip
        for name, time in point.peers.items():
            label = f"[dim]Pinocchio {name}[/]"
            table.add_row(point.family, str(point.links), str(point.rows), label, "", "", f"{time:.2f}", "")
    return table


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left", caption_justify="left")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("system", "family", "algorithm") else "right")
    return table
