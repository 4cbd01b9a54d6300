"""Fundamental loops, their coupling, mobility and redundancy."""

import numpy as np
import pytest
from drawings import four_bar, stewart_platform

import linkwright as lw
from linkwright.algorithms.constrained.carried_rows import roots
from linkwright.algorithms.constrained.elimination_order import elimination_order
from linkwright.errors import InputError
from linkwright.model import Tree

PARENTS = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 3, 8: 7, 9: 3, 10: 9, 11: 10}


def eleven_links():
    """The mechanism of [Sathya2025] Figures 4 and 5: links 6 and 8, and 8 and 11, are joined by cut joints."""
    builder = lw.ModelBuilder("eleven")
    for i, parent in PARENTS.items():
        builder.add_body(
            f"link_{i}", lw.revolute(f"joint_{i}", "xyz"[i % 3]), parent=f"link_{parent}" if parent else "world",
            placement=(0.1 * i % 0.3, 0.1, 0.2), inertia=lw.Inertia.box(1, (0.1, 0.2, 0.3)),
        )  # fmt: skip
    return builder.build().with_constraints(
        lw.connect("link_6", "link_8", name="twelve"), lw.connect("link_8", "link_11", name="thirteen")
    )


def test_loops_of_the_paper():
    found = lw.loops(eleven_links())
    assert [loop.constraint for loop in found] == ["twelve", "thirteen"]
    twelve = found["twelve"]
    assert twelve.root == "link_3" and twelve.ends == ("link_6", "link_8")
    assert twelve.bodies == ("link_6", "link_5", "link_4", "link_3", "link_7", "link_8")
    assert twelve.joints == ("joint_6", "joint_5", "joint_4", "joint_7", "joint_8")
    assert [len(group) for group in found.groups] == [2]  # both go through joints 7 and 8
    assert [loop.constraint for loop in found.supported_by("link_10")] == ["thirteen"]
    assert "2 coupled loops" in str(found)


def test_elimination_of_the_paper():
    """Figure 4: no link ever has more than one neighbour, and 3 and 8 are the last pair."""
    order = elimination_order(Tree(eleven_links()))
    assert max(len(neighbours) for _, neighbours in order) == 1


def test_loops_to_the_ground_and_uncoupled_loops():
    model = lw.load("humanoid").with_constraints(lw.weld("left_foot"), lw.weld("right_foot"))
    found = lw.loops(model)
    assert found["left_foot"].root == "world" and found["left_foot"].bodies[-1] == "world"
    assert len(found.groups) == 1  # both go through the floating base
    legs = lw.load("quadruped").without_constraints()
    names = [body.name for body in legs.bodies]
    children = [i for i in range(1, legs.nbodies) if not legs.graph.children[i]]
    within = [
        lw.connect(names[tip], names[legs.graph.support[tip][1]], name=f"leg_{tip}", at=(0, 0, 0)) for tip in children
    ]
    assert len(lw.loops(legs.with_constraints(*within)).groups) == len(children)


def test_groups_merge_when_a_later_loop_joins_them():
    chain = lw.load("chain:9")
    model = chain.with_constraints(
        lw.connect("link_3", "link_1", name="a"), lw.connect("link_9", "link_7", name="b"),
        lw.connect("link_8", "link_2", name="c"),
    )  # fmt: skip
    assert [[loop.constraint for loop in group] for group in lw.loops(model).groups] == [["a", "b", "c"]]
    apart = model.without_constraints().with_constraints(*model.constraints[:2])
    assert len(lw.loops(apart).groups) == 2


def test_no_loops():
    found = lw.loops(lw.load("chain:3"))
    assert len(found) == 0 and str(found) == "no loops"
    report = lw.mobility(lw.load("chain:3"))
    assert (report.mobility, report.redundancy, report.redundant) == (3, 0, ())


def test_joints_tied_by_functions():
    found = lw.loops(lw.load("tello"))
    assert found["left_hip_rods"].root == "left_hip_yaw" and len(found["left_hip_rods"].joints) == 4
    assert len(found.supported_by("left_hip_rotor_1")) == 1


def test_unknown_loop():
    with pytest.raises(InputError, match="twelve"):
        lw.loops(eleven_links())["twelv"]


def test_planar_four_bar_is_redundant():
    """Grubler says -2 for a planar four-bar of revolute joints; it has one motion, and three rows repeat others."""
    report = lw.mobility(four_bar().build())
    assert (report.grubler, report.rank, report.mobility, report.redundancy) == (-2, 2, 1, 3)
    assert report.redundant == ("C",)
    assert "mobility 1; 3 redundant rows, among C" in str(report)


def test_only_the_constraints_that_repeat_are_named():
    model = stewart_platform().build()
    again = model.constraints[2]
    repeated = lw.connect(again.frame, again.other, name="again")
    report = lw.mobility(model.with_constraints(repeated))
    assert (report.mobility, report.redundancy) == (6, 3)
    assert report.redundant == (again.name, "again")


def test_rank_depends_on_the_pose():
    """A parallelogram folded flat has two motions there: it may open as itself or as its mirror image."""
    graph = lw.GraphBuilder("parallelogram")
    points = {"A": (0, 0, 0), "B": (0, 0, 0.3), "C": (1, 0, 0.3), "D": (1, 0, 0)}
    for name in ("crank", "coupler", "rocker"):
        graph.add_body(name, lw.Inertia.sphere(1.0, 0.1))
    for name, first, second in (
        ("A", "world", "crank"), ("B", "crank", "coupler"), ("C", "coupler", "rocker"), ("D", "rocker", "world"),
    ):  # fmt: skip
        graph.add_joint(lw.revolute(name, "y"), first, second, at=points[name])
    model = graph.build(cut="C")
    flat = np.zeros(3)
    for joint, angle in (("A", np.pi / 2), ("B", -np.pi / 2), ("D", np.pi / 2)):
        flat[model.iq[model.joint_index(joint)]] = angle * (-1 if joint == "D" else 1)
    assert lw.mobility(model).mobility == 1
    assert lw.mobility(model, flat).mobility == 2


def test_mobility_refuses_batches():
    model = four_bar().build()
    for q in (np.zeros((2, 3)), np.zeros(2), [0, np.nan, 0]):
        with pytest.raises(InputError, match="one configuration"):
            lw.mobility(model, q)


def test_loops_of_rods_gears_and_the_centre_of_mass():
    arms = lw.load("tree:7,2")
    model = arms.with_constraints(
        lw.rod("link_4", "link_6", length=0.5, name="rod"), lw.rod("link_7", length=1.0, name="tether"),
        lw.couple("link_4_joint", "link_5_joint", [0, 2.0], name="gear"), lw.center_of_mass(directions="x y"),
    )  # fmt: skip
    found = lw.loops(model)
    assert found["rod"].root == "link_1" and found["rod"].ends == ("link_4", "link_6")
    assert found["tether"].root == "world"
    assert found["gear"].joints == ("link_4_joint", "link_5_joint")
    assert found["center_of_mass"].root == "world" and len(found["center_of_mass"].joints) == 7
    assert len(found.groups) == 1
    apart = lw.loops(arms.with_constraints(*model.constraints[1:3]))
    assert len(apart.groups) == 2
    assert lw.mobility(model, arms.random_configuration(1)).mobility == 7 - 5


@pytest.mark.parametrize("name", ["digit_like", "jansen_leg", "delta_robot", "hand_with_cube", "tello"])
def test_roots_are_where_bbo_eliminates(name):
    model = lw.load(name)
    names = [model.bodies[i].name for i in roots(Tree(model))]
    assert [loop.root for loop in lw.loops(model)] == names
