"""Actuators as data of a model: built, checked, written down, edited."""

from __future__ import annotations

import pickle

import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.model.fingerprints import SECTIONS


def arm() -> lw.Model:
    return lw.load("chain:3").with_actuators(
        lw.motor("link_1_joint", gear=3.0, ctrl_range=(-1, 1)),
        lw.position_servo({"link_2_joint": 0.5, "link_3_joint": -0.5}, 10.0, 1.0, name="split", time_constant=0.1),
        lw.velocity_servo("link_3_joint", 2.0, name="wheel"),
        lw.damper("link_2_joint", 0.5, name="brake"),
    )


def test_travels_through_pickles_and_has_its_own_part_of_the_fingerprint():
    model, plain = arm(), lw.load("chain:3")
    assert pickle.loads(pickle.dumps(model)) == model != plain
    assert (model.nu, model.na) == (4, 1)
    others = [section for section in SECTIONS if section != "actuators"]
    assert model.fingerprint_of(*others) == plain.fingerprint_of(*others)
    assert model.without_actuators() == plain


def test_editing():
    locked = lw.lock_joints(arm(), {"link_2_joint": 0.4})
    assert [one.name for one in locked.actuators] == ["link_1_joint", "split", "wheel"]
    assert locked.actuators[1].drives == (("link_3_joint", (-0.5,)),)
    assert locked.actuators[1].offset == pytest.approx(0.2)
    both = lw.attach(arm(), arm(), prefix="b_")
    assert both.nu == 8 and both.actuators[5].drives[0][0] == "b_link_2_joint"


@pytest.mark.parametrize(("make", "said"), [
    (lambda: lw.motor("wrist"), "'wrist' acts on a missing joint.*link_1_joint"),
    (lambda: lw.motor("link_1_joint", gear=(1.0, 2.0, 3.0)), "expected 1 numbers"),
    (lambda: lw.motor("link_1_joint", gear=float("nan")), "gear of actuator"),
    (lambda: lw.motor("link_1_joint", ctrl_range=(1, -1)), "lower end comes first"),
    (lambda: lw.motor("link_1_joint", force_range=(0, float("nan"))), "force_range"),
    (lambda: lw.motor("link_1_joint", activation="muscle"), "no activation named 'muscle'"),
    (lambda: lw.motor("link_1_joint", act_range=(0, 1)), "no activation"),
    (lambda: lw.motor("link_1_joint", in_parent=True), "balls and free-flyers"),
    (lambda: lw.motor({}), "expected a joint"),
    (lambda: lw.position_servo("link_1_joint", -1.0), "kp of an actuator is -1"),
    (lambda: lw.damper("link_1_joint", 1.0, ctrl_range=(-1, 1)), "negative command"),
    (lambda: "motor", "not an actuator"),
])  # fmt: skip
def test_bad_input(make, said):
    with pytest.raises(LinkwrightError, match=said):
        lw.load("chain:3").with_actuators(make())


def test_names_are_unique():
    with pytest.raises(LinkwrightError, match="two actuators are named 'wheel'"):
        arm().with_actuators(lw.motor("link_1_joint", name="wheel"))
