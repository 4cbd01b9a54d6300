"""[Sathya2024] Figure 4: how PV, PV-early, PV-soft and LTL scale on chains and ladders."""

from __future__ import annotations

from ..contests import Contestant, contest
from ..item import Check, Figure, Item, Panel, Series, Table, Values
from ..mechanisms import ladder, welded_chain
from ..run import Run
from .growth import increments
from .statements import STRAIGHT, is_straight

PAPER = "Sathya2024"
SCALED: dict[str, tuple[str, dict]] = {
    "PV": ("pv", {}),
    "PV-e": ("pv_early", {}),
    "PV-s": ("pv_soft", {}),
    "LTL": ("ltl", {}),
    "LTL-s": ("ltl_soft", {}),
}
LINEAR = {"chain": ("PV", "PV-e", "PV-s"), "ladder": ("PV-e", "PV-s")}
BUILDERS = {"chain": lambda n: welded_chain(n, n), "ladder": ladder}


def measure_scaling(run: Run) -> Values:
    sizes = run.pick(
        {"chain": list(range(10, 101, 15)), "ladder": [1, 2, 3, 4, 5, 6]},
        {"chain": [10, 18, 26, 34], "ladder": [1, 2, 3, 4, 5]},
        {"chain": [6, 8, 10, 12], "ladder": [1, 2, 3]},
    )
    farthest = run.pick({"LTL": 60, "LTL-s": 60}, {}, {})
    found: Values = {}
    for family, build in BUILDERS.items():
        found[family] = {"sizes": sizes[family], "counts": {}, "times": {}}
        for name, (algorithm, options) in SCALED.items():
            own = [n for n in sizes[family] if n <= farthest.get(name, 1000)]
            found[family]["counts"][name] = [run.operations(build(n), algorithm, outputs="a", **options) for n in own]
        if run.times:
            largest = run.pick(60_000, 12_000, 2_000)
            entries = {n: Contestant(a, o, error=False) for n, (a, o) in SCALED.items()}
            for k, n in enumerate(sizes[family]):
                few = {
                    e: x
                    for e, x in entries.items()
                    if k < len(found[family]["counts"][e]) and found[family]["counts"][e][k] < largest
                }
                if few:
                    times = contest(run, build(n), few, others=False)["times"]
                    found[family]["times"][str(n)] = {
                        e: times[f"{e}, single"]["best"] for e in few if f"{e}, single" in times
                    }
    return found


def judge_scaling(values: Values) -> list[Check]:
    checks = []
    for family, own in values.items():
        rising = {n: increments(own["sizes"][: len(c)], c) for n, c in own["counts"].items()}
        text = ", ".join(f"{n}: {a:.0f}, then {b:.0f}" for n, (a, b) in rising.items())
        linear = LINEAR[family]
        steeper = [n for n in SCALED if n not in linear]
        unit = "link" if family == "chain" else "rung"
        checks += [
            Check(
                f"{family}: {', '.join(linear)} scale linearly",
                all(is_straight(*rising[n]) for n in linear),
                f"operations that another {unit} adds: {text}",
            ),
            Check(
                f"{family}: {', '.join(steeper)} scale worse",
                all(b > STRAIGHT * a for a, b in (rising[n] for n in steeper)),
                f"operations that another {unit} adds: {text}",
            ),
        ]
    return checks


def show_scaling(values: Values) -> list:
    panels, rows = [], []
    for family, own in values.items():
        unit = "links" if family == "chain" else "rungs"
        series = [Series(n, own["sizes"][: len(c)], c) for n, c in own["counts"].items()]
        panels.append(Panel(f"{family}: operations", series, unit, "operations"))
        if own["times"]:
            sizes = [n for n in own["sizes"] if str(n) in own["times"]]
            timed = [Series(n, sizes, [own["times"][str(k)].get(n) for k in sizes]) for n in SCALED]
            panels.append(Panel(f"{family}: single calls", timed, unit, "microseconds"))
        for n, c in own["counts"].items():
            rows += [
                [family, size, n, count, own["times"].get(str(size), {}).get(n)]
                for size, count in zip(own["sizes"], c, strict=False)
            ]
    return [
        Figure("Chains whose tip is welded, and ladders whose rungs are", panels),
        Table(
            "Operations and microseconds of single calls",
            ["mechanism", "size", "solver", "operations", "microseconds"],
            rows,
        ),
    ]


ITEMS = (
    Item(
        PAPER,
        "figure-4",
        "scaling on chains and ladders",
        "On chains of 6 to 100 links with the tip held, PV, PV-early and PV-soft scale linearly, LTL and LTL-soft "
        "worse. On "
        "ladders, where constraints grow with links, only PV-early and PV-soft do.",
        "Figure 4, Sec. IX-D",
        measure_scaling,
        judge_scaling,
        show_scaling,
        timed=True,
    ),
)
