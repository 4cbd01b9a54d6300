"""Inverse kinematics: known solutions, random reachable targets, loops, limits, weights, and what cannot be reached."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, LinkwrightError, UnsupportedError


def planar_arm(limits=None):
    b = lw.ModelBuilder("arm")
    lower, upper = limits or (-np.inf, np.inf)
    for k, parent in ((1, "world"), (2, "link_1")):
        joint = lw.revolute(f"joint_{k}", "z", lower=lower, upper=upper)
        place = (float(k - 1), 0, 0)
        b.add_body(f"link_{k}", joint, parent=parent, placement=place, inertia=lw.Inertia.sphere(1.0, 0.1))
    b.add_frame("tip", "link_2", (0.5, 0, 0))
    return b.build()


def places(model, frame, q):
    R, p = lw.compile(model, "forward_kinematics", frames=[frame])(q)
    return p[..., 0, :], R[..., 0, :, :]


def test_two_links_have_the_solution_of_trigonometry():
    model, (x, y) = planar_arm(), (0.9, 0.6)
    found = lw.inverse_kinematics(model, {"tip": (x, y, 0)}, q0=(0.3, 0.3))
    elbow = np.arccos((x * x + y * y - 1.0 - 0.25) / (2 * 1.0 * 0.5))
    shoulder = np.arctan2(y, x) - np.arctan2(0.5 * np.sin(elbow), 1.0 + 0.5 * np.cos(elbow))
    assert found.ok and found.status == 0 and np.allclose(found.q, (shoulder, elbow), atol=1e-7)
    other = lw.inverse_kinematics(model, {"tip": (x, y, 0)}, q0=(1.3, -0.8))  # the other elbow
    assert other.ok and abs(other.q[1] + elbow) < 1e-7


def test_no_samples_at_all():
    found = lw.inverse_kinematics(planar_arm(), {"tip": np.zeros((0, 3))}, starts=3)
    assert found.q.shape == (0, 2) and found.status.shape == (0,) and found.error.shape == (0, 1)


def test_what_cannot_be_reached_says_so_and_comes_near():
    found = lw.inverse_kinematics(planar_arm(), {"tip": (3.0, 0.0, 0)}, q0=(0.4, 0.5))
    assert found.status == 1 and not found.ok
    assert abs(found.error[0] - 1.5) < 1e-3 and np.abs(np.sin(found.q)).max() < 0.05  # stretched towards it


@pytest.mark.parametrize("name, body", [("chain:7", "link_7"), ("random_tree:3,7", -1), ("quadruped", -1)])
def test_random_reachable_poses_in_a_batch(name, body):
    model = lw.load(name)
    frame = model.bodies[body].name if isinstance(body, int) else body
    goal = model.random_configuration(0, 40)
    p, R = places(model, frame, goal)
    start = model.integrate(goal, 0.2 * np.random.default_rng(1).normal(size=(40, model.nv)))
    found = lw.inverse_kinematics(model, {frame: p}, {frame: R}, q0=start, starts=8)
    assert found.ok.mean() > 0.9
    reached, turned = places(model, frame, found.q)
    assert np.abs(reached - p)[found.ok].max() < 2e-8 and np.abs(turned - R)[found.ok].max() < 2e-8
    one = lw.inverse_kinematics(model, {frame: p[3]}, {frame: R[3]}, q0=start[3], starts=1)
    many = lw.inverse_kinematics(model, {frame: p}, {frame: R}, q0=start, starts=1)
    assert np.array_equal(one.q, many.q[3])  # alone and in a batch


def test_loops_stay_closed():
    model = lw.load("five_bar")
    rng = np.random.default_rng(0)
    goals = np.array([lw.project_configuration(model, model.integrate(model.drawn, 0.3 * rng.normal(size=model.nv)))
                      for _ in range(12)])  # fmt: skip
    p, _ = places(model, "left_lower", goals)
    found = lw.inverse_kinematics(model, {"left_lower": p}, q0=model.drawn, limits=False)
    assert found.ok.all()
    assert np.abs(lw.compile(model, "constraint_error")(found.q)).max() < 1e-8
    far = lw.inverse_kinematics(model, {"left_lower": (50.0, 0.0, 50.0)}, limits=False, starts=2)
    assert far.status == 1 and np.abs(lw.compile(model, "constraint_error")(far.q)).max() < 1e-8


def test_limits_are_kept_and_count():
    bounded = planar_arm((-0.5, 0.5))
    target = {"tip": (0.9, 0.6, 0)}  # needs an elbow of more than half a radian
    found = lw.inverse_kinematics(bounded, target)
    assert found.status == 1 and (np.abs(found.q) <= 0.5).all()
    assert lw.inverse_kinematics(bounded, target, limits=False).ok
    near = {"tip": (np.cos(0.3) + 0.5 * np.cos(0.7), np.sin(0.3) + 0.5 * np.sin(0.7), 0)}
    assert lw.inverse_kinematics(bounded, near).ok


def test_fixed_joints_and_weights():
    model = planar_arm()
    found = lw.inverse_kinematics(model, {"tip": (0.0, 1.4, 0)}, q0=(0.2, 0.4), fixed="joint_2", starts=3)
    assert abs(found.q[1] - 0.4) < 1e-15 and found.status in (0, 1)
    both = {"tip": (1.0, 1.0, 0), "link_2": (1.0, 0.0, 0)}
    first = lw.inverse_kinematics(model, both, weights={"tip": 100.0}, starts=2)
    second = lw.inverse_kinematics(model, both, weights={"link_2": 100.0}, starts=2)
    assert first.error[0] < second.error[0] and second.error[1] < first.error[1]


def test_half_a_turn_is_no_solution():
    model = planar_arm()
    found = lw.inverse_kinematics(model, None, {"tip": (0.0, 0.0, 1.0, 0.0)}, q0=(0.0, 0.0), starts=1)
    assert found.status == (0 if found.error[0] < 1e-8 else 1)
    if found.ok:
        assert abs(abs(found.q.sum()) - np.pi) < 1e-7
    upside_down = lw.inverse_kinematics(model, None, {"tip": (1.0, 0.0, 0.0, 0.0)}, starts=3)
    assert upside_down.status == 1 and upside_down.error[0] > 3.0


@pytest.mark.parametrize("arguments, message", [
    (({},), "nothing to reach"), (({"nose": (0, 0, 0)},), "nose"), (({"tip": (0, 0)},), "has shape"),
    (({"tip": (0, 0, np.nan)},), "not finite"), (([1],), "expected {frame: array}"),
    (({"tip": "x"},), "expected numbers"), ((None, {"tip": (2, 0, 0, 0)}), "unit quaternion"),
    ((None, {"tip": np.ones((3, 3))}), "no rotation matrix"),
])  # fmt: skip
def test_bad_targets(arguments, message):
    with pytest.raises(LinkwrightError, match=message):
        lw.inverse_kinematics(planar_arm(), *arguments)


@pytest.mark.parametrize("options, message", [
    ({"tolerance": 0}, "tolerance"), ({"starts": 0}, "starts"), ({"weights": {"nose": 1}}, "nose"),
    ({"weights": {"tip": -1}}, "positive number"), ({"fixed": "nose"}, "nose"), ({"q0": (0, 0, 0)}, "q0"),
])  # fmt: skip
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        lw.inverse_kinematics(planar_arm(), {"tip": (1, 0, 0)}, **options)


def test_constraints_without_a_place_are_refused():
    with pytest.raises(UnsupportedError, match="do not say where"):
        lw.inverse_kinematics(planar_arm().with_constraints(lw.connect("tip")), {"link_1": (0, 0, 0)})
