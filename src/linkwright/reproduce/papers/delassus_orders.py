"""[Sathya2023] Table I: the orders of algorithms for the Delassus matrix, read off from operation counts."""

from __future__ import annotations

from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..mechanisms import welded_chain
from ..run import Run
from .growth import fitted_order, slope

PAPER = "Sathya2023"
TITLES = {
    "dense_delassus": "naive",
    "ltl_osim": "LTL-OSIM",
    "kjr": "KJR",
    "efpa": "EFPA",
    "pv_osim": "PV-OSIM",
    "pv_osimr": "PV-OSIMr",
}
# Table I: the terms of each algorithm's order as exponents of (n, m, d).
TERMS = {
    "dense_delassus": ((3, 0, 0), (1, 2, 0)),
    "ltl_osim": ((1, 0, 2), (0, 2, 1), (0, 1, 2)),
    "kjr": ((1, 0, 0), (0, 2, 1)),
    "efpa": ((1, 0, 0), (0, 1, 1), (0, 2, 0)),
    "pv_osim": ((1, 0, 0), (0, 2, 1)),
    "pv_osimr": ((1, 0, 0), (0, 2, 0)),
}
WRITTEN = {
    "dense_delassus": "n^3 + m^2 n",
    "ltl_osim": "n d^2 + m^2 d + m d^2",
    "kjr": "n + m^2 d",
    "efpa": "n + m d + m^2",
    "pv_osim": "n + m^2 d",
    "pv_osimr": "n + m^2",
}
# Mechanisms of size k: exponents of k in (n, m, d), and how they are built.
ONE_WELD, ALL_WELDED = "chain of k links, tip welded", "chain of k links, all welded"
FAMILIES = {
    ONE_WELD: ((1, 0, 1), lambda k: welded_chain(k, k)),
    ALL_WELDED: ((1, 1, 1), lambda k: welded_chain(k)),
}


def _expected(algorithm: str, exponents: tuple[int, int, int]) -> int:
    return max(sum(a * b for a, b in zip(term, exponents, strict=True)) for term in TERMS[algorithm])


def measure_orders(run: Run) -> Values:
    sizes = run.pick(
        {ONE_WELD: range(5, 21), ALL_WELDED: range(5, 17)},
        {ONE_WELD: range(5, 13), ALL_WELDED: range(5, 14)},
        {ONE_WELD: range(4, 9), ALL_WELDED: range(2, 6)},
    )
    counts = {
        family: {name: [run.operations(build(k), name) for k in sizes[family]] for name in TITLES}
        for family, (_, build) in FAMILIES.items()
    }
    return {"sizes": {family: list(own) for family, own in sizes.items()}, "counts": counts}


def _orders(values: Values) -> dict[tuple[str, str], tuple[int | None, bool]]:
    return {
        (family, name): fitted_order(values["sizes"][family], counts)
        for family, own in values["counts"].items()
        for name, counts in own.items()
    }


def judge_orders(values: Values) -> list[Check]:
    checks, found = [], _orders(values)
    for (family, name), (order, exact) in found.items():
        expected = _expected(name, FAMILIES[family][0])
        slope_text = f"slope {_slope(values, family, name):.2f}"
        finding = (
            f"no power of k; {slope_text}"
            if order is None
            else f"k^{order}, "
            + ("exactly: differences of counts are constant" if exact else f"{slope_text}; counts ripple")
        )
        better = order is not None and order < expected
        reason = ""
        if better:
            reason = "Ours is better: what tracing computes once for all pairs is not counted again."
        checks.append(
            Check(f"{TITLES[name]}, {WRITTEN[name]}: k^{expected} on a {family}", order == expected, finding, reason)
        )
    return checks


def _slope(values: Values, family: str, name: str) -> float:
    return slope(values["sizes"][family], values["counts"][family][name])


def show_orders(values: Values) -> list:
    found = _orders(values)
    rows = []
    for name, title in TITLES.items():
        row: list[object] = [title, WRITTEN[name]]
        for family, (exponents, _) in FAMILIES.items():
            order, exact = found[family, name]
            row += [
                f"k^{_expected(name, exponents)}",
                "-" if order is None else f"k^{order}{'' if exact else ' (about)'}",
                values["counts"][family][name][-1],
            ]
        rows.append(row)
    columns = ["algorithm", "order in the paper"]
    for family in FAMILIES:
        columns += [f"{family}: paper", "fitted", f"operations, k = {values['sizes'][family][-1]}"]
    panels = [
        Panel(
            family,
            [Series(TITLES[n], values["sizes"][family], c) for n, c in own.items()],
            "k",
            "operations",
            True,
            True,
        )
        for family, own in values["counts"].items()
    ]
    return [Table("Orders", columns, rows), Figure("Operations over the size of the mechanism", panels)]


ITEMS = (
    Item(
        PAPER,
        "table-1",
        "orders of algorithms for the Delassus matrix",
        "PV-OSIMr has the lowest order, n + m^2; the others have "
        + "; ".join(f"{TITLES[n]} {w}" for n, w in WRITTEN.items())
        + ".",
        "Table I, Sec. I",
        measure_orders,
        judge_orders,
        show_orders,
    ),
)
