"""`MotorMap` by compiled clusters gives what it gives by singular values, and leaves to these what it cannot do."""

import numpy as np
import pytest
from mechanisms import ANKLE_JOINT, ANKLE_MOTORS, ankle, five_bar

import linkwright as lw

CASES = {
    "stewart": (lambda: lw.load("stewart_platform"), [f"piston{k}_joint" for k in (2, 1, 3, 4, 6, 5)], ()),
    "six-bar": (lambda: lw.load("watt_six_bar"), ["second_rocker_joint"], ()),
    "floating": (lambda: lw.robots.jansen_beast(2, base="floating"), ["crank_joint"], ["root_joint"]),
    "ankle": (ankle, ANKLE_MOTORS, ()),
    "ankle, the other way": (ankle, ANKLE_JOINT, ()),
}


def slow(model, motors, held):
    """The same map without compiled clusters."""
    drive = lw.MotorMap(model, motors, held=held)
    drive._compiled.__dict__["_options"] = None
    return drive


@pytest.mark.parametrize("case", CASES)
def test_compiled_or_not(case, rng):
    make, motors, held = CASES[case]
    model = make()
    fast, reference = lw.MotorMap(model, motors, held=held), slow(model, motors, held)
    start = np.array(model.drawn)
    wanted = fast.motor_position(start) + rng.uniform(-0.03, 0.03, (4, fast.nq))
    q = fast.joints_from_motors(wanted, np.tile(start, (4, 1)))
    assert fast._compiled.position(wanted, np.tile(start, (4, 1))) is not None  # this was not the slow way
    np.testing.assert_allclose(q, reference.joints_from_motors(wanted, start), atol=1e-9)
    rates, tau = rng.normal(size=(4, fast.nv)), rng.normal(size=(4, model.nv))
    v = fast.velocity(q, rates)
    pairs = {
        "velocity": (q, rates), "torque": (q, tau), "matrix": (q,), "inertia": (q,), "acceleration": (q, v, rates),
    }  # fmt: skip
    for name, inputs in pairs.items():
        found, expected = (getattr(m, name)(*inputs) for m in (fast, reference))
        assert getattr(fast._compiled, name)(*inputs) is not None, name
        assert getattr(reference._compiled, name)(*inputs) is None
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max(), err_msg=name)
        single = getattr(fast, name)(*(x[1] for x in inputs))
        np.testing.assert_allclose(single, found[1], rtol=1e-12, atol=1e-13, err_msg=name)
    frame = next(iter(model.frames))
    for reference_frame in ("local", "world") if model.nv < 10 else ("local",):
        J, expected = (m.frame_jacobian(q, frame, reference_frame) for m in (fast, reference))
        np.testing.assert_allclose(J, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))
        again = lw.closed_loop_jacobian(model, q, frame, motors, seen_from=reference_frame, held=held)
        np.testing.assert_array_equal(again, J)


def test_what_is_left_to_singular_values():
    model = five_bar()
    pair = lw.MotorMap(model, ["left_motor", "right_motor"])
    q = lw.project_configuration(model, np.array(model.drawn))
    assert pair._compiled.velocity(q, [1.0, 0.5]) is not None
    opened = q + np.array([0.0, 1e-3, 0.0, 0.0])
    assert pair._compiled.velocity(opened, [1.0, 0.5]) is None and pair.velocity(opened, [1.0, 0.5]).shape == (4,)
    assert pair._compiled.velocity(q * np.nan, [1.0, 0.5]) is None
    assert pair._compiled.velocity(q, [1.0]) is None and pair._compiled.velocity("q", [1.0, 0.5]) is None
    assert pair._compiled.position(pair.motor_position(q) + 0.8, q) is None  # far: in small steps
    many = lw.MotorMap(model, [joint.name for joint in model.joints[:3]])
    assert many._compiled.velocity(q, np.zeros(3)) is None and many.velocity(q, np.zeros(3)).shape == (4,)
    standing = model.with_constraints(lw.weld(next(iter(model.frames)), directions="y"))  # says no place
    assert lw.MotorMap(standing, ["left_motor", "right_motor"])._compiled.velocity(q, [1.0, 0.5]) is None
    tree = lw.load("panda").without_constraints()
    everything = lw.MotorMap(tree, [joint.name for joint in tree.joints])
    np.testing.assert_array_equal(everything.velocity(tree.neutral(), np.ones(tree.nv)), np.ones(tree.nv))


def test_a_quaternion_of_wrong_length():
    """It is refused with the same words, compiled or not."""
    model = lw.robots.jansen_beast(2, base="floating")
    drive = lw.MotorMap(model, "crank_joint", held="root_joint")
    q = np.array(model.drawn)
    drive.velocity(q, [1.0])
    q[3:7] *= 1.01
    with pytest.raises(lw.LinkwrightError, match=r"quaternion of joint 'root_joint' in q has length 1\.01"):
        drive.velocity(q, [1.0])
