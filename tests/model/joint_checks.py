"""What a kind of joint says of itself, compared with what its own transform does.

Everything follows from `transform` and `integrate`: velocities move the child as its subspace says, rates, differences
and straight motions belong to `integrate`, and what is declared (lengths, hinges, what stays in place) is seen in the
child's pose. Each check is one statement; a number that is wrong anywhere breaks one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from linkwright.model.joints import JointMotion
from linkwright.spatial import Vector

H = 1e-5  # of central differences
CLOSE = 1e-8  # what they leave, at velocities of about one
EXACT = 1e-12
CENTRE = np.array([0.3, -0.2, 0.5])


def pose(motion: JointMotion, q) -> np.ndarray:
    """(4, 4), from the child's coordinates to the parent's."""
    X, result = motion.transform(list(q)), np.eye(4)
    result[:3, 3] = list(X.locate(Vector.zero()))
    for k in range(3):
        result[:3, k] = list(X.rotate_back(Vector.unit(k)))
    return result


def moved(motion: JointMotion, q, v) -> np.ndarray:
    return np.array(motion.integrate(list(q), list(v)), dtype=float)


def rate(function: Callable, motion: JointMotion, q, v) -> np.ndarray:
    """The derivative of function(q) along `integrate`."""
    v = np.asarray(v)
    return (np.asarray(function(moved(motion, q, H * v))) - np.asarray(function(moved(motion, q, -H * v)))) / (2 * H)


def columns(motion: JointMotion, q) -> np.ndarray:
    """(6, nv), angular first."""
    S = motion.subspace(list(q))
    return np.array([list(S @ unit) for unit in np.eye(motion.nv).tolist()], dtype=float).T


def velocity(motion: JointMotion, q, v) -> np.ndarray:
    """[angular; linear] of the child in its own axes, by differences of its pose."""
    here, change = pose(motion, q), rate(lambda x: pose(motion, x), motion, q, v)
    W = here[:3, :3].T @ change[:3, :3]
    return np.array([W[2, 1], W[0, 2], W[1, 0], *(here[:3, :3].T @ change[:3, 3])])


def close(found, wanted, within=CLOSE) -> None:
    found, wanted = np.broadcast_arrays(np.asarray(found, dtype=float), np.asarray(wanted, dtype=float))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=within)


def check_shapes(motion, rng):
    assert len(motion.neutral()) == motion.nq
    lower, upper = np.full(motion.nq, -0.5), np.full(motion.nq, 0.7)
    for bounds in ((lower, upper), (np.full(motion.nq, -np.inf), np.full(motion.nq, np.inf))):
        q = np.array([motion.random(rng, *bounds) for _ in range(50)])
        assert q.shape == (50, motion.nq) and np.isfinite(q).all()
        plain = q[:, : motion.nq - 4 * motion.has_quaternion]
        assert (plain >= np.maximum(bounds[0][: plain.shape[1]], -np.pi)).all()
        assert (plain <= np.minimum(bounds[1][: plain.shape[1]], np.pi)).all()
        assert plain.size == 0 or np.ptp(plain, axis=0).min() > 0.5
        if motion.has_quaternion:
            close(np.linalg.norm(q[:, -4:], axis=1), 1.0, EXACT)
            assert np.ptp(q[:, -4:], axis=0).min() > 0.5
    close(pose(motion, motion.neutral()), np.eye(4), EXACT)
    (q, v), (other, _) = state(motion, rng), state(motion, rng)
    assert len(moved(motion, q, v)) == len(motion.coordinate_rates(list(q), list(v))) == motion.nq
    assert len(motion.difference(list(q), list(other))) == len(motion.lacking(list(v))) == motion.nv
    close(np.linalg.norm(motion.neutral()), 1.0 if motion.has_quaternion else 0.0, EXACT)
    for end, reach in ((Ends(0), -1.0), (Ends(1), 1.0)):  # as far as it draws where there are no limits
        found = motion.random(end, np.full(motion.nq, -np.inf), np.full(motion.nq, np.inf))
        close(found[: motion.nq - 4 * motion.has_quaternion], reach * (1.0 if motion.is_free else np.pi), EXACT)


class Ends:
    """Draws one end of every range."""

    def __init__(self, which: int):
        self.which = which

    def uniform(self, low: float, high: float) -> float:
        return (low, high)[self.which]

    def normal(self, size: int) -> np.ndarray:
        return np.ones(size)


def check_its_transform_is_rigid(motion, rng):
    R = pose(motion, state(motion, rng)[0])[:3, :3]
    close(R @ R.T, np.eye(3), EXACT)
    assert abs(np.linalg.det(R) - 1.0) < EXACT


def check_its_subspace_is_how_its_transform_moves(motion, rng):
    q, v = state(motion, rng)
    close(columns(motion, q) @ v, velocity(motion, q, v))


def check_its_subspace_rate_is_how_its_subspace_moves(motion, rng):
    q, v = state(motion, rng)
    change, said = rate(lambda x: columns(motion, x), motion, q, v), motion.subspace_rate(list(q), list(v))
    found = np.zeros((6, motion.nv)) if said is None else np.array([list(said @ u) for u in np.eye(motion.nv)]).T
    close(found, change)
    assert motion.has_constant_subspace == (said is None)


def check_its_rates_are_how_it_integrates(motion, rng):
    q, v = state(motion, rng)
    close(motion.coordinate_rates(list(q), list(v)), rate(lambda x: x, motion, q, v))
    assert motion.velocity_is_rate == np.allclose(motion.coordinate_rates(list(q), list(v))[: motion.nv], v, atol=1e-6)


def check_velocities_are_those_of_its_rates(motion, rng):
    q, v = state(motion, rng)
    close(motion.velocities_of(list(q), motion.coordinate_rates(list(q), list(v))), v, EXACT)


def check_it_integrates_and_differs_alike(motion, rng):
    (q, v), (other, _) = state(motion, rng), state(motion, rng)
    for step in (v, 0.1 * v, 1e-5 * v, 0.0 * v):
        close(motion.difference(list(q), list(moved(motion, q, step))), step, 1e-10)
    close(pose(motion, moved(motion, q, motion.difference(list(q), list(other)))), pose(motion, other), 1e-10)
    halves = moved(motion, moved(motion, q, 0.5 * v), 0.5 * v)  # at a constant velocity
    if motion.has_constant_subspace:
        close(pose(motion, halves), pose(motion, moved(motion, q, v)), 1e-10)
    if motion.has_quaternion:
        long = np.array(q)
        long[-4:] *= 1.1
        close(np.linalg.norm(moved(motion, long, v)[-4:]), 1.0, EXACT)


def check_what_its_velocities_lack_turns_with_the_child(motion, rng):
    """v moves along axes that turn: with v constant the child's origin accelerates by w x v."""
    q, v = state(motion, rng)
    S = columns(motion, q)
    turning = S[3:, : motion.in_turning_axes]
    if not motion.in_turning_axes:
        close(motion.lacking(list(v)), np.zeros(motion.nv), EXACT)
        return
    close(turning @ turning.T @ turning, turning, EXACT)
    w, u = S[:3] @ v, S[3:] @ v
    wanted = np.zeros(motion.nv)
    wanted[: motion.in_turning_axes] = turning.T @ np.cross(w, u)
    close(motion.lacking(list(v)), wanted, EXACT)
    at = lambda t: pose(motion, moved(motion, q, t * v))[:3, 3]  # noqa: E731
    h = 1e-3
    acceleration = (at(h) - 2 * at(0.0) + at(-h)) / h**2
    close(pose(motion, q)[:3, :3].T @ acceleration, np.cross(w, u), 1e-5)


def check_straight_motion(motion, rng):
    """u is how fast the centre moves along the parent's axes, and how the child turns."""
    (q, v), a = state(motion, rng), rng.normal(size=motion.nv)
    centre = CENTRE
    straight = motion.straight(motion, Vector.of(centre.tolist()))
    u = np.array(straight.of(list(q), list(v)))
    close(straight.velocities(list(q), u.tolist()), v, EXACT)
    change = rate(lambda x: straight.of(list(x), list(v)), motion, q, v) + straight.of(list(q), list(a))
    close(straight.rate(list(q), list(v), list(a)), change)
    if straight.needs_centre:
        where = lambda x: (pose(motion, x) @ [*centre, 1.0])[:3]  # noqa: E731
        lengths = motion.leading_lengths
        close(u[:lengths], rate(where, motion, q, v)[:lengths])
        close(u[lengths:], v[lengths:], EXACT)
    else:
        close(u, v, EXACT)
    displacement = 0.02 * rng.normal(size=motion.nv)
    there = straight.moved(list(q), displacement.tolist())
    v = np.array(straight.velocities(there, u.tolist()))
    way = np.array(straight.displacement_rate(displacement.tolist(), u.tolist()))
    ahead, behind = (straight.moved(list(q), (displacement + h * way).tolist()) for h in (H, -H))
    found = (np.array(ahead) - np.array(behind)) / (2 * H)
    close(found, motion.coordinate_rates(there, v.tolist()), 1e-6)
    if motion.has_quaternion:
        close(np.linalg.norm(there[-4:]), 1.0, EXACT)


def check_declarations(motion, rng):
    q, _ = state(motion, rng)
    S, here, kind = columns(motion, q), pose(motion, q), motion
    turning = [k for k in range(kind.nv) if np.abs(S[:3, k]).max() > EXACT]
    assert list(kind.turning_velocities) == turning
    assert kind.slides == (kind.nv == 1 and not turning)
    assert kind.turns == (kind.nv == 1 and bool(turning) and np.abs(S[3:]).max() < EXACT)
    assert kind.is_free == (np.linalg.matrix_rank(S) == 6)
    if kind.slides or kind.turns:
        axis = S[3:, 0] if kind.slides else S[:3, 0]
        close(axis, np.eye(3)[kind.k], EXACT)
    if kind.endless:
        close(pose(kind, q + 2 * np.pi), here, 1e-10)
        close(kind.difference(list(q), list(q + 2 * np.pi)), [0.0], 1e-10)
    leading = 0
    while leading < len(q):
        change = pose(kind, q + np.eye(len(q))[leading]) - here
        if np.abs(change[:, :3]).max() > EXACT or abs(np.linalg.norm(change[:3, 3]) - 1) > EXACT:
            break
        leading += 1
    assert kind.leading_lengths == leading
    sliding = [np.abs(S[:3, k]).max() < EXACT for k in range(kind.nv)]
    assert kind.in_turning_axes == (0 if all(sliding) else [*sliding, False].index(False))
    if kind.leading_lengths > 1:
        close(here[: kind.leading_lengths, 3], q[: kind.leading_lengths], EXACT)
    elif kind.leading_lengths:
        close(here[:3, 3], q[0] * np.eye(3)[kind.k], EXACT)
    for t in range(kind.vectors):
        block = S[:, 3 * t : 3 * t + 3]
        assert np.allclose(block[:3], np.eye(3)) != np.allclose(block[3:], np.eye(3))
    assert kind.vectors == (sum(kind.has_quaternion * [1]) + kind.is_free)
    other = type(kind)(kind.k, kind.pitch + 0.5)
    assert kind.has_pitch == (not np.allclose(pose(other, q), here))
    turned = [type(kind)(k, kind.pitch) for k in range(3)]
    depends = not np.allclose(pose(turned[0], q), pose(turned[1], q)) or not np.allclose(
        pose(turned[1], q), pose(turned[2], q)
    )
    assert depends == (kind.has_axis)
    if kind.slides_freely:  # the frame may slide along the axis, and turn about it
        shift, turn, axis = np.eye(4), np.eye(4), np.eye(3)[kind.k]
        shift[:3, 3] = 0.7 * axis
        turn[:3, :3] = rotation(axis, 0.4)
        for way in (shift, turn):
            close(way @ here @ np.linalg.inv(way), here, EXACT)


def check_what_it_leaves_in_place(motion, rng):
    """Mass that does not move, whatever the joint does, may belong to either body."""
    q, v = state(motion, rng)
    w, u = np.split(columns(motion, q) @ v, 2)
    if motion.leaves_in_place == "axis":
        close(u + np.cross(w, 0.6 * np.eye(3)[motion.k]), np.zeros(3), EXACT)
    if motion.leaves_in_place == "centre":
        close(u, np.zeros(3), EXACT)
    if motion.leaves_in_place == "turning":
        close(w, np.zeros(3), EXACT)


def check_the_rows_that_close_a_loop_by_it(motion, rng):
    """They are met by what it does, and hold all else: as many as it leaves out of six."""
    if motion.held is None:
        assert not motion.holds_point
        return
    q, _ = state(motion, rng)
    axis = np.eye(3)[2 if motion.kind == "planar" else motion.k]
    across = np.eye(3)[[k for k in range(3) if not axis[k]]]
    chosen = {"all": np.eye(3), "none": np.zeros((0, 3)), "along": axis[None], "across": across}
    linear, angular = (chosen[which] for which in motion.held)
    S = columns(motion, q)
    crossed = motion.aligned_with == "both_axes"
    assert len(linear) + len(angular) + crossed == 6 - motion.nv
    close(linear @ S[3:], np.zeros((len(linear), motion.nv)), EXACT)
    close(angular @ S[:3], np.zeros((len(angular), motion.nv)), EXACT)
    if crossed:
        first, second = pose(motion, q)[:3, :3].T @ np.eye(3)[0], np.eye(3)[1]
        assert abs(first @ second) < EXACT
    if motion.holds_point:
        assert motion.held == ("all", "none") and np.abs(S[3:]).max() < EXACT


def check_how_it_is_turned_round(motion, rng):
    """From its child it is a joint of the same kind, with coordinates that follow from its own."""
    q, _ = state(motion, rng)
    back = np.linalg.inv(pose(motion, q))
    if motion.turned_round == "axis":  # the axis the other way is the coordinates the other way
        close(pose(motion, -q), back, EXACT)
    if motion.turned_round == "sign":
        close(pose(motion, -q), back, EXACT)
    if motion.turned_round == "both_axes":
        first, second = (rotation(axis, -angle) for axis, angle in zip(np.eye(3)[[0, 1]], q, strict=True))
        close(second @ first, back[:3, :3], EXACT)
    if motion.turned_round == "uniform":
        close(pose(motion, q * [-1, -1, -1, 1]), back, EXACT)


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def state(motion: JointMotion, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    bounds = np.full(motion.nq, np.inf)
    return np.array(motion.random(rng, -bounds, bounds)), rng.uniform(0.3, 1.0, motion.nv) * rng.choice(
        [-1.0, 1.0], motion.nv
    )


CHECKS = [check for name, check in sorted(globals().items()) if name.startswith("check_")]


def instances(kind: type[JointMotion]) -> Iterator[JointMotion]:
    for k in range(3) if kind.has_axis else (2,):
        yield kind(k, 0.2 if kind.has_pitch else 0.0)


def check_joint(kind: type[JointMotion], seed: int = 0) -> None:
    """All of it, at states of a few."""
    for motion in instances(kind):
        for number, check in enumerate(CHECKS):
            check(motion, np.random.default_rng([seed, number]))
