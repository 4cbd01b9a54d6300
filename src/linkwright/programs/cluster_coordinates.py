"""Programs between the two views of a mechanism with loops: independent coordinates and those of the spanning tree."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..algorithms.tree.jacobians import frame_jacobian
from ..errors import InputError
from ..scalar import Scalar
from .cluster_recipe import cluster_recipe
from .cluster_state import ClusterState, Lazy, plan_of, spanning_acceleration


def _spanning_position(tree, x, options):
    state = ClusterState(tree, x, options)
    return Lazy(q=lambda: state.q, residual=lambda: state.residual, status=lambda: state.status(state.q, []))


def _spanning_velocity(tree, x, options):
    state = ClusterState(tree, x, options)
    v = state.system.spread(state.embeddings, x["yd"])
    return Lazy(v=lambda: v, q=lambda: state.q, status=lambda: state.status(v, []))


def _spanning_acceleration(tree, x, options):
    state = ClusterState(tree, x, options)
    a = spanning_acceleration(state, x["ydd"])
    v = state.system.spread(state.embeddings, x["yd"])
    return Lazy(a=lambda: a, v=lambda: v, status=lambda: state.status(a, []))


def _independent_torque(tree, x, options):
    state = ClusterState(tree, x, options)
    tau = state.system.gathered(state.embeddings, x["tau"])
    return Lazy(tau_y=lambda: tau, status=lambda: state.status(tau, []))


def _independent_position(tree, x, options):
    plan = plan_of(tree.model, options)
    return {"y": [x["q"][n] for n in plan.coordinates]}


def _independent_velocity(tree, x, options):
    plan = plan_of(tree.model, options)
    return {"yd": [x["v"][n] for n in sorted(n for own in plan.independent for n in own)]}


def _loop_jacobians(tree, x, options):
    """G, g, K and k over the whole mechanism."""
    state = ClusterState(tree, x, options)
    system = state.system
    unit = [[1.0 if r == c else 0.0 for c in range(system.ny)] for r in range(system.ny)]
    columns = [system.spread(state.embeddings, row) for row in unit]
    K, k = [], []
    for c in system.graph.outward():
        for row, right in zip(state.embeddings[c].K, state.embeddings[c].k, strict=True):
            full: list[Scalar] = [0.0] * tree.nv
            for n, entry in zip(system.velocities_of(c), row, strict=True):
                full[n] = entry
            K.append(full)
            k.append(right)
    G = [[column[r] for column in columns] for r in range(tree.nv)]
    return Lazy(
        G=lambda: G, g=lambda: system.biases(state.embeddings), K=lambda: K or np.zeros((0, tree.nv)), k=lambda: k,
        status=lambda: state.status([x for row in G for x in row], []),
    )  # fmt: skip


def _cluster_frame_jacobian(tree, x, options):
    state = ClusterState(tree, x, options)
    if not isinstance(options["frame"], str):
        raise InputError(f"frame is {options['frame']!r}; expected the name of one frame: compile(..., frame='tool')")
    J = frame_jacobian(tree, options["frame"], state.q, seen_from=options["seen_from"])
    rows = [state.system.gathered(state.embeddings, row) for row in J]
    return Lazy(J=lambda: rows, status=lambda: state.status([x for row in rows for x in row], []))


def _integrate_independent(tree, x, options):
    """y moved along yd for unit time, joint by joint."""
    plan, model = plan_of(tree.model, options), tree.model
    velocities = sorted(n for own in plan.independent for n in own)
    y = dict(zip(plan.coordinates, x["y"], strict=True))
    yd = dict(zip(velocities, x["yd"], strict=True))
    if plan.partly_free:  # they move with all their velocities, from where they are
        state = ClusterState(tree, x, options)
        v = state.system.spread(state.embeddings, x["yd"])
        for i in plan.partly_free:
            y.update({n: state.q[n] for n in range(model.iq[i].start, model.iq[i].stop)})
            yd.update({n: v[n] for n in range(model.iv[i].start, model.iv[i].stop)})
    for i in range(1, model.nbodies):
        coordinates, rates = range(*model.iq[i].indices(model.nq)), range(*model.iv[i].indices(model.nv))
        if all(n in yd for n in rates):
            moved = tree.joint[i].integrate([y[n] for n in coordinates], [yd[n] for n in rates])
            y.update(zip(coordinates, moved, strict=True))
        else:
            y.update({c: y[c] + yd[n] for c, n in zip(coordinates, rates, strict=False) if n in yd})
    return {"y": [y[n] for n in plan.coordinates]}


_program = partial(cluster_recipe, contacts=True)

CLUSTER_COORDINATES = (
    _program(
        "spanning_position", "q of independent coordinates", ("y",), ("q", "residual", "status"), _spanning_position,
        default=2,
    ),
    _program("spanning_velocity", "v of independent velocities", ("y", "yd"), ("v", "q", "status"), _spanning_velocity),
    _program(
        "spanning_acceleration", "a of independent accelerations", ("y", "yd", "ydd"), ("a", "v", "status"),
        _spanning_acceleration,
    ),
    _program("independent_position", "y of a configuration", ("q",), ("y",), _independent_position),
    _program("independent_velocity", "yd of velocities", ("v",), ("yd",), _independent_velocity),
    _program(
        "independent_torque", "tau_y of joint torques, G' tau", ("y", "tau"), ("tau_y", "status"), _independent_torque
    ),
    _program(
        "integrate_independent", "y moved along yd for unit time", ("y", "yd"), ("y",), _integrate_independent
    ),
    _program(
        "loop_jacobians", "G and g, K and k of all loops", ("y", "yd"), ("G", "g", "K", "k", "status"), _loop_jacobians,
        default=4,
    ),
    _program(
        "cluster_frame_jacobian", "J with frame velocity = J yd", ("y",), ("J", "status"), _cluster_frame_jacobian,
        options={"frame": None, "seen_from": "local"},
    ),
)  # fmt: skip
