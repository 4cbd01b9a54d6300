"""Choosing the independent velocities of one cluster, by pivoting at a pose that closes its loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import fixed_order
from ...errors import InputError, ModelError
from ...fixed_order import PivotedColumns, product, projected_on_kernel
from ...model import Model
from ...model.clusters import Cluster
from ...model.constraints import Coupling, ExplicitFunction
from .elimination import RANK_TOLERANCE
from .involvement import NumericRows

# How much rather than others a joint becomes dependent: one that a coupling or a function is written for.
_FOLLOWER, _LEADER = 1e4, 1e-4
_ATTEMPTS = 20
_NEARBY = 0.3  # radians or metres
_DIFFERENCE = 1e-5


def choose_independent(
    model: Model, cluster: Cluster, rows: NumericRows, reference: np.ndarray, named: set[int]
) -> tuple[np.ndarray, tuple[int, ...]]:
    """(the reference configuration with this cluster's loops closed, its independent velocities)."""
    reference = closed_configuration(model, cluster, rows, reference)
    reference, rank, elsewhere = _generic(rows, reference)
    if not _integrable(rows, elsewhere):
        raise ModelError(
            f"constraints {_constraints(model, cluster)} say how joints {_joints(model, cluster)} may move but not "
            f"where they are (some directions of a weld without the others do so), so they cannot be embedded; close "
            f"the loop with a joint, or use 'lcaba'"
        )
    K, _ = rows(reference)
    velocities = rows.velocities
    freedom = len(velocities) - rank
    joints, constraints = _joints(model, cluster), _constraints(model, cluster)
    if rows.joint_rows > _rank(K[: rows.joint_rows]):
        raise ModelError(
            f"couplings {constraints} go round in a circle: one of them follows from the others on joints {joints}; "
            f"remove one"
        )
    if not freedom:
        raise ModelError(
            f"constraints {constraints} leave joints {joints} no motion at all (over-determined); remove one, or lock "
            f"the joints"
        )
    own = [i for i in cluster.bodies if i in named]
    if own:
        chosen = [n for i in own for n in range(model.iv[i].start, model.iv[i].stop)]
        _check_choice(model, joints, own, chosen, freedom, K, velocities)
    else:
        dependent = _pivoted(K * _weights(model, cluster, velocities), rank)
        chosen = [n for c, n in enumerate(velocities) if c not in dependent]
    return reference, tuple(chosen)


def closed_configuration(model: Model, cluster: Cluster, rows: NumericRows, reference: np.ndarray) -> np.ndarray:
    """The reference, or else a random configuration, moved until the cluster's loops close."""
    rng = np.random.default_rng(0)
    coordinates = [n for i in cluster.bodies for n in range(model.iq[i].start, model.iq[i].stop)]
    for attempt in range(_ATTEMPTS):
        start = reference.copy()
        if attempt:
            start[coordinates] = model.random_configuration(rng)[coordinates]
        found = rows.closed(start)
        if found is not None:
            return found
    _, error = rows(reference)
    raise ModelError(
        f"the loop of joints {_joints(model, cluster)} cannot be closed: constraints {_constraints(model, cluster)} "
        f"are off by {np.abs(error).max():.3g} where the search began, and no configuration was found that meets them; "
        f"check their frames and lengths, or give a pose=... near a closed one"
    )


def _generic(rows: NumericRows, reference: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """The reference unless it is singular; then a closed configuration nearby. The rank of K there, and another one."""
    rng = np.random.default_rng(1)
    best, rank, elsewhere = reference, _rank(rows(reference)[0]), reference
    for _ in range(0 if rows.constant else 2):
        K, _ = rows(best)
        if rank == K.shape[1]:
            break
        step = projected_on_kernel(K, rng.normal(size=K.shape[1]), RANK_TOLERANCE)
        nearby = rows.closed(rows.moved(reference, step * (_NEARBY / max(np.abs(step).max(), 1e-12))))
        if nearby is not None:
            elsewhere = nearby
            if _rank(rows(nearby)[0]) > rank:
                best, rank = nearby, _rank(rows(nearby)[0])
    return best, rank, elsewhere


def _integrable(rows: NumericRows, q: np.ndarray) -> bool:
    """Whether K is the derivative of the errors, by differences."""
    if not rows.has_frames:
        return True
    K, _ = rows(q)
    step = np.random.default_rng(2).uniform(0.5, 1.0, K.shape[1]) * _DIFFERENCE
    up, down = (rows.errors(rows.moved(q, s)) for s in (step, -step))
    return bool(np.abs((up - down) / 2 - product(K, step)).max() < 1e-3 * _DIFFERENCE * max(1.0, np.abs(K).max()))


def _rank(K: np.ndarray) -> int:
    return fixed_order.rank(K, RANK_TOLERANCE * np.abs(K).max(initial=1e-300))


def _weights(model: Model, cluster: Cluster, velocities: Sequence[int]) -> np.ndarray:
    weights = np.ones(len(velocities))

    def weigh(joint: str, factor: float) -> None:
        weights[velocities.index(model.iv[model.joint_index(joint)].start)] *= factor

    for c in cluster.constraints:
        constraint = model.constraints[c]
        if isinstance(constraint, Coupling):
            weigh(constraint.joints[0], _FOLLOWER)
        elif isinstance(constraint, ExplicitFunction):
            for joint in constraint.joints:
                weigh(joint, _FOLLOWER)
            for joint in constraint.independent:
                weigh(joint, _LEADER)
    return weights


def _pivoted(K: np.ndarray, rank: int) -> list[int]:
    """Columns that span the others: the one farthest from those before it, each time."""
    return PivotedColumns(K, 0.0).order[:rank]


def _check_choice(model, joints, own, chosen, freedom, K, velocities) -> None:
    names = [model.bodies[i].joint.name for i in own]
    if len(chosen) != freedom:
        what = "too many" if len(chosen) > freedom else "too few"
        raise InputError(
            f"the loops of joints {joints} leave {freedom} independent, and {len(chosen)} were named, {what}: {names}"
        )
    dependent = [c for c, n in enumerate(velocities) if n not in chosen]
    if _rank(K[:, dependent]) < len(dependent):
        free = [n for c, n in enumerate(velocities) if c not in _pivoted(K, _rank(K))]
        bodies = [i for i in range(1, model.nbodies) if set(free) & set(range(model.nv)[model.iv[i]])]
        better = [model.bodies[i].joint.name for i in bodies]
        raise InputError(
            f"independent joints {names} depend on one another, so they do not determine the other joints of {joints}; "
            f"{better} would do"
        )


def _joints(model: Model, cluster: Cluster) -> list[str]:
    return [model.bodies[i].joint.name for i in cluster.bodies]


def _constraints(model: Model, cluster: Cluster) -> list[str]:
    return [model.constraints[c].name for c in cluster.constraints]
