# ruff: noqa: E501  lines of XML
"""Meshes of files: where they are read from, where they are drawn, and what becomes of those that are missing."""

import json
import re
import struct

import numpy as np
import pytest

import linkwright as lw
from linkwright.viewer.decimation import clustered, decimated
from linkwright.viewer.looks import meshes_not_drawn, skins_of
from linkwright.viewer.solids import ball, box, tube

pytest.importorskip("trimesh", reason="the extra 'view' is not installed")

CORNERS = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def write_stl(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    body = b"".join(struct.pack("<12fH", *[0.0] * 3, *CORNERS[face].ravel(), 0) for face in FACES)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(FACES)) + body)


def volume(vertices, faces):
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6


def drawn(model):
    skins, missing = skins_of(model, [0] * model.nbodies)
    assert not missing
    return skins


def urdf(tmp_path, visual):
    path = tmp_path / "robot" / "urdf" / "arm.urdf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        '<robot name="arm"><material name="red"><color rgba="1 0 0 1"/></material><link name="base"/>'
        f'<link name="arm">{INERTIAL}<visual><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>{visual}</visual></link>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>'
    )
    return path


def test_of_urdf_in_a_package_scaled_and_coloured(tmp_path):
    write_stl(tmp_path / "robot" / "meshes" / "arm.stl")
    mesh = '<mesh filename="package://robot/meshes/arm.stl" scale="2 2 2"/>'
    model = lw.load(urdf(tmp_path, f'<geometry>{mesh}</geometry><material name="red"/>'))
    [skin] = drawn(model)
    assert skin.colour == "#ff0000" and skin.body == 1
    turned = np.stack([-2 * CORNERS[:, 1], 2 * CORNERS[:, 0], 1 + 2 * CORNERS[:, 2]], axis=1)
    assert np.allclose(np.unique(skin.vertices.round(6), axis=0), np.unique(turned.round(6), axis=0))
    assert lw.lock_joints(model, ["hinge"]).looks and lw.attach(model, model, prefix="b_").looks[1].on == "b_arm"


def test_of_sdf(tmp_path):
    write_stl(tmp_path / "arm.stl")
    path = tmp_path / "arm.sdf"
    path.write_text(
        '<sdf version="1.7"><model name="arm"><link name="arm"><visual name="v"><pose>0 0 1 0 0 0</pose><geometry><mesh>'
        "<uri>arm.stl</uri><scale>1 1 -1</scale></mesh></geometry><material><diffuse>0 0 1 1</diffuse></material>"
        "</visual></link></model></sdf>"
    )
    [skin] = drawn(lw.load(path))
    assert skin.colour == "#0000ff" and skin.vertices[:, 2].min() == pytest.approx(0.9)
    assert volume(skin.vertices, skin.faces) > 0  # a mirrored mesh is not inside out


def test_of_mjcf_where_mujoco_has_it(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    write_stl(tmp_path / "assets" / "arm.stl")
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><compiler meshdir="assets" angle="degree"/><default><default class="seen"><geom type="mesh" group="1" '
        'contype="0" conaffinity="0" euler="0 0 30"/><mesh scale="2 3 -4"/></default></default>'
        '<asset><material name="green" rgba="0 1 0 1"/><mesh class="seen" file="arm.stl" refpos="0.1 0.2 0.3" '
        'refquat="0.9 0.1 0.2 0.3"/></asset><worldbody><body pos="0 0 1" euler="10 20 30">'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j" pos="0.1 0 0"/><frame pos="0 1 0" euler="0 40 0">'
        '<geom class="seen" mesh="arm" pos="0.5 0 0" material="green"/></frame><geom type="box" size="1 1 1" group="3"/>'
        "</body></worldbody></mujoco>"
    )
    source = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(source)
    mujoco.mj_forward(source, data)
    theirs = source.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    for model in (lw.load(path), lw.load(source)):
        [skin] = drawn(model)  # group 3 is not shown
        R, p = lw.reference(model, "forward_kinematics")(model.drawn)
        ours = skin.vertices @ R[skin.body].T + p[skin.body]
        assert skin.colour == "#00ff00" and volume(skin.vertices, skin.faces) > 0
        far = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
        assert far.min(axis=1).max() < 1e-6 and far.min(axis=0).max() < 1e-6


def test_collada_in_its_units_and_colours_without_entities(tmp_path):
    pytest.importorskip("collada")
    numbers = " ".join(map(str, CORNERS.ravel()))
    told = (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/></asset>'
        '<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong><diffuse><color>0 0 1 1</color></diffuse>'
        '</phong></technique></profile_COMMON></effect></library_effects><library_materials><material id="m">'
        '<instance_effect url="#e"/></material></library_materials><library_geometries><geometry id="g"><mesh>'
        f'<source id="s"><float_array id="a" count="12">{numbers}</float_array><technique_common><accessor source="#a" '
        'count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>'
        '</accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>'
        '<triangles count="4" material="m"><input semantic="VERTEX" source="#v" offset="0"/>'
        f"<p>{' '.join(map(str, FACES.ravel()))}</p></triangles></mesh></geometry></library_geometries>"
        '<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>'
        '<instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_geometry></node>'
        '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>'
    )
    path = urdf(tmp_path, '<geometry><mesh filename="arm.dae"/></geometry><material name="red"/>')
    (path.parent / "arm.dae").write_text(told)
    [skin] = drawn(lw.load(path))
    assert skin.colour == "#0000ff" and np.ptp(skin.vertices[:, 1]) == pytest.approx(0.003)
    for encoding in ("utf-8", "utf-16"):
        (path.parent / "arm.dae").write_text('<!DOCTYPE x [<!ENTITY a "b">]>' + told + " ", encoding)
        assert "entities" in meshes_not_drawn(lw.load(path))[0]
    # a material that makes no sense costs its colours, not the shape
    for whole, broken in (("0 0 1 1", "0 0 blue 1"), ("0 0 1 1", ""), ('target="#m"', 'target="#none"')):
        (path.parent / "arm.dae").write_text(told.replace(whole, broken))
        [skin], [lost] = skins_of(lw.load(path), [0, 0])
        assert np.ptp(skin.vertices[:, 1]) == pytest.approx(0.003) and "arm.dae of arm: is drawn without" in lost


def test_missing_and_broken_ones_are_shapes_and_are_listed(tmp_path):
    path = urdf(tmp_path, '<geometry><mesh filename="package://nobody/arm.stl"/></geometry>')
    model = lw.load(path)
    assert meshes_not_drawn(model) == ["package://nobody/arm.stl of arm: is not there"]
    page = lw.viewer.write_html(model, np.zeros((2, 1)), [0.0, 1.0], tmp_path / "page.html").read_text()
    scene = json.loads(re.search(r'id="scene">(.*?)</script>', page)[1])
    assert scene["missing"] == meshes_not_drawn(model) and not scene["skins"] and scene["boxes"]
    for name, content, reason in (("a.stl", b"nonsense", "without faces"), ("a.png", b"", "drawn are .stl, .obj, .dae")):
        path = urdf(tmp_path, f'<geometry><mesh filename="{name}"/></geometry>')
        (path.parent / name).write_bytes(content)
        assert reason in meshes_not_drawn(lw.load(path))[0]
    assert lw.load(path.read_text()).looks  # a text has no folder: it is still read


def test_in_a_browser_and_in_a_still_picture(tmp_path, chromium):
    write_stl(tmp_path / "robot" / "urdf" / "arm.stl")
    model = lw.load(urdf(tmp_path, '<geometry><mesh filename="arm.stl"/></geometry>'))
    page = chromium.open(lw.viewer.write_html(model, np.array([[0.0], [1.0]]), [0.0, 10.0], tmp_path / "page.html"))
    page.evaluate("document.getElementById('readouts').click(); document.getElementById('play').click(); 1")
    page.evaluate("const s = document.getElementById('scrubber'); s.value = 500; s.oninput({target: s}); 1")
    page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
    assert page.evaluate("document.querySelector('#joints output').textContent") == "0.500 rad"
    still = lw.viewer.write_svg(model, [0.0], tmp_path / "still.svg").read_text()
    assert 2 <= still.count("<path") <= 3  # of four faces, those that look here


def test_many_faces_become_few():
    fine = ball(200)
    [coarse] = decimated([fine], 2000)
    assert 500 < len(coarse[1]) <= 2000 and volume(*coarse) == pytest.approx(volume(*fine), rel=0.05)
    assert decimated([coarse], 2000)[0] is coarse
    vertices, faces = clustered(fine, 10.0)
    assert len(faces) == 0 and len(vertices) == 0


def test_solids_are_the_right_way_out():
    assert volume(*box(np.array([1.0, 2.0, 3.0]))) == pytest.approx(48.0)
    assert volume(*ball(100)) == pytest.approx(4 / 3 * np.pi, rel=0.01)
    for rounded in (False, True):
        exact = np.pi * 0.25 * 2.0 + (4 / 3 * np.pi * 0.125 if rounded else 0.0)
        assert volume(*tube(0.5, 1.0, 100, rounded=rounded)) == pytest.approx(exact, rel=0.01)
