"""What a kind of constraint says of itself at a state, compared with differences and with the dense referee."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import linkwright as lw
from linkwright.bench.trust_poses import closed
from linkwright.model.constraints import Constraint
from linkwright.model.constraints.constraint import GROUND_FRAME
from linkwright.referee.dense_rows import dense_rows

K = np.array([[1.0, 0.5, 0, 0, 0, 0.2], [0, 0, 1.0, 0.3, 0, 0]])
TWO = {"frame": "left_hand", "other": "right_hand", "name": "c"}
AT = lw.Pose.from_rpy((0.1, -0.2, 0.3), (0.4, 0.2, -0.3))
HINGES = ["left_hip", "left_knee"]


def mechanism() -> lw.Model:
    """Two arms on a body that floats, whose hands can meet in any pose; inertias off centre."""
    rng = np.random.default_rng(3)
    builder = lw.ModelBuilder("two_arms")
    tensor = np.diag([0.3, 0.4, 0.5]) + 0.01

    def add(name, joint, parent="world", at=(0, 0, 0)):
        inertia = lw.Inertia(1.5, 0.3 * rng.normal(size=3), tensor)
        builder.add_body(name, joint, parent=parent, placement=at, inertia=inertia)

    add("base", lw.free_flyer("base_joint"))
    for side, axis in (("left", "y"), ("right", "x")):
        add(f"{side}_upper", lw.revolute(f"{side}_hip", axis), "base", (0.1, 0.2, 0.3))
        last = lw.revolute("left_knee", "z") if side == "left" else lw.prismatic("right_slide", "y")
        add(f"{side}_lower", last, f"{side}_upper", (0.4, 0.1, -0.2))
    add("left_hand", lw.spherical("left_ball"), "left_lower", (0.2, 0.1, 0.1))
    add("right_hand", lw.translational("right_table"), "right_lower", (0.1, 0.3, -0.1))
    builder.add_frame("left_tip", "left_hand", lw.Pose.from_rpy((0.2, 0.1, 0.0), (0.3, -0.4, 0.2)))
    return builder.build()


EXAMPLES: dict[str, tuple[Constraint, ...]] = {
    "relative": (
        lw.close_with("universal", **TWO), lw.weld(**TWO), lw.weld(**TWO, at=AT), lw.connect(**TWO, at=AT),
        lw.close_with("revolute", **TWO, axis=[1.0, 2.0, -0.5]), lw.close_with("cylindrical", **TWO, axis="x"),
        lw.close_with("planar", **TWO, axis=[0.2, 0.4, 1.0], at=AT), lw.close_with("prismatic", **TWO),
        lw.weld(**TWO, directions="x ry"), lw.weld("left_tip", at=AT, name="c"), lw.connect("left_tip", name="c"),
        lw.constrain("left_tip", K, name="c"), lw.weld("right_hand", "base", name="c", directions="y z rx"),
        lw.close_with("universal", "left_tip", at=AT, name="c"),
    ),
    "rod": (
        lw.rod("left_hand", "right_hand", length=0.6, name="c"), lw.rod("left_tip", length=0.9, name="c"),
        lw.rod("left_tip", "base", length=0.6, name="c"),
    ),
    "coupling": (
        lw.couple("left_hip", "right_slide", [0.1, 0.4, 0.3], name="c"),
        lw.couple("right_slide", "left_knee", [0.0, -0.3, 0.2, 0.1], name="c"),
        lw.couple("left_hip", None, [0.2], name="c"),
        lw.transmission({"left_hip": 2.0, "left_knee": -0.5, "right_slide": 0.7}, 0.3, name="c"),
    ),
    "sum": (
        lw.constrain({"left_hand": K, "right_hand": 2 * K}, name="c"),
        lw.constrain({"left_tip": K[:1], "base": -K[1:], "left_hand": K[1:]}, name="c"),
    ),
    "center_of_mass": (
        lw.center_of_mass(["base", "left_lower"], directions="x z", at=[0.1, 0.2, 0.3], name="c"),
        lw.center_of_mass(name="c"),
    ),
    "implicit_function": (
        lw.implicit(HINGES, lambda q: [q[0] * q[1] - q[0] ** 2 + 0.1], name="c"),
        lw.implicit([*HINGES, "right_slide"], lambda q: [q[0] - lw.scalar.sin(q[1]), q[2] + q[0] * q[1]], name="c"),
    ),
    "explicit_function": (
        lw.explicit(["right_slide"], ["left_hip"], lambda y: [lw.scalar.sin(y[0])], name="c"),
        lw.explicit(["right_slide", "left_knee"], ["left_hip"], lambda y: [y[0] ** 2, 0.3 * y[0]], name="c"),
    ),
}  # fmt: skip


def on_mechanism(example: Constraint) -> lw.Model:
    return mechanism().with_constraints(example)


def state(model: lw.Model):
    rng = np.random.default_rng(1)
    return model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


def met(model: lw.Model, q: np.ndarray) -> np.ndarray:
    """A pose near by where the constraint is met."""
    for _ in range(5):
        q = closed(model, q[None])[0]
    return q


def close(found, wanted, within: float) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=within, atol=within)


def check_its_error_changes_as_its_rows_say(example: Constraint) -> None:
    """d/dt error = J v where it is met; and everywhere for what is linear in what it measures."""
    model = on_mechanism(example)
    if not example.has_position:
        assert example.changeable_rows or example.target is None
        return
    if example.kind == "relative" and example.held_rotations == 1 and example.crossed is None:
        return  # of incomplete welds errors are meant for small rotations in the directions they hold
    q, v, _ = state(model)
    q = met(model, q)
    error, h = lw.reference(model, "constraint_error"), 1e-6
    close(error(q), np.zeros(example.size), 1e-9)
    rate = (error(model.integrate(q, h * v)) - error(model.integrate(q, -h * v))) / (2 * h)
    close(rate, lw.reference(model, "constraint_jacobian")(q) @ v, 1e-6)


def check_where_it_is_met(example: Constraint) -> None:
    """Its error away from there is what it says it measures."""
    model, kind = on_mechanism(example), example.kind
    if not example.has_position:
        return
    q, _, _ = state(model)
    error = lw.reference(model, "constraint_error")(q)
    if kind == "rod":
        ends = _places(model, q, [name for name in (example.frame, example.other) if name != GROUND_FRAME])[0]
        d = ends[0] - (ends[1] if len(ends) > 1 else 0.0)
        close(error, [(d @ d - example.length**2) / (2 * example.length)], 1e-12)
    if kind == "center_of_mass":
        total = sum(model.bodies[i].inertia.mass for i in example.bodies(model))
        names = [model.bodies[i].name for i in example.bodies(model)]
        positions, rotations = _places(model, q, names)
        centre = sum(
            model.bodies[i].inertia.mass * (p + R @ model.bodies[i].inertia.com)
            for i, p, R in zip(example.bodies(model), positions, rotations, strict=True)
        )
        close(error, (centre / total - example.target)[list(example.directions)], 1e-12)
    if kind == "coupling":
        places = [model.iq[model.joint_index(name)].start for name in example.tied_joints]
        values = [np.polynomial.Polynomial(c)(q[k]) for (_, c), k in zip(example.terms, places, strict=True)]
        close(error, [sum(values)], 1e-12)
    if kind == "relative" and example.held_rotations <= 1 and example.crossed is None:
        one, two = _seen(model, q, example)
        R1, p1, R2, p2 = *one, *two
        turned = 0.5 * sum(np.cross(R1.T @ R2[:, k], np.eye(3)[:, k]) for k in range(3))
        close(error, example.rows @ [*(R1.T @ (p1 - p2)), *turned], 1e-12)


def check_how_far_a_turned_frame_is_off(example: Constraint) -> None:
    """Of what holds rotations: turned about one of the frame's axes, the error is how far it was turned."""
    if example.kind != "relative" or not example.has_position or not example.held_rotations:
        return
    alone = lw.ModelBuilder("alone")
    alone.add_body("b", lw.free_flyer("free"), inertia=lw.Inertia(1.0, np.zeros(3), np.eye(3)))
    model = alone.build().with_constraints(replace(example, frame="b", other=GROUND_FRAME))
    target, error = example.target, lw.reference(model, "constraint_error")
    for axis in np.eye(3):
        for angle in (0.4, -1.3, 1.565, 2.5):
            own = lw.Pose.from_quaternion((0, 0, 0), [*(np.sin(angle / 2) * axis), np.cos(angle / 2)])
            pose = target @ own
            found = error([*pose.translation, *pose.quaternion])
            if example.held_rotations == 2:  # a hinge: how far the axis is tilted, signed
                free = np.linalg.svd(example.rows[:, 3:])[2][2]
                tilted = np.cross(own.rotation.T @ free, free) * np.sign((own.rotation.T @ free) @ free)
            else:
                tilted = axis * (2 * np.sin(angle / 2) if example.held_rotations == 3 else np.sin(angle))
            wanted = example.rows @ [0, 0, 0, *tilted]
            if example.crossed is not None:
                own_axis, its = (np.asarray(x) for x in example.crossed)
                wanted = [*wanted, own_axis @ own.rotation.T @ its]
            close(found, wanted, 1e-12)
    if example.held_rotations == 3:  # half a turn off: still pulled back
        back = target @ lw.Pose.from_quaternion((0, 0, 0), [1.0, 0, 0, 1e-9])
        assert abs(error([*back.translation, *back.quaternion])[3] - 2.0) < 1e-6


def check_its_drift_is_how_its_rows_change(example: Constraint) -> None:
    model = on_mechanism(example)
    q, v, _ = state(model)
    J, h = lw.reference(model, "constraint_jacobian"), 1e-6
    rate = (J(model.integrate(q, h * v)) - J(model.integrate(q, -h * v))) / (2 * h)
    close(rate @ v, lw.reference(model, "constraint_bias")(q, v), 1e-5)


def check_its_rates_are_its_rows_times_velocities(example: Constraint) -> None:
    """Stabilized, it is solved for its drift, error and rate alike: accelerations say which rates it took."""
    if not example.has_position:
        return
    model, T = on_mechanism(example), 0.3
    q, v, tau = state(model)
    J, bias = lw.reference(model, "constraint_jacobian")(q), lw.reference(model, "constraint_bias")(q, v)
    error = lw.reference(model, "constraint_error")(q)
    a = lw.reference(model, "prox_ltl", outputs="a", baumgarte=T)(q, v, tau)
    close(J @ a + bias, -2 / T * (J @ v) - error / T**2, 1e-6)


def check_solvers_agree_with_the_referee(example: Constraint) -> None:
    model = on_mechanism(example)
    assert example.__class__ in dense_rows.registry
    q, v, tau = state(model)
    wanted = lw.solve_kkt(model, q, v, tau)
    found = lw.reference(model, "lcaba")(q, v, tau)
    close(found.a, wanted.a, 1e-6)
    close(found.forces["c"], wanted.forces["c"], 1e-5)


def check_what_is_internal_does_not_see_the_whole_move(example: Constraint) -> None:
    model = on_mechanism(example)
    q, _, _ = state(model)
    if example.has_position:
        q = met(model, q)
    carried = lw.reference(model, "constraint_jacobian")(q)[:, :6]
    assert example.is_internal(model) == (np.abs(carried).max() < 1e-8)


def check_what_ties_joints_says_so_by_joints(example: Constraint) -> None:
    if not example.tied_joints:
        return
    model = on_mechanism(example)
    tree, (q, v, _) = lw.model.tree_of(model), state(model)
    joints = [model.joint_index(name) for name in example.tied_joints]
    x, rates = ([float(values[index[i].start]) for i in joints] for values, index in ((q, tree.iq), (v, tree.iv)))
    error, rows, rate = example.joint_rows(tree, x, rates)
    J = lw.reference(model, "constraint_jacobian")(q)
    own = [tree.iv[i].start for i in joints]
    close(rows, J[:, own], 1e-12)
    close(np.delete(J, own, axis=1), 0.0, 1e-12)
    close(error, lw.reference(model, "constraint_error")(q), 1e-12)
    close(rate, lw.reference(model, "constraint_bias")(q, v), 1e-12)
    given = example.given(example.tied_joints[example.size :])
    if not given:
        return
    others = [k for k, name in enumerate(example.tied_joints) if name not in given]

    def places(at):
        return np.array(example.formula(tree, [at[k] for k in others], [rates[k] for k in others], given)[0])

    solved = dict(zip(example.tied_joints, x, strict=True)) | dict(zip(given, places(x), strict=True))
    error, _, _ = example.joint_rows(tree, [solved[name] for name in example.tied_joints], rates)
    close(error, 0.0, 1e-12)
    _, G, g = example.formula(tree, [x[k] for k in others], [rates[k] for k in others], given)
    h, ahead = 1e-4, [a + 1e-4 * b for a, b in zip(x, rates, strict=True)]
    behind = [a - h * b for a, b in zip(x, rates, strict=True)]
    close(np.array(G) @ [rates[k] for k in others], (places(ahead) - places(behind)) / (2 * h), 1e-6)
    close(g, (places(ahead) - 2 * places(x) + places(behind)) / h**2, 1e-5)


def check_other_gear_ratios(example: Constraint) -> None:
    """A gear with other ratios is the gear that has them."""
    if not example.gear_ratios:
        return
    model = on_mechanism(example)
    q, _, _ = state(model)
    first = example.terms[0][1][1]
    other = replace(example, terms=(example.terms[0], *((j, (p[0], 1.7 * p[1])) for j, p in example.terms[1:])))
    ratios = [1.7 * ratio for _, ratio in example.gear_ratios]
    close([ratio for _, ratio in example.gear_ratios], [-p[1] / first for _, p in example.terms[1:]], 1e-12)
    found = lw.reference(model, "constraint_jacobian", parameters="gear_ratios")(q, ratios)
    close(found, lw.reference(on_mechanism(other), "constraint_jacobian")(q), 1e-12)


def _places(model: lw.Model, q: np.ndarray, frames: list[str]):
    """(positions, rotations) in the world."""
    found = lw.reference(model, "forward_kinematics", frames=frames)(q)
    return found.positions, found.rotations


def _seen(model: lw.Model, q: np.ndarray, example: Constraint):
    """(R, p) in the world of the first frame, and of where it should be."""
    found = _places(model, q, [name for name in (example.frame, example.other) if name != GROUND_FRAME])
    poses = [lw.Pose(R, p) for p, R in zip(*found, strict=True)]
    second = (poses[1] if len(poses) > 1 else lw.Pose.identity()) @ example.target
    return (poses[0].rotation, poses[0].translation), (second.rotation, second.translation)


CHECKS = [check for name, check in globals().items() if name.startswith("check_")]


def check_constraint(example: Constraint) -> None:
    for check in CHECKS:
        check(replace(example))  # without what it remembers
