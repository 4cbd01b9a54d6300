"""contact_dynamics by itself: physics, hard equalities, limits of the options."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.contact.weights import weights
from linkwright.errors import InputError, UnsupportedError

STANDING = {"q": np.array([0, 0, 0.099, 0, 0, 0, 1.0]), "v": np.zeros(6), "tau": np.zeros(6), "dt": 0.002}


def ball(**surface) -> lw.Model:
    builder = lw.ModelBuilder("ball")
    builder.add_body("ball", lw.free_flyer("free"), inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3) * 0.008))
    return builder.build().with_shapes(lw.sphere("ball", 0.1, name="skin", **surface))


def test_a_ball_in_the_air_falls_and_one_on_the_ground_does_not():
    solve = lw.reference(ball().on_ground(0.8), "contact_dynamics")
    falling = solve(**{**STANDING, "q": np.array([0, 0, 0.5, 0, 0, 0, 1.0])})
    assert falling.a == pytest.approx([0, 0, -9.81, 0, 0, 0]) and not np.asarray(falling.contact_force).any()
    resting = solve(**STANDING)
    assert resting.a[2] > -5 and resting.contact_force["skin/ground"][0] > 2.0 * 5 and resting.gap["skin/ground"] < 0


def test_forces_balance(rng):
    """M a + c - tau is what all forces do, whichever they are."""
    model = lw.load("quadruped")
    feet = [lw.sphere(f"{leg}_shank", 0.02, at=(0, 0, -0.2)) for leg in ("FL", "FR", "RL", "RR")]
    model = model.with_shapes(*feet, lw.box("trunk", (0.3, 0.2, 0.1))).on_ground(0.6).unwatched()  # feet in the trunk
    solve = lw.reference(
        model, "contact_dynamics", outputs=("a", "contact_force", "contact_point", "contact_frame", "active", "status")
    )
    q = model.random_configuration(rng, 20)
    q[:, :2], q[:, 2] = 0.0, rng.uniform(0.0, 0.3, 20)
    v, tau = rng.normal(size=(20, model.nv)), rng.normal(size=(20, model.nv))
    solution = solve(q, v, tau, 0.002)
    assert not solution.status.any() and np.asarray(solution.active).sum() > 20
    left = lw.reference(model, "rnea")(q, v, solution.a) - tau
    total = np.zeros((20, 3))  # in the world: forces of the ground are all that pushes a floating robot
    frames, forces = np.asarray(solution.contact_frame), np.asarray(solution.contact_force)
    total = np.einsum("nkij,nki->nj", frames, forces[..., :3])
    R = lw.reference(model, "forward_kinematics", frames=["trunk"], outputs="rotations")(q)[:, 0]
    np.testing.assert_allclose(np.einsum("nij,nj->ni", R, left[:, :3]), total, atol=1e-7 * np.abs(total).max())


def test_friction_keeps_forces_in_the_cone(rng):
    model = ball(condim=3).on_ground(0.4)
    solve = lw.reference(model, "contact_dynamics")
    for _ in range(20):
        force = solve(**{**STANDING, "v": rng.normal(size=6) * 3}).contact_force["skin/ground"]
        assert force[0] >= 0 and np.hypot(*force[1:3]) <= 0.4 * force[0] * (1 + 1e-9)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
def test_without_friction_nothing_is_held(cone, condim):
    """Friction of zero is MuJoCo's least, 1e-5: a cone is never a line."""
    solve = lw.reference(ball(friction=(0, 0, 0)).on_ground(0.0, condim=condim), "contact_dynamics", cone=cone)
    solution = solve(**{**STANDING, "v": np.array([1.0, 0, 0, 0, 0, 0])})
    assert solution.status == 0 and solution.a[2] > -9 and abs(solution.a[0]) < 1e-3


def test_hard_loops_are_closed_while_standing():
    """A four-bar hung over a floor: its loop is kept exactly, its tip is pushed by the floor."""
    model = lw.load("four_bar")
    tips = [lw.sphere(body.name, 0.5, name=f"{body.name}_ball") for body in model.bodies[1:]]
    model = model.with_shapes(*tips).on_ground(0.5)
    q, v = model.drawn, np.zeros(model.nv)
    solve = lw.reference(
        model, "contact_dynamics", outputs=("a", "active", "forces", "contact_force", "iterations", "status")
    )
    solution = solve(q, v, np.zeros(model.nv), 0.002)
    assert solution.status == 0 and np.asarray(solution.active).any()
    J = lw.reference(model, "constraint_jacobian")(q)
    assert np.abs(J @ solution.a).max() < 1e-8 * (1 + np.abs(solution.a).max())
    free = lw.compile(model, "lcaba")(q, v, np.zeros(model.nv))
    apart = lw.reference(model.without_contacts(), "contact_dynamics")(q, v, np.zeros(model.nv), 0.002)
    np.testing.assert_allclose(apart.a, free.a, rtol=1e-7, atol=1e-7)
    assert np.abs(solution.a - free.a).max() > 1e-3


def test_forces_balance_where_loops_are_hard(rng):
    """Along every motion that the loops allow, contact forces are what is missing of M a + c - tau."""
    model = lw.load("humanoid").with_constraints(lw.connect("left_hand", "right_hand"))
    shapes = [lw.box(foot, (0.2, 0.1, 0.05), name=foot + "_sole") for foot in ("left_foot", "right_foot")]
    model = model.with_shapes(*shapes, lw.sphere("left_hand", 0.1), lw.capsule("right_hand", 0.08, 0.1)).on_ground(0.7)
    q = model.random_configuration(rng, 6)
    q[:, :2], q[:, 2] = 0.0, rng.uniform(0.2, 0.8, 6)
    v, tau = rng.normal(size=(6, model.nv)) * 0.3, rng.normal(size=(6, model.nv))
    names = ("a", "contact_force", "contact_point", "contact_frame", "active", "status")
    solution = lw.reference(model, "contact_dynamics", outputs=names)(q, v, tau, 0.002)
    assert not solution.status.any() and np.asarray(solution.active).sum() > 6
    body = {point.name: model.frame(_shape(model, point.first).on).body for point in model.contacts}
    poses = lw.reference(model, "forward_kinematics", frames=[b.name for b in model.bodies])(q)
    f_ext = np.zeros((6, model.nbodies, 6))
    for k, point in enumerate(model.contacts):
        i = body[point.name]
        R, p = poses.rotations[:, i], poses.positions[:, i]
        frame, own = np.asarray(solution.contact_frame)[:, k], np.asarray(solution.contact_force)[:, k]
        force, moment = (np.einsum("nji,nj->ni", frame, part) for part in (own[:, :3], own[:, 3:]))
        moment = moment + np.cross(np.asarray(solution.contact_point)[:, k] - p, force)
        f_ext[:, i, :3] += np.einsum("nji,nj->ni", R, force)
        f_ext[:, i, 3:] += np.einsum("nji,nj->ni", R, moment)
    left = lw.reference(model.without_constraints(), "rnea", f_ext=True)(q, v, solution.a, f_ext) - tau
    J = lw.reference(model, "constraint_jacobian")(q)
    drift = lw.reference(model, "constraint_bias")(q, v)
    for n in range(6):
        allowed = np.linalg.svd(J[n])[2][3:]
        assert np.abs(allowed @ left[n]).max() < 1e-7 * (1 + np.abs(left[n]).max())
        assert np.abs(J[n] @ solution.a[n] + drift[n]).max() < 1e-8 * (1 + np.abs(solution.a[n]).max())


def _shape(model, name):
    return next(shape for shape in model.shapes if shape.name == name)


@pytest.mark.parametrize("name", ["four_bar", "stewart_platform", "jansen_leg", "delta_robot"])
def test_without_contacts_it_is_lcaba(name, rng):
    model = lw.load(name)
    q, v, tau = model.drawn, np.zeros(model.nv), rng.normal(size=model.nv)
    solution = lw.reference(model, "contact_dynamics", limits=False, friction=False)(q, v, tau, 0.001)
    expected = lw.reference(model, "lcaba", outputs="a")(q, v, tau)
    assert solution.status == 0
    np.testing.assert_allclose(solution.a, expected, rtol=0, atol=1e-6 * (1 + np.abs(expected).max()))


def test_numbers_that_are_none_are_told():
    solution = lw.reference(ball().on_ground(), "contact_dynamics")(**{**STANDING, "v": np.full(6, np.nan)})
    assert solution.status == 3


def test_limits_and_friction_are_told_apart():
    builder = lw.ModelBuilder("arm")
    joint = lw.revolute("j", axis="y", lower=-0.1, upper=0.1, friction=0.3)
    builder.add_body("arm", joint, inertia=lw.Inertia(1.0, np.array([0.2, 0, 0]), np.eye(3) * 0.01))
    model = builder.build()
    names = ("a", "limit_torque", "friction_torque", "status")
    solve = lw.reference(model, "contact_dynamics", outputs=names)
    moving = solve(np.array([0.0]), np.array([1.0]), np.zeros(1), 0.002)
    assert moving.limit_torque == 0 and moving.friction_torque == pytest.approx(-0.3)
    beyond = solve(np.array([0.12]), np.array([1.0]), np.zeros(1), 0.002)
    assert beyond.limit_torque < 0
    without = lw.reference(model, "contact_dynamics", outputs=names, limits=False, friction=False)
    assert not without(np.array([0.12]), np.array([1.0]), np.zeros(1), 0.002).limit_torque.any()


def test_weights_are_those_of_mujoco():
    """Where a file does not say how easily bodies and joints move, it is computed as MuJoCo does."""
    pytest.importorskip("mujoco")
    from random_mjcf import RandomModel

    for seed in range(12):
        model = lw.load(RandomModel(seed).text())
        computed = weights(model)
        for shape in model.shapes:
            assert computed.body(model.frame(shape.on).body) == pytest.approx(shape.inverse_weight, rel=1e-9)
        for name, own in model.contact_law.joints.items():
            velocities = model.iv[model.joint_index(name)]
            assert computed.velocities[velocities] == pytest.approx(list(own.inverse_weight), rel=1e-9)


@pytest.mark.parametrize("options", [
    {"equality": "firm"}, {"cone": "round"}, {"limits": 1}, {"warm_start": True}, {"iterations": 0},
    {"tolerance": -1.0}, {"baumgarte": float("nan")}, {"equality": "soft", "baumgarte": 0.1},
])  # fmt: skip
def test_options_are_checked(options):
    with pytest.raises(InputError):
        lw.reference(ball().on_ground(), "contact_dynamics", **options)


def test_friction_along_a_free_body_is_refused():
    builder = lw.ModelBuilder("ball")
    joint = lw.free_flyer("free", friction=1.0)
    builder.add_body("ball", joint, inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3)))
    with pytest.raises(UnsupportedError, match="free"):
        lw.reference(builder.build(), "contact_dynamics")(**STANDING)
