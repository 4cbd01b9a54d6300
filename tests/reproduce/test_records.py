"""Finished items are kept, whole or not at all, and only where they answer the same question."""

import json

import numpy as np
import pytest

from linkwright.reproduce import environment
from linkwright.reproduce.item import Check, Item, Table, verdict
from linkwright.reproduce.records import Records, plain
from linkwright.reproduce.reproducing import records_of, reproduce
from linkwright.reproduce.run import Run


def item(name="table-1", *, values=None, error=None, timed=False, calls=None):
    def measure(run):
        if calls is not None:
            calls.append(name)
        if error is not None:
            raise error
        return {"x": 3} if values is None else values

    return Item(
        "Sathya2025", name, "a title", "a claim", "Table 0", measure,
        lambda v: [Check("x is 3", v["x"] == 3, f"{v['x']}")], lambda v: [Table("t", ["x"], [[v["x"]]])], timed=timed,
    )  # fmt: skip


def test_a_finished_item_is_not_measured_again(tmp_path):
    calls = []
    first = reproduce([item(calls=calls)], Run("tiny"), records_of(Run("tiny"), tmp_path))
    second = reproduce([item(calls=calls)], Run("tiny"), records_of(Run("tiny"), tmp_path))
    assert calls == ["table-1"]
    assert not first[0].kept and second[0].kept
    assert second[0].verdict == "reproduced" and second[0].record == first[0].record
    assert reproduce([item(calls=calls)], Run("tiny"), records_of(Run("tiny"), tmp_path), again=True)
    assert len(calls) == 2


@pytest.mark.parametrize("damage", ["cut short", "another number", "not JSON", "another key", "empty"])
def test_a_damaged_record_is_measured_again(tmp_path, damage):
    records = records_of(Run("tiny"), tmp_path)
    reproduce([item()], Run("tiny"), records)
    path = records.path(item())
    text = path.read_text()
    document = json.loads(text)
    if damage == "cut short":
        text = text[: len(text) // 2]
    elif damage == "another number":
        document["values"]["x"] = 4
        text = json.dumps(document)
    elif damage == "another key":
        document["key"] = "0"
        text = json.dumps(document)
    else:
        text = "" if damage == "empty" else "<html>"
    path.write_text(text)
    assert records.load(item()) is None
    calls = []
    outcome = reproduce([item(calls=calls)], Run("tiny"), records)[0]
    assert calls == ["table-1"] and outcome.record["values"] == {"x": 3}


def test_an_interruption_leaves_what_is_finished_and_the_next_run_goes_on(tmp_path):
    records, calls = records_of(Run("tiny"), tmp_path), []
    with pytest.raises(KeyboardInterrupt):
        reproduce([item("a", calls=calls), item("b", error=KeyboardInterrupt(), calls=calls)], Run("tiny"), records)
    assert [path.name.split("-")[1] for path in records.folder.iterdir()] == ["a"]  # nothing half written either
    outcomes = reproduce([item("a", calls=calls), item("b", calls=calls)], Run("tiny"), records)
    assert calls == ["a", "b", "b"] and [o.kept for o in outcomes] == [True, False]


def test_items_without_times_are_measured_while_a_peer_is_built(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(environment, "find_peer", lambda **_: calls.append("built") or (None, "a sentence"))
    run = Run("tiny", 0.1, peers=environment.Peers())
    items = [item("a", timed=True, calls=calls), item("b", calls=calls)]
    outcomes = reproduce(items, run, records_of(run, tmp_path))
    assert [o.item.name for o in outcomes] == ["a", "b"] and run.peers.about[0] == "a sentence"
    assert calls.index("b") < calls.index("a") and calls.index("built") < calls.index("a") and len(calls) == 3
    again = Run("tiny", 0.1, peers=environment.Peers())
    assert all(o.kept for o in reproduce(items, again, records_of(again, tmp_path))) and len(calls) == 3


def test_one_item_that_fails_does_not_take_the_others_with_it(tmp_path):
    records = records_of(Run("tiny"), tmp_path)
    outcomes = reproduce([item("a", error=ValueError("no such luck")), item("b")], Run("tiny"), records)
    assert [o.verdict for o in outcomes] == ["failed", "reproduced"]
    assert "no such luck" in outcomes[0].failure and records.load(item("a")) is None


def test_what_numbers_depend_on_is_in_the_key(tmp_path):
    quick, full = (records_of(Run(size), tmp_path) for size in ("quick", "full"))
    assert quick.key(item()) != full.key(item())
    here, there = ({"machine": name, "peers": ["4.1"], "seconds": 1.0, "robots": {"atlas": name}} for name in "ab")
    counted, timed = item(), item(timed=True)
    assert Records(tmp_path, here).key(counted) == Records(tmp_path, there).key(counted)
    assert Records(tmp_path, here).key(timed) != Records(tmp_path, there).key(timed)


def test_values_come_back_as_they_were_stored():
    values = {1: (2.5, np.float64(3)), "a": np.arange(2), "b": float("nan"), "c": [None, True]}
    stored = plain(values)
    assert stored == {"1": [2.5, 3.0], "a": [0, 1], "b": None, "c": [None, True]}
    assert json.loads(json.dumps(stored)) == stored


def test_verdicts():
    yes, no, unknown = Check("", True, ""), Check("", False, ""), Check("", None, "")
    assert verdict([yes, unknown]) == "reproduced" and verdict([yes, no]) == "partly reproduced"
    assert verdict([no]) == "not reproduced" and verdict([unknown]) == "not judged"
