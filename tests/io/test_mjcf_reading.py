"""MJCF: what is read besides the tree, what is left out with a warning, and what is refused by name and line."""

from __future__ import annotations

import time

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import EVERY_JOINT, INERTIAL, mjcf, with_equality  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.errors import InputError, LinkwrightError, LoadError, UnsupportedError  # noqa: E402
from linkwright.io import from_mujoco_model, read_mjcf  # noqa: E402

ARM = f'<body name="arm"><joint name="j" axis="0 1 0"/>{INERTIAL}<geom name="g" size="0.1"/></body>'

HAND = ARM.replace("arm", "hand").replace('"j"', '"k"').replace('"g"', '"h"')


def test_quantities_of_joints():
    model = lw.load(EVERY_JOINT)
    hinge = model.joints[model.joint_index("hinge") - 1]
    assert hinge.kind == "revolute" and np.allclose(hinge.axis, [0.6, 0, 0.8])
    for quantity, value in (
        ("damping", 0.2), ("armature", 0.05), ("friction", 0.3), ("stiffness", 3), ("spring_reference", 0.1),
        ("lower", -1), ("upper", 2), ("effort_limit", 7),
    ):  # fmt: skip
        assert getattr(hinge, quantity).tolist() == pytest.approx([value]), quantity
    assert [j.name for j in model.joints] == ["free", "hinge", "ball joint", "slide", "a", "b", "c", "d"]


def test_configurations_are_in_our_layout():
    model = lw.load(EVERY_JOINT)
    assert np.allclose(model.configurations["home"][:7], [1, 2, 3, 0.5, 0.5, 0.5, 0.5])
    drawn = model.drawn
    assert np.allclose(drawn[7], 0.4)  # the hinge's ref
    assert np.allclose(lw.to_mujoco(model, drawn), mujoco.MjModel.from_xml_string(EVERY_JOINT).qpos0)


def test_massless_bodies_of_ours_are_not_warned_about():
    assert not any("mass" in warning for warning in lw.load(EVERY_JOINT).warnings)


def test_inactive_equalities():
    text = with_equality('<connect name="e" body1="coupler" body2="tip" anchor="0.5 0.1 0.2" active="false"/>')
    model = lw.load(text)
    assert not model.constraints and any("'e' is not active" in warning for warning in model.warnings)
    assert [c.name for c in read_mjcf(text, inactive=True).constraints] == ["e"]
    source = mujoco.MjModel.from_xml_string(text)
    assert [c.name for c in from_mujoco_model(source, inactive=True).constraints] == ["e"]


def test_equalities_between_things_that_do_not_move():
    text = with_equality('<connect name="e" body1="base" anchor="0 0 0"/>').replace(
        "<worldbody>", '<worldbody><body name="base"/>'
    )
    assert any("'e' is between things that do not move" in warning for warning in lw.load(text).warnings)


def test_flags_are_obeyed():
    inside = '<joint name="j" axis="0 1 0" stiffness="3" damping="2" frictionloss="1" range="-1 1"/>'
    body = f'<body name="arm">{inside}{INERTIAL}</body>'
    connect = '<equality><connect name="e" body1="arm" anchor="0 0 1"/></equality>'
    disabled = ("gravity", "spring", "damper", "frictionloss", "limit", "equality")
    flags = " ".join(f'{flag}="disable"' for flag in disabled)
    model = lw.load(mjcf(body, connect, f"<option><flag {flags}/></option>"))
    joint = model.joints[0]
    assert not model.gravity.any() and not joint.stiffness.any()
    assert not joint.damping.any() and not joint.friction.any()
    assert np.isinf(joint.lower[0]) and not model.constraints


def test_defaults_degrees_and_frames():
    text = f"""<mujoco><compiler angle="degree" eulerseq="xyz"/>
    <default><joint damping="3"/><default class="stiff"><joint stiffness="5" springref="90"/></default></default>
    <worldbody><frame pos="1 0 0" euler="0 0 90"><body name="a" pos="1 0 0" childclass="stiff">
      <joint name="j" axis="0 1 0" range="-90 90"/>{INERTIAL}</body></frame></worldbody></mujoco>"""
    model = lw.load(text)
    joint = model.joints[0]
    assert (joint.damping[0], joint.stiffness[0]) == (3, 5)
    assert joint.upper[0] == pytest.approx(np.pi / 2) and joint.spring_reference[0] == pytest.approx(np.pi / 2)
    assert np.allclose(model.bodies[1].placement.translation, [1, 1, 0])


def test_inertia_from_geoms_and_from_the_file():
    geom = '<geom type="box" size="0.1 0.2 0.3" density="1000" pos="0.1 0 0"/>'
    bare = f'<body name="arm"><joint name="j"/>{geom}</body>'
    assert lw.load(mjcf(bare)).mass == pytest.approx(1000 * 8 * 0.006)
    given = f'<body name="arm"><joint name="j"/>{INERTIAL}{geom}</body>'
    assert lw.load(mjcf(given)).mass == pytest.approx(1.3)
    assert lw.load(mjcf(given, head='<compiler inertiafromgeom="true"/>')).mass == pytest.approx(48)


def test_meshes_that_only_show_are_not_needed():
    text = mjcf(
        f'<body name="arm"><joint name="j"/>{INERTIAL}<geom type="mesh" mesh="m" material="steel"/></body>',
        head='<asset><mesh name="m" file="none.stl"/><texture name="t" file="none.png" type="2d"/>'
        '<material name="steel" texture="t"/></asset>',
    )
    assert lw.load(text).mass == pytest.approx(1.3)
    with pytest.raises(LoadError, match=r"none\.stl.*no folder"):
        lw.load(text.replace(INERTIAL, ""))


def test_mesh_that_weighs(tmp_path):
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "wedge.obj").write_text(text)
    (tmp_path / "robot.xml").write_text(mjcf(
        '<body name="arm"><joint name="j"/><geom type="mesh" mesh="wedge" density="6"/></body>',
        head='<compiler meshdir="meshes"/><asset><mesh file="wedge.obj"/></asset>',
    ))  # fmt: skip
    assert lw.load(tmp_path / "robot.xml").mass == pytest.approx(1.0, rel=1e-6)


def test_actuators_keyframes_and_mocap():
    text = mjcf(
        ARM + '<body name="hand" mocap="true" pos="1 2 3"/>',
        '<actuator><motor name="m" joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>'
        '<contact><exclude body1="arm" body2="world"/></contact>'
        '<keyframe><key name="k" qpos="0.3" ctrl="1"/></keyframe>',
    )
    model = lw.load(text)
    assert "'hand'" in " ".join(model.warnings) and [one.name for one in model.actuators] == ["m"]
    assert model.motors == ("j",) and model.configurations["k"].tolist() == [0.3]
    assert model.keyframes["k"].q.tolist() == [0.3] and model.keyframes["k"].ctrl.tolist() == [1.0]
    assert np.allclose(model.frame("hand").placement.translation, [1, 2, 3]) and model.frame("hand").body == 0


def test_things_of_one_name():
    text = mjcf(f'<body name="x"><joint name="x" pos="0 0 0.1"/>{INERTIAL}<site name="x"/>'
                f'<body><joint/>{INERTIAL}<site/></body></body>')  # fmt: skip
    model = lw.load(text)
    assert model.nv == 2 and len({body.name for body in model.bodies}) == 3
    assert "site/x" in model.frames and model.frame("x").body == 1


ARM_AND_SITES = ARM.replace("</body>", '<site name="s"/></body><site name="r" pos="1 1 1"/>')


def _spatial(attributes: str) -> str:
    sites = '<site site="s"/><site site="r"/>'
    return f'<tendon><spatial name="t" {attributes}>{sites}</spatial></tendon>'


REFUSED = {
    "ball spring": (mjcf(ARM.replace('axis="0 1 0"', 'type="ball" stiffness="3"')), ["'j'", "spring", "('spring',)"]),
    "free armature": (mjcf(ARM.replace('axis="0 1 0"', 'type="free" armature="3"')), ["'j'", "('armature',)"]),
    "tendon spring": (mjcf(ARM_AND_SITES, _spatial('stiffness="3"')), ["'t'", "stiffness", "('tendon',)"]),
    "tendon damping by default": (
        mjcf(ARM_AND_SITES, _spatial(""), '<default><tendon damping="3"/></default>'),
        ["'t'", "damping", "('tendon',)"],
    ),
    "tendon friction": (mjcf(ARM_AND_SITES, _spatial('frictionloss="3"')), ["'t'", "frictionloss", "('friction',)"]),
    "tendon armature": (mjcf(ARM_AND_SITES, _spatial('armature="3"')), ["'t'", "armature", "('armature',)"]),
    "density": (mjcf(ARM, head='<option density="1.2"/>'), ["density", "('fluid',)"]),
    "viscosity": (mjcf(ARM, head='<option viscosity="1.2"/>'), ["viscosity"]),
    "body plugin": (mjcf(ARM.replace("<geom", '<plugin plugin="x"/><geom')), ["<plugin>", "('plugin',)"]),
    "flex": (mjcf(ARM, '<deformable><flex name="f"/></deformable>'), ["<flex>", "('deformable',)"]),
    "flexcomp": (mjcf(ARM.replace("<geom", '<flexcomp name="f"/><geom')), ["<flexcomp>", "('deformable',)"]),
    "composite": (mjcf(ARM.replace("<geom", '<composite type="cable"/><geom')), ["<composite>"]),
    "attach": (mjcf(ARM, head='<asset><model name="m" file="m.xml"/></asset>'), ["<model>", "MjModel"]),
    "unknown element": (mjcf(ARM.replace("<geom", "<spring/><geom")), ["spring"]),
    "unknown attribute": (mjcf(ARM.replace("axis=", "axes=")), ["axes"]),
    "bad number": (mjcf(ARM.replace('"0 1 0"', '"0 one 0"')), ["line"]),
    "no mass": (mjcf('<body name="arm"><joint name="j"/></body>'), ["'arm'", "mass"]),
    "unknown body": (mjcf(ARM, '<equality><connect body1="leg" anchor="0 0 0"/></equality>'), ["leg"]),
    "tendon equality": (
        mjcf(ARM + f'<body name="b"><joint name="k"/>{INERTIAL}</body>',
             '<tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="1"/></fixed>'
             '<fixed name="u"><joint joint="k" coef="1"/></fixed></tendon>'
             '<equality><tendon name="e" tendon1="t" tendon2="u" polycoef="0 1 1 0 0"/></equality>'),
        ["'e'", "degree 2", "('equality',)"],
    ),
    "replicate": (mjcf(f'<replicate count="100000">{ARM}</replicate>'), ["count", "100000"]),
    "nested replicate": (
        mjcf(f'<replicate count="999"><replicate count="999">{ARM}</replicate></replicate>'), ["count"],
    ),
    "doctype": ("<!DOCTYPE mujoco>" + mjcf(ARM), ["DTD"]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_name(name, tmp_path):
    text, words = REFUSED[name]
    path = tmp_path / "robot.xml"
    path.write_text(text)
    start = time.process_time()
    with pytest.raises(LinkwrightError) as caught:
        lw.load(path)
    assert time.process_time() - start < 1
    for word in ("robot.xml", *words):
        assert word in str(caught.value), str(caught.value)


@pytest.mark.parametrize("name", ["ball spring", "tendon spring", "unknown attribute", "unknown element"])
def test_refused_with_the_line_of_the_file(name):
    text = REFUSED[name][0].replace("<worldbody>", "\n\n<worldbody>")
    wanted = next(i for i, line in enumerate(text.split("\n"), 1) if 'name="arm"' in line or "<tendon>" in line)
    if name == "tendon spring":
        wanted = next(i for i, line in enumerate(text.split("\n"), 1) if "<tendon>" in line)
    with pytest.raises(LoadError) as caught:
        read_mjcf(text, file="robot.xml")
    assert caught.value.line == wanted, str(caught.value)


def test_a_compiled_model_is_refused_by_name():
    source = mujoco.MjModel.from_xml_string(REFUSED["ball spring"][0])
    with pytest.raises(UnsupportedError, match="'j' has a spring"):
        lw.load(source)
    assert "spring: joint 'j'" in lw.load(source, ignore="spring").ignored[0]
    with pytest.raises(InputError, match="floating_base"):
        lw.load(mujoco.MjModel.from_xml_string(EVERY_JOINT), floating_base=True)


class TestIncludes:
    def write(self, folder, main, **files):
        for name, text in files.items():
            path = folder / name.replace("__", "/").replace("_xml", ".xml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (folder / "robot.xml").write_text(main)
        return folder / "robot.xml"

    def test_are_put_in_place(self, tmp_path):
        path = self.write(
            tmp_path, mjcf('<include file="parts/arm.xml"/>', '<include file="parts/more.xml"/>'),
            parts__arm_xml=f'<mujocoinclude>\n{ARM}\n<include file="hand.xml"/></mujocoinclude>',
            parts__hand_xml=f"<mujocoinclude>{HAND}</mujocoinclude>",
            parts__more_xml='<mujocoinclude><keyframe><key name="k" qpos="1 2"/></keyframe></mujocoinclude>',
        )  # fmt: skip
        model = lw.load(path)
        assert [j.name for j in model.joints] == ["j", "k"] and model.configurations["k"].tolist() == [1, 2]

    def test_errors_name_the_included_file(self, tmp_path):
        path = self.write(
            tmp_path, mjcf('<include file="arm.xml"/>'),
            arm_xml=f"<mujocoinclude>\n\n{ARM}</mujocoinclude>".replace("axis=", 'type="ball" stiffness="1" axis='),
        )  # fmt: skip
        with pytest.raises(LoadError, match=r"arm\.xml, line 3, <joint>.*spring"):
            lw.load(path)

    @pytest.mark.parametrize("name", ["../secret.xml", "/etc/passwd", "inner/../../secret.xml", "link.xml"])
    def test_outside_the_folder_are_refused(self, name, tmp_path):
        (tmp_path / "secret.xml").write_text("<mujocoinclude>secret words</mujocoinclude>")
        folder = tmp_path / "robot"
        (folder / "inner").mkdir(parents=True)
        (folder / "link.xml").symlink_to(tmp_path / "secret.xml")
        path = self.write(folder, mjcf(f'<include file="{name}"/>'))
        with pytest.raises(LoadError, match=r"robot\.xml, line 5, <include>.*outside the folder") as caught:
            lw.load(path)
        assert "secret words" not in str(caught.value)

    def test_meshes_outside_the_folder_are_refused(self, tmp_path):
        body = '<body name="arm"><joint name="j"/><geom type="mesh" mesh="m"/></body>'
        path = self.write(tmp_path, mjcf(body, head='<asset><mesh name="m" file="../m.stl"/></asset>'))
        with pytest.raises(LoadError, match="outside the folder"):
            lw.load(path)

    def test_nested_without_end_are_refused(self, tmp_path):
        files = {f"f{k}_xml": f'<x><include file="f{k + 1}.xml"/></x>' for k in range(40)}
        with pytest.raises(LoadError, match="nested more than"):
            lw.load(self.write(tmp_path, mjcf('<include file="f0.xml"/>'), **files))

    def test_of_themselves_missing_and_without_a_folder(self, tmp_path):
        with pytest.raises(LoadError, match=r"second time"):
            lw.load(self.write(tmp_path, mjcf('<include file="a.xml"/>'), a_xml='<x><include file="a.xml"/></x>'))
        with pytest.raises(LoadError, match=r"'none\.xml', which is not there"):
            lw.load(self.write(tmp_path, mjcf('<include file="none.xml"/>')))
        with pytest.raises(LoadError, match="no folder"):
            lw.load(mjcf('<include file="none.xml"/>'))
        with pytest.raises(LoadError, match=r"not a regular file|not there"):
            lw.load(self.write(tmp_path, mjcf('<include file="."/>')))
