"""What the six legs of a Stewart platform must push to hold it, and to lift it."""

import numpy as np

import linkwright as lw

robot = lw.load("stewart_platform")
pistons = [f"piston{k}_joint" for k in range(1, 7)]
q, still = robot.neutral(), np.zeros(robot.nv)

held = lw.inverse_dynamics(robot, q, still, still, pistons)
print("to hold it   ", np.round(held.tau, 3), "N")

# All six pistons lengthen at once, by 5 m/s^2: the legs push more.
motors = lw.MotorMap(robot, pistons)
a = motors.acceleration(q, still, np.full(6, 5.0))
lifted = lw.inverse_dynamics(robot, q, still, a, pistons)
print("to lift it   ", np.round(lifted.tau, 3), "N")

# Virtual power: what the legs push in any motion is what weight takes out of it.
E = motors.matrix(q)
weight = lw.reference(robot.without_constraints(), "rnea")  # of the tree, without its loops
print("virtual power off by", f"{np.abs(held.tau - E.T @ weight(q, still, still)).max():.1e}", "N")

for k in (1, 2):
    print(f"force of the platform on leg {k}", np.round(held.forces[f"leg{k}_end"][:3], 3), "N")
