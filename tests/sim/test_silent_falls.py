"""Nothing falls through its floor, or into another body, in silence: it is computed, or status and verdict say so."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.contact.watching import overlapping_as_drawn
from linkwright.bench import scenes
from linkwright.errors import LinkwrightWarning
from linkwright.sim.verdict import complaints, missing_from, verdict

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.LinkwrightWarning")

CUBE = " ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
FLOOR = '<geom name="floor" type="plane" size="0 0 1"/>'
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/>'


def mjcf(geom: str, *, floor: str = FLOOR, asset: str = "", inertial: str = INERTIAL, further: str = "") -> str:
    return f"""<mujoco><asset><mesh name="cube" vertex="{CUBE}"/>{asset}</asset>{further}<worldbody>{floor}
      <body name="box" pos="0 0 .5"><freejoint/>{inertial}{geom}</body></worldbody></mujoco>"""


def status(model: lw.Model, q) -> int:
    """As a step says it, on numbers."""
    zeros = np.zeros(model.nv)
    step = lw.reference(model, "step", outputs=("status",))
    return int(np.asarray(step(np.asarray(q, dtype=float), zeros, zeros, 1e-3)))


def at_height(model: lw.Model, z: float) -> np.ndarray:
    q = model.drawn.copy()
    q[2] = z
    return q


MESH = '<geom name="foot" type="mesh" mesh="cube"/>'
FIELD = '<hfield name="hills" nrow="2" ncol="2" size="2 2 .3 .1"/>'
FALLING = {
    "a mesh over a plane": mjcf(MESH),
    "a listed pair, whatever masks say": mjcf(
        MESH.replace("/>", ' contype="0" conaffinity="0"/>'),
        further='<contact><pair geom1="floor" geom2="foot"/></contact>',
    ),
    "a mesh that a class names": mjcf(
        '<geom name="foot" class="skin"/>', further='<default><default class="skin"><geom type="mesh" mesh="cube"/>'
        '</default></default>',
    ),
    "a mesh that weighs": mjcf(MESH, inertial=""),
    "a capsule fitted to a mesh": mjcf('<geom name="foot" type="capsule" mesh="cube"/>'),
    "a mesh that is placed by its asset": mjcf(
        '<geom name="foot" type="mesh" mesh="far"/>',
        asset=f'<mesh name="far" vertex="{CUBE}" refpos=".3 0 .2" refquat="0 1 0 0" scale="2 2 2"/>',
    ),
    "a ball over a height field": mjcf(
        '<geom name="foot" size=".1"/>', floor='<geom name="floor" type="hfield" hfield="hills"/>', asset=FIELD
    ),
    "a mesh over a box": mjcf(MESH, floor='<geom name="floor" type="box" size="2 2 .05"/>'),
    "a cylinder over a box": mjcf(
        '<geom name="foot" type="cylinder" size=".1 .1"/>', floor='<geom name="floor" type="box" size="2 2 .05"/>'
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", FALLING.values(), ids=FALLING)
def test_a_file_whose_contact_is_not_computed_tells_of_it(text):
    pytest.importorskip("mujoco")
    with pytest.warns(LinkwrightWarning, match="'foot' with 'floor'|'floor' with 'foot'"):
        model = lw.load(text)
    assert not model.pairs and lw.watched_pairs(model) in ((("foot", "floor"),), (("floor", "foot"),))
    low, high = (-0.4, 1.5) if "refpos" in text else (0.02, 0.6)
    assert status(model, at_height(model, low)) == 6 and status(model, at_height(model, high)) == 0
    assert lw.overlapping_pairs(model, at_height(model, low)) == list(lw.watched_pairs(model))


def test_meshes_lie_where_mujoco_puts_them(rng, tmp_path):
    """Corners of a mesh that is moved, turned and scaled, from the file as it is and from MuJoCo's compiled model."""
    mujoco = pytest.importorskip("mujoco")
    points = rng.normal(size=(12, 3)).round(3)
    vertices = " ".join(map(str, points.ravel()))
    text = mjcf(
        '<geom name="foot" type="mesh" mesh="far" pos=".1 .2 .3" quat=".5 .5 -.5 .5"/>',
        asset=f'<mesh name="far" vertex="{vertices}" refpos=".3 0 .2" refquat=".6 .8 0 0" scale="1 2 -3"/>',
    )
    ours, theirs = lw.load(text), lw.load(mujoco.MjModel.from_xml_string(text))
    shapes = [next(shape for shape in model.shapes if shape.kind == "mesh") for model in (ours, theirs)]
    world = [np.array(s.points) @ s.placement.rotation.T + s.placement.translation for s in shapes]
    for x in rng.normal(size=(50, 3)):
        assert (world[0] @ x).max() == pytest.approx((world[1] @ x).max(), abs=1e-6)


def test_a_simulation_that_falls_through_says_who_when_and_what_helps():
    pytest.importorskip("mujoco")
    model = lw.load(mjcf(MESH))
    trajectory = lw.simulate(model, dt=2e-3, steps=300)
    (said,) = complaints(trajectory)
    assert trajectory.worst[3] == 6 and "'foot' with 'floor'" in said and "meshes=True" in said and "unwatched" in said
    at = float(said.partition("t = ")[2].split()[0])
    assert abs(at - np.sqrt(2 * 0.4 / 9.81)) < 0.02
    short = lw.simulate(model, dt=2e-3, steps=20)
    assert verdict(short) == "ok"  # it was watched, and has not touched anything
    left_out = lw.simulate(model, dt=2e-3, steps=300, contact=None)
    assert "not computed: contact of 'foot' with 'floor'" in verdict(left_out)
    assert status(lw.load(mjcf(MESH), meshes=True), at_height(model, 0.02)) == 0  # it is computed then


def test_a_mesh_that_is_not_there_is_named(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "box.xml"
    path.write_text(mjcf('<geom name="foot" type="mesh" mesh="gone"/>', asset='<mesh name="gone" file="gone.stl"/>'))
    with pytest.warns(LinkwrightWarning, match=r"'foot'.*gone\.stl"):
        model = lw.load(path)
    (entry,) = model.not_computed
    assert "'foot'" in entry.what and not lw.watched_pairs(model)
    assert verdict(lw.simulate(model, dt=1e-2, steps=5)).startswith("ok; but not computed: contact of geom 'foot'")


def test_meshes_without_volume_are_watched(tmp_path):
    """MuJoCo refuses them; a flat one is as thick as nothing, and a floor is still below it."""
    pytest.importorskip("mujoco")
    flat = mjcf(
        '<geom name="foot" type="mesh" mesh="flat"/>',
        asset='<mesh name="flat" vertex="0 0 0 .1 0 0 0 .1 0 .1 .1 0"/>',
    )
    model = lw.load(flat)
    assert status(model, at_height(model, -0.05)) == 6 and status(model, at_height(model, 0.3)) == 0


def test_masks_that_keep_apart_are_kept():
    pytest.importorskip("mujoco")
    model = lw.load(mjcf(MESH.replace("/>", ' contype="2" conaffinity="2"/>')))
    assert not lw.watched_pairs(model) and not model.not_computed


def test_what_stands_still_is_no_pair_with_what_does():
    """A mocap body beside a floor."""
    pytest.importorskip("mujoco")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = lw.load(f"""<mujoco><worldbody>{FLOOR}<body name="hand" mocap="true" pos="0 0 .05">
          <geom name="palm" type="box" size=".1 .1 .1"/><geom name="tip" size=".1"/></body></worldbody></mujoco>""")
    assert not model.pairs and not lw.watched_pairs(model) and len(model.shapes) == 3


BOXES = """<mujoco><worldbody>{0}
  <body name="a" pos="0 0 .4"><freejoint/><geom name="a" type="box" size=".1 .1 .1"/></body>
  <body name="b" pos="{1} 0 .4"><freejoint/><geom name="b" type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""


def test_boxes_drawn_close_together_are_watched():
    """Balls around them overlap as drawn, they do not."""
    pytest.importorskip("mujoco")
    model = lw.load(BOXES.format(FLOOR, 0.25))
    assert lw.watched_pairs(model) == (("a", "b"),) and not overlapping_as_drawn(model)
    inside = model.drawn.copy()
    inside[7] = 0.19
    assert status(model, model.drawn) == 0 and status(model, inside) == 6


def balls(*shapes) -> lw.Model:
    builder = lw.ModelBuilder("balls")
    for name in ("low", "high"):
        builder.add_body(name, lw.free_flyer(f"{name}_free"), inertia=lw.Inertia(1.0, np.zeros(3), np.eye(3) * 0.01))
    return builder.build().with_shapes(*shapes)


TWO = (lw.sphere("low", 0.1, name="low"), lw.sphere("high", 0.1, name="high"))
APART = np.array([0, 0, 0.1, 0, 0, 0, 1, 0, 0, 0.5, 0, 0, 0, 1])


@pytest.mark.parametrize(("model", "pair"), [
    (balls(*TWO).on_ground(), ("low", "high")),
    (balls(*TWO), ("low", "high")),
    (balls(TWO[0]).on_ground().with_shapes(TWO[1]), ("high", "ground")),
    (balls(*TWO, lw.plane(name="floor")), ("low", "floor")),
    (balls(lw.cylinder("low", 0.1, 0.2, name="low"), lw.box("high", (0.2, 0.2, 0.2), name="high")), ("low", "high")),
], ids=["on the ground", "no floor", "a shape that came later", "a plane that nobody stands on", "no common kind"])
def test_bodies_of_built_models_do_not_pass_through_each_other_in_silence(model, pair):
    assert pair in lw.watched_pairs(model)
    assert any(set(pair) <= set(entry.about) for entry in model.not_computed)
    other = APART.copy()
    other[2], other[9] = 0.55, 0.5 if pair[1] not in ("floor", "ground") else 0.05
    other[2] = 0.05 if pair == ("low", "floor") else other[2]
    assert status(model, APART + 0.05 * (np.arange(14) % 7 == 2)) == 0
    assert status(model, other) == 6 and pair in lw.overlapping_pairs(model, other)


def test_what_comes_to_rest_in_another_is_told():
    trajectory = lw.simulate(balls(*TWO).on_ground(), APART, dt=2e-3, steps=300)
    assert trajectory.worst[3] == 6 and "'low' with 'high'" in str(trajectory) and "with_contacts" in str(trajectory)
    held = balls(*TWO).on_ground().with_contacts(lw.contact("low", "high"))
    assert not held.not_computed and verdict(lw.simulate(held, APART, dt=2e-3, steps=300)) == "ok"


def test_a_simulator_tells_too():
    simulator = lw.Simulator(balls(*TWO), dt=1e-2)
    simulator.reset(APART)
    simulator.step(n=10)
    assert simulator.status == 0
    close = APART.copy()
    close[9] = 0.15
    simulator.reset(close)
    simulator.step()
    assert simulator.status == 6 and lw.overlapping_pairs(simulator.model, close) == [("low", "high")]


def test_what_is_switched_off_is_named():
    model = balls(*TWO).on_ground().unwatched()
    assert status(model, APART * 0 + np.tile([0, 0, 0.1, 0, 0, 0, 1], 2)) == 0
    trajectory = lw.simulate(model, APART, dt=1e-2, steps=3)
    assert "not computed: contact of 'low' with 'high'" in verdict(trajectory) and missing_from(trajectory)


SDF = """<sdf version="1.9"><world name="w"><model name="g"><static>true</static><link name="ground">
  <collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
  <model name="m"><pose>0 0 1 0 0 0</pose><link name="base"><inertial><mass>1</mass></inertial>
  <collision name="c"><geometry><mesh><uri>{0}</uri></mesh></geometry></collision></link></model></world></sdf>"""


def test_meshes_of_urdf_and_sdf_are_watched_over_floors_and_named_elsewhere(tmp_path):
    corners = np.array(CUBE.split(), dtype=float).reshape(-1, 3)
    (tmp_path / "cube.obj").write_text("\n".join(f"v {x} {y} {z}" for x, y, z in corners))
    path = tmp_path / "m.sdf"
    path.write_text(SDF.format("cube.obj"))
    model = lw.load(path)
    assert lw.watched_pairs(model) == (("m::base/c", "g::ground/c"),)
    assert status(model, at_height(model, 0.05)) == 6 and status(model, at_height(model, 0.3)) == 0
    urdf = """<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
      ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="cube.obj"/></geometry></collision>
      </link></robot>"""
    robot = lw.load(urdf, floating_base=True)
    (entry,) = robot.not_computed
    assert "'base'" in entry.what and "meshes=True" in entry.remedy


@pytest.mark.parametrize("number", [*range(6), *(pytest.param(k, marks=pytest.mark.long) for k in range(6, 60))])
def test_random_scenes_end_in_nothing_unsaid(number):
    pytest.importorskip("mujoco")
    scene = scenes.drawn_scene(np.random.default_rng([2, number]))
    found = scenes.dropped(scene, number)
    assert not found.silent, (found.inside, found.verdict)


def test_the_judge_sees_what_falls_through(monkeypatch):
    """With nothing watched and nothing said, the same scene counts."""
    pytest.importorskip("mujoco")
    number = next(k for k in range(1000) if _ends_inside(k))
    scene = scenes.drawn_scene(np.random.default_rng([2, number]))
    monkeypatch.setattr(scenes, "model_of", lambda scene, made=scenes.model_of: made(scene).unwatched())
    monkeypatch.setattr(scenes, "missing_from", lambda trajectory: [])
    assert scenes.dropped(scene, number).silent


def _ends_inside(number: int) -> bool:
    """A mesh over a floor that it may touch, alone: it cannot be held."""
    scene = scenes.drawn_scene(np.random.default_rng([2, number]))
    alone = len(scene.names) == 1 and scene.floor is not None and scene.form == "MJCF"
    shape = scene.bodies[0].shapes[0]
    touches = scene.floor is not None and bool(
        shape.contype & scene.floor.conaffinity or scene.floor.contype & shape.conaffinity
    )
    return alone and shape.kind == "mesh" and touches


def test_statuses_of_a_batch_are_told_sample_by_sample():
    model = balls(*TWO)
    close = replace(model, drawn=APART)
    q = np.array([APART, APART])
    q[1, 9] = 0.15
    trajectory = lw.simulate(close, q, dt=1e-2, steps=3)
    assert trajectory.worst[:, 3].tolist() == [0, 6] and "in sample 1" in str(trajectory)
