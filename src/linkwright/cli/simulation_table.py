"""The table of `linkwright bench simulate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from ..bench.simulation_times import SimulationTimes

_TEXT = ("mechanism", "solver")


def simulation_table(results: Sequence[SimulationTimes], dt: float, batch: int) -> Table:
    title = f"microseconds a step of {dt * 1e3:g} ms takes one core; batches of {batch}; ratios to MuJoCo"
    table = Table(title=title, title_justify="left")
    for heading in (
        "mechanism", "dof", "rows", "solver", "single", "batched", "mj_step", "rollout", "x single", "x batched",
        "drift", "MuJoCo's",
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading in _TEXT else "right")
    for r in results:
        single, batched = r.ratios or (None, None)
        table.add_row(
            r.robot, str(r.dof), str(r.rows), r.solver, f"{r.single:.3f}", f"{r.batched:.4f}",
            _number(r.mujoco_step, ".2f"), _number(r.mujoco_rollout, ".2f"), _number(single, ".0f"),
            _number(batched, ".0f"), f"{r.drift:.0e}", _number(r.mujoco_drift, ".0e"),
        )  # fmt: skip
    return table


def _number(x: float | None, how: str) -> str:
    return "-" if x is None else format(x, how)
