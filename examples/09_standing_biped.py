"""A biped with three closed loops in each leg stands on its soles: loops exact, feet by friction, joints by servos."""

import numpy as np

import linkwright as lw
from linkwright.robots import digit_like

robot = digit_like(standing=False)
soles = [lw.box(f"{side}_foot", (0.24, 0.10, 0.02), at=(0, 0, 0.01), name=f"{side}_sole") for side in ("left", "right")]
robot = robot.with_shapes(*soles).on_ground(friction=0.9, at=(0, 0, -1.0))
print(robot, "with", len(robot.contacts), "points that can touch")

# Servos on all joints but the base: 300 N m/rad holds 45 kg upright, rods and levers follow their loops.
held = lw.PD(kp=300.0, kd=15.0)
run = lw.simulate(robot, dt=1e-3, steps=2000, control=held, record=20, outputs=("contact_force", "active"))
print(run)

weight = sum(body.inertia.mass for body in robot.bodies[1:]) * 9.81
print(f"feet bear {run['contact_force'][-1, :, 0].sum():.1f} N of {weight:.1f} N")
print(f"torso sank by {1000 * (run.q[0, 2] - run.q[-1, 2]):.1f} mm, fastest joint {np.abs(run.v[-1]).max():.1e} rad/s")
print(f"loops closed to {run.worst[0]:.1e} m")
