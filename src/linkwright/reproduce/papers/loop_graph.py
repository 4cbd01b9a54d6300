"""[Sathya2025] Figures 4 and 5: how LCABA and proxBBO eliminate the links of the paper's example graph."""

from __future__ import annotations

from itertools import pairwise

from ...algorithms.constrained.carried_rows import roots
from ...algorithms.constrained.elimination_order import elimination_order
from ...model import Tree
from ...programs.breaking_ties import cheapest_ties
from ..item import Check, Diagram, Figure, Item, Panel, Table, Values
from ..mechanisms import EXAMPLE_CUTS, EXAMPLE_PARENTS, example_graph
from ..run import Run

PAPER = "Sathya2025"
PLACES = {
    1: (0, 0),
    2: (0, 1),
    3: (0, 2),
    4: (-2, 3),
    5: (-2, 4),
    6: (-2, 5),
    7: (0, 3.4),
    8: (0, 4.8),
    9: (2, 3),
    10: (2, 4),
    11: (2, 5),
}
THE_PAPERS = (6, 5, 4, 11, 10, 9, 8, 7, 3, 2, 1)
EIGHT_FIRST = (8, 6, 5, 4, 11, 10, 9, 7, 3, 2, 1)


def coupled(order: tuple[int, ...] | list[int]) -> list[tuple[int, list[int], list[list[int]]]]:
    """(link, its neighbours when it goes, couplings that are left after it), by the rule of Sec. IV."""
    neighbours: dict[int, set[int]] = {i: set() for i in EXAMPLE_PARENTS}
    for a, b in EXAMPLE_CUTS:
        neighbours[a].add(b)
        neighbours[b].add(a)
    steps = []
    for i in order:
        own, parent = neighbours.pop(i), EXAMPLE_PARENTS[i]
        for others in neighbours.values():
            others.discard(i)
        if own:
            reached = own | ({parent} if parent else set())
            for j in reached:
                neighbours[j] |= reached - {j}
        left = sorted({tuple(sorted((a, b))) for a, others in neighbours.items() for b in others})
        steps.append((i, sorted(own), [list(pair) for pair in left]))
    return steps


def measure_lcaba(run: Run) -> Values:
    model = example_graph()
    tree = Tree(model)
    order = elimination_order(tree, ties=cheapest_ties(model))
    ours = [int(model.bodies[i].name.removeprefix("link_")) for i, _ in order]
    counted = {int(model.bodies[i].name.removeprefix("link_")): len(own) for i, own in order}
    return {
        "order": ours,
        "neighbours": counted,
        "steps": coupled(ours),
        "paper": coupled(THE_PAPERS),
        "eight_first": coupled(EIGHT_FIRST),
        "operations": run.operations(model, "lcaba", outputs="a", iterations=1),
    }


def judge_lcaba(values: Values) -> list[Check]:
    most = {key: max(len(own) for _, own, _ in values[key]) for key in ("steps", "paper", "eight_first")}
    ours = max(values["neighbours"].values())
    rest = values["order"][6:]
    return [
        Check(
            "with minimum degree no eliminated link has more than one neighbour",
            most["steps"] == ours == most["paper"] == 1,
            f"order {', '.join(map(str, values['order']))}; at most {ours} neighbour",
        ),
        Check(
            "the two outer branches go first, then 8, 7, 3, 2, 1",
            rest == [8, 7, 3, 2, 1] and 8 not in values["order"][:6],
            "the paper begins with 6, 5, 4; ours with 11, 10, 9, which tie with them",
        ),
        Check(
            "eliminating link 8 first would give links two neighbours",
            most["eight_first"] == 2,
            f"at most {most['eight_first']} neighbours",
        ),
    ]


def _panel(title: str, gone: list[int], couplings: list[list[int]]) -> Panel:
    name = {i: str(i) for i in EXAMPLE_PARENTS}
    edges = [(name[p], name[i], "gone" if i in gone else "tree") for i, p in EXAMPLE_PARENTS.items() if p]
    edges += [(name[a], name[b], "coupling") for a, b in couplings]
    return Panel(title, Diagram({name[i]: place for i, place in PLACES.items()}, edges, [name[i] for i in gone]))


def show_lcaba(values: Values) -> list:
    steps = values["steps"]
    panels = [_panel("(a) two cut joints", [], [list(c) for c in EXAMPLE_CUTS])]
    for letter, (before, k) in zip("bcd", pairwise((0, 3, 6, 8)), strict=True):
        gone = [i for i, _, _ in steps[:k]]
        panels.append(_panel(f"({letter}) after {', '.join(map(str, gone[before:]))}", gone, steps[k - 1][2]))
    panels.append(_panel("(e) if link 8 went first", [8], values["eight_first"][0][2]))
    rows = [
        [k + 1, i, ", ".join(map(str, own)) or "none", e[0], ", ".join(map(str, e[1])) or "none"]
        for k, ((i, own, _), e) in enumerate(zip(steps, values["eight_first"], strict=True))
    ]
    return [
        Figure("LCABA's elimination of the example graph; dashed: links that are coupled", panels, 3),
        Table("Order", ["step", "link", "its neighbours", "if 8 went first: link", "its neighbours"], rows),
    ]


def measure_bbo(run: Run) -> Values:
    model = example_graph()
    tree = Tree(model)
    number = {i: int(body.name.removeprefix("link_")) for i, body in enumerate(model.bodies) if i}
    return {
        "roots": [number.get(root, 0) for root in roots(tree)],
        "passing": _passing([number.get(root, 0) for root in roots(tree)]),
        "operations": {
            a: run.operations(model, a, outputs="a", iterations=1) for a in ("lcaba", "prox_bbo", "prox_ltl")
        },
    }


def _passing(ends: list[int]) -> dict[str, list[int]]:
    """Link -> the constraints (12, 13 as in the paper) whose rows pass its joint: its loop is not closed yet."""
    found: dict[str, list[int]] = {}
    for number, (cut, root) in enumerate(zip(EXAMPLE_CUTS, ends, strict=True), start=12):
        for link in cut:
            while link and link != root:
                found.setdefault(str(link), [])
                if number not in found[str(link)]:
                    found[str(link)].append(number)
                link = EXAMPLE_PARENTS[link]
    return found


def judge_bbo(values: Values) -> list[Check]:
    both = sorted(int(link) for link, own in values["passing"].items() if len(own) == 2)
    beyond = [link for link in ("1", "2", "3") if link in values["passing"]]
    counts = ", ".join(f"{n} {c}" for n, c in values["operations"].items())
    return [
        Check(
            "both constraints are eliminated at link 3, the root of both loops",
            values["roots"] == [3, 3],
            f"roots {values['roots']}",
        ),
        Check("eliminating link 8 couples them, since it supports both loops", 8 in both, f"both pass links {both}"),
        Check(
            "below link 3 proxBBO is ABA",
            not beyond,
            f"no rows pass links 3, 2, 1; operations, one iteration: {counts}",
        ),
    ]


def show_bbo(values: Values) -> list:
    places = {**PLACES, 12: (-1.1, 5.6), 13: (1.1, 5.6)}
    name = {**{i: str(i) for i in EXAMPLE_PARENTS}, 12: "λ12", 13: "λ13"}
    panels = []
    for title, gone in (
        ("(a) multipliers of both loops", []),
        ("(b) after 6, 5, 4", [6, 5, 4]),
        ("(c) after 11, 10, 9", [6, 5, 4, 11, 10, 9]),
        ("(d) after 8", [6, 5, 4, 11, 10, 9, 8]),
        ("(e) after 7", [6, 5, 4, 11, 10, 9, 8, 7]),
        ("(f) after both constraints", [6, 5, 4, 11, 10, 9, 8, 7, 12, 13]),
    ):
        edges = [(name[p], name[i], "gone" if i in gone else "tree") for i, p in EXAMPLE_PARENTS.items() if p]
        edges += [(name[a], name[b], "coupling") for a, b in _multiplier_couplings(gone)]
        panels.append(Panel(title, Diagram({name[i]: p for i, p in places.items()}, edges, [name[i] for i in gone])))
    rows = [
        [int(link), ", ".join(map(str, own))]
        for link, own in sorted(values["passing"].items(), key=lambda x: int(x[0]))
    ]
    return [
        Figure("proxBBO's elimination of the example graph; dashed: what multipliers are coupled to", panels, 3),
        Table("Constraints whose rows pass a link's joint", ["link", "constraints"], rows),
    ]


def _multiplier_couplings(gone: list[int]) -> list[tuple[int, int]]:
    ends = {number: set(cut) for number, cut in enumerate(EXAMPLE_CUTS, start=12)}
    between: set[tuple[int, int]] = set()
    for i in gone:
        if i in ends:
            ends.pop(i)
            between = {pair for pair in between if i not in pair}
            continue
        here = [number for number, own in ends.items() if i in own]
        if len(here) == 2:
            between.add((here[0], here[1]))
        for number in here:
            ends[number] = ends[number] - {i} | {EXAMPLE_PARENTS[i]}
    return [(number, link) for number, own in ends.items() for link in sorted(own)] + sorted(between)


ITEMS = (
    Item(
        PAPER,
        "figure-4",
        "LCABA on the example graph",
        "Eliminating leaves of minimum degree first, no link of the eleven has more than one neighbour when it goes; "
        "with link 8 "
        "first they would have two.",
        "Figure 4, Sec. IV-B",
        measure_lcaba,
        judge_lcaba,
        show_lcaba,
    ),
    Item(
        PAPER,
        "figure-5",
        "proxBBO on the example graph",
        "Constraints travel with the links that support them, are coupled at link 8, and are eliminated at link 3, "
        "the root of both "
        "loops; from there on proxBBO is ABA.",
        "Figure 5, Sec. V-B",
        measure_bbo,
        judge_bbo,
        show_bbo,
    ),
)
