"""`linkwright bench ...`: measurements as tables, or as JSON for machines."""

from __future__ import annotations

from collections.abc import Callable

import typer

from . import (
    agree_table,
    believe_table,
    bench_derivatives,
    bench_dynamics,
    bench_loops,
    bench_many,
    bench_steps,
    contact_table,
    drops_table,
    scenes_table,
    schemes_table,
    trust_table,
    watched_table,
)

app = typer.Typer(help="Measure Linkwright beside its peers, in the same run.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Measure Linkwright beside its peers, in the same run."""


_COMMANDS: dict[str, Callable[..., None]] = {
    "tree": bench_dynamics.tree, "constrained": bench_dynamics.constrained, "delassus": bench_dynamics.delassus,
    "derivatives": bench_derivatives.derivatives,
    "loops": bench_loops.loops, "price": bench_loops.price, "convergence": bench_loops.convergence,
    "simulate": bench_steps.simulate, "clusters": bench_dynamics.clusters, "compile": bench_steps.compile_time,
    "trust": trust_table.trust, "believe": believe_table.believe, "drops": drops_table.drops,
    "scenes": scenes_table.scenes, "watched": watched_table.watched, "schemes": schemes_table.schemes,
    "contact": contact_table.contact, "agree": agree_table.agree, "envs": bench_many.envs,
    "rollouts": bench_many.rollouts,
}  # fmt: skip
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)
