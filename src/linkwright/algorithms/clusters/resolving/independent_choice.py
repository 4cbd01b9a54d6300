"""Choosing the independent velocities of one cluster, by pivoting at a pose that closes its loops."""

from __future__ import annotations

import numpy as np

from ....errors import InputError, ModelError
from ....fixed_order import product, projected_on_kernel
from ....model import Model
from ....model.clusters import Cluster
from .dead_motions import dead_motions
from .involvement import NumericRows
from .preference import preferred_independent
from .scaled_rows import ScaledRows

_ATTEMPTS = 20
_NEARBY = 0.3  # radians or metres
_DIFFERENCE = 1e-5
# Of the rank tolerance: how far rows that follow from others may be open.
_OPEN_SHARE = 0.1


def choose_independent(
    model: Model, cluster: Cluster, rows: NumericRows, drawn: np.ndarray, named: set[int], scaled: ScaledRows
) -> tuple[np.ndarray, tuple[int, ...]]:
    """(the drawn configuration with this cluster's loops closed, its independent velocities)."""
    drawn = closed_configuration(model, cluster, rows, drawn, scaled)
    drawn, rank, elsewhere = _generic(rows, drawn, scaled)
    if not _integrable(rows, elsewhere):
        raise ModelError(
            f"constraints {_constraints(model, cluster)} say how joints {_joints(model, cluster)} may move but not "
            f"where they are (some directions of a weld without the others do so), so they cannot be embedded; close "
            f"the loop with a joint, or use 'lcaba'"
        )
    K, _ = rows(drawn)
    velocities = rows.velocities
    freedom = len(velocities) - rank
    joints, constraints = _joints(model, cluster), _constraints(model, cluster)
    if rows.joint_rows > scaled.plain_rank(K[: rows.joint_rows]):
        raise ModelError(
            f"couplings {constraints} go round in a circle: one of them follows from the others on joints {joints}; "
            f"remove one"
        )
    if not freedom:
        raise ModelError(
            f"constraints {constraints} leave joints {joints} no motion at all (over-determined); remove one, or all "
            f"of them and lock the joints"
        )
    if not rows.constant and dead_motions(
        rows, drawn, lambda q: _closed(rows, q, scaled), lambda q: _nearly_closed(rows, q, scaled),
        lambda q: scaled.rank(rows, rows(q)[0]),
    ):  # fmt: skip
        raise ModelError(
            f"constraints {constraints} close at singular poses only: there joints {joints} have {freedom} "
            f"velocit{'y' if freedom == 1 else 'ies'}, not all of which are of a motion (bars that just reach from pin "
            f"to pin, for one); check lengths and frames, remove one, or all of them and lock the joints"
        )
    own = [i for i in cluster.bodies if i in named]
    if own:
        chosen = [n for i in own for n in range(model.iv[i].start, model.iv[i].stop)]
        _check_choice(model, cluster, own, chosen, rank, K, rows, scaled)
    else:
        columns = preferred_independent(model, rows.tree, cluster, scaled.by_rows(rows, K), velocities, rank)
        chosen = [velocities[c] for c in columns]
    return drawn, tuple(chosen)


def closed_configuration(
    model: Model, cluster: Cluster, rows: NumericRows, drawn: np.ndarray, scaled: ScaledRows
) -> np.ndarray:
    """The drawn configuration, or else a random configuration, moved until the cluster's loops close."""
    rng = np.random.default_rng(0)
    coordinates = [n for i in cluster.bodies for n in range(model.iq[i].start, model.iq[i].stop)]
    for attempt in range(_ATTEMPTS):
        start = drawn.copy()
        if attempt:
            start[coordinates] = model.random_configuration(rng)[coordinates]
        found = _closed(rows, start, scaled)
        if found is not None:
            return found
    _, error = rows(drawn)
    raise ModelError(
        f"the loop of joints {_joints(model, cluster)} cannot be closed: constraints {_constraints(model, cluster)} "
        f"are off by {np.abs(error).max():.3g} where the search began, and no configuration was found that meets them; "
        f"check their frames and lengths, or give a pose=... near a closed one"
    )


def _closed(rows: NumericRows, q: np.ndarray, scaled: ScaledRows) -> np.ndarray | None:
    """As far as every digit allows; else as far as directions that count allow."""
    exactly = rows.closed(q)
    return exactly if exactly is not None else _nearly_closed(rows, q, scaled)


def _nearly_closed(rows: NumericRows, q: np.ndarray, scaled: ScaledRows) -> np.ndarray | None:
    tolerance = scaled.tolerance(rows)
    return rows.closed(q, rank_tolerance=tolerance, allowed=_OPEN_SHARE * tolerance)


def _generic(rows: NumericRows, drawn: np.ndarray, scaled: ScaledRows) -> tuple[np.ndarray, int, np.ndarray]:
    """The drawn one unless it is singular; then a closed configuration nearby. The rank of K there, and another one."""
    rng = np.random.default_rng(1)
    best, rank, elsewhere = drawn, scaled.rank(rows, rows(drawn)[0]), drawn
    for _ in range(0 if rows.constant else 2):
        K, _ = rows(best)
        if rank == K.shape[1]:
            break
        step = projected_on_kernel(K, np.asarray(rng.normal(size=K.shape[1])), scaled.tolerance(rows))
        nearby = _closed(rows, rows.moved(drawn, step * (_NEARBY / max(np.abs(step).max(), 1e-12))), scaled)
        if nearby is not None:
            elsewhere = nearby
            found = scaled.rank(rows, rows(nearby)[0])
            if found > rank:
                best, rank = nearby, found
    return best, rank, elsewhere


def _integrable(rows: NumericRows, q: np.ndarray) -> bool:
    """Whether K is the derivative of the errors, by differences."""
    if not rows.has_frames:
        return True
    K, _ = rows(q)
    step = np.asarray(np.random.default_rng(2).uniform(0.5, 1.0, K.shape[1])) * _DIFFERENCE
    up, down = (rows.errors(rows.moved(q, s)) for s in (step, -step))
    return bool(np.abs((up - down) / 2 - product(K, step)).max() < 1e-3 * _DIFFERENCE * max(1.0, np.abs(K).max()))


def _check_choice(model, cluster, own, chosen, rank, K, rows: NumericRows, scaled: ScaledRows) -> None:
    names = [model.bodies[i].joint.name for i in own]
    joints, velocities = _joints(model, cluster), rows.velocities
    freedom = len(velocities) - rank
    if len(chosen) != freedom:
        what = "too many" if len(chosen) > freedom else "too few"
        raise InputError(
            f"the loops of joints {joints} leave {freedom} independent, and {len(chosen)} were named, {what}: {names}"
        )
    without = K.copy()
    without[:, [velocities.index(n) for n in chosen]] = 0.0
    if scaled.rank(rows, without) < rank:
        columns = preferred_independent(model, rows.tree, cluster, scaled.by_rows(rows, K), velocities, rank)
        free = {velocities[c] for c in columns}
        bodies = [i for i in cluster.bodies if free & set(range(model.iv[i].start, model.iv[i].stop))]
        better = [model.bodies[i].joint.name for i in bodies]
        raise InputError(
            f"independent joints {names} depend on one another, so they do not determine the other joints of {joints}; "
            f"{better} would do"
        )


def _joints(model: Model, cluster: Cluster) -> list[str]:
    return [model.bodies[i].joint.name for i in cluster.bodies]


def _constraints(model: Model, cluster: Cluster) -> list[str]:
    return [model.constraints[c].name for c in cluster.constraints]
