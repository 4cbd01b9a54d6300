"""A pendulum swings by 90 degrees: its period, against the elliptic integral."""

import numpy as np

import linkwright as lw

builder = lw.ModelBuilder("pendulum")
rod = lw.Inertia.box(1.0, (0.02, 0.02, 1.0), (0, 0, -0.5))  # a metre long, hanging down
builder.add_body("rod", lw.revolute("hinge", "y"), inertia=rod)
robot = builder.build()

trajectory = lw.simulate(robot, [np.pi / 2], [0.0], dt=1e-3, steps=4000, integrator="rk4")
print(trajectory)

# The period from where the rod is at rest again: half of it lies between two zeros of the velocity.
v = trajectory.v[1:, 0]
k = np.flatnonzero(v[:-1] * v[1:] < 0)
zeros = trajectory.t[1 + k] + 1e-3 * v[k] / (v[k] - v[k + 1])
period = 2 * (zeros[1] - zeros[0])

# T = 2 pi sqrt(I / m g l) / agm(1, cos(amplitude / 2)), I about the hinge
inertia = lw.reference(robot, "crba")(np.zeros(1))[0, 0]
a, b = 1.0, np.cos(np.pi / 4)
for _ in range(6):
    a, b = (a + b) / 2, np.sqrt(a * b)
exact = 2 * np.pi * np.sqrt(inertia / (9.81 * 0.5)) / a
print(f"period {period:.6f} s, exact {exact:.6f} s")
