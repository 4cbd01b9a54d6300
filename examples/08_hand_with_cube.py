"""A hand with a thumb and two fingers holds a cube by friction alone, while the hand is tilted; or does not."""

import numpy as np

import linkwright as lw

SIDE, PAD, STEPS, GRIP = 0.05, 0.01, 1500, 4.0
FINGERS = {"thumb": (-1.0, 0.0), "index": (1.0, 0.4), "ring": (1.0, -0.4)}


def ball(mass: float, moment: float) -> lw.Inertia:
    return lw.Inertia(mass, np.zeros(3), np.eye(3) * moment)


def hand_and_cube(friction: float) -> lw.Model:
    """Fingers slide on a palm that turns about y, and touch the cube; the cube is free."""
    builder = lw.ModelBuilder("hand")
    builder.add_body("palm", lw.revolute("wrist", axis="y"), inertia=ball(1.0, 0.01))
    builder.add_body("cube", lw.free_flyer("free"), inertia=ball(0.1, 0.1 * SIDE**2 / 6))
    pads = []
    for name, (x, y) in FINGERS.items():
        at = (x * (SIDE / 2 + PAD), y * SIDE, 0.0)
        joint = lw.prismatic(f"{name}_joint", axis=(-x, 0, 0), damping=2.0)
        builder.add_body(name, joint, parent="palm", placement=at, inertia=ball(0.05, 2e-5))
        pads.append(lw.sphere(name, PAD, name=f"{name}_pad", condim=4))
    model = builder.build().with_shapes(*pads, lw.box("cube", [SIDE] * 3, name="sides"))
    model = model.with_contacts(*(lw.contact(pad.name, "sides", friction=friction) for pad in pads))
    stiff = [lw.position_servo("wrist", kp=50.0, kv=5.0), lw.position_servo("thumb_joint", kp=2000.0, kv=20.0)]
    return model.with_actuators(*stiff, lw.motor("index_joint"), lw.motor("ring_joint"))


def held(friction: float) -> lw.Trajectory:
    robot = hand_and_cube(friction)
    ctrl = np.zeros((STEPS, robot.nu))
    ctrl[:, 2:] = GRIP / 2  # what the thumb bears, the fingers share
    ctrl[500:, 0] = np.minimum(np.arange(STEPS - 500) * 2e-3, 0.5)  # after half a second the hand is tilted
    kept = ("contact_force", "contact_point", "contact_frame", "active")
    return lw.simulate(robot, dt=1e-3, steps=STEPS, ctrl=ctrl, record=10, outputs=kept)


for friction in (1.0, 0.1):
    run = held(friction)
    fallen, pressed = run.q[0, 3] - run.q[-1, 3], run["contact_force"][-1, :, 0].sum()
    print(f"friction {friction}: the cube is {100 * fallen:.1f} cm lower, pressed with {pressed:.1f} N in all")
    print(run)
    if friction == 1.0:
        lw.viewer.write_html(run.model, run.q, run.t, "held-cube.html", forces=lw.viewer.contact_arrows(run))
