"""Joints to cut are found by counting; motors, and joints that need their coordinate, are left alone."""

import numpy as np
import pytest
from drawings import POINTS, between, four_bar, stewart_platform

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.trace import count_operations


def operations(model):
    return count_operations(lw.trace_program(model, "lcaba", outputs="a", iterations=2)).total


def test_the_cheapest_joint_of_a_loop_is_cut():
    graph = four_bar()
    drawn = graph.build()
    assert graph.exchangeable(drawn) == {"C": ("A", "B", "D")}
    counts = {name: operations(graph.build(name)) for name in "ABCD"}
    assert lw.cheapest_cut(graph) == (min(counts, key=counts.__getitem__),)
    assert operations(graph.build(lw.cheapest_cut(graph))) < 0.9 * operations(drawn)


def test_the_mechanism_stays_the_same():
    graph = four_bar()
    here, there = graph.build(), graph.build(lw.cheapest_cut(graph))
    a = [lw.compile(model, "lcaba", outputs="a")(model.drawn, *np.zeros((2, 3))) for model in (here, there)]
    first = [a[k][[joint.name for joint in model.joints].index("B")] for k, model in enumerate((here, there))]
    assert first[0] == pytest.approx(first[1], rel=1e-7)


def test_motors_and_springs_are_not_cut():
    graph = lw.GraphBuilder("four_bar")
    for name, start, end in (("crank", "A", "B"), ("coupler", "B", "C"), ("rocker", "D", "C")):
        graph.add_body(name, between(POINTS[start], POINTS[end]))
    graph.add_joint(lw.revolute("A", axis="y"), "world", "crank", at=POINTS["A"], actuated=True)
    graph.add_joint(lw.revolute("B", axis="y"), "crank", "coupler", at=POINTS["B"])
    graph.add_joint(lw.revolute("C", axis="y"), "coupler", "rocker", at=POINTS["C"])
    graph.add_joint(lw.revolute("D", axis="y", damping=0.1), "rocker", "world", at=POINTS["D"])
    assert lw.cheapest_cut(graph)[0] in ("B", "C")


def test_loops_that_are_cut_best_stay_so_and_mistakes_are_named():
    graph = stewart_platform()
    assert set(lw.cheapest_cut(graph)) == set(graph.exchangeable(graph.build()))
    with pytest.raises(LinkwrightError, match="ground"):
        lw.cheapest_cut(four_bar(), "pv")
