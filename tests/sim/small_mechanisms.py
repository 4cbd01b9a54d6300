"""Small mechanisms to simulate, and states that close them."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.algorithms.rows.constraint_state import constraint_state
from linkwright.model import Tree


def bar(length):
    return lw.Inertia.box(1.0, (0.05, 0.05, length), (0, 0, length / 2))


def four_bar(crank=0.2, coupler=0.5, rocker=0.4, ground=0.45, **joint):
    """A crank that turns fully, closed by a pin in the plane's two directions."""
    builder = lw.ModelBuilder("four-bar")
    builder.add_body("crank", lw.revolute("crank_joint", "y", **joint), inertia=bar(crank))
    builder.add_body(
        "coupler", lw.revolute("coupler_joint", "y", **joint), parent="crank", placement=(0, 0, crank),
        inertia=bar(coupler),
    )  # fmt: skip
    builder.add_body("rocker", lw.revolute("rocker_joint", "y", **joint), placement=(ground, 0, 0), inertia=bar(rocker))
    builder.add_frame("coupler_end", "coupler", (0, 0, coupler))
    builder.add_frame("rocker_end", "rocker", (0, 0, rocker))
    return builder.build().with_constraints(lw.weld("coupler_end", "rocker_end", directions="x z", name="pin"))


def closed_four_bar(speed=8.0, **options):
    model = four_bar(**options)
    return model, *closed(model, [0.3, 1.0, 0.5], [speed, 0, 0])


def pendulum(**joint):
    builder = lw.ModelBuilder("pendulum")
    inertia = lw.Inertia.box(1.0, (0.05, 0.05, 0.5), (0, 0, -0.25))
    builder.add_body("rod", lw.revolute("pivot", "y", **joint), inertia=inertia)
    return builder.build()


def tumbling_body(gravity=(0.0, 0.0, 0.0)):
    """A brick thrown into the air, spinning about its unstable axis."""
    builder = lw.ModelBuilder("brick", gravity=gravity)
    builder.add_body("brick", lw.free_flyer("base"), inertia=lw.Inertia.box(2.0, (0.1, 0.2, 0.4), (0.02, -0.01, 0.03)))
    return builder.build()


def closed(model, q, v):
    """The state near (q, v) on the constraints, by Newton's method on numbers."""
    tree, q, v = Tree(model), np.array(q, dtype=float), np.array(v, dtype=float)

    def state(v):
        return constraint_state(tree, [np.float64(x) for x in q], [np.float64(x) for x in v])

    def jacobian():
        return np.array([state(unit).velocity for unit in np.eye(model.nv)], dtype=float).T

    for _ in range(60):
        q = model.integrate(q, -np.linalg.lstsq(jacobian(), np.array(state(0 * v).error, dtype=float), rcond=1e-9)[0])
    J = jacobian()
    return q, v - np.linalg.lstsq(J, J @ v, rcond=1e-9)[0]
