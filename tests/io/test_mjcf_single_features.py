"""One feature of MJCF at a time: MuJoCo's own step, or a refusal that names the word that helps, or a warning."""

from __future__ import annotations

import re

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import INERTIAL  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.io import MujocoCoordinates  # noqa: E402

LEG = f"""<body name="trunk" pos="0 0 1"><joint name="lift" type="slide" axis="0 0 1"/>{INERTIAL}
<body name="thigh" pos="0.1 0 0"><joint name="hip" axis="0 1 0" range="-90 90"/>{INERTIAL}
<geom name="bone" type="capsule" size="0.02 0.1" contype="0" conaffinity="0"/><site name="upper" pos="0 0 -0.1"/>
<body name="shank" pos="0 0.02 -0.4"><joint name="knee" axis="0 1 0.2"/>{INERTIAL}<site name="lower" pos="0.05 0 -0.2"/>
</body></body></body>"""
FREE = f'<body name="box" pos="0 0 1"><joint name="fly" type="free"/>{INERTIAL}</body>'
COUPLED = '<joint joint="hip" coef="1.5"/><joint joint="knee" coef="-2"/>'
STRAIGHT = '<site site="upper"/><site site="lower"/>'


def file(body: str = LEG, head: str = "", tail: str = "") -> str:
    return f"<mujoco>{head}<worldbody>{body}</worldbody>{tail}</mujoco>"


def driven(element: str) -> str:
    return file(tail=f"<actuator>{element}</actuator>")


def on(joint: str, attributes: str, **more: str) -> str:
    return file(LEG.replace(f'name="{joint}"', f'name="{joint}" {attributes}'), **more)


def wound(kind: str, attributes: str) -> str:
    parts = COUPLED if kind == "fixed" else STRAIGHT
    return file(tail=f'<tendon><{kind} name="t" {attributes}>{parts}</{kind}></tendon>')


def flag(name: str, value: str = "disable") -> str:
    return on("knee", 'damping="0.4" stiffness="2"', head=f'<option><flag {name}="{value}"/></option>')


GRAVCOMP = LEG.replace('name="shank"', 'name="shank" gravcomp="0.7"')
BY_ACTUATORS = GRAVCOMP.replace("<joint ", '<joint actuatorgravcomp="true" ')
MOTOR = '<actuator><motor joint="hip"/></actuator>'
ANY = " ".join(
    f'<general joint="hip" dyntype="{d}" dynprm="0.07" gaintype="{g}" gainprm="2 .3 .1" biastype="{b}" '
    'biasprm=".4 -1 -.2" gear="3" forcerange="-5 5"/>'
    for d in ("none", "integrator", "filter", "filterexact")
    for g in ("fixed", "affine")
    for b in ("none", "affine")
)

ALIKE = {
    "plain": file(),
    "every general": driven(ANY),
    "shorthands": driven('<intvelocity joint="hip" kp="3" actrange="-1 1"/><damper joint="hip" kv="3" '
                         'ctrlrange="0 1"/><cylinder joint="hip" area="0.3" timeconst="0.1"/><velocity joint="knee" '
                         'kv="2"/><position joint="hip" kp="9" dampratio="1"/><position joint="hip" kp="9" '
                         'inheritrange="1"/><position joint="knee" kp="9" timeconst="0.2"/>'),
    "in the parent": driven('<motor jointinparent="hip" lengthrange="-1 1"/>'),
    "on a tendon": file(tail=f'<tendon><fixed name="t">{COUPLED}</fixed></tendon><actuator><motor tendon="t" gear="2"/>'
                             "</actuator>"),
    "force range": on("hip", 'actuatorfrcrange="-0.3 0.3"', tail=MOTOR),
    "no force range": on("hip", 'actuatorfrclimited="false" actuatorfrcrange="-0.3 0.1"', tail=MOTOR),
    "weight compensated": file(GRAVCOMP),
    "weight compensated by actuators": file(BY_ACTUATORS, tail=MOTOR),
    "weight compensated by no actuators": file(BY_ACTUATORS),
    "weight compensated by actuators that are off": file(BY_ACTUATORS, '<option><flag actuation="disable"/></option>',
                                                         MOTOR),
    "spring and damper": on("knee", 'springdamper="0.1 1"'),
    "limit and friction": on("knee", 'range="-4 5" margin="3" frictionloss="0.3" solreflimit="0.01 1" '
                                     'solimpfriction="0.9 0.95 0.001"'),
    "damping of a free body": file(FREE.replace('type="free"', 'type="free" damping="1"')),
    "ball": file(LEG.replace('name="knee" axis="0 1 0.2"', 'name="knee" type="ball" damping="0.3" armature="0.01" '
                             'frictionloss="0.1"')),
    "tendon with all": wound("fixed", 'stiffness="3" springlength="0.2 0.4" damping="0.5" frictionloss="0.3" '
                                      'limited="true" range="-0.2 0.2" margin="0.1"'),
    "tendon that only measures": wound("spatial", 'width="0.1" rgba="1 0 0 1"'),
    "wind without a medium": file(head='<option wind="1 0 0"/>'),
    "policy of sleep": file(LEG.replace('name="trunk"', 'name="trunk" sleep="never"')),
    "mocap weld": file(LEG + '<body name="hand" mocap="true" pos="0 0 1"/>',
                       tail='<equality><weld body1="hand" body2="trunk"/></equality>'),
    "global options": file(head='<option solver="PGS" noslip_iterations="3" jacobian="sparse" impratio="3" '
                                'cone="elliptic" magnetic="1 0 0"/><compiler discardvisual="true" fusestatic="true"/>'),
    **{f"no {name}": flag(name) for name in (
        "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl",
        "warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase", "autoreset", "nativeccd", "island",
    )},
    **{name: flag(name, "enable") for name in ("energy", "fwdinv", "invdiscrete", "multiccd", "sleep")},
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_moves_as_in_mujoco(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes what it warns about
    text = ALIKE[name]
    source, model = mujoco.MjModel.from_xml_string(text), lw.load(text)
    assert not model.ignored and not any("looks" in warning for warning in model.warnings)
    source.opt.solver, source.opt.tolerance, source.opt.iterations, source.opt.noslip_iterations = 2, 0.0, 100, 0
    data, coordinates, rng = mujoco.MjData(source), MujocoCoordinates(model), np.random.default_rng(0)
    step = lw.reference(
        model, "step", outputs=("q", "v", "act"), integrator="euler", contact="soft", equality="soft", tolerance=1e-13,
        actuators="input" if model.nu else None, velocity_limits=False,
    )  # fmt: skip
    for _ in range(2):
        q, v = model.integrate(model.drawn, 0.1 * rng.normal(size=model.nv)), 0.3 * rng.normal(size=model.nv)
        u, act, h = rng.normal(size=source.nu), rng.normal(size=source.na), source.opt.timestep
        mujoco.mj_resetData(source, data)
        data.qpos[:], data.qvel[:] = coordinates.to_qpos(q), coordinates.to_qvel(q, v)
        data.ctrl[:], data.act[:] = u, act
        mujoco.mj_step(source, data)
        found = step(q, v, np.zeros(model.nv), h, *((u, act) if model.nu else ()))
        assert np.abs(coordinates.to_qvel(found.q, found.v) - data.qvel).max() < 1e-9 * (1 + np.abs(data.qvel).max())
        assert np.abs(found.act - data.act[: model.na]).max(initial=0.0) < 1e-12


REFUSED = {
    "muscle": (driven('<muscle joint="hip" ctrlrange="0 1"/>'), "actuator", "<muscle>"),
    "adhesion": (driven('<adhesion body="shank" ctrlrange="0 1" gain="3"/>'), "actuator", "<adhesion>"),
    "on a site": (driven('<general site="lower" gear="1 0 2 0 .1 0"/>'), "actuator", "trntype site"),
    "delay": (driven('<motor joint="hip" delay="0.02" nsample="4"/>'), "actuator", "delay"),
    "damping of an actuator": (driven('<motor joint="hip" damping="0.5"/>'), "actuator", "damping"),
    "group that is off": (file(head='<option actuatorgroupdisable="2"/>', tail=MOTOR.replace("hip", 'hip" group="2')),
                          "actuator", "switched off"),
    "weight lifted by some": (file(GRAVCOMP.replace('name="hip"', 'name="hip" actuatorgravcomp="true"')), "gravcomp",
                              "'shank'"),
    "stiffness polynomial": (on("knee", 'stiffness="3 1 2"'), "spring", "'knee'"),
    "damping polynomial": (on("knee", 'damping="3 1 2"'), "damping", "'knee'"),
    "armature of a free body": (file(FREE.replace('type="free"', 'type="free" armature="1"')), "armature", "'fly'"),
    "armature of a tendon": (wound("fixed", 'armature="0.1"'), "armature", "'t'"),
    "polynomial of a tendon": (wound("fixed", 'stiffness="3 1"'), "tendon", "'t'"),
    "spatial spring": (wound("spatial", 'stiffness="3"'), "tendon", "'t'"),
    "spatial friction": (wound("spatial", 'frictionloss="3"'), "friction", "'t'"),
    "medium": (file(head='<option density="1.2" wind="1 0 0"/>'), "fluid", "density"),
    "flex": (file(tail='<deformable><flex name="f" dim="1" body="thigh shank" element="0 1"/></deformable>'),
             "deformable", "'f'"),
    "cable": (file(LEG + '<composite type="cable" prefix="c"/>'), "composite", "<composite>"),
    "plugin": (file(LEG.replace("<site", '<plugin plugin="mujoco.elasticity.cable"/><site', 1)), "plugin", "cable"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_helps(name):
    text, word, said = REFUSED[name]
    with pytest.raises(lw.LinkwrightError, match=re.escape(f"ignore=('{word}',)")) as refusal:
        lw.load(text)
    assert said in str(refusal.value) and "line" in str(refusal.value)
    words = (word, "tendon") if "polynomial" in name else word
    assert any(said.strip("<>") in line for line in lw.load(text, ignore=words).ignored)


TOLD = {
    "one-sided force range": (on("hip", 'actuatorfrcrange="-3 1"', tail=MOTOR), "smaller side"),
    "force range and compensation": (
        file(BY_ACTUATORS.replace('name="hip"', 'name="hip" actuatorfrcrange="-3 3"'), tail=MOTOR), "comes on top"
    ),
    "explicit dampers": (flag("eulerdamp"), "eulerdamp"),
    "implicit": (file(head='<option integrator="implicit"/>'), "'implicitfast'"),
    "limit of a ball": (
        file(LEG.replace('name="knee" axis="0 1 0.2"', 'name="knee" type="ball" range="0 60"')), "ball"
    ),
    "limit of a spatial tendon": (wound("spatial", 'limited="true" range="0 1"'), "'t'"),
    "exact scales of rows": (flag("diagexact", "enable"), "diagexact"),
    "equality that is off": (file(tail='<equality><joint joint1="hip" active="false"/></equality>'), "not active"),
    "limits without contacts": (file(), "contact='soft'"),
    "friction without contacts": (file(FREE.replace('type="free"', 'frictionloss="1"')), "contact='soft'"),
    "no actuation": (file(head='<option><flag actuation="disable"/></option>', tail=MOTOR), "switched off"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_what_is_not_followed_is_told(name):
    text, said = TOLD[name]
    model = lw.load(text)
    assert any(said in told for told in (*model.warnings, *map(str, model.not_computed)))
