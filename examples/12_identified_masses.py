"""Masses of a quadruped from torques measured along a noisy trajectory: by its regressor, and by gradients."""

import numpy as np

import linkwright as lw

robot = lw.load("quadruped")
rng = np.random.default_rng(0)
true = lw.default_parameters(robot)["masses"]
nominal = true * rng.uniform(0.6, 1.4, len(true))  # what the drawings say

# A swinging motion of all joints; what sensors give of it, with noise on every reading.
t = np.linspace(0, 4, 400)[:, None]
w, phase = rng.uniform(2, 6, (2, robot.nv))
q0 = robot.random_configuration(1)
v, a = 0.8 * np.sin(w * t + phase), 0.8 * w * np.cos(w * t + phase)
q = np.array([robot.integrate(q0, 0.3 * np.sin(w * x)) for x in t])
rnea = lw.compile(robot, "rnea", parameters="masses")
noise = 0.01
clean = rnea(q, v, a, true)
spread = noise * clean.std(axis=0)  # of each sensor
tau = clean + spread * rng.normal(size=v.shape)
v, a = v + 0.002 * rng.normal(size=v.shape), a + 0.02 * rng.normal(size=a.shape)

# All ten parameters of every body: only combinations of them show in torques, and least squares finds these.
base = lw.base_parameters(robot)
Y, rest = lw.compile(robot, "joint_torque_regressor", outputs=("Y", "rest"))(q, v, a)
trusted = 1 / spread[:, None]  # every row by what it is worth
X = (trusted * Y[..., base.columns]).reshape(-1, base.rank)
values = np.linalg.lstsq(X, (trusted[:, 0] * (tau - rest)).ravel(), rcond=None)[0]
left = (Y[..., base.columns] @ values + rest - tau) / clean.std(axis=0)
print(f"{base.rank} of {base.matrix.shape[1]} parameters can be told; torques are met to {left.std():.2%}")

# Masses alone, centres of mass and radii of gyration as drawn: Gauss and Newton with the slopes of inverse dynamics.
slopes = lw.jacobian(robot, "rnea", wrt="masses")
masses = nominal.copy()
for _ in range(3):
    r, J = (rnea(q, v, a, masses) - tau) / spread, trusted * slopes(q, v, a, masses)[..., 1:]
    masses[1:] -= np.linalg.lstsq(J.reshape(-1, J.shape[-1]), r.ravel(), rcond=None)[0]
off = [np.abs(x[1:] / true[1:] - 1).max() for x in (nominal, masses)]
print(f"masses off by {off[0]:.0%} at first, by {off[1]:.2%} when identified, {len(t)} samples, {noise:.0%} noise")

# The same from gradients alone, as a learner would: vjp of the squared error, for all samples at once.
gradient = lw.vjp(robot, "rnea", wrt="masses")
H = np.einsum("bij,bik->jk", J, J)
scale = np.concatenate([[0.0], 1 / np.diag(H)])  # light bodies show less, and may go further
rate = 1 / np.linalg.norm(H * np.sqrt(np.outer(scale[1:], scale[1:])), 2)
learned, moment = nominal.copy(), np.zeros_like(nominal)
for _ in range(400):
    ahead = learned + 0.95 * moment
    down = gradient(q, v, a, ahead, (rnea(q, v, a, ahead) - tau) / spread**2).sum(axis=0)
    moment = 0.95 * moment - rate * scale * down
    learned = learned + moment
print(f"by gradient descent they differ from these by {np.abs(learned[1:] / masses[1:] - 1).max():.2%} after 400 steps")
