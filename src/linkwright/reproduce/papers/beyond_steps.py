"""Beyond the papers: steps of simulations with loops, and of robots on the ground, beside MuJoCo's."""

from __future__ import annotations

import os

from ...bench import contact_times, simulation_times
from ...errors import LinkwrightError
from ...robots.menagerie import FOLDER_VARIABLE
from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..run import Run

PAPER = "Linkwright"


def measure_simulation(run: Run) -> Values:
    names = run.pick(simulation_times.ROBOTS, simulation_times.ROBOTS[:5], simulation_times.ROBOTS[:1])
    if not run.times:
        return {"names": list(names), "rows": [], "why": "no times"}
    found = simulation_times.measure(names, seconds=run.seconds, progress=run.progress)
    return {"names": list(names), "rows": [r.as_dictionary() for r in found], "why": ""}


def measure_contact(run: Run) -> Values:
    names = run.pick(contact_times.ROBOTS, ("go1", "g1"), ("go1",))
    empty: Values = {"names": list(names), "rows": []}
    if not run.times:
        return {**empty, "why": "no times"}
    if FOLDER_VARIABLE not in os.environ:
        return {**empty, "why": f"{FOLDER_VARIABLE} does not say where the MuJoCo Menagerie is"}
    try:
        found = list(contact_times.measure(names, ("moving",), seconds=run.seconds, progress=run.progress))
    except LinkwrightError as error:
        return {**empty, "why": str(error)}
    return {"names": list(names), "rows": [r.as_dictionary() for r in found], "why": ""}


def judge(values: Values) -> list[Check]:
    timed = [r for r in values["rows"] if r["ratio_single"] and r["ratio_batched"]]
    text = ", ".join(f"{r['robot']} {r['ratio_single']:.1f}x, {r['ratio_batched']:.1f}x batched" for r in timed)
    return [
        Check(
            "every step is faster than MuJoCo's, one at a time and batched",
            all(min(r["ratio_single"], r["ratio_batched"]) > 1 for r in timed) if timed else None,
            text or values["why"] or "MuJoCo is not there",
        )
    ]


def show_simulation(values: Values) -> list:
    return _shown(values, "drift", "mujoco_drift", "how far loops are open")


def show_contact(values: Values) -> list:
    return _shown(values, "error", "mujoco_error", "error of accelerations")


def _shown(values: Values, ours: str, theirs: str, what: str) -> list:
    keys = ["robot", "dof", "single", "batched", "mujoco_step", "mujoco_rollout", "ratio_single", "ratio_batched"]
    rows = [[r[k] for k in (*keys, ours, theirs)] for r in values["rows"]]
    rows = rows or [[name, *[None] * (len(keys) + 1)] for name in values["names"]]
    heads = ["robot", "dof", "single", "batched", "mj_step", "rollout", "x single", "x batched", what, "MuJoCo's"]
    title = "Microseconds a step takes one core" + (f" ({values['why']})" if values["why"] else "")
    things: list = [Table(title, heads, rows)]
    if values["rows"]:
        names = [r["robot"] for r in values["rows"]]
        bars = [
            Series(label, names, [r[key] for r in values["rows"]], "bar")
            for label, key in (
                ("ours, single", "single"), ("MuJoCo's mj_step", "mujoco_step"), ("ours, batched", "batched"),
                ("MuJoCo's rollout", "mujoco_rollout"),
            )
        ]  # fmt: skip
        things.append(Figure("Microseconds a step takes", [Panel("", bars, y_label="microseconds", log_y=True)], 1))
    return things


ITEMS = (
    Item(
        PAPER,
        "simulation",
        "steps of mechanisms with loops, beside MuJoCo",
        "Whole steps are compiled, loops are held until converged.",
        "docs/simulation.md",
        measure_simulation,
        judge,
        show_simulation,
        timed=True,
    ),
    Item(
        PAPER,
        "contact",
        "steps of robots on the ground, beside MuJoCo",
        "The same law of contact, to its digits, on recursive solvers.",
        "docs/contact.md",
        measure_contact,
        judge,
        show_contact,
        timed=True,
    ),
)
