"""Hulls of meshes: vertices out of files, few corners of many points, and contact with them."""

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, LoadError
from linkwright.io.meshes import hull_points, read_vertices
from linkwright.io.mujoco.mujoco_state import MujocoCoordinates

CUBE = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]  # fmt: skip


def binary_stl() -> bytes:
    faces = np.zeros(len(FACES), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    faces["corners"] = CUBE[np.array(FACES)]
    return b"solid but binary".ljust(80) + np.uint32(len(FACES)).tobytes() + faces.tobytes()


def text_stl() -> bytes:
    corners = "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in CUBE[list(face)])
        + "endloop\nendfacet\n" for face in FACES
    )  # fmt: skip
    return f"solid cube\n{corners}endsolid cube\n".encode()


def obj() -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in CUBE] + ["vn 0 0 1"] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    return "\n".join(["# cube", *lines]).encode()


def msh() -> bytes:
    counts, faces = np.array([len(CUBE), 0, 0, len(FACES)], dtype="<i4"), np.array(FACES, dtype="<i4")
    return counts.tobytes() + CUBE.astype("<f4").tobytes() + faces.tobytes()


@pytest.mark.parametrize(
    ("name", "content"), [("a.stl", binary_stl), ("b.STL", text_stl), ("c.obj", obj), ("d.msh", msh)]
)
def test_vertices_of_files(tmp_path, name, content):
    (tmp_path / name).write_bytes(content())
    assert read_vertices(tmp_path / name) == pytest.approx(np.unique(CUBE, axis=0), abs=1e-7)
    shape = lw.convex("foot", lw.hull(tmp_path / name, scale=2.0))
    assert len(shape.points) == 8 and np.ptp(shape.points, axis=0) == pytest.approx([0.4, 0.8, 1.2])


@pytest.mark.parametrize(("name", "content", "said"), [
    ("a.msh", b"nonsense", "no MSH"), ("a.msh", bytes(20), "no MSH"),
    ("a.dae", b"<x/>", "kind"), ("a.stl", b"nonsense", "no STL"), ("a.stl", b"solid\nvertex 1 2\n", "three numbers"),
    ("a.obj", b"v 1 2 x\n", "three numbers"), ("a.obj", b"# nothing", "without vertices"),
    ("a.obj", b"v 1 2 inf\n", "finite"),
])  # fmt: skip
def test_files_that_are_no_meshes(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LoadError, match=said):
        lw.hull(tmp_path / name)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(LoadError, match=r"nothing\.stl"):
        lw.hull(tmp_path / "nothing.stl")


def test_hulls_hold_all_points(rng):
    for points in (rng.normal(size=(300, 3)), np.concatenate([CUBE, rng.uniform(-0.1, 0.1, (200, 3))])):
        whole, left = hull_points(points, 1000)
        assert left < 1e-8
        for direction in rng.normal(size=(200, 3)):
            assert (points @ direction).max() == pytest.approx((whole @ direction).max(), abs=1e-9)
    assert len(whole) == 8


def test_few_points_say_how_much_they_leave_out(rng):
    sphere = rng.normal(size=(5000, 3))
    sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    lefts = [hull_points(sphere, most)[1] for most in (8, 16, 64)]
    assert lefts[0] > lefts[1] > lefts[2] > 0 and len(hull_points(sphere, 16)[0]) == 16
    assert np.array_equal(hull_points(sphere, 16)[0], hull_points(sphere[::-1], 16)[0])  # whatever their order


@pytest.mark.parametrize(
    "points", [np.zeros((1, 3)), [[0, 0, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]]]
)
def test_flat_points_are_kept(points):
    assert len(lw.hull(points)) == len(points)


@pytest.mark.parametrize("bad", [{"scale": 0.0}, {"scale": (1, 2)}, {"scale": np.nan}, {"most": 3}, {"most": 2.5}])
def test_nonsense_is_refused(bad):
    with pytest.raises(InputError):
        lw.hull(CUBE, **bad)


URDF = """<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
  iyz="0"/></inertial>
  <collision><origin xyz="0 0 1"/><geometry><mesh filename="package://parts/meshes/cube.stl" scale="2 1 1"/></geometry>
  </collision><collision><geometry><mesh filename="gone.stl"/></geometry></collision></link></robot>"""
SDF = """<sdf version="1.9"><model name="m"><link name="base"><collision name="c"><geometry><mesh><uri>cube.obj</uri>
  <scale>1 1 0.5</scale></mesh></geometry></collision></link></model></sdf>"""


def test_urdf_and_sdf(tmp_path):
    (tmp_path / "parts" / "meshes").mkdir(parents=True)
    (tmp_path / "parts" / "urdf").mkdir()
    (tmp_path / "parts" / "meshes" / "cube.stl").write_bytes(binary_stl())
    (tmp_path / "cube.obj").write_bytes(obj())
    path = tmp_path / "parts" / "urdf" / "r.urdf"
    path.write_text(URDF)
    unread = lw.load(path)
    assert not unread.shapes and "'base'" in unread.not_computed[0].what and "meshes" in unread.not_computed[0].remedy
    model = lw.load(path, floating_base=True, meshes=True)
    (shape,) = model.shapes
    assert shape.kind == "convex" and np.ptp(shape.points, axis=0) == pytest.approx([0.4, 0.4, 0.6])
    assert shape.placement.translation == pytest.approx([0, 0, 1])
    assert any("gone.stl" in entry.why and "'base'" in entry.what for entry in model.not_computed)
    assert len(model.on_ground().contacts) == 8
    (tmp_path / "m.sdf").write_text(SDF)
    (shape,) = lw.load(tmp_path / "m.sdf", meshes=True).shapes
    assert np.ptp(shape.points, axis=0) == pytest.approx([0.2, 0.4, 0.3])
    assert any("no folder" in entry.why for entry in lw.load(URDF, meshes=True).not_computed)


MJCF = """<mujoco><asset><mesh name="cube" file="cube.obj"/><mesh name="gone" file="gone.stl"/></asset>
  <option cone="elliptic"/><worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body name="brick" pos="0 0 .29"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .1"/>
  <geom name="skin" type="mesh" mesh="cube"/><geom name="lost" type="mesh" mesh="gone"/></body></worldbody></mujoco>"""


def test_mjcf_against_mujoco(tmp_path, rng):
    """A box of a mesh on the ground: both take its corners. MuJoCo keeps four of them, which is all that touch."""
    mujoco = pytest.importorskip("mujoco")
    cube = obj().replace(b"vn 0 0 1\n", b"")  # MuJoCo wants normals to be used
    (tmp_path / "cube.obj").write_bytes(cube)
    path = tmp_path / "brick.xml"
    path.write_text(MJCF)
    plain = lw.load(path)
    assert [(shape.name, shape.kind) for shape in plain.shapes] == [("floor", "plane"), ("skin", "mesh")]
    assert lw.watched_pairs(plain) == (("skin", "floor"),) and not plain.pairs
    assert any("'skin'" in entry.what and "meshes=True" in entry.remedy for entry in plain.not_computed)
    model = lw.load(path, meshes=True)
    assert [shape.name for shape in model.shapes] == ["floor", "skin"] and len(model.contacts) == 8
    assert any("'lost'" in entry.what and "gone.stl" in entry.why for entry in model.not_computed)
    source = mujoco.MjModel.from_xml_string(
        re.sub(r'<mesh name="gone"[^>]*>|<geom name="lost"[^>]*>', "", MJCF), {"cube.obj": cube}
    )
    source.opt.tolerance, source.opt.iterations = 0.0, 200
    data = mujoco.MjData(source)
    solve = lw.reference(model, "contact_dynamics")
    compared = 0
    for _ in range(8):
        mujoco.mj_resetData(source, data)
        data.qpos[3:6] = 1.0, *rng.normal(size=2) * 0.02
        data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
        data.qvel[:] = rng.normal(size=6) * 0.2
        mujoco.mj_forward(source, data)
        q, v = lw.from_mujoco(model, data.qpos.copy(), data.qvel.copy())
        found = solve(q, v, np.zeros(6), source.opt.timestep)
        ours = np.sort(np.asarray(found.gap)[np.asarray(found.gap) < 0])
        theirs = np.sort([contact.dist for contact in data.contact])
        if len(ours) != len(theirs):
            continue  # MuJoCo keeps some of a mesh's corners
        compared += 1
        np.testing.assert_allclose(ours, theirs, atol=1e-7)
        expected = MujocoCoordinates(model).from_qacc(q, v, data.qacc)
        np.testing.assert_allclose(found.a, expected, atol=1e-5 * (1 + np.abs(expected).max()))
    assert compared >= 3


NO_VOLUME = {
    "gone.obj": None,
    "flat.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n",
    "line.obj": b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
    "odd.obj": b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n",
}


@pytest.mark.parametrize("name", NO_VOLUME)
def test_meshes_that_cannot_be_used_say_what_helps(name, tmp_path):
    pytest.importorskip("mujoco")
    if NO_VOLUME[name] is not None:
        (tmp_path / name).write_bytes(NO_VOLUME[name])
    text = (
        f'<mujoco><asset>\n<mesh name="m" file="{name}"/></asset><worldbody>'
        '<geom name="floor" type="plane" size="1 1 1"/>'
        '<body name="b" pos="0 0 1"><freejoint/>{}<geom name="foot" type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    path = tmp_path / "robot.xml"
    path.write_text(text.format(""))  # its mass is the mesh's
    with pytest.raises(LoadError, match="write an <inertial>") as refusal:
        lw.load(path)
    assert refusal.value.line == 2 and refusal.value.element == "mesh"
    path.write_text(text.format('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'))
    with pytest.warns(lw.LinkwrightWarning, match="foot"):
        model = lw.load(path)
    [entry] = model.not_computed
    assert "'foot'" in entry.what and entry.why
    assert ("(watched)" in entry.what) != ("not computed" in str(lw.simulate(model, steps=2)))
    urdf = tmp_path / "robot.urdf"
    urdf.write_text(URDF.replace("gone.stl", name).replace("package://parts/meshes/cube.stl", name))
    model = lw.load(urdf, floating_base=True, meshes=True)
    told = [entry for entry in model.not_computed if name in entry.why]
    assert bool(told) != bool(model.shapes)
