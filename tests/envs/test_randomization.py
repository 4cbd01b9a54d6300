"""What is drawn for an episode is a robot: servos hold their targets, tensors are those of bodies, rotations turn."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")

import linkwright as lw
from linkwright.envs.randomization import Randomization
from linkwright.errors import InputError

WIDE = (0.5, 2.0)


def servo_arm() -> lw.Model:
    builder = lw.ModelBuilder("servo_arm")
    inertia = lw.Inertia(1.0, [0.1, 0.02, 0.0], np.diag([0.02, 0.03, 0.04]))
    ball = lw.spherical("shoulder", damping=[0.1, 0.1, 0.1], armature=[0.01, 0.01, 0.01])
    builder.add_body("upper", ball, placement=(0.1, 0.2, 0.3), inertia=inertia)
    elbow = lw.revolute("elbow", "y", stiffness=3.0, damping=0.2, friction=0.1, spring_reference=0.4)
    builder.add_body("lower", elbow, parent="upper", placement=lw.Pose.from_rpy([0.3, 0, 0], [0.2, 0.1, 0.5]),
                     inertia=inertia)  # fmt: skip
    robot = builder.build().with_actuators(lw.position_servo("elbow", 500.0, 5.0))
    return robot.with_shapes(lw.sphere("lower", 0.05, at=(0.1, 0, 0))).on_ground(0.7)


@pytest.fixture(scope="module")
def arm():
    return servo_arm()


def drawn(model, name, count=50, bounds=WIDE):
    return Randomization(model, {name: bounds}).drawn(np.random.default_rng(3), count)[name]


def test_a_servo_is_at_rest_at_its_target(arm):
    gains = drawn(arm, "actuator_gains")
    assert np.allclose(gains[:, :, 0] + gains[:, :, 4], 0.0, atol=1e-12), "kp of the command and of the length"
    usual = lw.default_parameters(arm, ["actuator_gains"])["actuator_gains"]
    given = usual != 0
    factors = gains[:, given] / usual[given]
    assert np.ptp(factors, axis=1).max() < 1e-12 and np.ptp(factors[:, 0]) > 0.5


@pytest.mark.parametrize("robot", ["humanoid", "quadruped"])
def test_inertias_are_those_of_bodies(robot):
    model = lw.load(robot)
    for m, hx, hy, hz, xx, xy, yy, xz, yz, zz in drawn(model, "inertias")[:, 1:].reshape(-1, 10):
        c = np.array([hx, hy, hz]) / m
        about_centre = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        principal = np.linalg.eigvalsh(about_centre)
        assert principal[0] > 0 and principal[2] <= principal[0] + principal[1] + 1e-12


@pytest.mark.parametrize("name", ["placements", "shape_placements"])
def test_placements_stay_rotations(arm, name):
    usual, found = lw.default_parameters(arm, [name])[name], drawn(arm, name, bounds=(0.9, 1.1))
    assert np.allclose(np.linalg.norm(found[..., 3:], axis=-1), 1.0, atol=1e-14)
    apart = 2 * np.arccos(np.clip(np.abs((found[..., 3:] * usual[:, 3:]).sum(axis=-1)), 0, 1))
    assert 0.05 < apart.max() <= 0.1 + 1e-7
    lengths, before = np.linalg.norm(found[..., :3], axis=-1), np.linalg.norm(usual[:, :3], axis=-1)
    assert np.allclose(found[..., :3] * before[:, None], usual[:, :3] * lengths[..., None], atol=1e-14), "same way"
    assert (lengths >= 0.9 * before - 1e-14).all() and (lengths <= 1.1 * before + 1e-14).all()


def test_the_ground_stays(arm):
    on_ground = [n for n, shape in enumerate(arm.shapes) if arm.frame(shape.on).body == 0]
    assert on_ground
    usual = lw.default_parameters(arm, ["shape_placements"])["shape_placements"]
    assert np.array_equal(drawn(arm, "shape_placements")[:, on_ground], np.tile(usual[on_ground], (50, 1, 1)))


@pytest.mark.parametrize("name", ["dampings", "armatures", "springs", "frictions", "gravity", "contact_frictions",
                                  "masses", "spring_references"])  # fmt: skip
def test_what_belongs_together_has_one_factor(arm, name):
    usual, found = lw.default_parameters(arm, [name])[name], drawn(arm, name)
    assert found.shape == (50, *usual.shape)
    some = usual != 0
    factors = found[:, some] / usual[some]
    assert (factors >= 0.5 - 1e-12).all() and (factors <= 2.0 + 1e-12).all() and np.ptp(factors[:, 0]) > 0.5
    if name in ("dampings", "armatures", "gravity", "contact_frictions"):
        alike = {"dampings": 3, "armatures": 3}.get(name, factors.shape[1])  # of the ball
        assert np.ptp(factors[:, :alike], axis=1).max() < 1e-12


@pytest.mark.parametrize(("robot", "name", "said"), [
    ("four_bar", "placements", "open the loops"), ("delta_robot", "constraint_placements", "open the loops"),
    ("stewart_platform", "rod_lengths", "open the loops"), ("mini_cheetah", "gear_ratios", "open the loops"),
    ("four_bar", "constraint_rows", "open the loops"), ("humanoid", "springs", "change nothing"),
    ("humanoid", "tendons", "change nothing"), ("humanoid", "actuator_gains", "change nothing"),
    ("humanoid", "shape_placements", "change nothing"), ("humanoid", "weights", "no parameter named 'weights'"),
])  # fmt: skip
def test_what_cannot_be_scaled_is_refused_by_name(robot, name, said):
    with pytest.raises(InputError, match=said) as caught:
        Randomization(lw.load(robot), {name: WIDE})
    assert name in str(caught.value)
