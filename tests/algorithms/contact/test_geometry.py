"""Gap, point and frame of contacts against MuJoCo's, at random poses."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.contact.candidates import candidates
from linkwright.algorithms.tree.kinematics import placements
from linkwright.model import tree_of

mujoco = pytest.importorskip("mujoco")

FLOOR = '<geom name="floor" type="plane" size="3 3 .1" pos="0 0 .1" euler="20 -30 50" margin="2"/>'
SHAPES = {
    "sphere": 'type="sphere" size=".12"',
    "capsule": 'type="capsule" size=".06 .2"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .05"',
    "cylinder": 'type="cylinder" size=".1 .15"',
    "box": 'type="box" size=".1 .2 .15"',
}


def free(name: str, shape: str) -> str:
    placed = 'pos=".02 .03 -.01" euler="10 40 70"'
    return f'<body name="{name}"><freejoint/><geom name="{name}_geom" {SHAPES[shape]} {placed} margin="2"/></body>'


def contacts_of_both(text: str, pairs: list[lw.model.contact.ContactPair], qpos) -> tuple[list, list]:
    """(gap, point, frame) of all contacts by name of the pair, ours and MuJoCo's."""
    model = lw.load(text)
    model = model.with_contacts(*pairs)
    q = lw.from_mujoco(model, np.asarray(qpos))
    tree = tree_of(model)
    ours = []
    for one in candidates(tree, placements(tree, [float(x) for x in q])):
        touch, view, place = one.touch, one.view, one.touch.place()
        if touch.possible is None or touch.possible:
            frame = [list(view.direction_in_world(d)) for d in (place.normal, place.t1, place.t2)]
            ours.append((float(touch.gap), np.array(list(view.point_in_world(place.point))), np.array(frame)))
    compiled = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(compiled)
    data.qpos[:] = qpos
    mujoco.mj_forward(compiled, data)
    theirs = [(c.dist, np.array(c.pos), np.array(c.frame).reshape(3, 3)) for c in data.contact]
    by_place = lambda c: tuple(np.round(c[1], 6))  # noqa: E731
    return sorted(ours, key=by_place), sorted(theirs, key=by_place)


def assert_same(ours, theirs):
    assert len(ours) == len(theirs)
    for (gap, point, frame), (their_gap, their_point, their_frame) in zip(ours, theirs, strict=True):
        assert gap == pytest.approx(their_gap, abs=1e-12)
        np.testing.assert_allclose(point, their_point, atol=1e-12)
        np.testing.assert_allclose(frame, their_frame, atol=1e-11)


def random_pose(rng, spread=0.4) -> list[float]:
    return [*rng.normal(size=3) * spread, *(x := rng.normal(size=4)) / np.linalg.norm(x)]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_against_a_plane(shape, rng):
    text = f"<mujoco><worldbody>{FLOOR}{free('b', shape)}</worldbody></mujoco>"
    for _ in range(40):
        assert_same(*contacts_of_both(text, [], random_pose(rng)))


@pytest.mark.parametrize("shape", ["capsule", "cylinder", "box"])
def test_shapes_that_stand_upright(shape):
    """No direction along the plane is that of the axis."""
    floor, body = FLOOR.replace('euler="20 -30 50"', ""), free("b", shape).replace('euler="10 40 70"', "")
    text = f"<mujoco><worldbody>{floor}{body}</worldbody></mujoco>"
    for qpos in ([0, 0, 0.3, 1, 0, 0, 0], [0, 0, 0.3, 0, 1, 0, 0]):
        assert_same(*contacts_of_both(text, [], qpos))


PAIRS = [("sphere", "sphere"), ("sphere", "capsule"), ("capsule", "capsule"), ("sphere", "box"), ("capsule", "box")]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("fixed", [None, 0, 1])
def test_shapes_against_each_other(pair, fixed, rng):
    """Two moving bodies, or one of them part of the ground."""
    bodies = [free(name, shape) for name, shape in zip("ab", pair, strict=True)]
    if fixed is not None:
        bodies[fixed] = bodies[fixed].replace("<freejoint/>", "")
    text = f"<mujoco><worldbody>{''.join(bodies)}</worldbody></mujoco>"
    for _ in range(40):
        poses = [x for k in range(2) if k != fixed for x in random_pose(rng, 0.2)]
        assert_same(*contacts_of_both(text, [lw.contact("b_geom", "a_geom")], poses))


def test_every_point_of_a_convex_shape_meets_the_floor():
    points = [(0.1, 0, 0), (0, 0.2, 0), (0, 0, -0.3)]
    builder = lw.ModelBuilder("stone")
    builder.add_body("stone", lw.free_flyer("free"), inertia=lw.Inertia(1.0, np.zeros(3), np.eye(3)))
    model = builder.build().with_shapes(lw.convex("stone", points)).on_ground(0.5)
    tree = tree_of(model)
    found = candidates(tree, placements(tree, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]))
    assert [float(c.touch.gap) for c in found] == pytest.approx([1.0, 1.0, 0.7])
    assert [p.name for p in model.contacts] == [f"stone/convex/ground/{k}" for k in range(3)]
