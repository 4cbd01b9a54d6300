"""Status 6: whoever may touch and is not computed is told of, and nobody else."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.contact.geometry.solid import Solid, solid_of
from linkwright.algorithms.contact.watching import may_meet, overlapping_as_drawn
from linkwright.algorithms.tree.kinematics import placements
from linkwright.errors import InputError, ModelError
from linkwright.io.meshes.mesh_corners import corners_of
from linkwright.model import tree_of
from linkwright.model.contact import Shape
from linkwright.programs.status import graver
from linkwright.spatial import Vector

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
    assert len(lw.watched_pairs(model)) == n * (n - 1) // 2 - 1 + n  # each other but one, and the post
    assert any("status 6" in entry.why for entry in model.not_computed)
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
    assert np.sum(told & ~seen) <= 1  # shapes themselves are looked at, not what is around them


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


ARM = """<mujoco><worldbody><body name="low"><joint axis="0 1 0"/><geom name="low" size=".05 .2" type="cylinder"/>
  <body name="mid" pos="0 0 .3"><joint axis="0 1 0"/><geom name="mid" type="box" size=".02 .02 .1"/>
  <body name="top" pos="{0} 0 -.12"><joint axis="0 1 0"/><geom name="top" type="cylinder" size=".05 .05"/></body></body>
  </body></worldbody></mujoco>"""


def test_what_overlaps_as_drawn_is_not_watched_unless_it_is_named():
    model = lw.load(ARM.format(0.02))
    assert lw.watched_pairs(model) == () and overlapping_as_drawn(model) == (("low", "top"),)
    assert any("overlap as drawn" in entry.why and set(entry.about) == {"low", "top"} for entry in model.not_computed)
    assert lw.watched_pairs(lw.watch(model, ("low", "top"))) == (("low", "top"),)
    assert lw.watched_pairs(lw.load(ARM.format(0.2))) == (("low", "top"),)


def test_what_flies_freely_is_watched_however_it_is_drawn():
    close = replace(two_balls(), drawn=np.array([0, 0, 1.0, 0, 0, 0, 1, 0.1, 0, 1.0, 0, 0, 0, 1]))
    assert lw.watched_pairs(close) == (("left_ball", "right_ball"),)
    assert lw.simulate(close, dt=0.01, steps=2).worst[3] == 6


def test_neighbours_are_not_watched():
    model = lw.load("chain:3").with_shapes(*(lw.sphere(f"link_{k}", 0.01) for k in (1, 2, 3)))
    assert lw.watch(model).contact_law.watched == (("link_1/sphere", "link_3/sphere"),)


def test_watched_pairs_travel_along(tmp_path):
    model = lw.watch(two_balls())
    lw.save(model, tmp_path / "two.json")
    assert lw.load(tmp_path / "two.json").contact_law.watched == model.contact_law.watched
    locked = lw.lock_joints(model, {"left_free": model.drawn[:7], "right_free": model.drawn[7:]})
    assert lw.watched_pairs(locked) == ()
    both = lw.attach(model, model, at="world", prefix="other_")
    assert ("other_left_ball", "other_right_ball") in both.contact_law.watched
    assert lw.watched_pairs(model.without_contacts()) == ()
    unnamed = lw.attach(two_balls(), two_balls(), at="world", prefix="other_")
    assert ("left_ball", "other_right_ball") in lw.watched_pairs(unnamed)  # of both robots, also with each other


def test_what_cannot_be_watched_is_refused():
    model = two_balls()
    with pytest.raises(InputError, match="planes"):
        lw.watch(model, ("ground", "ground"))
    with pytest.raises(InputError, match="pairs of names"):
        lw.watch(model, "left_ball")
    with pytest.raises(InputError, match="left_bell"):
        lw.watch(model, ("left_bell", "right_ball"))
    with pytest.raises(ModelError, match="one body"):
        lw.watch(model.with_shapes(lw.sphere("left", 0.2, name="more")), ("left_ball", "more"))


def test_solids_hold_their_shapes(rng):
    """How far they reach along any direction: what a shape does, of corners a little more."""
    shapes = [
        lw.sphere("b", 0.2), lw.box("b", (0.1, 0.4, 0.2)), lw.ellipsoid("b", (0.1, 0.05, 0.3)),
        lw.cylinder("b", 0.3, 0.1), lw.capsule("b", 0.1, 0.5), lw.convex("b", rng.normal(size=(40, 3))),
    ]  # fmt: skip
    for shape in shapes:
        solid, middle = solid_of(shape)
        for direction in [*np.eye(3), *rng.normal(size=(200, 3))]:
            x = direction / np.linalg.norm(direction)
            size = np.array(shape.size)
            exact = {
                "sphere": lambda: size[0], "box": lambda: np.abs(x) @ size,  # noqa: B023
                "ellipsoid": lambda: np.linalg.norm(x * size),  # noqa: B023
                "cylinder": lambda: size[0] * np.hypot(x[0], x[1]) + size[1] * abs(x[2]),  # noqa: B023
                "capsule": lambda: size[0] + size[1] * abs(x[2]),  # noqa: B023
                "convex": lambda: (np.array(shape.points) @ x).max(),  # noqa: B023
            }[shape.kind]()
            reach = Vector(*x) @ (solid.farthest(Vector(*x)) + middle) + solid.radius
            assert reach == pytest.approx(exact, abs=1e-12), (shape.kind, x)
            first = Solid.of_numbers(solid.numbers)  # before corners are looked at one by one
            reach = Vector(*x) @ (first.farthest(Vector(*x)) + middle) + first.radius
            assert -1e-12 <= reach - exact <= (0.35 * solid.ball if shape.kind == "convex" else 1e-12), (shape.kind, x)


@pytest.mark.parametrize("points", [
    lambda rng: rng.normal(size=(500, 3)), lambda rng: rng.normal(size=(500, 3)) * (1, 0.1, 0.01),
    lambda rng: rng.normal(size=(100, 3)) * (1, 1, 0), lambda rng: np.linspace(0, 1, 9)[:, None] * (1, 2, 3),
    lambda rng: np.zeros((1, 3)), lambda rng: rng.uniform(-1, 1, (4, 3)) + 5,
])  # fmt: skip
def test_what_is_kept_of_a_mesh_holds_all_of_it(rng, points):
    every = points(rng)
    few, slack = corners_of(every)
    solid, middle = solid_of(Shape("m", "mesh", "b", (slack,), points=few))
    assert len(few) <= 48
    if np.ptp(every, axis=0).min() > 0.01:  # what has an inside is known well
        assert slack < 0.05 * np.ptp(every, axis=0).max()
    for x in rng.normal(size=(300, 3)):
        x = x / np.linalg.norm(x)
        exact = (every @ x).max()
        for looked_at in (solid, Solid.of_numbers(solid.numbers)):
            assert Vector(*x) @ (looked_at.farthest(Vector(*x)) + middle) + looked_at.radius >= exact - 1e-9


KINDS = {
    "sphere": lambda on, s: lw.sphere(on, s[0]), "capsule": lambda on, s: lw.capsule(on, s[0], 2 * s[1]),
    "box": lambda on, s: lw.box(on, 2 * s), "cylinder": lambda on, s: lw.cylinder(on, s[0], 2 * s[1]),
    "ellipsoid": lambda on, s: lw.ellipsoid(on, s),
    "convex": lambda on, s: lw.convex(on, s * [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]),
}  # fmt: skip


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("two", KINDS)
def test_shapes_of_all_kinds_meet_when_they_touch(rng, one, two):
    """Against planes between them: shapes put 1 mm beyond a plane that touches one are apart, 1 mm before they meet."""
    from linkwright.algorithms.contact.geometry.separation import overlap
    from linkwright.spatial import Matrix, Placement

    for _ in range(4):
        solids = [solid_of(KINDS[kind]("b", rng.uniform(0.05, 0.3, 3)))[0] for kind in (one, two)]
        turn, x = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
        x, turn = x / np.linalg.norm(x), turn * np.sign(np.linalg.det(turn))
        R = Matrix([tuple(row) for row in turn])
        here, there = solids[0].farthest(Vector(*x)), R @ solids[1].farthest(-(R.T @ Vector(*x)))
        for gap, expected in ((1e-3, 0.0), (-1e-3, 1.0)):
            away = Vector(*x) * (solids[0].radius + solids[1].radius + gap)  # the points that touch are opposite
            assert overlap(*solids, Placement(R, here - there + away)) == expected


def test_compiled_code_says_what_the_text_says(rng):
    """Loops over rows, guards and all, on poses that are near and far."""
    model = lw.load(scene())
    compiled = lw.compile(model, "contact_dynamics", outputs=("status",))
    q = np.tile(model.drawn, (40, 1))
    q[:, [7 * k + i for k in range(len(SHAPES)) for i in range(3)]] = rng.uniform(0, 0.8, (40, 3 * len(SHAPES)))
    for k in range(len(SHAPES)):
        q[:, 7 * k + 3 : 7 * k + 7] = rng.normal(size=(40, 4))
        q[:, 7 * k + 3 : 7 * k + 7] /= np.linalg.norm(q[:, 7 * k + 3 : 7 * k + 7], axis=1)[:, None]
    q[:, 2::7] += 1.0
    zeros, tree = np.zeros((40, model.nv)), tree_of(model)
    found = np.asarray(compiled(q, zeros, zeros, 0.002))
    told = [6.0 * may_meet(tree, placements(tree, list(row))) for row in q]
    assert found.tolist() == told and 5 < np.sum(found == 6) < 38
