"""A crank-rocker: close it, drive its crank through a turn, and let it fall."""

import numpy as np

import linkwright as lw

builder = lw.ModelBuilder("four_bar")  # lengths 0.2, 0.5, 0.4 on a ground link of 0.5 m, in the vertical plane
for name, length, parent, at in (
    ("crank", 0.2, "world", 0.0), ("coupler", 0.5, "crank", 0.2), ("rocker", 0.4, "world", 0.5),
):  # fmt: skip
    inertia = lw.Inertia.box(length, (length, 0.03, 0.03), (length / 2, 0, 0))
    builder.add_body(name, lw.revolute(f"{name}_joint", "-y"), parent=parent, placement=(at, 0, 0), inertia=inertia)
    builder.add_frame(f"{name}_end", name, (length, 0, 0))
pin = lw.close_with("revolute", "coupler_end", "rocker_end", axis="y", name="pin")
linkage = builder.build().with_constraints(pin)

q = lw.project_configuration(linkage, [0.8, 1.0, 1.5], fixed="crank_joint")
print(lw.check_state(linkage, q, np.zeros(3)))

crank = lw.MotorMap(linkage, "crank_joint")
rocker = []
pose = q
for angle in np.linspace(0, 2 * np.pi, 73):
    pose = crank.joints_from_motors([angle], pose)
    rocker.append(pose[2])
print(f"the rocker swings by {np.degrees(np.ptp(rocker)):.2f} degrees while the crank turns round")

trajectory = lw.simulate(linkage, q, dt=1e-3, steps=3000, integrator="rk4")
print(trajectory)
