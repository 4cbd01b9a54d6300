"""Still pictures and pictures of graphs are valid SVG and hold what they should."""

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.constrained.elimination_order import elimination_order
from linkwright.errors import InputError
from linkwright.model import Tree
from linkwright.programs.breaking_ties import cheapest_ties
from linkwright.viewer import graph_svg, write_svg
from linkwright.viewer.camera import Camera
from linkwright.viewer.elimination_steps import bbo_stages, lcaba_stages
from linkwright.viewer.tree_layout import tree_layout

SVG = "{http://www.w3.org/2000/svg}"


def holding():
    return lw.load("humanoid").with_constraints(lw.connect("left_hand", "right_hand"), lw.weld("left_foot"))


def titles(path):
    return {e.text for e in ElementTree.parse(path).iter(f"{SVG}title")}


def test_a_still_picture(tmp_path):
    model = holding()
    path = write_svg(model, model.neutral(), tmp_path / "still.svg")
    names = titles(path)
    assert {"left_hand (closure)", "left_thigh"} <= names and model.name in names
    for element in ElementTree.parse(path).iter(f"{SVG}line"):
        for key in ("x1", "y1", "x2", "y2", "stroke-width"):
            assert np.isfinite(float(element.get(key)))


def test_the_picture_shows_all_of_the_mechanism():
    box = np.array([[-1, -2, 0], [3, 1, 1.5]], dtype=float)
    corners = np.array([[box[s[k], k] for k in range(3)] for s in np.ndindex(2, 2, 2)])
    x, y = Camera(corners, -0.9, 0.3, 900, 600).project(corners)[:, :2].T
    assert 0 < x.min() < x.max() < 900 and 0 < y.min() < y.max() < 600
    assert np.ptp(x) > 700 or np.ptp(y) > 450  # and not from far away
    assert (x.min() + x.max()) / 2 == pytest.approx(450, abs=2) and (y.min() + y.max()) / 2 == pytest.approx(300, abs=2)


@pytest.mark.parametrize("name", ["chain:1", "tree:20,3", "random_tree:4,9", "humanoid_with_hands"])
def test_any_mechanism_has_both_pictures(name, tmp_path):
    model = lw.load(name)
    write_svg(model, model.random_configuration(0), tmp_path / "still.svg")
    path = graph_svg(model, tmp_path / "graph.svg")
    circles = [e for e in ElementTree.parse(path).iter(f"{SVG}circle") if "node" in e.get("class")]
    assert len(circles) == model.nbodies - 1


def test_names_are_escaped(tmp_path):
    builder = lw.ModelBuilder("<a&b>")
    builder.add_body("</svg>\x01", lw.revolute("</style>"), inertia=lw.Inertia.sphere(1, 0.1))
    model = builder.build()
    assert "<a&b>" in titles(write_svg(model, [0.0], tmp_path / "still.svg"))
    assert any("</svg>" in title for title in titles(graph_svg(model, tmp_path / "graph.svg")))


def test_nothing_to_draw(tmp_path):
    model = lw.ModelBuilder("nothing").build()
    ElementTree.parse(write_svg(model, [], tmp_path / "still.svg"))
    ElementTree.parse(graph_svg(model, tmp_path / "graph.svg"))


def test_graph_shows_cuts_and_neighbours(tmp_path):
    path = graph_svg(holding(), tmp_path / "graph.svg")
    assert {"left_hand (3 rows)", "left_foot (6 rows)"} <= titles(path)
    assert any("neighbours" in title for title in titles(path) if title)


def test_stages_of_elimination_agree_with_the_order():
    """The couplings drawn before a link goes are the neighbours LCABA's order says it has."""
    model = holding().with_constraints(lw.connect("head", "left_forearm"), lw.connect("neck", "right_wrist"))
    order = elimination_order(Tree(model), ties=cheapest_ties(model))
    found = lcaba_stages(model)
    flat = [i for stage in found for i in stage.eliminated]
    assert flat == [i for i, _ in order][: len(flat)] and not found[-1].coupled
    neighbours = dict(order)
    for before, after in pairwise(found):
        first = after.eliminated[0]
        assert {a + b - first for a, b in before.coupled if first in (a, b)} == set(neighbours[first])


PARENTS = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 3, 8: 7, 9: 3, 10: 9, 11: 10}


def test_elimination_by_proxbbo_as_in_the_paper():
    """[Sathya2025] Figure 5, with the other tip first: constraint ~1 is on links 8 and 11, ~0 on 6 and 8."""
    builder = lw.ModelBuilder("eleven")
    for i, parent in PARENTS.items():
        carrier = f"link_{parent}" if parent else "world"
        builder.add_body(f"link_{i}", lw.revolute(f"joint_{i}"), parent=carrier, placement=(0.1, 0, 0))
    model = builder.build().with_constraints(lw.connect("link_6", "link_8"), lw.connect("link_8", "link_11"))
    found = bbo_stages(model)
    assert found[0].coupled == {(-1, 6), (-1, 8), (-2, 8), (-2, 11)}
    assert [stage.eliminated for stage in found[1:3]] == [(11, 10, 9), (8, 7)]
    assert found[1].coupled == {(-1, 6), (-1, 8), (-2, 8), (-2, 3)}
    assert found[2].coupled == {(-1, 6), (-1, 3), (-2, 3), (-2, -1)}  # link 8 supported both loops
    assert found[3].eliminated[:3] == (6, 5, 4) and set(found[3].eliminated[3:]) <= {-1, -2}
    assert not found[-1].coupled and {-1, -2} <= found[-1].gone


def test_layout_gives_every_body_a_place_of_its_own():
    graph = lw.load("humanoid_with_hands").graph
    assert len(set(tree_layout(graph))) == len(graph.parent)


def test_configurations_are_checked(tmp_path):
    model = lw.load("chain:3")
    for q in ([0, 0], [0, 0, np.nan], np.zeros((2, 3))):
        with pytest.raises(InputError, match="one configuration"):
            write_svg(model, q, tmp_path / "still.svg")
