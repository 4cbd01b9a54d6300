"""Beyond the papers: what every solver's answer is off by at default options, beside what it costs."""

from __future__ import annotations

import numpy as np

from ...compilation import compile as compile_algorithm
from ...io import load
from ...model import Model
from ...model.constraints import connect
from ...programs import RECIPES
from ...programs.constrained import CONSTRAINED
from ...referee import solve_kkt
from ..contests import consistent_states
from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..run import Run

PAPER = "Linkwright"
PROMISED = 1e-6  # of the largest acceleration: what status ok promises
_FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
SYSTEMS = {
    "quadruped on four feet": lambda: load("quadruped").with_constraints(*map(connect, _FEET)),
    "delta robot": lambda: load("delta_robot"),
    "Stewart platform": lambda: load("stewart_platform"),
    "biped with six loops": lambda: load("digit_like"),
}


def measure(run: Run) -> Values:
    names = run.pick(list(SYSTEMS), list(SYSTEMS)[:2], list(SYSTEMS)[:1])
    return {"states": _states(run), "systems": {name: _measured(run, SYSTEMS[name]()) for name in names}}


def _states(run: Run) -> int:
    return run.pick(200, 50, 4)


def _measured(run: Run, model: Model) -> Values:
    rng, count = np.random.default_rng(0), _states(run)
    q = model.integrate(np.tile(model.drawn, (count, 1)), rng.uniform(-0.3, 0.3, (count, model.nv)))
    states = consistent_states(model, (q, *rng.normal(size=(2, count, model.nv))))
    exact = np.array([solve_kkt(model, *state).a for state in zip(*states, strict=True)])
    found: Values = {}
    able = [r.name for r in CONSTRAINED if RECIPES[r.name].takes_constraints_of(model)]
    for name in run.pick(able, able, [n for n in able if n in ("pv", "constrained_aba")]):
        run.progress(f"{model.name}: {name}")
        told = RECIPES[name].outputs
        wanted = ("a", "status") if "status" in told else ("a",)
        result = compile_algorithm(model, name, outputs=wanted)(*states)
        a = np.asarray(result.a if len(wanted) > 1 else result)
        ok = np.asarray(result.status) == 0 if len(wanted) > 1 else np.ones(count, bool)
        errors = np.abs(a - exact).max(axis=1) / np.abs(exact).max(axis=1)
        found[name] = {
            "operations": run.operations(model, name, outputs="a"),
            "median": float(np.median(errors)),
            "most": float(errors.max()),
            "ok": int(ok.sum()),
            "most_ok": float(errors[ok].max()) if ok.any() else 0.0,
        }
    return found


def judge(values: Values) -> list[Check]:
    checks = []
    for system, own in values["systems"].items():
        hard = {n: x for n, x in own.items() if n not in SOFT}
        worst = max(hard, key=lambda n: hard[n]["most_ok"])
        first = min(hard, key=lambda n: hard[n]["operations"])
        checks.append(
            Check(
                f"{system}: every answer with status ok is right to {PROMISED:.0e}",
                hard[worst]["most_ok"] < PROMISED,
                f"largest error {hard[worst]['most_ok']:.0e} ({worst}); the cheapest, {first}, takes "
                f"{hard[first]['operations']} operations and is off by {hard[first]['most']:.0e} at most",
            )
        )
    return checks


SOFT = ("pv_soft", "ltl_soft")  # solve another problem: constraints that give


def show(values: Values) -> list:
    panels, rows = [], []
    for system, own in values["systems"].items():
        series = [
            Series(n, [x["operations"]], [max(x["median"], 1e-17)], low=[x["median"]], high=[max(x["most"], 1e-17)])
            for n, x in own.items()
        ]
        panels.append(Panel(system, series, "operations", "median and largest error", True, True))
        rows += [
            [system, n, x["operations"], x["median"], x["most"], f"{x['ok']} of {values['states']}"]
            for n, x in own.items()
        ]
    columns = ["system", "solver", "operations", "median error", "largest error", "status ok"]
    return [
        Figure(f"Accuracy against cost at default options, {values['states']} states", panels),
        Table("Errors relative to the largest acceleration of the dense referee", columns, rows),
    ]


ITEMS = (
    Item(
        PAPER,
        "accuracy",
        "accuracy against cost of all solvers",
        "At default options every solver's answer with status ok is right to 1e-6, whatever it costs.",
        "docs/trust.md",
        measure,
        judge,
        show,
    ),
)
