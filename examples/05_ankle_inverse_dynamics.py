"""A parallel ankle: the torques of its two motors while the foot pitches and rolls."""

import numpy as np

import linkwright as lw

CRANK, ROD, HALF_WIDTH, LEVER = 0.05, 0.3, 0.06, 0.05
builder = lw.ModelBuilder("ankle")  # a foot on a universal joint, two cranks 0.3 m above it, two rods
sole = lw.Inertia.box(1.0, (0.25, 0.1, 0.03), (0.05, 0, -0.05))
builder.add_body("foot", lw.universal("ankle", (0, 1, 0), second_axis=(1, 0, 0)), inertia=sole)
for side, y in (("left", HALF_WIDTH), ("right", -HALF_WIDTH)):
    arm = lw.Inertia.box(0.1, (0.05, 0.01, 0.01), (-0.025, 0, 0))
    motor = lw.revolute(f"{side}_motor", "y", armature=0.01)
    builder.add_body(f"{side}_crank", motor, placement=(0, y, ROD), inertia=arm)
    builder.add_frame(f"{side}_crank_end", f"{side}_crank", (-CRANK, 0, 0))
    builder.add_frame(f"{side}_heel", "foot", (-LEVER, y, 0))
rods = [lw.rod(f"{s}_crank_end", f"{s}_heel", length=ROD, name=f"{s}_rod") for s in ("left", "right")]
robot = builder.build().with_constraints(*rods)

MOTORS = ["left_motor", "right_motor"]
ankle, motors = lw.MotorMap(robot, "ankle"), lw.MotorMap(robot, MOTORS)
q = robot.neutral()
print("pitch   roll    left motor  right motor   (torques in N m)")
for t in np.linspace(0, 1, 6):
    angles = np.array([0.3 * np.sin(2 * np.pi * t), 0.1 * np.sin(4 * np.pi * t)])
    rates = 2 * np.pi * np.array([0.3 * np.cos(2 * np.pi * t), 0.2 * np.cos(4 * np.pi * t)])
    change = -((2 * np.pi) ** 2) * angles * [1, 4]
    q = ankle.joints_from_motors(angles, q)  # the ankle leads, the motors follow
    v = ankle.velocity(q, rates)
    a = ankle.acceleration(q, v, change)
    tau = lw.inverse_dynamics(robot, q, v, a, MOTORS).tau
    # and back: with these torques the foot accelerates as asked
    applied = motors.joint_torque(q, tau)
    error = np.abs(lw.reference(robot, "lcaba", iterations=5)(q, v, applied).a - a).max()
    print(f"{angles[0]:6.3f} {angles[1]:7.3f} {tau[0]:10.4f} {tau[1]:12.4f}      forward dynamics off by {error:.0e}")
