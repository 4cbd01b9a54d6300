"""`linkwright bench drops`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from .measuring import AS_JSON, listed, measuring, report, table_of
from .output import plain

if TYPE_CHECKING:
    from ..bench.drops import Drops


def drops(
    robots: str = typer.Option(
        "", help="Comma-separated: go1, go2, a1, anymal_c, g1, cassie (all), files, or names of robots with shapes."
    ),
    count: int = typer.Option(1000, min=1, help="Drops of each robot."),
    seconds: float = typer.Option(2.0, help="How long each falls."),
    seed: int = typer.Option(0, min=0, help="Other seeds give other drops."),
    as_json: bool = AS_JSON,
) -> None:
    """Robots dropped at random: is every step finite, what does the status say, how deep, where does energy go."""
    from ..bench import drops as bench  # compiles: only when asked for

    results = []
    with measuring(as_json) as (console, step):
        chosen = listed(robots) or bench.ROBOTS
        for one in bench.measure(chosen, drops=count, seconds=seconds, seed=seed, progress=step):
            results.append(one)
            console.print(plain(_line(one)), highlight=False, soft_wrap=True)
    report(
        console, as_json, results, lambda: _table(results, seconds),
        "status 6: links may have touched each other, which is not computed. energy gained: the most above what it was "
        "at first and actuators put in; by the law: of which limits and contacts; books off: what of its change is not "
        "accounted for, the integrator's error; all relative to the energy exchanged.",
        seed=seed,
    )  # fmt: skip


def _line(r: Drops) -> str:
    """Said as soon as a robot is done."""
    codes = ", ".join(f"{n} x {code}" for code, n in sorted(r.statuses.items()))
    deepest = max(r.depths, default=0.0)
    return f"{r.robot}: {r.drops} drops, {r.not_finite} not finite, status {codes}, {1e3 * deepest:.1f} mm deep at most"


def _table(results: list[Drops], seconds: float) -> Table:
    columns = {
        "robot": "", "dt": "s", "integrator": "", "drops": "d", "not finite": "s", "not ok": "s", "status 6": "d",
        "depth: median, 99 %, largest": "s", "energy gained": ".1e", "by the law": ".1e", "books off": ".1e",
        "us per step": ".2f",
    }  # fmt: skip
    return table_of(f"random drops of {seconds:g} s", columns, (_row(r, seconds) for r in results), narrow=True)


def _alarming(what: object) -> Text | str:
    return Text(str(what), style="bold red") if what else "0"


def _row(r: Drops, seconds: float) -> list:
    told = r.as_dictionary()
    depth = ", ".join(f"{1e3 * told['depth'][part]:.1f}" for part in ("median", "99 %", "largest")) + " mm"
    wrong = r.drops - r.statuses[0] - r.statuses[6]
    named = ", ".join(f"{n} x status {code}" for code, n in sorted(r.statuses.items()) if code not in (0, 6))
    return [
        r.robot, f"{1e3 * r.dt:g} ms", r.integrator, r.drops, _alarming(r.not_finite),
        _alarming(named if wrong else 0), r.statuses[6], depth,
        *(told[what]["largest"] for what in ("gain", "law_gain", "unaccounted")),
        1e6 * r.seconds / (r.drops * round(seconds / r.dt)),
    ]  # fmt: skip
