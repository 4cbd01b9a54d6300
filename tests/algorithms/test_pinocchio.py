"""Pinocchio as an outside referee, on real robots."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.io import pinocchio_model, to_pinocchio

pinocchio = pytest.importorskip("pinocchio", reason="needs the package pin")

ROBOTS = (
    "panda", "solo12", "go1", "go2", "g1", "anymal_c", "simple_humanoid", "talos", "icub", "allegro", "tiago", "romeo",
    "jvrc1",
)  # fmt: skip
TOLERANCE = 1e-12
BATCH = 3


def without_damping(model):
    """Pinocchio's forward and inverse dynamics leave joint damping out."""
    import dataclasses

    builder = lw.ModelBuilder(model.name, model.gravity)
    for body in model.bodies[1:]:
        joint = dataclasses.replace(body.joint, damping=0.0)
        builder.add_body(
            body.name, joint, parent=model.bodies[body.parent].name, placement=body.placement, inertia=body.inertia
        )
    return builder.build()


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    model = without_damping(lw.load(request.param))
    return model, pinocchio_model(model)


def states(model, rng):
    q = model.random_configuration(rng, BATCH)
    return q, rng.normal(size=(BATCH, model.nv)), rng.normal(size=(BATCH, model.nv))


def mass_matrix(other, data, q):
    upper = np.triu(pinocchio.crba(other, data, q))
    return upper + np.triu(upper, 1).T


def test_tree_dynamics(robot, rng):
    """Compiled, single and batched, against Pinocchio: 1e-12 times the condition of M."""
    model, other = robot
    data = other.createData()
    q, v, x = states(model, rng)
    aba, rnea, crba = (lw.compile(model, name) for name in ("aba", "rnea", "crba"))
    a, tau, M = aba(q, v, x), rnea(q, v, x), crba(q)
    for k in range(BATCH):
        there = to_pinocchio(model, q[k])
        expected_M = mass_matrix(other, data, there)
        condition = np.linalg.cond(expected_M)
        assert np.abs(M[k] - expected_M).max() <= TOLERANCE * np.abs(expected_M).max()
        expected = pinocchio.rnea(other, data, there, v[k], x[k])
        assert np.abs(tau[k] - expected).max() <= TOLERANCE * (np.abs(expected).max() + np.abs(expected_M).max())
        expected = pinocchio.aba(other, data, there, v[k], x[k])
        assert np.abs(a[k] - expected).max() <= TOLERANCE * condition * np.abs(expected).max()
        assert np.abs(aba(q[k], v[k], x[k]) - a[k]).max() <= TOLERANCE * condition * np.abs(expected).max()


def test_external_forces(robot, rng):
    model, other = robot
    if model.name not in ("talos", "panda", "solo"):
        pytest.skip("three robots suffice")
    data = other.createData()
    q, v, tau = (x[0] for x in states(model, rng))
    f = rng.normal(size=(model.nbodies, 6))
    forces = pinocchio.StdVec_Force()
    for row in f:
        forces.append(pinocchio.Force(row[:3], row[3:]))
    expected = pinocchio.aba(other, data, to_pinocchio(model, q), v, tau, forces)
    a = lw.compile(model, "aba", f_ext=True)(q, v, tau, f)
    condition = np.linalg.cond(mass_matrix(other, data, to_pinocchio(model, q)))
    assert np.abs(a - expected).max() <= TOLERANCE * condition * np.abs(expected).max()


def test_float32_on_talos(rng):
    model = lw.load("talos")
    q, v, tau = states(model, rng)
    expected = lw.reference(model, "aba")(q, v, tau)
    a = lw.compile(model, "aba", dtype="float32")(q, v, tau)
    assert a.dtype == np.float32
    assert np.abs(a - expected).max() <= 1e-4 * np.abs(expected).max()


def test_frames_jacobians_energy_and_momentum(robot, rng):
    """Eager, since the same code is compiled elsewhere."""
    model, other = robot
    data = other.createData()
    q, v, a = (x[0] for x in states(model, rng))
    there = to_pinocchio(model, q)
    pinocchio.forwardKinematics(other, data, there, v, a)
    pinocchio.updateFramePlacements(other, data)
    bodies = [1, model.nbodies // 2, model.nbodies - 1]
    names = [model.bodies[i].name for i in bodies]
    poses = lw.reference(model, "forward_kinematics", frames=names)(q)
    for k, i in enumerate(bodies):
        assert np.abs(poses["rotations"][k] - data.oMi[i].rotation).max() < 1e-12
        assert np.abs(poses["positions"][k] - data.oMi[i].translation).max() < 1e-12

    pinocchio.computeJointJacobiansTimeVariation(other, data, there, v)
    references = {
        "local": pinocchio.LOCAL, "world": pinocchio.WORLD, "local_world_aligned": pinocchio.LOCAL_WORLD_ALIGNED,
    }  # fmt: skip
    last = bodies[-1]
    for reference, theirs in references.items():
        options = {"frames": names[-1:], "seen_from": reference}
        velocity = lw.reference(model, "frame_velocities", **options)(q, v)[0]
        close(velocity, pinocchio.getVelocity(other, data, last, theirs).vector)
        spatial = lw.reference(model, "frame_accelerations", **options)(q, v, a)[0]
        close(spatial, pinocchio.getAcceleration(other, data, last, theirs).vector)
        J = lw.reference(model, "frame_jacobian", frame=names[-1], seen_from=reference)(q)
        close(J, pinocchio.getJointJacobian(other, data, last, theirs))
        dJ = lw.reference(model, "frame_jacobian_rate", frame=names[-1], seen_from=reference)(q, v)
        close(dJ, pinocchio.getJointJacobianTimeVariation(other, data, last, theirs))
        if reference != "world":
            classical = lw.reference(model, "frame_accelerations", classical=True, **options)(q, v, a)[0]
            close(classical, pinocchio.getClassicalAcceleration(other, data, last, theirs).vector)

    close(lw.reference(model, "center_of_mass")(q), pinocchio.centerOfMass(other, data, there))
    momentum = pinocchio.computeCentroidalMomentum(other, data, there, v).vector
    close(lw.reference(model, "centroidal_momentum")(q, v), momentum)
    close(lw.reference(model, "centroidal_momentum_matrix")(q), pinocchio.computeCentroidalMap(other, data, there))
    if not model.stacked("armature").any():
        close(lw.reference(model, "kinetic_energy")(q, v), pinocchio.computeKineticEnergy(other, data, there, v))
    close(lw.reference(model, "potential_energy")(q), pinocchio.computePotentialEnergy(other, data, there))


def test_configurations(robot, rng):
    model, other = robot
    from linkwright.io import from_pinocchio

    q, v, _ = (x[0] for x in states(model, rng))
    moved = model.integrate(q, v)
    there = pinocchio.integrate(other, to_pinocchio(model, q), v)
    same = model.difference(moved, from_pinocchio(model, there))
    assert np.abs(same).max() < 1e-10
    other_q = model.random_configuration(rng)
    expected = pinocchio.difference(other, to_pinocchio(model, q), to_pinocchio(model, other_q))
    close(model.difference(q, other_q), expected, 1e-8)


def close(ours, theirs, tolerance=1e-11):
    assert np.abs(np.asarray(ours) - np.asarray(theirs)).max() <= tolerance * (1 + np.abs(theirs).max())
