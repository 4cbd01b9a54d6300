"""Facts about mechanisms, and what algorithms cost on them."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis import algorithm_costs, cheapest
from linkwright.errors import InputError
from linkwright.trace import count_operations


def four_bar(dented=0.0):
    graph = lw.GraphBuilder("four_bar")
    points = {"A": (0, 0, 0), "B": (0, 0, 0.3), "C": (0.8, 0, 0.6), "D": (0.7, 0, 0)}
    for name in ("crank", "coupler", "rocker"):
        graph.add_body(name, lw.Inertia.sphere(1.0, 0.1))
    for name, first, second in (("A", "world", "crank"), ("B", "crank", "coupler"), ("D", "rocker", "world")):
        graph.add_joint(lw.revolute(name, "y"), first, second, at=points[name])
    x, y, z = points["C"]
    graph.add_joint(lw.revolute("C", "y"), "coupler", "rocker", on_first=(x, y, z), on_second=(x + dented, y, z))
    return graph.build()


def grasping():
    robot = lw.load("humanoid")
    return robot.with_constraints(lw.connect("left_hand", "right_hand"), lw.weld("left_foot"))


def test_facts_of_a_four_bar():
    found = lw.inspect(four_bar())
    assert found.closed and found.mobility.mobility == 1 and found.mobility.redundancy == 3
    assert [loop.constraint for loop in found.loops] == ["C"]
    assert found.cuts["C"].startswith("leaves 5 rows, and no joint around the loop would leave fewer")
    assert found.cuts["C"].endswith("1 and 2 joints from world to its ends")
    assert {body for body, _ in found.elimination} == {"crank", "coupler", "rocker"}
    assert "the pose is closed" in str(found)


def test_an_open_pose_is_noticed():
    found = lw.inspect(four_bar(dented=0.01))
    assert not found.closed and found.checks[0].error == pytest.approx(0.01)
    assert "C is off by 0.01" in str(found)


def test_special_poses_are_noticed():
    """A parallelogram drawn flat could open in two ways; a little later it has chosen one."""
    graph = lw.GraphBuilder("flat")
    points = {"A": (0, 0, 0), "B": (0.3, 0, 0), "C": (1.3, 0, 0), "D": (1, 0, 0)}
    for name in ("crank", "coupler", "rocker"):
        graph.add_body(name, lw.Inertia.sphere(1.0, 0.1))
    for name, first, second in (
        ("A", "world", "crank"), ("B", "crank", "coupler"), ("C", "coupler", "rocker"), ("D", "rocker", "world"),
    ):  # fmt: skip
        graph.add_joint(lw.revolute(name, "y"), first, second, at=points[name])
    found = lw.inspect(graph.build())
    assert found.closed and found.singular
    assert (found.mobility.mobility, found.nearby.mobility) == (2, 1)
    assert "a special pose" in str(found)
    assert not lw.inspect(four_bar()).singular


def test_better_cuts_are_named():
    graph = lw.GraphBuilder("pair")
    for name in ("a", "b"):
        graph.add_body(name, lw.Inertia.sphere(1.0, 0.1))
    graph.add_joint(lw.revolute("A"), "world", "a", at=(0, 0, 0))
    graph.add_joint(lw.spherical("B"), "a", "b", at=(1, 0, 0))
    graph.add_joint(lw.revolute("C"), "b", "world", at=(2, 0, 0))
    assert "cutting B (spherical) instead would leave 3" in lw.inspect(graph.build(cut="C")).cuts["C"]


def test_other_constraints_are_explained():
    model = grasping().with_constraints(
        lw.rod("head", "left_wrist", length=0.5, name="string"),
        lw.couple("left_thigh_joint", "right_thigh_joint", [0, -1], name="gait"),
        lw.center_of_mass(directions="x y"),
    )
    found = lw.inspect(model, model.random_configuration(0))
    assert found.cuts["left_foot"] == "held by the ground in 6 directions"
    assert found.cuts["string"] == "a rod, which is no joint"
    assert found.cuts["gait"] == "couples joints left_thigh_joint, right_thigh_joint"
    assert found.cuts["center_of_mass"].startswith("a sum over")
    errors = {check.name: check.error for check in found.checks}
    assert errors["left_foot"] is None and errors["string"] > 0


def test_no_constraints():
    found = lw.inspect(lw.load("chain:3"))
    assert found.closed and not found.cuts and "no loops" not in str(found)
    costs = algorithm_costs(lw.load("chain:3"), times=False)
    assert [cost.name for cost in costs if cost.problem is None] == ["aba"]


def test_costs_are_counted_and_sorted():
    model = grasping()
    costs = algorithm_costs(model, times=False)
    usable = [cost for cost in costs if cost.problem is None]
    assert [c.operations for c in usable] == sorted(c.operations for c in usable)
    by_name = {cost.name: cost for cost in costs}
    assert by_name["lcaba"].operations == count_operations(lw.trace_program(model, "lcaba", outputs="a")).total
    assert "to the ground" in by_name["constrained_aba"].problem and by_name["aba"].problem == "knows no constraints"
    assert not by_name["ltl_soft"].exact
    assert cheapest(costs) is min((c for c in usable if c.exact), key=lambda c: c.operations)


def test_solvers_of_independent_constraints_are_left_out_where_rows_repeat():
    by_name = {cost.name: cost for cost in algorithm_costs(four_bar(), times=False)}
    assert by_name["ltl"].problem == "needs independent constraints; 3 rows repeat others"
    assert by_name["prox_ltl"].problem is None


def test_clusters():
    found = lw.inspect(lw.load("digit_like"))
    assert len(found.clusters) == 6
    first = found.clusters[0]
    assert first.constraints == ("left_achilles",) and "left_tarsus" in first.bodies and len(first.independent) == 1
    by_name = {cost.name: cost for cost in algorithm_costs(lw.load("four_bar"), times=False)}
    assert by_name["cluster_aba"].independent and by_name["cluster_aba"].problem is None
    assert by_name["approximate_aba"].approximate == "reflected rotors"


def test_costs_are_measured():
    steps = []
    costs = algorithm_costs(four_bar(), seconds=0.01, progress=steps.append)
    assert all(cost.single > 0 and cost.batched > 0 for cost in costs if cost.problem is None)
    assert "compiling lcaba" in steps


def test_a_mechanism_that_cannot_be_solved_says_why():
    builder = lw.ModelBuilder("massless")
    builder.add_body("ghost", lw.revolute("hinge"))
    costs = algorithm_costs(builder.build(), times=False)
    assert all("moves no inertia" in cost.problem for cost in costs)
    assert cheapest(costs) is None


def test_bad_input():
    with pytest.raises(InputError, match="expected a Model"):
        lw.inspect("humanoid")
    with pytest.raises(InputError, match="one configuration"):
        lw.inspect(four_bar(), np.zeros(7))
