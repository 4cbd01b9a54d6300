"""Beyond the papers: how much of the processor's floating-point peak compiled programs reach.

The peak is measured: a compiled program of nothing but independent multiply-adds, whose numbers stay in registers.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...compilation import compile as compile_algorithm
from ...io import load
from ...model import Model
from ..clocks import Call
from ..contests import called
from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..run import Run

PAPER = "Linkwright"
BATCH = 512
PROGRAMS = {
    "chain of 7: RNEA": ("chain:7", "rnea", {}),
    "chain of 7: ABA": ("chain:7", "aba", {}),
    "quadruped: RNEA": ("quadruped", "rnea", {}),
    "quadruped: ABA": ("quadruped", "aba", {}),
    "humanoid: ABA": ("humanoid", "aba", {}),
    "Stewart platform: LCABA, one iteration": ("stewart_platform", "lcaba", {"iterations": 1, "outputs": "a"}),
    "biped: LCABA, one iteration": ("digit_like", "lcaba", {"iterations": 1, "outputs": "a"}),
}
_CHAINS, _STEPS = 10, 60  # as many chains as hide a multiply-add's latency, and leave registers for them


def _multiply_adds(x):
    """x_i <- x_i c + d, over and over: two operations each, no memory."""
    found = []
    for k in range(_CHAINS):
        value = x[k]
        for step in range(_STEPS):
            value = value * 0.5 + (0.25 if step % 2 else 0.75)
        found.append(value)
    return found


def measure(run: Run) -> Values:
    names = run.pick(list(PROGRAMS), list(PROGRAMS), list(PROGRAMS)[:2])
    peak = compile_algorithm(_multiply_adds, inputs={"x": _CHAINS})
    values: Values = {"lanes": peak.lanes, "operations": {"multiply-adds": peak.operations.total}, "rates": {}}
    x = np.random.default_rng(0).normal(size=(BATCH, _CHAINS))
    calls: dict[str, Call] = {"multiply-adds": partial(called, peak, (x,), {"out": np.empty((BATCH, _CHAINS))})}
    for name in names:
        robot, algorithm, options = PROGRAMS[name]
        run.progress(name)
        model = load(robot)
        values["operations"][name] = run.operations(model, algorithm, **options)
        if run.times:
            calls[name] = _call(model, algorithm, options)
    if run.times:
        found = run.measured(calls, dict.fromkeys(calls, BATCH))
        values |= {"noise": found["noise"], "quiet": found["quiet"], "times": found["times"]}
        values["rates"] = {n: values["operations"][n] / t["best"] / 1e3 for n, t in found["times"].items()}
    return values


def _call(model: Model, algorithm: str, options: dict) -> Call:
    f = compile_algorithm(model, algorithm, **options)
    rng = np.random.default_rng(0)
    states = (model.random_configuration(rng, BATCH), *rng.normal(size=(2, BATCH, model.nv)))
    return partial(called, f, states, {"out": np.empty((BATCH, model.nv))})


def judge(values: Values) -> list[Check]:
    shares = _shares(values)
    return [
        Check(
            "compiled dynamics reaches a fifth of the processor's peak in batches",
            min(shares.values()) > 0.2 if shares and values["quiet"] else None,
            ", ".join(f"{n} {100 * x:.0f} %" for n, x in shares.items()) or "no times",
            "" if values.get("quiet", True) else "The machine was too noisy to judge times.",
        )
    ]


def _shares(values: Values) -> dict[str, float]:
    rates = values["rates"]
    return {n: r / rates["multiply-adds"] for n, r in rates.items() if n != "multiply-adds"}


def show(values: Values) -> list:
    shares = _shares(values)
    rows = [
        [n, count, values.get("times", {}).get(n, {}).get("best"), values["rates"].get(n), shares.get(n)]
        for n, count in values["operations"].items()
    ]
    things: list = [
        Table(
            f"Batches of {BATCH}, {values['lanes']} lanes; the peak is that of the first line",
            ["program", "operations", "microseconds", "operations per nanosecond", "share of the peak"],
            rows,
        )
    ]
    if shares:
        bars = [Series("share of the peak", list(shares), list(shares.values()), "bar")]
        things.append(Figure("Share of the floating-point peak, in batches", [Panel("", bars)], 1))
    return things


ITEMS = (
    Item(
        PAPER,
        "peak",
        "share of the floating-point peak",
        "Straight-line programs over lanes use a good part of what the processor can compute.",
        "docs/compiling.md",
        measure,
        judge,
        show,
        timed=True,
    ),
)
