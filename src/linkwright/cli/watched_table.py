"""`linkwright bench watched`."""

from __future__ import annotations

import typer

from .measuring import AS_JSON, listed, measuring, report, table_of


def watched(
    robots: str = typer.Option("", help="Comma-separated names or files; by default public robots."),
    states: int = typer.Option(200, min=1, help="Random states of each."),
    seed: int = typer.Option(0, min=0, help="Other seeds give other states."),
    meshes: bool = typer.Option(True, help="Take hulls of meshes that links collide with."),
    as_json: bool = AS_JSON,
) -> None:
    """How often status 6 says that a contact may have occurred while all shapes are apart."""
    from ..bench import watched_states as bench

    with measuring(as_json) as (console, step):
        chosen = listed(robots) or bench.ROBOTS
        results = list(bench.measure(chosen, states=states, seed=seed, meshes=meshes, progress=step))
    columns = {
        "robot": "", "shapes": "d", "pairs watched": "d", "overlap as drawn": "d", "states": "d", "status 6": "d",
        "while apart": "d", "share": ".1%", "": "",
    }  # fmt: skip
    rows = [(r.robot, r.shapes, r.pairs, r.as_drawn, r.states, r.told, r.false, r.share, r.problem) for r in results]
    report(console, as_json, results, lambda: table_of("random states", columns, rows), seed=seed)
