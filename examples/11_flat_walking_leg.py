"""Link lengths of Jansen's leg, changed until its foot moves along a flatter line: gradients through closed loops."""

import numpy as np

import linkwright as lw

robot = lw.load("jansen_leg")
own = lw.default_parameters(robot, ("placements", "constraint_placements"))
names, turns = tuple(own), 2 * np.pi * np.arange(48) / 48
# The loops c(q, p) = 0, the foot's place f(q, p), and their slopes, all with lengths p as inputs of the call.
loops = lw.compile(robot, "constraint_error", parameters=names)
foot = lw.compile(robot, "forward_kinematics", frames=["foot"], outputs="positions", parameters=names)
loop_slopes = lw.jacobian(robot, "constraint_error", wrt=("q", *names))
foot_slopes = lw.jacobian(robot, "forward_kinematics", of="positions", frames=["foot"], wrt=("q", *names))

# A factor for every coordinate in the plane that says where on a link a joint or a closure sits; the ground stays.
moving = [(0, i, k) for i in range(2, robot.nbodies) if robot.graph.parent[i] for k in (0, 2)]
moving += [(1, i, k) for i in range(len(own["constraint_placements"])) for k in (0, 2)]


def lengths(s):
    p = [own[name].copy() for name in names]
    for factor, (which, i, k) in zip(s, moving, strict=True):
        p[which][i, k] *= factor
    return p


def closed(q, p):
    """The crank at its angles, loops closed by Newton's method for the lengths p."""
    for _ in range(20):
        J = loop_slopes(q, *p).derror_dq[..., 1:]  # all joints but the crank
        q = np.column_stack([q[:, 0], q[:, 1:] - np.einsum("bij,bj->bi", np.linalg.pinv(J), loops(q, *p))])
    return q


def path(q, s):
    """The foot's places (48, 3), and their slopes (48, 3, factors) with loops closed: dq = -(dc/dq)^+ dc/dp."""
    p = lengths(s)
    c, f = loop_slopes(q, *p), foot_slopes(q, *p)
    columns = []
    for which, i, k in moving:
        name = names[which]
        dc, df = c[f"derror_d{name}"][:, :, i, k], f[f"dpositions_d{name}"][:, 0, :, i, k]
        dq = -np.einsum("bij,bj->bi", np.linalg.pinv(c.derror_dq[..., 1:]), dc)
        columns.append((df + np.einsum("bij,bj->bi", f.dpositions_dq[:, 0, :, 1:], dq)) * own[name][i, k])
    return foot(q, *p)[:, 0], np.stack(columns, axis=-1)


s, q = np.ones(len(moving)), np.array([robot.drawn] * 48)
for k in range(1, 48):  # round the crank, each pose from the last
    q[k] = closed(np.append(turns[k], q[k - 1, 1:])[None], lengths(s))[0]
before, _ = path(q, s)
stance = np.argsort(before[:, 2])[:20]  # where the foot is low: there it should move along a line, elsewhere as it did
worth = np.where(np.isin(np.arange(48), stance)[:, None], (0.3, 0, 10.0), (0.1, 0, 0.3))
wanted = (before - before[stance].mean(axis=0)) * np.where(np.isin(np.arange(48), stance)[:, None], (1, 1, 0), 1)


def errors(q, s):
    """Where the foot is seen from the middle of its step, and a little that keeps lengths as they were."""
    places, slopes = path(q, s)
    off = worth * (places - places[stance].mean(axis=0) - wanted)
    turned = worth[..., None] * (slopes - slopes[stance].mean(axis=0))
    return np.append(off, 0.01 * (s - 1)), np.vstack([turned.reshape(-1, len(s)), 0.01 * np.eye(len(s))])


(r, J), damping = errors(q, s), 1.0
for _ in range(40):  # Levenberg and Marquardt: a step is taken if it helps, and if the leg can still be turned
    ds = np.linalg.solve(J.T @ J + damping * np.eye(len(s)), -J.T @ r)
    q_new = closed(q, lengths(s + ds))
    found = errors(q_new, s + ds)
    better = np.linalg.norm(found[0]) < np.linalg.norm(r) and np.abs(loops(q_new, *lengths(s + ds))).max() < 1e-9
    if better:
        q, s, (r, J) = q_new, s + ds, found
    damping *= 0.3 if better else 5.0
after, _ = path(q, s)
for what, k, where in (("unevenness on the ground", 2, stance), ("stride", 0, stance), ("lift", 2, slice(None))):
    print(f"{what}: {1000 * np.ptp(before[where, k]):.2f} mm before, {1000 * np.ptp(after[where, k]):.2f} mm after")
moved = max(np.abs(new - own[name]).max() for name, new in zip(names, lengths(s), strict=True))
print(f"loops closed to {np.abs(loops(q, *lengths(s))).max():.1e} m, joints moved by {1000 * moved:.0f} mm at most")
