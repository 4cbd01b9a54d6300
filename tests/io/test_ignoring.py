"""`load(..., ignore=...)`: what is left out, what is kept of it, and what cannot be left out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sdf_files import FOUR_BAR
from urdf_writer import PENDULUM

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError, LoadError
from linkwright.io.ignoring import IGNORABLE

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import INERTIAL, mjcf  # noqa: E402

ARM = f'<body name="arm"><joint name="j" axis="0 1 0"/>{INERTIAL}<geom name="g" size="0.1"/><site name="s"/></body>'
GROUND_SITE = '<site name="r" pos="1 1 1"/>'


def other_joint(attributes: str) -> str:
    return ARM.replace('axis="0 1 0"', attributes)


def tendon(attribute: str) -> str:
    return f'<tendon><spatial name="t" {attribute}="2"><site site="s"/><site site="r"/></spatial></tendon>'


# By word: a file that is refused or warned about without it, and what is said about what was left out.
LEFT_OUT = {
    "actuator": (mjcf(ARM, '<actuator><muscle name="m" joint="j"/></actuator>'), "'m'"),
    "armature": (mjcf(other_joint('type="free" armature="1"')), "'j'"),
    "composite": (mjcf(ARM.replace("<site", '<composite type="cable" prefix="c"/><site')), "<composite>"),
    "contact": (mjcf(ARM), "geoms"),
    "damping": (
        FOUR_BAR.replace(
            '<link name="crank">', '<link name="crank"><velocity_decay><linear>1</linear></velocity_decay>'
        ),
        "<velocity_decay>",
    ),
    "deformable": (mjcf(ARM.replace("<site", '<flexcomp name="f" type="grid"/><site')), "'f'"),
    "equality": (
        mjcf(ARM + GROUND_SITE + f'<body name="b"><joint name="k"/>{INERTIAL}<geom name="h" size="0.01"/></body>',
             '<tendon><spatial name="t"><site site="s"/><geom geom="h"/><site site="r"/></spatial></tendon>'
             '<equality><tendon name="e" tendon1="t"/></equality>'),
        "'e' acts on 't'",
    ),
    "fluid": (mjcf(ARM, head='<option density="1.2" viscosity="2e-5"/>'), "density"),
    "friction": (mjcf(ARM + GROUND_SITE, tendon("frictionloss")), "'t' is spatial and has frictionloss"),
    "gravcomp": (mjcf(ARM.replace("<body ", '<body gravcomp="1" ')), "'arm'"),
    "limit": (mjcf(other_joint('type="ball" range="0 1"')), "'j'"),
    "plugin": (mjcf(ARM.replace("<site", '<plugin plugin="mujoco.elasticity.cable"/><site')), "cable"),
    "spring": (mjcf(other_joint('type="ball" stiffness="2"')), "'j'"),
    "tendon": (mjcf(ARM + GROUND_SITE, tendon("stiffness")), "'t'"),
    "loop": (PENDULUM.replace("</robot>", "<constraint/></robot>"), "<constraint>"),
    "mimic": (
        PENDULUM.replace("</robot>", '<link name="two"/><joint name="other" type="continuous"><parent link="arm"/>'
                         '<child link="two"/><mimic joint="hinge"/></joint></robot>'), "mimic joints 'other'"
    ),
    "option": (mjcf(ARM, head='<option noslip_iterations="3"/>'), "noslip_iterations"),
    "bushing": (FOUR_BAR.replace("</model>", "<drake:linear_bushing_rpy/></model>"), "bushing"),
}  # fmt: skip


def test_every_word_has_a_case():
    assert {*LEFT_OUT, "unknown"} == set(IGNORABLE)  # the last: tests/io/test_mjcf_vocabulary.py


@pytest.mark.parametrize("word", LEFT_OUT)
def test_left_out_by_name(word):
    text, said = LEFT_OUT[word]
    model = lw.load(text, ignore=(word,))
    mine = [line for line in model.ignored if line.startswith(f"{word}: ")]
    assert mine and said in " ".join(mine)
    assert not any(said in warning for warning in model.warnings)
    # and the rest of the words do nothing
    assert lw.load(text, ignore=[word, *(other for other in IGNORABLE if other != word)]).nv == model.nv


@pytest.mark.parametrize("word", [
    "actuator", "armature", "composite", "damping", "deformable", "equality", "fluid", "friction", "plugin", "spring",
    "tendon", "loop", "bushing",
])  # fmt: skip
def test_refusals_name_the_word_that_helps(word):
    with pytest.raises(LinkwrightError, match=re.escape(f"ignore=('{word}',)")):
        lw.load(LEFT_OUT[word][0])
    others = [other for other in IGNORABLE if other != word]
    with pytest.raises(LinkwrightError, match=re.escape(f"ignore=('{word}',)")):
        lw.load(LEFT_OUT[word][0], ignore=others)


def test_what_is_ignored_does_not_act():
    plain = lw.load(mjcf(other_joint('type="ball"')))
    assert np.array_equal(
        lw.reference(plain, "aba")(plain.neutral(), np.ones(3), np.ones(3)),
        lw.reference(lw.load(LEFT_OUT["spring"][0], ignore="spring"), "aba")(plain.neutral(), np.ones(3), np.ones(3)),
    )
    assert not lw.load(LEFT_OUT["gravcomp"][0], ignore="gravcomp").passive
    free = lw.load(LEFT_OUT["armature"][0], ignore="armature")
    assert not free.stacked("armature").any()


def test_a_file_without_it_has_nothing_ignored():
    assert lw.load(mjcf(ARM), ignore=("fluid", "plugin")).ignored == ()
    assert lw.load("four_bar", ignore="fluid").ignored == ()


def test_plugins_of_actuators_are_actuators_that_are_not_understood():
    plugged = '<actuator><plugin name="p" joint="j" plugin="mujoco.pid"/><motor name="m" joint="j"/></actuator>'
    text = mjcf(ARM, plugged, '<extension><plugin plugin="mujoco.pid"/></extension>')
    with pytest.raises(LoadError, match=r"<plugin> 'p'.*ignore=\('actuator',\)"):
        lw.load(text)
    model = lw.load(text, ignore="actuator")
    assert model.motors == ("j",) and [one.name for one in model.actuators] == ["m"] and "'p'" in model.ignored[0]


def test_links_without_weight_in_sdf():
    text = FOUR_BAR.replace('<link name="crank">', '<link name="crank"><gravity>0</gravity>')
    model, plain = lw.load(text), lw.load(FOUR_BAR)
    assert len(model.passive) == 1 and not lw.load(text, ignore="gravcomp").passive
    model, plain = model.without_constraints(), plain.without_constraints()
    q = model.random_configuration(0)
    weight = lw.reference(plain, "gravity_torques")(q) - lw.reference(model, "gravity_torques")(q)
    # the torques of the crank's weight alone: those of a mechanism in which nothing else weighs
    i = plain.frame("crank").body
    masses = np.array([body.inertia.mass if k == i else 0.0 for k, body in enumerate(plain.bodies)])
    alone = lw.compile(plain, "gravity_torques", parameters=("masses",), cache=False)(q, masses)
    assert np.abs(weight).max() > 0.1 and np.abs(weight - alone).max() < 1e-12


@pytest.mark.parametrize("word", ["body", "joint", "inertial", "mass", "mesh", "include", "attach"])
def test_what_cannot_be_left_out(word):
    with pytest.raises(InputError, match=f"ignore: '{word}' cannot be left out"):
        lw.load(mjcf(ARM), ignore=("fluid", word))


@pytest.mark.parametrize(("given", "said"), [
    ("fluids", "Did you mean 'fluid'"), (("plugin", "Plugin"), "'Plugin'"), ((1,), "1"), (3, "3"), ([None], "None"),
])  # fmt: skip
def test_unknown_words(given, said):
    with pytest.raises(InputError, match="ignore") as caught:
        lw.load(mjcf(ARM), ignore=given)
    assert said in str(caught.value)


def test_meshes_are_found_as_mujoco_finds_them(tmp_path):
    """In meshdir beside the main file, else beside the included file that names them."""
    corners, faces = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
    for size, place in ((1, "sub/a.obj"), (2, "sub/b.obj"), (3, "meshes/b.obj"), (4, "shared/c.obj")):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(
            "".join(f"v {x * size} {y * size} {z * size}\n" for x, y, z in corners)
            + "".join(f"f {i} {j} {k}\n" for i, j, k in faces)
        )
    (tmp_path / "sub/robot.xml").write_text(
        '<mujoco><compiler meshdir="meshes"/><asset><mesh file="a.obj"/><mesh file="b.obj"/>'
        '<mesh file="../shared/c.obj"/></asset><worldbody>'
        + "".join(f'<body name="{m}"><joint/><geom type="mesh" mesh="{m}" density="6"/></body>' for m in "abc")
        + "</worldbody></mujoco>"
    )
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><include file="sub/robot.xml"/></mujoco>')
    model, source = lw.load(main), mujoco.MjModel.from_xml_path(str(main))
    assert [body.inertia.mass for body in model.bodies[1:]] == pytest.approx(source.body_mass[1:].tolist())
    assert [round(body.inertia.mass) for body in model.bodies[1:]] == [1, 27, 64]
    (tmp_path / "sub/a.obj").unlink()
    with pytest.raises(LoadError, match=r"robot\.xml, line 1, <mesh>.*'a\.obj', which is not there"):
        lw.load(main)
