"""Status 6: whoever may touch and is not computed is told of, and nobody else."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.contact.watching import may_meet
from linkwright.errors import InputError, ModelError
from linkwright.model import tree_of
from linkwright.model.contact.bounds import bound_of
from linkwright.programs.status import graver

SHAPES = (
    '<geom name="{0}" type="box" size="0.2 0.05 0.08" mass="1"/>',
    '<geom name="{0}" type="ellipsoid" size="0.06 0.2 0.1" mass="1"/>',
    '<geom name="{0}" type="cylinder" size="0.1 0.02" mass="1"/>',
    '<geom name="{0}" type="cylinder" size="0.03 0.2" euler="0.3 0.5 0" mass="1"/>',
    '<geom name="{0}" type="capsule" size="0.05 0.1" pos="0.05 0 0" margin="0.02" mass="1"/>',
    '<geom name="{0}" type="sphere" size="0.1" mass="1"/>',
)


def scene(*, extra: str = "") -> str:
    bodies = "".join(
        f'<body name="b{k}" pos="{k} 0 1"><freejoint/>{text.format(f"g{k}")}</body>' for k, text in enumerate(SHAPES)
    )
    return f"""<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <geom name="post" type="box" size="0.1 0.1 1" pos="3 3 1"/>{bodies}</worldbody>{extra}</mujoco>"""


def test_nothing_that_mujoco_sees_is_missed(rng):
    mujoco = pytest.importorskip("mujoco")
    text = scene(extra='<contact><exclude body1="b0" body2="b1"/></contact>')
    model, source = lw.load(text), mujoco.MjModel.from_xml_string(text)
    n = len(SHAPES)
    assert len(model.contact_law.watched) == n * (n - 1) // 2 - 1 + n  # each other but one, and the post
    assert any("Status 6" in warning for warning in model.warnings)
    from linkwright.algorithms.tree.kinematics import placements
    from linkwright.io.mujoco.mujoco_state import MujocoCoordinates

    data, coordinates, told, seen = mujoco.MjData(source), MujocoCoordinates(model), [], []
    for _ in range(150):
        mujoco.mj_resetData(source, data)
        for k in range(n):
            data.qpos[7 * k : 7 * k + 3] = rng.uniform((0.0, 0.0, 0.5), (0.9, 0.9, 1.4))
            turn = rng.normal(size=4)
            data.qpos[7 * k + 3 : 7 * k + 7] = turn / np.linalg.norm(turn)
        mujoco.mj_forward(source, data)
        seen.append(any(0 not in contact.geom for contact in data.contact))
        tree = tree_of(model)
        told.append(bool(may_meet(tree, placements(tree, list(coordinates.from_qpos(data.qpos.copy()))))))
    seen, told = np.array(seen), np.array(told)
    assert not np.any(seen & ~told) and 20 < seen.sum() < 140
    assert np.sum(told & ~seen) < 45  # bounds are a little larger than what they are around


def two_balls(**options) -> lw.Model:
    builder = lw.ModelBuilder("two")
    for name in ("left", "right"):
        builder.add_body(name, lw.free_flyer(f"{name}_free"), inertia=lw.Inertia(1.0, np.zeros(3), np.eye(3) * 0.01))
    model = builder.build().with_shapes(*(lw.sphere(name, 0.1, name=f"{name}_ball") for name in ("left", "right")))
    apart = np.array([0, 0, 1.0, 0, 0, 0, 1, 0.5, 0, 1.0, 0, 0, 0, 1])
    return replace(model.on_ground(**options), drawn=apart)


def test_a_simulation_says_so():
    model = lw.watch(two_balls())
    assert model.contact_law.watched == (("left_ball", "right_ball"),)
    v = np.zeros(12)
    v[0], v[6] = 1.0, -1.0
    meeting = lw.simulate(model, v0=v, dt=0.01, steps=20)
    assert meeting.worst[3] == 6 and "not modelled" in str(meeting) and "unwatched" in str(meeting)
    assert lw.simulate(model, dt=0.01, steps=20).worst[3] == 0
    assert lw.simulate(model.unwatched(), v0=v, dt=0.01, steps=20).worst[3] == 0
    computed = model.with_contacts(lw.contact("left", "right"))
    assert lw.simulate(computed, v0=v, dt=0.01, steps=20).worst[3] == 0  # it is modelled now


def test_status_is_per_sample():
    model = lw.watch(two_balls())
    q = np.array([model.drawn, model.drawn])
    q[1, 7] = 0.19
    found = lw.reference(model, "contact_dynamics")(q, np.zeros((2, 12)), np.zeros((2, 12)), 0.002)
    assert found.status.tolist() == [0, 6]


def test_graver_statuses_are_not_hidden():
    assert [graver(a, b) for a, b in ((0, 6), (6, 6), (6, 1), (3, 6), (4, 1), (0, 0))] == [6, 6, 1, 3, 4, 0]


def test_what_overlaps_as_drawn_is_not_watched_unless_it_is_named():
    model = two_balls()
    close = replace(model, drawn=np.array([0, 0, 1.0, 0, 0, 0, 1, 0.1, 0, 1.0, 0, 0, 0, 1]))
    assert lw.watch(close).contact_law.watched == ()
    assert lw.watch(close, ("left_ball", "right_ball")).contact_law.watched == (("left_ball", "right_ball"),)


def test_neighbours_are_not_watched():
    model = lw.load("chain:3").with_shapes(*(lw.sphere(f"link_{k}", 0.01) for k in (1, 2, 3)))
    assert lw.watch(model).contact_law.watched == (("link_1/sphere", "link_3/sphere"),)


def test_watched_pairs_travel_along(tmp_path):
    model = lw.watch(two_balls())
    lw.save(model, tmp_path / "two.json")
    assert lw.load(tmp_path / "two.json").contact_law.watched == model.contact_law.watched
    locked = lw.lock_joints(model, {"left_free": model.drawn[:7], "right_free": model.drawn[7:]})
    assert locked.contact_law.watched == ()
    both = lw.attach(model, model, at="world", prefix="other_")
    assert ("other_left_ball", "other_right_ball") in both.contact_law.watched
    assert model.without_contacts().contact_law.watched == ()


def test_what_cannot_be_watched_is_refused():
    model = two_balls()
    with pytest.raises(InputError, match="plane"):
        lw.watch(model, ("left_ball", "ground"))
    with pytest.raises(InputError, match="pairs of names"):
        lw.watch(model, "left_ball")
    with pytest.raises(InputError, match="left_bell"):
        lw.watch(model, ("left_bell", "right_ball"))
    with pytest.raises(ModelError, match="one body"):
        lw.watch(model.with_shapes(lw.sphere("left", 0.2, name="more")), ("left_ball", "more"))


def test_bounds_hold_their_shapes(rng):
    """Points on a shape are in its bound."""
    placed = {"at": (0.3, -0.2, 0.1)}
    shapes = [
        lw.box("b", (0.1, 0.4, 0.2), **placed), lw.ellipsoid("b", (0.1, 0.05, 0.3), **placed),
        lw.cylinder("b", 0.3, 0.1, **placed), lw.cylinder("b", 0.1, 0.9, **placed),
        lw.capsule("b", 0.1, 0.5, **placed), lw.convex("b", rng.normal(size=(20, 3)), **placed),
    ]  # fmt: skip
    for shape in shapes:
        bound = bound_of(shape)
        direction = rng.normal(size=(2000, 3))
        direction /= np.linalg.norm(direction, axis=1)[:, None]
        size = np.array(shape.size)
        if shape.kind == "box":
            points = np.sign(direction) * size
        elif shape.kind == "ellipsoid":
            points = direction * size
        elif shape.kind == "convex":
            points = np.array(shape.points)
        elif shape.kind == "cylinder":
            angle = np.arctan2(direction[:, 1], direction[:, 0])
            points = np.stack([size[0] * np.cos(angle), size[0] * np.sin(angle), np.sign(direction[:, 2]) * size[1]], 1)
        else:
            points = direction * size[0] + np.sign(direction[:, 2:]) * (0, 0, size[1])
        world = points @ shape.placement.rotation.T + shape.placement.translation
        local = (world - bound.placement.translation) @ bound.placement.rotation
        half = bound.size[1] if bound.kind == "capsule" else 0.0
        local[:, 2] -= np.clip(local[:, 2], -half, half)
        reach = np.linalg.norm(local, axis=1).max()
        assert reach <= bound.size[0] * (1 + 1e-12) and reach > 0.9 * bound.size[0]
