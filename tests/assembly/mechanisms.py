"""Planar linkages with their closed forms, and random graphs that are closed at a known pose."""

import numpy as np

import linkwright as lw
from linkwright.robots.random import random_tree

CRANK_ROCKER = (0.2, 0.5, 0.4, 0.5)  # crank, coupler, rocker, ground: the crank turns fully
PARALLELOGRAM = (0.3, 0.5, 0.3, 0.5)
DOUBLE_ROCKER = (0.5, 0.2, 0.4, 0.5)  # no link turns fully
FIVE_BAR = (0.25, 0.4, 0.4, 0.25, 0.3)


def bar(length):
    return lw.Inertia.box(1.0, (length, 0.03, 0.03), (length / 2, 0, 0))


def four_bar(lengths=CRANK_ROCKER, closure="revolute", **properties):
    """All links along x at q = 0; the crank at the origin, the rocker on the ground link's other end."""
    a, b, c, d = lengths
    builder = lw.ModelBuilder("four_bar")
    builder.add_body("crank", lw.revolute("crank_joint", "z", **properties), inertia=bar(a))
    builder.add_body("coupler", lw.revolute("coupler_joint", "z"), parent="crank", placement=(a, 0, 0), inertia=bar(b))
    builder.add_body("rocker", lw.revolute("rocker_joint", "z"), placement=(d, 0, 0), inertia=bar(c))
    builder.add_frame("coupler_end", "coupler", (b, 0, 0))
    builder.add_frame("coupler_middle", "coupler", (b / 2, 0.1, 0))
    builder.add_frame("rocker_end", "rocker", (c, 0, 0))
    rows = {"directions": "x y"}
    pin = (
        lw.weld("coupler_end", "rocker_end", name="pin", **rows) if closure == "planar"
        else lw.close_with(closure, "coupler_end", "rocker_end", name="pin")
    )  # fmt: skip
    return builder.build().with_constraints(pin)


def circles(P, r, Q, s, side=1.0):
    """Where circles about P and Q of radii r and s meet, left of the way from P to Q for side = 1."""
    way = Q - P
    distance = np.hypot(*way)
    along = (r * r - s * s + distance**2) / (2 * distance)
    u = way / distance
    return P + u * along + side * np.sqrt(r * r - along**2) * np.array([-u[1], u[0]])


def angle(way):
    return np.arctan2(way[1], way[0])


def four_bar_pose(crank, lengths=CRANK_ROCKER, side=1.0):
    a, b, c, d = lengths
    A, D = a * np.array([np.cos(crank), np.sin(crank)]), np.array([d, 0.0])
    C = circles(A, b, D, c, side)
    return np.array([crank, angle(C - A) - crank, angle(C - D)])


def five_bar(lengths=FIVE_BAR):
    """Two driven arms on the ground, their forearms pinned together: mobility 2."""
    a, b, c, d, e = lengths
    builder = lw.ModelBuilder("five_bar")
    builder.add_body("left", lw.revolute("left_motor", "z"), inertia=bar(a))
    builder.add_body("left_forearm", lw.revolute("left_elbow", "z"), parent="left", placement=(a, 0, 0), inertia=bar(b))
    builder.add_body("right", lw.revolute("right_motor", "z"), placement=(e, 0, 0), inertia=bar(d))
    builder.add_body(
        "right_forearm", lw.revolute("right_elbow", "z"), parent="right", placement=(d, 0, 0), inertia=bar(c)
    )
    builder.add_frame("tip", "left_forearm", (b, 0, 0))
    builder.add_frame("other_tip", "right_forearm", (c, 0, 0))
    return builder.build().with_constraints(lw.close_with("revolute", "tip", "other_tip", name="pin"))


def five_bar_pose(left, right, lengths=FIVE_BAR, side=1.0):
    """(q, position of the tip)."""
    a, b, c, d, e = lengths
    A = a * np.array([np.cos(left), np.sin(left)])
    B = np.array([e, 0.0]) + d * np.array([np.cos(right), np.sin(right)])
    C = circles(A, b, B, c, side)
    return np.array([left, angle(C - A) - left, right, angle(C - B) - right]), C


def wrapped(angles):
    return (np.asarray(angles) + np.pi) % (2 * np.pi) - np.pi


KINDS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "translational", "fixed", "rod",
         "coupling")  # fmt: skip


def random_closed_graph(seed):
    """(model, q): a random tree with one to three closures, of every kind over the seeds, all met at q."""
    rng = np.random.default_rng([5, seed])
    tree = random_tree(seed, 6 + seed % 6, branching=0.7, frames=6, floating_base=seed % 2 == 0, armature=True)
    q = tree.random_configuration(rng)
    names = [body.name for body in tree.bodies[1:]] + [f for f in tree.frames if tree.frames[f].body]
    single = [joint.name for joint in tree.joints if joint.nv == 1]
    constraints = []
    for k in range(1 + seed % 3):
        kind = KINDS[(seed + 3 * k) % len(KINDS)]
        if kind == "coupling":
            if len(single) > 1:
                x, y = (q[tree.iq[tree.joint_index(name)]][0] for name in single[:2])
                constraints.append(lw.couple(single[0], single[1], [x - 1.5 * y - 0.2 * y**2, 1.5, 0.2], name=f"c{k}"))
            continue
        one, two = (str(x) for x in rng.choice(names, 2, replace=False))
        if tree.frame(one).body == tree.frame(two).body:
            two = "world"
        constraints.append(_met_at(tree, q, kind, one, two, f"c{k}"))
    return tree.with_constraints(*constraints), q


def _met_at(tree, q, kind, one, two, name):
    pose = lw.reference(tree, "forward_kinematics", frames=[one, two])(q)
    (R1, R2), (p1, p2) = pose.rotations, pose.positions
    if kind == "rod":
        return lw.rod(one, two, length=float(np.linalg.norm(p1 - p2)), name=name)
    return lw.close_with(kind, one, two, name=name, at=lw.Pose(R2.T @ R1, R2.T @ (p1 - p2)))


ANKLE_MOTORS, ANKLE_JOINT = ("left_motor", "right_motor"), "ankle"
CRANK, ROD, HALF_WIDTH, HEIGHT, LEVER = 0.05, 0.3, 0.06, 0.3, 0.05


def ankle(floating=False):
    """A foot on a universal joint, turned by two cranks behind the shank and two rods."""
    builder = lw.ModelBuilder("ankle")
    base = "world"
    if floating:
        base = builder.add_body("shank", lw.free_flyer("root_joint"), inertia=lw.Inertia.box(2.0, (0.1, 0.1, 0.4)))
    box = lw.Inertia.box(1.0, (0.25, 0.1, 0.03), (0.05, 0, -0.05))
    builder.add_body("foot", lw.universal("ankle", (0, 1, 0), second_axis=(1, 0, 0)), parent=base, inertia=box)
    for name, y in (("left", HALF_WIDTH), ("right", -HALF_WIDTH)):
        builder.add_body(
            f"{name}_crank", lw.revolute(f"{name}_motor", "y", armature=0.01), parent=base, placement=(0, y, HEIGHT),
            inertia=lw.Inertia.box(0.1, (0.05, 0.01, 0.01), (-0.025, 0, 0)),
        )  # fmt: skip
        builder.add_frame(f"{name}_crank_end", f"{name}_crank", (-CRANK, 0, 0))
        builder.add_frame(f"{name}_heel", "foot", (-LEVER, y, 0))
    rods = [lw.rod(f"{n}_crank_end", f"{n}_heel", length=ROD, name=f"{n}_rod") for n in ("left", "right")]
    return builder.build().with_constraints(*rods)


def ankle_motors(pitch, roll):
    """Motor angles for a foot's pitch and roll: |crank end - heel| = ROD, which is A cos t + B sin t = C."""
    turned = lw.reference(ankle(), "forward_kinematics", frames=["left_heel", "right_heel"])(
        np.array([pitch, roll, 0.0, 0.0])
    )
    found = []
    for y, heel in zip((HALF_WIDTH, -HALF_WIDTH), turned.positions, strict=True):
        x, _, z = way = heel - [0, y, HEIGHT]  # the crank's end is at (-CRANK cos t, 0, CRANK sin t) from its axis
        A, B = -2 * CRANK * x, 2 * CRANK * z
        C = CRANK**2 + way @ way - ROD**2
        # the smaller of the two solutions
        middle, half = np.arctan2(B, A), np.arccos(C / np.hypot(A, B))
        found.append(min((wrapped(middle + half), wrapped(middle - half)), key=abs))
    return np.array(found)
