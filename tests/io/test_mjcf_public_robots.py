"""What public robots in MJCF use beyond plain bodies: each loads, or names the word that leaves it out, which works."""

from __future__ import annotations

import re

import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import INERTIAL, mjcf  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.errors import LinkwrightError  # noqa: E402

ARM = (
    f'<body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/>{INERTIAL}<geom name="g" size="0.05"/>'
    f'<site name="s" pos="0 0 0.3"/><body name="tip" pos="0 0 0.3"><joint name="k" axis="0 1 0"/>{INERTIAL}'
    '<site name="e"/></body></body><site name="r" pos="1 0 1"/>'
)


def spatial(attributes: str = "") -> str:
    return f'<tendon><spatial name="t" {attributes}><site site="e"/><site site="r"/></spatial></tendon>'


def fixed(attributes: str = "") -> str:
    joints = '<joint joint="j" coef="1"/><joint joint="k" coef="-0.5"/>'
    return f'<tendon><fixed name="t" {attributes}>{joints}</fixed></tendon>'


FEATURES = {
    "tendon that couples fingers": mjcf(ARM, fixed() + '<equality><tendon tendon1="t"/></equality>'),
    "tendon with spring and damper": mjcf(ARM, fixed('stiffness="3" damping="0.1"')),
    "tendon range": mjcf(ARM, fixed('range="-1 1" limited="true"')),
    "spatial tendon that is driven": mjcf(
        ARM, spatial() + '<actuator><position tendon="t" kp="3"/></actuator>'
    ),
    "spatial tendon with a spring": mjcf(ARM, spatial('stiffness="3"')),
    "tendon friction": mjcf(ARM, fixed('frictionloss="1"')),
    "tendon armature": mjcf(ARM, fixed('armature="1"')),
    "general actuators": mjcf(
        ARM, '<actuator><general joint="j" dyntype="filterexact" dynprm="0.1" gainprm="3" biastype="affine" '
        'biasprm="0 -3 -1" forcerange="-1 1" ctrlrange="-1 1"/><position joint="k" kp="3" timeconst="0.1"/>'
        "</actuator>",
    ),
    "keys with controls": mjcf(
        ARM, '<actuator><motor joint="j"/></actuator><keyframe><key name="home" qpos="1 2" ctrl="1"/></keyframe>'
    ),
    "joint equality": mjcf(
        ARM, '<equality><joint joint1="j" joint2="k" polycoef="0 1 0 0 0" solref="0.005 1"/></equality>'
    ),
    "weld to a mocap body": mjcf(
        ARM + '<body name="m" mocap="true" pos="0 0 1.3"/>', '<equality><weld body1="m" body2="tip"/></equality>'
    ),
    "connect by sites": mjcf(ARM, '<equality><connect site1="e" site2="r" active="false"/></equality>'),
    "sensors and cameras": mjcf(
        ARM.replace('<site name="e"/>', '<site name="e"/><camera name="c" mode="targetbody" target="arm"/>'),
        '<sensor><accelerometer site="e"/><jointpos joint="j"/><rangefinder site="e"/></sensor>',
    ),
    "height field": mjcf(
        ARM + '<geom type="hfield" hfield="h"/>',
        head='<asset><hfield name="h" nrow="4" ncol="4" size="1 1 1 1"/></asset>'
    ),
    "sky": mjcf(ARM, head='<asset><texture name="x" type="skybox" builtin="gradient" width="8" height="8"/></asset>'),
    "fluid": mjcf(ARM, head='<option density="1.2" viscosity="1e-5" wind="1 0 0"/>'),
    "fluid shapes": mjcf(ARM.replace('name="g"', 'name="g" fluidshape="ellipsoid"'), head='<option density="1000"/>'),
    "flexcomp": mjcf(
        ARM.replace('<site name="s"', '<flexcomp name="f" type="grid" spacing=".1 .1 .1"/><site name="s"')
    ),
    "composite cable": mjcf(
        ARM.replace('<site name="s"', '<composite type="cable" curve="s" count="5 1 1" size="1"><geom type="capsule" '
                    'size=".01"/></composite><site name="s"')
    ),
    "elasticity plugin": mjcf(ARM.replace('<site name="s"', '<plugin plugin="mujoco.elasticity.cable"/><site name="s"'),
                              head='<extension><plugin plugin="mujoco.elasticity.cable"/></extension>'),
    "pid plugin": mjcf(
        ARM, '<actuator><plugin joint="j" plugin="mujoco.pid"/></actuator>',
        head='<extension><plugin plugin="mujoco.pid"/></extension>',
    ),
    "sensor plugin": mjcf(
        ARM, '<sensor><plugin name="p" plugin="mujoco.sensor.touch_grid" objtype="site" objname="e"/></sensor>',
        head='<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension>',
    ),
    "gravity compensation": mjcf(ARM.replace('name="arm"', 'name="arm" gravcomp="1"')),
    "ball with a spring": mjcf(ARM.replace('name="k" axis="0 1 0"', 'name="k" type="ball" stiffness="1"')),
    "free joint with armature": mjcf(ARM.replace('name="j" axis="0 1 0"', 'name="j" type="free" armature="0.1"')),
    "compiler settings": mjcf(
        ARM, head='<compiler autolimits="true" fusestatic="true" discardvisual="true" inertiagrouprange="0 5" '
        'alignfree="true" usethread="false"/><option timestep="0.004" integrator="implicitfast" cone="elliptic" '
        'impratio="100"><flag contact="enable" override="disable"/></option>',
    ),
    "adhesion and muscles": mjcf(
        ARM, '<actuator><adhesion body="tip" ctrlrange="0 1" gain="2"/><muscle joint="j" ctrlrange="0 1"/></actuator>'
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FEATURES)
def test_loads_or_names_the_word_that_leaves_it_out(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ignore: list[str] = []
    while True:
        try:
            model = lw.load(FEATURES[name], ignore=tuple(ignore))
            break
        except LinkwrightError as error:
            said = re.search(r"ignore=\('(\w+)',\)", str(error))
            assert said, f"{name}: {error}"
            assert said[1] not in ignore and len(ignore) < 4, f"{name}: {error}"
            ignore.append(said[1])
    assert model.nv >= 2
    assert {line.split(":")[0] for line in model.ignored} == set(ignore)
