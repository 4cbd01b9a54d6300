"""What a URDF says beyond what is read is told of, refused, or known to be without effect."""

import warnings

import pytest
from urdf_writer import PENDULUM

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.io.urdf.urdf_vocabulary import LOOKED_AT, READ, SKIPPED, TOLD

ARM = '<link name="arm">'
BALL = '<collision>{}<geometry><sphere radius="0.1"/></geometry></collision>'


def in_link(text: str) -> str:
    return PENDULUM.replace(ARM, ARM + text)


def gazebo(text: str) -> str:
    return PENDULUM.replace("</robot>", f'<gazebo reference="arm">{text}</gazebo></robot>')


# What a file says, a word of what is told of it, and the word that silences the warning.
CASES = {
    "attribute of a limit": (PENDULUM.replace("<limit ", '<limit stiffness="3" '), "'stiffness' of <limit>", "unknown"),
    "attribute of dynamics": (
        PENDULUM.replace("<dynamics ", '<dynamics spring="3" '),
        "'spring' of <dynamics>",
        "unknown",
    ),
    "attribute of a joint": (
        PENDULUM.replace('type="revolute"', 'type="revolute" soft="1"'),
        "'soft' of <joint>",
        "unknown",
    ),
    "inside of an axis": (
        PENDULUM.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"><odd/></axis>'),
        "<odd>",
        "unknown",
    ),
    "no weight in Gazebo": (
        gazebo("<turnGravityOff>true</turnGravityOff>"),
        "<turnGravityOff> in <gazebo> of 'arm'",
        "gravcomp",
    ),
    "friction in Gazebo": (gazebo("<mu1>0.3</mu1>"), "<mu1>", "contact"),
    "a spring in Gazebo": (gazebo("<springStiffness>3</springStiffness>"), "<springStiffness>", "spring"),
    "something in Gazebo": (gazebo("<odd/>"), "<odd> in <gazebo>", "unknown"),
    "an option for MuJoCo": (PENDULUM.replace("</robot>", "<mujoco><option/></mujoco></robot>"), "<option>", "unknown"),
    "a surface for Bullet": (in_link("<contact><stiffness value='3'/></contact>"), "<contact> of 'arm'", "contact"),
    "a shape that nobody knows": (
        in_link("<collision><geometry><cone radius='1'/></geometry></collision>"),
        "shape <cone> of 'arm'",
        "contact",
    ),
    "details of a collision": (in_link(BALL.format("<surface/>")), "<surface> in <collision>", "contact"),
    "a shape that makes no sense": (
        in_link("<collision><geometry><sphere/></geometry></collision>"),
        "'arm'",
        "contact",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_told(name):
    text, said, word = CASES[name]
    with pytest.warns(lw.LinkwrightWarning):
        model = lw.load(text)
    [entry] = model.not_computed
    assert said in entry.what and entry.why and entry.word == word
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if word != "contact":  # that word leaves out all contacts
            assert len(lw.load(text, ignore=word).ignored) == 1


def test_many_of_a_sort_are_one_entry():
    text = PENDULUM.replace("</robot>", "".join(f'<gazebo reference="l{k}"><mu1>1</mu1></gazebo>' for k in range(20)))
    [entry] = lw.load(text + "</robot>").not_computed
    assert "'l0', 'l1'" in entry.what and "14 more" in entry.what


@pytest.mark.parametrize("role", ["robot", "link", "joint", "gazebo", "mujoco"])
def test_what_is_without_effect_is_not_told(role):
    parts = "".join(f"<{tag}/>" for tag in SKIPPED[role])
    where = {"robot": "</robot>", "link": "</link>", "joint": "</joint>", "gazebo": "</robot>", "mujoco": "</robot>"}[
        role
    ]
    inside = f"<{role}>{parts}</{role}>" if role in ("gazebo", "mujoco") else parts
    model = lw.load(PENDULUM.replace(where, inside + where, 1).replace("<robot ", '<robot xmlns:x="y" '))
    assert not model.not_computed and model.nv == 1


def test_every_element_is_one_thing():
    for role, skipped in SKIPPED.items():
        assert not set(skipped) & (READ.get(role, set()) | LOOKED_AT.get(role, set())) and all(skipped.values())
        assert role not in ("gazebo", "mujoco") or not set(skipped) & set(TOLD) - {"material"}


@pytest.mark.parametrize("role", ["robot", "link", "joint", "inertial"])
def test_what_is_not_known_is_refused(role):
    with pytest.raises(LinkwrightError, match="could change the dynamics"):
        lw.load(PENDULUM.replace(f"</{role}>", f"<stiffness/></{role}>", 1))
