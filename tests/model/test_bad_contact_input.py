"""What cannot be a contact or an actuator is refused by name, or handled and told of."""

import json

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError, UnsupportedError


def arm(*actuators) -> lw.Model:
    builder = lw.ModelBuilder("arm")
    builder.add_body("arm", lw.revolute("hinge", axis="y"), inertia=lw.Inertia(1.0, np.array([0.1, 0, 0]), np.eye(3)))
    builder.add_body("hand", lw.revolute("wrist", axis="y"), parent="arm", placement=(0.3, 0, 0),
                     inertia=lw.Inertia(0.2, np.zeros(3), np.eye(3) * 0.01))  # fmt: skip
    return builder.build().with_actuators(*actuators)


@pytest.mark.parametrize(("make", "named"), [
    (lambda: lw.sphere("arm", 0.0, name="knob"), "knob"),
    (lambda: lw.sphere("arm", np.inf, name="knob"), "knob"),
    (lambda: lw.sphere("arm", np.nan, name="knob"), "knob"),
    (lambda: lw.box("arm", (1, 0, 1), name="brick"), "brick"),
    (lambda: lw.box("arm", (1, np.inf, 1)), "box on 'arm'"),
    (lambda: lw.cylinder("arm", 0.1, 0.0, name="can"), "can"),
    (lambda: lw.capsule("arm", 0.1, -np.inf), "length"),
    (lambda: lw.ellipsoid("arm", (0.1, 0.1, -0.1), name="egg"), "egg"),
    (lambda: lw.convex("arm", [[0, 0, np.inf]], name="gem"), "gem"),
    (lambda: lw.convex("arm", np.zeros((0, 3)), name="gem"), "gem"),
    (lambda: lw.sphere("arm", 1.0, friction=-0.1, name="knob"), "knob.*friction"),
    (lambda: lw.contact("a", "b", friction=-0.1), "'a' and 'b'.*friction"),
    (lambda: lw.sphere("arm", 1.0, condim=2), "arm/sphere.*condim is 2"),
    (lambda: lw.contact("a", "b", condim=2), "'a' and 'b'.*condim is 2"),
    (lambda: lw.box("arm", (1, 1, 1), solimp=(0.9, 1.2, 0.001, 0.5, 2)), "arm/box.*solimp"),
    (lambda: lw.contact("a", "b", solimp=(-0.1, 0.9, 0.001, 0.5, 2)), "'a' and 'b'.*solimp"),
    (lambda: lw.sphere("arm", 1.0, solref=(0.02, -1.0)), "arm/sphere.*solref"),
    (lambda: arm(lw.motor("elbow")), "elbow"),
    (lambda: arm(lw.motor({"hinge": 1.0, "elbow": 1.0})), "elbow"),
])  # fmt: skip
def test_refused_by_name(make, named):
    with pytest.raises(LinkwrightError, match=named):
        make()


def test_pairs_nobody_can_compute_say_what_would_do():
    model = arm().with_shapes(lw.box("arm", (0.1, 0.1, 0.1), name="brick"), lw.cylinder("hand", 0.1, 0.1, name="can"))
    with pytest.raises(UnsupportedError, match=r"'brick'.*'can'.*spheres or capsules"):
        model.with_contacts(lw.contact("brick", "can"))


@pytest.mark.parametrize(("path", "value", "named"), [
    (("shapes", 0, "surface", "friction"), [-1, 0, 0], "'knob'.*friction"),
    (("shapes", 0, "surface", "condim"), 2, "'knob'.*condim"),
    (("shapes", 0, "surface", "softness", "solimp"), [0.9, 1.2, 0.001, 0.5, 2], "'knob'.*solimp"),
    (("shapes", 0, "size"), [0.0], "'knob'"),
    (("contacts", 0, "friction"), [-1, 0, 0, 0, 0], "'knob' and 'ground'.*friction"),
    (("contacts", 0, "first"), "nobody", "nobody"),
    (("actuators", 0, "drives"), [["elbow", [1.0]]], "elbow"),
    (("actuators", 0, "ctrl_range"), [1, -1], "'pull'"),
])  # fmt: skip
def test_the_same_from_json(path, value, named, tmp_path):
    knob = lw.sphere("arm", 0.1, name="knob")
    model = arm(lw.motor("hinge", ctrl_range=(-1.0, 1.0), name="pull")).with_shapes(knob).on_ground(friction=0.5)
    file = lw.save(model, tmp_path / "arm.json")
    whole = part = json.loads(file.read_text())
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    file.write_text(json.dumps(whole))
    with pytest.raises(LinkwrightError, match=named):
        lw.load(file)


def test_the_same_from_files():
    """A file is refused with its line, or what it says is moved to where it makes sense, and told of."""
    pytest.importorskip("mujoco")
    text = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body><freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom name="knob" type="sphere" {}/></body></worldbody>{}</mujoco>"""
    for geom in ('size="0"', 'size="nan"', 'size=".1" condim="2"'):
        with pytest.raises(LinkwrightError):
            lw.load(text.format(geom, ""))
    missing = '<actuator><motor name="m" joint="elbow"/></actuator>'
    with pytest.raises(LinkwrightError, match="elbow"):
        lw.load(text.format('size=".1"', missing))
    for missing in ('<pair geom1="knob" geom2="nobody"/>', '<pair geom1="nobody" geom2="knob"/>'):
        with pytest.raises(LinkwrightError, match="nobody"):
            lw.load(text.format('size=".1"', f"<contact>{missing}</contact>"))
    late = lw.load(text.format('size=".1" gap="-0.01"', ""))
    assert any("knob" in entry.what and "gap" in entry.what for entry in late.not_computed)
    moved = lw.load(text.format('size=".1" solimp="0.9 1.2 .001 .5 2"', ""))
    assert any("knob" in entry.what and "solimp" in entry.what for entry in moved.not_computed)


def test_commands_beyond_their_range_are_cut_and_counted():
    model = arm(lw.motor("hinge", ctrl_range=(-1.0, 1.0), name="pull"))
    cut = lw.simulate(model, dt=1e-3, steps=5, ctrl=7.0)
    assert cut.clamped.tolist() == [5] and "pull 5" in str(cut)
    np.testing.assert_array_equal(cut.q, lw.simulate(model, dt=1e-3, steps=5, ctrl=1.0).q)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_commands_that_are_no_numbers(value):
    model = arm(lw.motor("hinge", ctrl_range=(-1.0, 1.0), name="pull"))
    with pytest.raises(LinkwrightError, match="pull"):
        lw.simulate(model, dt=1e-3, steps=5, ctrl=value)
    with pytest.raises(LinkwrightError, match="pull"):
        lw.Simulator(model, dt=1e-3, actuators=True).step(ctrl=[value])
