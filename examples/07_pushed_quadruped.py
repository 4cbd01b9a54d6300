"""A quadruped stands on the ground, held by its servos, and is pushed: friction holds its feet, or it slides."""

import numpy as np

import linkwright as lw

LEGS = ("FL", "FR", "RL", "RR")
feet = [lw.sphere(f"{leg}_foot", 0.02, name=f"{leg}_ball") for leg in LEGS]
CROUCHED = {"hip": 0.0, "thigh": 0.8, "shank": -1.6}
DT, STEPS, PUSHED = 2e-3, 1000, slice(500, 550)  # for a tenth of a second, after a second of standing


def pushed(friction: float, newtons: float) -> lw.Trajectory:
    robot = lw.load("quadruped").with_shapes(*feet).on_ground(friction=friction)
    q = robot.drawn.copy()
    q[2] = 0.31  # the feet are just above the ground
    for leg in LEGS:
        for part, angle in CROUCHED.items():
            q[robot.iq[robot.joint_index(f"{leg}_{part}_joint")]] = angle
    forces = np.zeros((STEPS, robot.nbodies, 6))
    forces[PUSHED, robot.body_of("trunk"), 1] = newtons  # along y of the trunk
    held = lw.PD(kp=150.0, kd=4.0)
    outputs = ("contact_force", "contact_point", "contact_frame", "active")
    return lw.simulate(robot, q, dt=DT, steps=STEPS, control=held, f_ext=forces, outputs=outputs)


for friction in (0.8, 0.2):
    run = pushed(friction, 60.0)
    weight = run["contact_force"][PUSHED.start - 2, :, 0].sum()
    aside = run.q[-1, 1] - run.q[PUSHED.start, 1]
    print(f"friction {friction}: feet bear {weight:.1f} N, pushed aside by {100 * aside:.1f} cm", end="")
    print(f", {int(run['active'][-1].sum())} feet on the ground")
    print(run)

lw.viewer.write_html(run.model, run.q, run.t, "pushed-quadruped.html", forces=lw.viewer.contact_arrows(run))
