"""A biped with rods at its ankles squats: iLQR on the compiled step and its Jacobians, loops and contact included."""

import numpy as np

import linkwright as lw

b = lw.ModelBuilder("biped")
bar = lambda m, z: lw.Inertia.box(m, (0.08, 0.08, 0.4), (0, 0, z))  # noqa: E731
for parent, joint, body, place, inertia in (  # a leg up from the ground, torso, a leg down
    ("world", "left_ankle", "left_shin", (0, 0.1, 0.08), bar(3, 0.2)),
    ("left_shin", "left_knee", "left_thigh", (0, 0, 0.4), bar(6, 0.2)),
    ("left_thigh", "left_hip", "torso", (0, 0, 0.4), lw.Inertia.box(30, (0.2, 0.3, 0.5), (0, -0.1, 0.25))),
    ("torso", "right_hip", "right_thigh", (0, -0.2, 0), bar(6, -0.2)),
    ("right_thigh", "right_knee", "right_shin", (0, 0, -0.4), bar(3, -0.2)),
    ("right_shin", "right_ankle", "right_foot", (0, 0, -0.4), lw.Inertia.box(1, (0.2, 0.08, 0.03), (0.02, 0, -0.06))),
):
    b.add_body(body, lw.revolute(joint, "y"), parent=parent, placement=place, inertia=inertia)
for side, height in (("left", 0.3), ("right", -0.1)):  # levers on the shins move the feet by rods
    motor, arm = lw.revolute(f"{side}_motor", "y", armature=0.1), lw.Inertia.box(0.3, (0.06, 0.02, 0.02), (-0.03, 0, 0))
    b.add_body(f"{side}_lever", motor, parent=f"{side}_shin", placement=(0, 0.05, height), inertia=arm)
    b.add_frame(f"{side}_tip", f"{side}_lever", (-0.06, 0, 0))
for name, body, place in (("left_heel", "world", (-0.06, 0.15, 0.08)), ("right_heel", "right_foot", (-0.06, 0.05, 0)),
                          ("sole", "right_foot", (0, 0, -0.08)), ("spot", "world", (0, -0.1, 0))):  # fmt: skip
    b.add_frame(name, body, place)
rods = [lw.rod(f"{side}_tip", f"{side}_heel", length=0.3) for side in ("left", "right")]
robot = b.build().with_constraints(*rods, lw.weld("sole", "spot"))
names = [joint.name for joint in robot.joints]  # ankles have no motors of their own
motors = [k for k, name in enumerate(names) if not name.endswith("ankle")]


def pose(bend):
    """Feet flat, torso upright over them."""
    turns = {"left_ankle": 1, "left_knee": -2, "left_hip": 1, "right_hip": -1, "right_knee": 2, "right_ankle": -1}
    q = np.array([bend * turns.get(name, 0) for name in names])
    return lw.project_configuration(robot, q, fixed=list(turns))


nv, dt, N = robot.nv, 0.02, 40
start, goal = pose(0.2), pose(0.7)
step, slopes = lw.compile(robot, "step"), lw.jacobian(robot, "step", wrt=("q", "v", "tau"))
x0, xg = (np.concatenate([q, np.zeros(nv)]) for q in (start, goal))
Q, R, Qf = np.diag([0.1] * nv + [0.01] * nv), 1e-5 * np.eye(6), np.diag([2e3] * nv + [50.0] * nv)
S = np.eye(nv)[:, motors]
terms = lw.compile(robot, "whole_body_terms")(start, np.zeros(nv))
u0 = np.linalg.lstsq(np.hstack([S, terms.J.T]), terms.h, rcond=None)[0][:6]  # holds it where it starts


def rollout(x, u, k=None, K=None, old=None, scale=1.0):
    xs, us = [x], []
    for t in range(N):
        us.append(u[t] if k is None else u[t] + scale * k[t] + K[t] @ (xs[t] - old[t]))
        xs.append(np.concatenate(step(xs[t][:nv], xs[t][nv:], S @ us[t], dt)))
    xs, us = np.array(xs), np.array(us)
    off, push = xs - xg, us - u0
    cost = np.einsum("ti,ij,tj", off[:-1], Q, off[:-1]) + np.einsum("ti,ij,tj", push, R, push) + off[-1] @ Qf @ off[-1]
    return xs, us, cost


xs, us, cost = rollout(x0, np.tile(u0, (N, 1)))
print(f"standing still costs {cost:.1f}")
sweep, gained = 0, cost
while gained > 1e-4 * cost:
    d = slopes(xs[:-1, :nv], xs[:-1, nv:], us @ S.T, np.full(N, dt))  # all steps of the trajectory in one call
    A = np.block([[d.dq_dq, d.dq_dv], [d.dv_dq, d.dv_dv]])
    B = np.concatenate([d.dq_dtau, d.dv_dtau], axis=1) @ S
    V, g, k, K = Qf, Qf @ (xs[-1] - xg), np.zeros((N, 6)), np.zeros((N, 6, 2 * nv))
    for t in reversed(range(N)):
        gx, gu = Q @ (xs[t] - xg) + A[t].T @ g, R @ (us[t] - u0) + B[t].T @ g
        Vxx, Vux, Vuu = Q + A[t].T @ V @ A[t], B[t].T @ V @ A[t], R + B[t].T @ V @ B[t]
        k[t], K[t] = -np.linalg.solve(Vuu, gu), -np.linalg.solve(Vuu, Vux)
        g, V = gx + K[t].T @ gu, Vxx + (K[t].T @ Vux + Vux.T @ K[t]) / 2
    tries = (rollout(x0, us, k, K, xs, 0.5**n) for n in range(10))
    xs_new, us_new, new = next((x for x in tries if x[2] < cost), (xs, us, cost))
    sweep, gained, xs, us, cost = sweep + 1, cost - new, xs_new, us_new, new
off = np.abs(xs[-1] - xg)
print(f"{sweep} sweeps: cost {cost:.2f}, {off[:nv].max():.4f} rad and {off[nv:].max():.3f} rad/s off in the end")
height = lw.compile(robot, "forward_kinematics", frames=["torso"], outputs="positions")(xs[:, :nv])[:, 0, 2]
error = np.abs(lw.compile(robot, "constraint_error")(xs[:, :nv])).max()
print(f"hips from {height[0]:.3f} m to {height[-1]:.3f} m, loops closed to {error:.1e} m, {np.abs(us).max():.0f} N m")
