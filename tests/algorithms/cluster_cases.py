"""Mechanisms with loops to embed: the papers' robots, and random ones with every kind of loop."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright import scalar
from linkwright.algorithms.rows.file_digits import file_digits
from linkwright.errors import LinkwrightError
from linkwright.model import ModelBuilder, Pose, Tree
from linkwright.programs import RECIPES
from linkwright.programs.cluster_state import ClusterState, plan_of
from linkwright.referee import DenseDynamics
from linkwright.robots.geared import add_rotor, spinning
from linkwright.robots.random import random_pose, random_tree

KINDS = ("revolute", "revolute", "continuous", "prismatic", "revolute", "helical", "spherical", "universal")
OPTIONS = dict(RECIPES["cluster_aba"].options)


def plan(model, **options):
    return plan_of(model, {**OPTIONS, **options})


def random_clustered(seed: int):
    """(model, a pose that closes its loops, rng): a random tree with gears, functions of joints and loop closures."""
    rng = np.random.default_rng([17, seed])
    base = random_tree(
        seed, 5 + seed % 4, kinds=KINDS, branching=0.6, floating_base=seed % 4 == 0, armature=seed % 3 == 1,
        damping=seed % 3 == 2, springs=seed % 5 == 3,
    )  # fmt: skip
    builder = ModelBuilder.from_model(base)
    drives = []
    for i, body in enumerate(base.bodies[1:], start=1):
        if body.joint.kind in ("revolute", "continuous") and rng.random() < 0.4:
            parent = base.bodies[body.parent].name
            axis = body.joint.axis if rng.random() < 0.5 else rng.normal(size=3)
            axis = np.asarray(axis) / np.linalg.norm(axis)
            rotor = add_rotor(
                builder, f"rotor_{i}", parent=parent, placement=random_pose(rng), axis=axis,
                inertia=spinning(0.3, 2e-3, 5e-3, axis),
            )  # fmt: skip
            drives.append(lw.gear(rotor, body.joint.name, float(rng.uniform(-8, 8))))
    model = builder.build().with_constraints(*drives)
    pose = model.random_configuration(rng)
    for coupling in drives:
        rotor, joint = (model.iq[model.joint_index(name)].start for name in coupling.joints)
        pose[rotor] = -coupling.terms[1][1][1] * pose[joint]
    for attempt in range(1 + seed % 3):
        made = random_loop(model, pose, rng, f"loop_{attempt}")
        if made is not None and well_posed(made, pose):
            model = made
    single = [joint.name for joint in model.joints if joint.nv == 1]
    if not model.constraints:
        model = model.with_constraints(lw.transmission({single[0]: 1.0, single[1]: 2.5}))
    return model, pose, rng


def well_posed(model, pose) -> bool:
    """Loops that determine the dependent joints well; nearly singular ones belong to another test, as do those of which
    one cannot tell whether only a file's digits keep them from moving."""
    if file_digits(model).dependent:
        return False
    try:
        found = plan(model, pose=pose)
        used = {c for steps in found.steps for step in steps for c in step.constraints}
        if not found.coordinates or used != set(found.embedded):
            return False  # a constraint that holds anyway
        at_rest = {"q": found.drawn, "yd": np.zeros(len(flat(found)))}
        state = solved(model, at_rest, coordinates="spanning", pose=pose)
    except LinkwrightError:
        return False
    return all(np.abs(np.array(e.G, dtype=float)).max(initial=0) < 30 for e in state.embeddings)


def solved(model, values, **options) -> ClusterState:
    """The mechanism on plain numbers."""
    values = {name: [float(x) for x in array] for name, array in values.items()}
    return ClusterState(Tree(model), values, {**OPTIONS, **options})


def flat(found) -> list[int]:
    return sorted(n for own in found.independent for n in own)


def random_loop(model, pose, rng, name: str):
    """The model with one more constraint, met at the pose; None if there is no room for one."""
    single = [j.name for j in model.joints if j.nv == 1 and not j.name.startswith("rotor")]
    kind = str(rng.choice(["linear", "polynomial", "explicit", "implicit", "rod", "point", "joint"]))
    if kind in ("linear", "polynomial", "explicit", "implicit"):
        if len(single) < 3:
            return None
        a, b, c = (str(x) for x in rng.choice(single, 3, replace=False))
        x, y = (float(z) for z in rng.uniform(0.3, 1.5, 2))
        qa, qb, qc = (float(pose[model.iq[model.joint_index(joint)].start]) for joint in (a, b, c))

        def gamma(y, offset=0.0):
            return scalar.sin(y[0]) * 0.5 + y[1] * y[1] * 0.3 + offset

        def phi(q, offset=0.0):
            return q[0] + scalar.sin(q[0] - q[1]) * 0.3 - q[2] - offset

        here = qa - (x * qb + 0.2 * qb**2 - 0.05 * qb**3), qa - gamma((qb, qc)), phi((qa, qb, qc))
        made = {
            "linear": lambda: lw.transmission({a: 1.0, b: x, c: -y}, qa + x * qb - y * qc, name=name),
            "polynomial": lambda: lw.couple(a, b, [here[0], x, 0.2, -0.05], name=name),
            "explicit": lambda: lw.explicit(a, (b, c), lambda y: gamma(y, here[1]), name=name),
            "implicit": lambda: lw.implicit((a, b, c), lambda q: phi(q, here[2]), name=name),
        }
        return model.with_constraints(made[kind]())
    links = [i for i in range(1, model.nbodies) if not model.bodies[i].name.startswith("rotor")]
    first, second = (int(x) for x in rng.choice(links, 2, replace=False))
    dynamics = DenseDynamics(model, pose, np.zeros(model.nv))
    R, p = (np.array([np.asarray(x[i], dtype=float) for i in (first, second)]) for x in (dynamics.R, dynamics.p))
    at = random_pose(rng)
    there = Pose(R[1].T @ R[0] @ at.rotation, R[1].T @ (p[0] + R[0] @ at.translation - p[1]))
    length = float(np.linalg.norm(p[0] + R[0] @ at.translation - p[1]))
    builder = ModelBuilder.from_model(model)
    builder.add_frame(f"{name}_one", model.bodies[first].name, at)
    builder.add_frame(f"{name}_two", model.bodies[second].name, there)
    frames = (f"{name}_one", f"{name}_two")
    closing = str(rng.choice(["universal", "cylindrical", "revolute", "planar"]))
    made = {
        "rod": lambda: lw.rod(frames[0], model.bodies[second].name, name=name, length=length),
        "point": lambda: lw.connect(*frames, name=name),
        "joint": lambda: lw.close_with(closing, *frames, name=name),
    }
    return builder.build().with_constraints(made[kind]())


def random_state(model, pose, rng, spread=0.3):
    """(y, yd, tau_y) near a pose that closes the loops."""
    found = plan(model, pose=pose)
    ny = len(flat(found))
    q = model.integrate(found.drawn, rng.normal(size=model.nv) * spread)
    return q[found.coordinates], rng.normal(size=ny), rng.normal(size=ny)


def full_matrices(state, nv):
    """G and g over all velocities."""
    system = state.system
    G = np.array([system.spread(state.embeddings, row) for row in np.eye(system.ny)], dtype=float).reshape(-1, nv).T
    return G, np.array(system.biases(state.embeddings), dtype=float)


def dense_projection(model, q, yd, tau_y, G, g):
    """(ydd, H, bias) from the referee's M and c."""
    dynamics = DenseDynamics(model, q, G @ yd)
    M, c = dynamics.M.astype(float), dynamics.bias.astype(float)
    H = G.T @ M @ G
    bias = G.T @ (c + M @ g)
    return np.linalg.solve(H, tau_y - bias), H, bias
