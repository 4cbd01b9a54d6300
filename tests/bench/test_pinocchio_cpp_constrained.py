"""Pinocchio's constrained C++ algorithms against a dense solve and Pinocchio's Python bindings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from pinocchio_robots import built_once, load_robot, random_states

from linkwright.bench.peers.pinocchio_cpp import PinocchioCpp, RigidConstraint
from linkwright.errors import InputError

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")

FORWARD = ("prox_ltl", "lcaba", "caba", "pv")
EXACT = ("prox_ltl", "lcaba", "pv")  # after n iterations they are where n iterations of the method lead
DELASSUS = ("delassus_cholesky", "delassus_efpa", "delassus_pv_osimr")
LIMBS = ("leg_left_6_joint", "leg_right_6_joint", "arm_left_7_joint", "arm_right_7_joint")
TOLERANCE = 1e-8


@pytest.fixture(scope="module")
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinocchioCpp]:
    yield from built_once(request, tmp_path_factory, constrained=True)


def offset() -> pin.SE3:
    return pin.SE3(pin.exp3(np.array([0.3, -0.5, 0.8])), np.array([0.05, -0.02, -0.1]))


def on_frames(model: pin.Model, names: list[str]) -> list[RigidConstraint]:
    frames = [model.frames[model.getFrameId(name)] for name in names]
    return [RigidConstraint(frame.parentJoint, frame.placement, "3d") for frame in frames]


def system(name: str) -> tuple[pin.Model, list[RigidConstraint]]:
    robot, _, variant = name.partition(" ")
    model = load_robot(robot)
    joint = model.getJointId
    if name == "talos loop":  # hand to hand, foot to foot: nothing is held by the ground
        left, right = pin.SE3(np.eye(3), np.array([0.0, 0.1, 0.0])), offset()
        hands = RigidConstraint(joint(LIMBS[2]), left, "6d", joint(LIMBS[3]), right)
        feet = RigidConstraint(joint(LIMBS[0]), left, "3d", joint(LIMBS[1]), right)
        return model, [hands, feet]
    if robot == "talos":
        return model, [RigidConstraint(joint(limb), offset(), "6d") for limb in LIMBS[: int(variant)]]
    if robot == "solo12":
        return model, on_frames(model, [f"{leg}_FOOT" for leg in ("FL", "FR", "HL", "HR")])
    if robot == "go1":
        return model, on_frames(model, [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")])
    return model, [RigidConstraint(joint("panda_joint7"), offset(), "6d")]


ON_GROUND = ("talos 4", "talos 2", "solo12", "go1", "panda")
SYSTEMS = (*ON_GROUND, "talos loop")


class Dense:
    """M, J and both biases at one state, and what follows from them."""

    def __init__(self, model: pin.Model, constraints: list[RigidConstraint], q, v, tau) -> None:
        data = model.createData()
        upper = np.triu(pin.crba(model, data, q))
        self.M = upper + np.triu(upper, 1).T
        self.force = tau - pin.rnea(model, data, q, v, np.zeros(model.nv))
        rows, bias = [], []
        for constraint in constraints:
            J, drift = _relative_motion(model, constraint, q, v)
            rows.append(J), bias.append(drift)
        self.J, self.bias = np.vstack(rows), np.concatenate(bias)
        self.delassus = self.J @ np.linalg.solve(self.M, self.J.T)

    def kkt(self) -> np.ndarray:
        n, m = len(self.M), len(self.J)
        matrix = np.block([[self.M, self.J.T], [self.J, np.zeros((m, m))]])
        return np.linalg.solve(matrix, np.concatenate([self.force, -self.bias]))[:n]

    def augmented_lagrangian(self, mu: float, iterations: int) -> np.ndarray:
        multipliers = np.zeros(len(self.J))
        for _ in range(iterations):
            right = self.force - self.J.T @ (multipliers + mu * self.bias)
            a = np.linalg.solve(self.M + mu * self.J.T @ self.J, right)
            multipliers += mu * (self.J @ a + self.bias)
        return a


def _relative_motion(model: pin.Model, constraint: RigidConstraint, q, v) -> tuple[np.ndarray, np.ndarray]:
    """J of a constraint, and the acceleration it would see if the joints had none."""
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    ends = ((constraint.joint, constraint.placement), (constraint.other_joint, constraint.other_placement))
    poses, jacobians, velocities, accelerations = [], [], [], []
    for joint, placement in ends:
        placement = placement or pin.SE3.Identity()
        J = np.array(pin.getJointJacobian(model, data, joint, pin.LOCAL)) if joint else np.zeros((6, model.nv))
        poses.append(data.oMi[joint] * placement)
        jacobians.append(placement.toActionMatrixInverse() @ J)
        velocities.append(placement.actInv(data.v[joint]) if joint else pin.Motion.Zero())
        accelerations.append(placement.actInv(data.a[joint]) if joint else pin.Motion.Zero())
    relative = poses[0].actInv(poses[1])
    if constraint.kind == "6d":
        v1, v2 = velocities[0], relative.act(velocities[1])
        drift = accelerations[0] - relative.act(accelerations[1]) + (v1 - v2).cross(v2)
        return jacobians[0] - relative.toActionMatrix() @ jacobians[1], drift.vector
    first, second = (a.linear + np.cross(v.angular, v.linear) for a, v in zip(accelerations, velocities, strict=True))
    return jacobians[0][:3] - relative.rotation @ jacobians[1][:3], first - relative.rotation @ second


def relative_error(given: np.ndarray, expected: list[np.ndarray]) -> float:
    return float(max(np.abs(a - b).max() / np.abs(b).max() for a, b in zip(given, expected, strict=True)))


def python_bindings(model: pin.Model, constraints: list[RigidConstraint], states, mu: float, iterations: int):
    models = [
        pin.RigidConstraintModel(
            pin.ContactType.CONTACT_6D if c.kind == "6d" else pin.ContactType.CONTACT_3D, model, c.joint, c.placement,
            c.other_joint, c.other_placement or pin.SE3.Identity(), pin.ReferenceFrame.LOCAL,
        )
        for c in constraints
    ]  # fmt: skip
    data, datas = model.createData(), [m.createData() for m in models]
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(0.0, 1 / mu, iterations)
    return [pin.constraintDynamics(model, data, *s, models, datas, settings).copy() for s in zip(*states, strict=True)]


@pytest.mark.parametrize("name", SYSTEMS)
def test_forward_dynamics(library: PinocchioCpp, name: str) -> None:
    model, constraints = system(name)
    states = random_states(model)
    dense = [Dense(model, constraints, *state) for state in zip(*states, strict=True)]
    peer = library.model(model)
    for mu, iterations in ((10.0, 1), (10.0, 3), (1e5, 6)):
        problem = peer.constrained(constraints, mu=mu, iterations=iterations)
        for algorithm in FORWARD if name in ON_GROUND else FORWARD[:2]:
            seconds, a = problem.time(algorithm, *states, repeats=2)
            assert 0 < seconds < 1
            if algorithm in EXACT or iterations == 1:
                expected = [one.augmented_lagrangian(mu, iterations) for one in dense]
                assert relative_error(a, expected) < TOLERANCE, (algorithm, mu, iterations)
            if mu == 1e5:
                assert relative_error(a, [one.kkt() for one in dense]) < TOLERANCE, algorithm
        bound = python_bindings(model, constraints, states, mu, iterations)
        assert relative_error(problem.time("prox_ltl", *states, repeats=1)[1], bound) < TOLERANCE


@pytest.mark.parametrize("name", SYSTEMS)
def test_delassus(library: PinocchioCpp, name: str) -> None:
    model, constraints = system(name)
    states = random_states(model)
    expected = [Dense(model, constraints, *state).delassus for state in zip(*states, strict=True)]
    problem = library.model(model).constrained(constraints, mu=10.0)
    for algorithm in DELASSUS if name in ON_GROUND else DELASSUS[:1]:
        assert relative_error(problem.time(algorithm, states[0], repeats=2)[1], expected) < TOLERANCE, algorithm
    if name in ON_GROUND:
        damped = [np.linalg.inv(one + np.eye(len(one)) / 10.0) for one in expected]
        assert relative_error(problem.time("delassus_damped", states[0], repeats=2)[1], damped) < TOLERANCE


def test_points_and_welds_together(library: PinocchioCpp) -> None:
    model, constraints = system("talos 2")
    hand = RigidConstraint(model.getJointId("arm_left_7_joint"), offset(), "3d")
    mixed = [constraints[0], constraints[1]._replace(kind="3d"), hand]
    states = random_states(model)
    expected = [Dense(model, mixed, *state) for state in zip(*states, strict=True)]
    problem = library.model(model).constrained([tuple(c) for c in mixed])
    for algorithm in ("prox_ltl", "lcaba"):
        assert relative_error(problem.time(algorithm, *states)[1], [one.kkt() for one in expected]) < 1e-6, algorithm
    for algorithm in DELASSUS:
        given = problem.time(algorithm, states[0])[1]
        assert relative_error(given, [one.delassus for one in expected]) < TOLERANCE, algorithm
    with pytest.raises(InputError, match="all constraints 3d or all 6d"):
        problem.time("caba", *states)


def test_errors_name_what_was_given(library: PinocchioCpp) -> None:
    model, constraints = system("panda")
    peer = library.model(model)
    q, v, tau = random_states(model)
    problem = peer.constrained(constraints)
    with pytest.raises(InputError, match=r"unknown algorithm 'aba'; known: caba .*lcaba"):
        problem.time("aba", q, v, tau)
    with pytest.raises(InputError, match="lcaba needs q, v, x"):
        problem.time("lcaba", q)
    with pytest.raises(InputError, match="pv takes constraints to the ground only"):
        peer.constrained([(7, offset(), "6d", 2)]).time("pv", q, v, tau)
    with pytest.raises(InputError, match="constraint on joint 99"):
        peer.constrained([(99, None, "6d")]).time("pv", q, v, tau)
    with pytest.raises(InputError, match="kind is '5d'; expected one of 3d, 6d"):
        peer.constrained([(7, None, "5d")])
    with pytest.raises(InputError, match="mu is 0"):
        peer.constrained(constraints, mu=0)
    with pytest.raises(InputError, match="constraints at least 1"):
        peer.constrained([]).time("pv", q, v, tau)
    unconstrained = PinocchioCpp(library.path, library.compiler).model(model)
    with pytest.raises(InputError, match=r"build\(constrained=True\)"):
        unconstrained.constrained(constraints)
