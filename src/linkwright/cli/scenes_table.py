"""`linkwright bench scenes`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from .measuring import AS_JSON, measuring, report, table_of

if TYPE_CHECKING:
    from ..bench.scenes import Dropped


def scenes(
    count: int = typer.Option(100, min=1, help="Random scenes."),
    seed: int = typer.Option(0, min=0, help="Other seeds give other scenes."),
    seconds: float = typer.Option(2.0, min=0.1, help="How long each is simulated."),
    as_json: bool = AS_JSON,
) -> None:
    """Bodies of all shapes dropped on floors and on each other: does anything fall through, or into another, unsaid?"""
    from ..bench import scenes as bench  # compiles: only when asked for

    results = []
    with measuring(as_json) as (console, step):
        for one in bench.measure(count, seed, progress=step, seconds=seconds):
            results.append(one)
            if one.silent:
                inside = ", ".join(one.inside)
                console.print(f"scene {one.number}: {inside}, and nothing was said", highlight=False, markup=False)
    silent = sum(one.silent for one in results)
    report(
        console, as_json, results, lambda: _table(results, seconds),
        f"{silent} of {len(results)} scenes ended with a body in another or below a floor, and nothing was said",
        seed=seed,
    )  # fmt: skip
    raise typer.Exit(1 if silent else 0)


def _table(results: list[Dropped], seconds: float) -> Table:
    columns = {
        "made as": "", "scenes": "d", "nothing inside, ok": "d", "inside, and said": "d",
        "status 6, nothing inside": "d", "other complaints": "d", "inside, and silent": "d",
    }  # fmt: skip
    rows = []
    for form, number in sorted(Counter(one.form for one in results).items()):
        own = [one for one in results if one.form == form]
        fine = sum(not one.inside and one.verdict == "ok" for one in own)
        said = sum(bool(one.inside) and not one.silent for one in own)
        alarmed = sum(one.alarmed for one in own)
        silent = sum(one.silent for one in own)
        rows.append((form, number, fine, said, alarmed, number - fine - said - alarmed - silent, silent))
    return table_of(f"scenes dropped for {seconds:g} s", columns, rows)
