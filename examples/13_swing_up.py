"""A double pendulum is swung up by gradient descent through its whole motion: one compiled rollout, one gradient."""

import numpy as np

import linkwright as lw
from linkwright import scalar
from linkwright.algorithms.tree.aba import aba
from linkwright.algorithms.tree.frames import frame_placements
from linkwright.model import tree_of

b = lw.ModelBuilder("double_pendulum")
rod = lw.Inertia.box(1.0, (0.03, 0.03, 0.5), (0, 0, -0.25))
b.add_body("upper", lw.revolute("shoulder", "y", damping=0.01), inertia=rod)
b.add_body("lower", lw.revolute("elbow", "y", damping=0.01), parent="upper", placement=(0, 0, -0.5), inertia=rod)
b.add_frame("tip", "lower", (0, 0, -0.5))
robot = b.build()
tree, N, dt = tree_of(robot), 200, 0.01


def rollout(torques):
    """Written once: run on symbols it becomes a loop of machine code, and another one that goes back through it."""

    def step(state, tau):
        q, v = state[:2], state[2:]
        a = aba(tree, q, v, list(tau))
        v = [x + dt * y for x, y in zip(v, a, strict=True)]
        q = [x + dt * y for x, y in zip(q, v, strict=True)]
        tip = frame_placements(tree, ["tip"], q)[0].position
        return [*q, *v], [*q, tip[2]]

    end, rows = scalar.repeat(step, [0.0] * 4, count=N, tables=[torques])
    effort = sum(x * x for row in torques for x in row)
    height = rows[-1][2]
    loss = 40.0 * (1.0 - height) + 2.0 * (end[2] * end[2] + end[3] * end[3]) + 2e-3 * effort
    return {"loss": loss, "height": height, "q": [row[:2] for row in rows]}


run = lw.compile(rollout, inputs={"torques": (N, 2)})
gradient = lw.vjp(rollout, of="loss", inputs={"torques": (N, 2)})
print(f"rollout of {N} steps: {run.operations.total} operations, with its gradient {gradient.operations.total}")

# Adam on 16 seeds at once: a batch of rollouts is one call.
rng = np.random.default_rng(0)
u = rng.normal(scale=1.0, size=(16, 1, 2)) * np.sin(np.linspace(0, 12, N))[None, :, None]
first, second = np.zeros_like(u), np.zeros_like(u)
for k in range(1, 601):
    g = gradient(u, np.ones(16))
    g = g / np.maximum(1.0, np.linalg.norm(g, axis=(1, 2), keepdims=True) / 50)
    first, second = 0.9 * first + 0.1 * g, 0.99 * second + 0.01 * g * g
    u = u - 0.05 * (first / (1 - 0.9**k)) / (np.sqrt(second / (1 - 0.99**k)) + 1e-8)
found = run(u)
best = int(np.argmin(found.loss))
print(f"{(found.height > 0.95).sum()} of 16 swing up; the best ends {found.height[best]:.3f} m up, upright is 1 m")
print(f"largest torque {np.abs(u[best]).max():.1f} N m; holding it level takes {1.0 * 9.81 * (0.25 + 0.75):.1f} N m")
