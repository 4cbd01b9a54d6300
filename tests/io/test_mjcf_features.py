"""What files of robots in MJCF use, one feature at a time, against MuJoCo: masses and accelerations."""

from __future__ import annotations

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import INERTIAL  # noqa: E402
from mujoco_referee import MujocoReferee  # noqa: E402

import linkwright as lw  # noqa: E402

LEG = """<body name="thigh" pos="0 0.1 0"><joint name="hip" axis="0 1 0" range="-1 2" damping="0.1"/>
  <geom name="bone" type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
  <geom name="knob" type="sphere" size="0.05" pos="0.1 0 0" mass="0.2" group="3"/>
  <body name="shank" pos="0 0 -0.4"><joint name="knee" axis="0 1 0" springref="0.5" stiffness="2"/>
    <geom type="box" size="0.02 0.03 0.2" pos="0 0 -0.2" density="700" euler="0.1 0.2 0.3"/>
    <site name="foot" pos="0 0 -0.4"/></body></body>"""
TRUNK = '<body name="trunk" pos="0 0 1"><freejoint name="root"/><geom type="box" size="0.1 0.2 0.1"/>' + LEG + "</body>"
TENDONS = """<tendon><spatial name="rope" range="0 1" limited="true"><site site="foot"/><site site="anchor"/></spatial>
  <spatial name="wrapped"><site site="foot"/><geom geom="knob"/><site site="anchor"/></spatial>
  <fixed name="split"><joint joint="hip" coef="0.5"/><joint joint="knee" coef="0.5"/></fixed></tendon>"""


def world(bodies: str, before: str = "", after: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody>{after}</mujoco>"


FEATURES = {
    "plain": world(TRUNK),
    "degrees and euler order": world(
        TRUNK.replace('pos="0 0.1 0"', 'pos="0 0.1 0" euler="10 20 30"'), '<compiler angle="degree" eulerseq="ZYX"/>'
    ),
    "radians": world(
        TRUNK.replace('pos="0 0.1 0"', 'pos="0 0.1 0" euler=".1 .2 .3"'), '<compiler angle="radian" eulerseq="xyZ"/>'
    ),
    "default classes": world(
        TRUNK.replace('<body name="thigh"', '<body name="thigh" childclass="leg"'),
        '<default><geom density="500"/><default class="leg"><joint armature="0.02" frictionloss="0.1" damping="2"/>'
        '<geom density="2000" group="1"/><default class="other"><joint damping="5"/><motor gear="3"/></default>'
        "</default></default>",
    ),
    "total mass": world(
        TRUNK + '<body name="post" pos="3 0 0"><geom size="0.3"/></body>', '<compiler settotalmass="7"/>'
    ),
    "mass from some groups": world(TRUNK, '<compiler inertiagrouprange="0 2"/>'),
    "inertia always from geoms": world(
        TRUNK.replace("<freejoint", INERTIAL + "<freejoint"), '<compiler inertiafromgeom="true"/>'
    ),
    "inertia never from geoms": world(
        f'<body name="a"><joint name="j"/>{INERTIAL}<geom size="9"/></body>', '<compiler inertiafromgeom="false"/>'
    ),
    "inertials mixed with geoms": world(TRUNK.replace('<geom name="bone"', INERTIAL + '<geom name="bone"')),
    "balanced inertia": world(
        '<body name="a"><joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    "bounded mass": world(
        f'<body name="a"><joint name="j"/><body name="b"><joint name="k" axis="1 0 0"/></body>{INERTIAL}</body>',
        '<compiler boundmass="0.1" boundinertia="0.02"/>',
    ),
    "no automatic limits": world(TRUNK.replace("range=", 'limited="true" range='), '<compiler autolimits="false"/>'),
    "shells": world(TRUNK.replace("<geom ", '<geom shellinertia="true" ')),
    "fused": world(
        TRUNK.replace('<site name="foot"', f'<body name="sole" pos="0 0 -0.4">{INERTIAL}</body><site name="foot"'),
        '<compiler fusestatic="true"/>',
    ),
    "frames": world(f'<frame pos="1 0 0" euler="0 0 30"><frame name="f" quat="1 1 0 0">{TRUNK}</frame></frame>'),
    "replicas": world(
        '<replicate count="3" euler="0 0 30"><body name="p" pos="1 0 0"><joint name="j" axis="0 1 0"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/></body></replicate>'
    ),
    "balls and several joints": world(
        f'<body name="a"><joint name="b" type="ball" damping="0.3"/>{INERTIAL}<body name="c" pos="0 0 0.3">'
        f'<joint name="x" type="slide" axis="1 0 0" ref="0.1"/><joint name="t" axis="0 0 1" ref="30"/>{INERTIAL}</body>'
        "</body>"
    ),
    "looks": world(
        TRUNK.replace("<geom ", '<geom material="m" rgba="1 0 0 1" ', 1)
        + '<light pos="0 0 3" mode="trackcom"/><camera name="c" pos="0 0 3"/><geom type="plane" size="1 1 .1"/>',
        '<asset><texture name="t" type="2d" builtin="checker" width="9" height="9"/><material name="m" texture="t"/>'
        '<material name="n" class="shiny"/></asset><default><default class="shiny"><material shininess="1"/></default>'
        '</default><visual><global offwidth="99"/></visual><statistic extent="2" center="0 0 1"/>'
        '<custom><numeric name="n" data="1 2"/><text name="t" data="words"/></custom>'
        '<size nconmax="100" nuser_body="1"/>',
    ),
    "meshes and height fields that only show": world(
        TRUNK.replace('<geom name="bone"', INERTIAL + '<geom type="mesh" mesh="none"/><geom name="bone"')
        + '<geom type="hfield" hfield="hills"/>',
        '<asset><mesh name="none" file="nowhere.stl"/><hfield name="hills" file="hills.png" size="1 1 1 1"/>'
        '<skin name="s" file="skin.skn"/></asset>',
    ),
    "actuators and sensors": world(
        TRUNK + '<site name="anchor" pos="1 1 1"/>', "",
        f"""{TENDONS}<actuator><motor name="m" joint="hip" gear="5"/><position joint="knee" kp="30" dampratio="1"/>
        <velocity tendon="split" kv="2"/><intvelocity joint="hip" kp="3" actrange="-1 1"/>
        <damper joint="hip" kv="1" ctrlrange="0 1"/><cylinder joint="hip" area="0.1"/></actuator>
        <sensor><framepos objtype="site" objname="foot"/><gyro site="foot"/><touch site="foot"/>
        <actuatorfrc actuator="m"/><tendonpos tendon="split"/></sensor>
        <contact><exclude body1="trunk" body2="shank"/><pair geom1="bone" geom2="knob"/></contact>""",
    ),
    "mocap and keys": world(
        TRUNK + '<body name="target" mocap="true" pos="1 0 1"><geom size="0.1" contype="0"/></body>', "",
        '<keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.3 0.2" mpos="1 0 2" ctrl="1"/></keyframe>'
        '<actuator><motor joint="hip"/></actuator>',
    ),
    "options": world(
        TRUNK,
        '<option timestep="0.002" integrator="implicitfast" cone="elliptic" gravity="0 1 -5" solver="CG">'
        '<flag multiccd="enable" eulerdamp="disable"/></option>',
    ),
    "inclinations of solvers": world(
        TRUNK.replace("<joint ", '<joint solreflimit="0.01 1" solimplimit="0.9 0.99 0.001" margin="0.01" group="2" ')
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FEATURES)
def test_moves_as_in_mujoco(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes what it warns about into a file in the current folder
    text = FEATURES[name]
    model, source = lw.load(text), mujoco.MjModel.from_xml_string(_without_files(text))
    assert not model.ignored and (model.nq, model.nv) == (source.nq, source.nv)
    moving = [i for i in range(1, source.nbody) if source.body_weldid[i] and source.body_mocapid[i] < 0]
    mass = sum(body.inertia.mass for body in model.bodies[1:])
    assert mass == pytest.approx(source.body_mass[moving].sum(), rel=1e-12)
    assert model.joints and {joint.name for joint in model.joints} >= {source.joint(0).name}
    referee, aba = MujocoReferee(source, model), lw.reference(model, "aba")
    rng = np.random.default_rng(0)
    for _ in range(2):
        q, v, tau = model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
        expected = referee.acceleration(q, v, tau)
        assert np.abs(aba(q, v, tau) - expected).max() < 1e-9 * (1 + np.abs(expected).max())


def _without_files(text: str) -> str:
    """MuJoCo opens every file that is mentioned."""
    for part in (
        '<geom type="mesh" mesh="none"/>', '<geom type="hfield" hfield="hills"/>',
        '<mesh name="none" file="nowhere.stl"/>', '<hfield name="hills" file="hills.png" size="1 1 1 1"/>',
        '<skin name="s" file="skin.skn"/>',
    ):  # fmt: skip
        text = text.replace(part, "")
    return text


def test_keys_of_all_kinds():
    model = lw.load(FEATURES["mocap and keys"])
    assert model.configurations["home"].tolist() == [0, 0, 1, 0, 0, 0, 1, 0.3, 0.2] and model.motors == ("hip",)
