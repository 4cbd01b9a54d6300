"""Every item at its smallest size: it measures, judges and shows, and judges the same after a way through JSON."""

import json

import pytest

from linkwright.reproduce.environment import Peers, versions
from linkwright.reproduce.item import JUDGEMENTS, Figure, Table
from linkwright.reproduce.item_registry import PAPERS, all_items, chosen_items
from linkwright.reproduce.records import plain
from linkwright.reproduce.robots import ROLES
from linkwright.reproduce.run import Run

# What small sizes can tell is told by them as well as by large ones.
HOLDS = {
    "Sathya2025 figure-4": 3, "Sathya2025 figure-5": 3, "Sathya2025 figure-9": 1, "Sathya2024b figure-1": 1,
    "Linkwright accuracy": 1, "Sathya2023 figure-5": 2, "Sathya2024 figure-3": 3, "Chignoli2023 figure-14": 1,
}  # fmt: skip


@pytest.mark.parametrize("item", all_items(), ids=lambda item: item.label)
def test_item(item):
    if item.label == "Sathya2025 table-2" and versions()["example-robot-data"] is None:
        pytest.skip("needs linkwright[robots]")
    values = plain(item.measure(Run("tiny", 0.0, peers=Peers(cpp=False))))
    again = json.loads(json.dumps(values))
    checks = item.judge(again)
    assert checks and item.judge(values) == checks
    assert all(c.statement and c.finding for c in checks)
    assert all(c.reason.startswith(JUDGEMENTS) for c in checks if c.holds is False and c.reason)
    holding = [c.statement for c in checks if c.holds]
    assert len(holding) >= HOLDS.get(item.label, 0), [(c.statement, c.finding) for c in checks if not c.holds]
    shown = item.show(again)
    assert any(isinstance(thing, Table) and thing.rows for thing in shown)
    for thing in shown:
        if isinstance(thing, Table):
            assert all(len(row) == len(thing.columns) for row in thing.rows), thing.title
        else:
            assert isinstance(thing, Figure) and thing.panels


@pytest.mark.parametrize("label", ["Chignoli2023 table-4", "Sathya2024 table-2"])
def test_times_stand_beside_the_papers(label):
    (item,) = (i for i in all_items() if i.label == label)
    values = plain(item.measure(Run("tiny", 0.02, peers=Peers(cpp=False))))
    (table,) = (t for t in item.show(values) if isinstance(t, Table) and "Microseconds" in t.title)
    cells = [x for row in table.rows for x in row if isinstance(x, float)]
    assert len(cells) > 4 and min(cells) > 0
    assert item.judge(values)


def test_registry():
    labels = [item.label for item in all_items()]
    assert len(set(labels)) == len(labels) and {item.paper for item in all_items()} == set(PAPERS)
    assert [i.name for i in chosen_items("chignoli2023", "Figure 9")] == ["table-2"]
    assert all(role in ROLES for item in all_items() for role in item.robots)
    every = {f"{i.paper} {name}" for i in all_items() for name in (i.name, *i.also)}
    wanted = {"Sathya2025": ["table-2", *(f"figure-{k}" for k in range(4, 12)), "penalty-rule"],
              "Chignoli2023": ["table-2", "table-3", "table-4", *(f"figure-{k}" for k in range(9, 15))],
              "Sathya2023": ["table-1", "figure-3", "figure-4", "figure-5", "figure-6"],
              "Sathya2024": ["figure-2", "table-2", "figure-3", "figure-4"],
              "Sathya2024b": ["table-1", "figure-1", "orders"],
              "Linkwright": ["accuracy", "peak", "simulation", "contact"]}  # fmt: skip
    assert every == {f"{paper} {name}" for paper, names in wanted.items() for name in names}
