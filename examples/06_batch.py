"""Ten thousand states of a looped leg in one call, on all cores."""

import time

import numpy as np

import linkwright as lw

BATCH = 10_000
robot = lw.load("jansen_leg")
dynamics = lw.compile(robot, "lcaba", threads="all")

# Closed poses and velocities: moments of a motion in which a servo turns the crank at 3 rad/s.
speed = np.zeros(robot.nv)
speed[robot.iv[robot.joint_index("crank_joint")]] = 3.0
servo = lw.PD(kp=0.0, kd={"crank_joint": 5.0}, v=speed)
motion = lw.simulate(robot, dt=1e-3, steps=BATCH, control=servo)
q, v = motion.q[1:], motion.v[1:]
tau = np.random.default_rng(0).normal(size=(BATCH, robot.nv))

solution = dynamics(q, v, tau)
start = time.perf_counter()
solution = dynamics(q, v, tau)
seconds = time.perf_counter() - start
print(f"{BATCH} states, {robot.nv} joints, {robot.nc} constraint rows: {seconds * 1e3:.1f} ms")
print(f"accelerations {solution.a.shape}, largest residual {solution.residual.max():.1e}")

# One alone has the same bits as in the batch.
alone = dynamics(q[77], v[77], tau[77])
print("a sample alone gives the same:", bool(np.array_equal(alone.a, solution.a[77])))
expected = lw.reference(robot, "lcaba")(q[77], v[77], tau[77])
print("and what the reference gives:", bool(np.allclose(expected.a, alone.a)))
