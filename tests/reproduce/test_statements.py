"""Statements are judged by what they say: numbers within the rounding of their digits, words by what they mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from linkwright.reproduce.item_registry import all_items
from linkwright.reproduce.papers import embedded_loops
from linkwright.reproduce.papers.statements import about, is_straight, meets, within


@pytest.mark.parametrize(
    "value, printed, met",
    [
        (19.9, "19.9", True), (19.86, "19.9", True), (19.94, "19.9", True), (19.84, "19.9", False),
        (20.8, "19.9", False), (10.1, "19.9", False), (39.4, "39.2", False), (54, "54", True), (53, "54", False),
        (0.0, "1.5", False),
    ],
)  # fmt: skip
def test_printed_numbers(value, printed, met):
    assert meets(value, printed) is met


@pytest.mark.parametrize(
    "value, printed, met",
    [
        (53.2, "50", True), (37.0, "50", False), (44.9, "50", False), (55.1, "50", False), (33.0, "34", False),
        (33.6, "34", True), (1.46, "1.5", True), (4.7, "1.5", False), (2.33, "2", True), (1.4, "2", False),
        (3.4, "3", True), (2.4, "3", False), (1e8, "1e8", True), (1e9, "1e8", False),
    ],
)  # fmt: skip
def test_numbers_that_are_called_about(value, printed, met):
    assert about(value, printed) is met


def test_ranges_and_growth():
    assert within([22.4, 37.6, 21.6], "22", "38") and not within([22.4, 0.3], "22", "38")
    assert not within([38.6], "22", "38") and within([], "1", "2")
    assert is_straight(100.0, 100.9) and not is_straight(100.0, 105.0) and not is_straight(100.0, 90.0)


@pytest.mark.parametrize("name", embedded_loops.RANGES)
def test_the_papers_own_numbers_meet_what_it_says_of_them(name):
    low, high = embedded_loops.RANGES[name]
    assert within([abs(x) for x in embedded_loops.QUOTED[name]], low, high)


def test_small_differences_are_not_taken_for_large_ones():
    """What the paper finds 22 to 38 % dearer is not reproduced by a third of a percent."""
    robots = {r: {"operations": {"cluster_rnea": 1000, "approximate_rnea": 995, "projected_rnea": 1003}} for r in "ab"}
    values = {"robots": dict(zip(embedded_loops.ROBOTS, robots.values(), strict=False))}
    held = {c.statement: c.holds for c in embedded_loops.judge(values, embedded_loops.TABLES["table-2"])}
    assert [holds for what, holds in held.items() if "22 to 38 %" in what] == [False]
    assert [holds for what, holds in held.items() if "36 to 60 %" in what] == [False]
    assert [holds for what, holds in held.items() if "on all robots" in what] == [True]


def test_the_record_has_every_item_with_the_statements_of_today():
    """Statements are texts of the items: a record of others is of an older judge."""
    path = Path(__file__).parents[2] / "docs" / "measured" / "reproduce.json"
    recorded = {result["item"]: result for result in json.loads(path.read_text())["results"]}
    assert {item.label for item in all_items()} == set(recorded)
    assert not [label for label, result in recorded.items() if result["verdict"] == "failed"]
    silent = [c["statement"] for r in recorded.values() for c in r["checks"] if c["holds"] is False and not c["reason"]]
    assert not silent  # what does not hold has its reason beside it
