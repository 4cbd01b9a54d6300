"""[Chignoli2023] Figures 11 and 13: how algorithms for embedded loops scale with the links of a chain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...io import load
from ...model.constraints import weld
from ...trace import count_operations
from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..run import Run
from .embedded_loops import NAMES, PAPER, program
from .growth import fitted_order, slope

CHAINS = {"geared motors": "geared_chain", "parallel belts": "belt_chain"}


def measure_growth(run: Run, algorithms: Sequence[str], chains: dict[str, str], held: bool) -> Values:
    links = run.pick([4, 8, 12, 16, 20, 24, 28], [4, 8, 12, 16, 20, 24], [2, 4, 6])
    found: Values = {}
    for title, name in chains.items():
        found[title] = {n: [] for n in algorithms}
        for k in links:
            model = load(f"{name}:{k}")
            model = model.with_constraints(weld("tip", name="hold_tip")) if held else model
            for n in algorithms:
                run.progress(f"{model.name}: counting {NAMES[n]}")
                found[title][n].append(count_operations(program(model, n)).total)
    return {"links": links, "counts": found}


def judge_growth(values: Values, first: str) -> list[Check]:
    checks = []
    for chain, own in values["counts"].items():
        orders = {n: fitted_order(values["links"], c)[0] for n, c in own.items()}
        slopes = {n: slope(values["links"], c) for n, c in own.items()}
        text = ", ".join(f"{NAMES[n]}: n^{orders[n]}, slope {slopes[n]:.2f}, {own[n][-1]} operations" for n in own)
        others = [n for n in own if n != first]
        checks += [
            Check(f"{chain}: {NAMES[first]} scales linearly", orders[first] == 1, text),
            Check(
                f"{chain}: the others scale worse, cubically",
                all(orders[n] == 3 for n in others) if values["links"][-1] > 8 else None,
                text,
                "" if all(orders[n] == 3 for n in others) else "Not a cubic polynomial at these sizes.",
            ),
        ]
    return checks


def show_growth(values: Values, title: str) -> list:
    panels = [
        Panel(chain, [Series(NAMES[n], values["links"], c) for n, c in own.items()], "links", "operations")
        for chain, own in values["counts"].items()
    ]
    rows = [
        [chain, k, *(c[j] for c in own.values())]
        for chain, own in values["counts"].items()
        for j, k in enumerate(values["links"])
    ]
    names = [NAMES[n] for n in next(iter(values["counts"].values()))]
    return [Figure(title, panels), Table("Operations", ["chain", "links", *names], rows)]


def _growth_item(
    name: str, title: str, claim: str, algorithms: Sequence[str], chains: dict[str, str], held: bool
) -> Item:
    measured = partial(measure_growth, algorithms=algorithms, chains=chains, held=held)
    return Item(
        PAPER,
        name,
        title,
        claim,
        f"Figure {name.removeprefix('figure-')}, Sec. IX-A",
        measured,
        partial(judge_growth, first=algorithms[0]),
        partial(show_growth, title=title),
    )


ITEMS = (
    _growth_item(
        "figure-11",
        "forward dynamics of chains",
        "C-ABA scales linearly with the number of links, the projection and Lagrange multiplier methods cubically.",
        ("cluster_aba", "projection", "lagrange"),
        CHAINS,
        False,
    ),
    _growth_item(
        "figure-13",
        "inverse OSIM of chains with belts",
        "C-EFPA scales linearly with the number of links, the sparse factorization cubically.",
        ("cluster_efpa", "projected_efpa"),
        {"parallel belts": "belt_chain"},
        True,
    ),
)
