"""Proximal policy optimization in NumPy alone: a cart on a crank learns to balance its pole, a quadruped to trot, a
biped with loops in its legs to stand when it is pushed.

python 14_ppo.py [task] [seed] [file for the learning curve]
"""

import json
import sys
import time
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import linkwright.envs as envs

GAMMA, LAMBDA, CLIP, ENTROPY = 0.98, 0.95, 0.2, 1e-3
RATE, EPOCHS, PARTS, STEPS = 1e-3, 4, 4, 32  # STEPS actions of every environment, then EPOCHS times PARTS updates
LAYERS = 64, 64


class Plan(NamedTuple):
    """iterations, environments, and the return that the learnt policy must reach (at most: 1 or 1.5 per action)"""

    iterations: int
    environments: int
    reached: float


PLANS = {
    "looped_cart_pole": Plan(40, 512, 450),
    "quadruped": Plan(400, 1024, 700),
    "standing_biped": Plan(250, 512, 650),
}


class Network:
    """tanh layers; `gradients` is backpropagation by hand, of the last call."""

    def __init__(self, rng, *sizes):
        self.weights = [(rng.normal(size=(a, b)) / a**0.5).astype(np.float32) for a, b in pairwise(sizes)]
        self.weights[-1] *= 0.01
        self.biases = [np.zeros(w.shape[1], np.float32) for w in self.weights]

    @property
    def parameters(self):
        return [*self.weights, *self.biases]

    def __call__(self, x):
        self.layers = [x]
        for w, b in zip(self.weights[:-1], self.biases[:-1], strict=True):
            self.layers.append(np.tanh(self.layers[-1] @ w + b))
        return self.layers[-1] @ self.weights[-1] + self.biases[-1]

    def gradients(self, slope):
        weights, biases = [], []
        for w, x in zip(reversed(self.weights), reversed(self.layers), strict=True):
            weights.insert(0, x.T @ slope)
            biases.insert(0, slope.sum(axis=0))
            slope = (slope @ w.T) * (1 - x**2)
        return [*weights, *biases]


class Adam:
    def __init__(self, parameters):
        self.parameters, self.count = parameters, 0
        self.mean, self.square = ([np.zeros_like(p) for p in parameters] for _ in range(2))

    def step(self, gradients, rate):
        self.count += 1
        size = min(1.0, 1.0 / (np.sqrt(sum(np.square(g).sum() for g in gradients)) + 1e-8))
        for p, g, m, s in zip(self.parameters, gradients, self.mean, self.square, strict=True):
            m += 0.1 * (g * size - m)
            s += 0.001 * (np.square(g * size) - s)
            p -= rate * (m / (1 - 0.9**self.count)) / (np.sqrt(s / (1 - 0.999**self.count)) + 1e-8)


class Scale:
    """Observations less their mean, over their deviation, of all that were seen."""

    def __init__(self, size):
        self.mean, self.square, self.weight = np.zeros(size), np.ones(size), 1e-4

    def see(self, x):
        self.weight += 1.0
        self.mean += (x.mean(axis=0) - self.mean) / self.weight
        self.square += (np.square(x - self.mean).mean(axis=0) - self.square) / self.weight

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.square + 1e-6), -5, 5).astype(np.float32)


class Agent:
    """A Gaussian policy and what it expects to earn."""

    def __init__(self, rng, seen, acts):
        self.scale = Scale(seen)
        self.policy, self.value = Network(rng, seen, *LAYERS, acts), Network(rng, seen, *LAYERS, 1)
        self.log_std = np.full(acts, -1.0, np.float32)
        self.learning = Adam([*self.policy.parameters, self.log_std]), Adam(self.value.parameters)

    def log_probability(self, a, middle):
        return -0.5 * (np.square((a - middle) / np.exp(self.log_std)) + 2 * self.log_std).sum(axis=1)

    def update(self, x, a, old, gain, target, rate):
        middle, variance = self.policy(x), np.exp(2 * self.log_std)
        ratio = np.exp(np.clip(self.log_probability(a, middle) - old, -20, 20))
        moving = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        slope = -(ratio * gain * moving)[:, None] / len(x)
        spread = (slope * (np.square(a - middle) / variance - 1)).sum(axis=0) - ENTROPY
        self.learning[0].step([*self.policy.gradients(slope * (a - middle) / variance), spread], rate)
        self.learning[1].step(self.value.gradients((self.value(x) - target[:, None]) / len(x)), rate)


def collect(env, agent, x, rng):
    """What STEPS actions saw, did, with which probability, and earned; whether episodes ended; what is seen next."""
    X, A, P, R, END, earned = ([] for _ in range(6))
    for _ in range(STEPS):
        agent.scale.see(x)
        z = agent.scale(x)
        middle = agent.policy(z)
        a = middle + np.exp(agent.log_std) * rng.normal(size=middle.shape).astype(np.float32)
        x, reward, over, cut, infos = env.step(a)
        left = agent.value(agent.scale(infos["final_obs"]))[:, 0] if cut.any() else 0.0  # time was up, it would go on
        X.append(z), A.append(a), P.append(agent.log_probability(a, middle)), END.append(over | cut)
        R.append(reward + GAMMA * np.where(cut, left, 0.0)), earned.append(reward.mean())
    return X, A, P, R, END, float(np.mean(earned)), x


def advantages(agent, X, R, END, x):
    """Generalized advantage estimation: (gains, values to learn)."""
    V = [agent.value(z)[:, 0] for z in [*X, agent.scale(x)]]
    gain, gains = 0.0, []
    for k in reversed(range(len(R))):
        goes_on = ~END[k]
        gain = R[k] + GAMMA * V[k + 1] * goes_on - V[k] + GAMMA * LAMBDA * goes_on * gain
        gains.insert(0, gain)
    gains = np.concatenate(gains).astype(np.float32)
    return (gains - gains.mean()) / (gains.std() + 1e-8), gains + np.concatenate(V[:-1])


def train(task, iterations, count, seed=0, report=print):
    """(environment, agent, records): of every iteration the mean reward per action, episodes ended, seconds so far."""
    rng, env = np.random.default_rng(seed), envs.make(task, count)
    agent = Agent(rng, env.single_observation_space.shape[0], env.single_action_space.shape[0])
    x, _ = env.reset(seed=seed)
    records, begin = [], time.perf_counter()
    for iteration in range(iterations):
        X, A, P, R, END, reward, x = collect(env, agent, x, rng)
        gain, target = advantages(agent, X, R, END, x)
        X, A, P = (np.concatenate(parts) for parts in (X, A, P))
        rate = RATE * min(1.0, 2 - 2 * iteration / iterations)  # the last half in ever smaller steps
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(len(X)), PARTS):
                agent.update(X[part], A[part], P[part], gain[part], target[part], rate)
        seconds, ended = time.perf_counter() - begin, int(np.sum(END))
        records.append({"reward": round(reward, 4), "ended": ended, "seconds": round(seconds, 1)})
        report(f"{iteration:4} reward {reward:.3f}, {ended} episodes ended, {seconds:.0f} s")
    return env, agent, records


def episodes(env, agent, seed=10_000):
    """(returns, whether they fell) of one episode of every environment, without noise."""
    x, _ = env.reset(seed=seed)
    returns, goes_on, fell = np.zeros(env.num_envs), np.ones(env.num_envs, bool), np.zeros(env.num_envs, bool)
    for _ in range(env.longest):
        x, reward, over, cut, _ = env.step(agent.policy(agent.scale(x)))
        returns += reward * goes_on
        fell |= over & goes_on
        goes_on &= ~(over | cut)
    return returns, fell


if __name__ == "__main__":
    task = sys.argv[1] if len(sys.argv) > 1 else "looped_cart_pole"
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if task not in PLANS:
        sys.exit(f"there is no plan for {task!r}; expected one of {', '.join(PLANS)}")
    plan = PLANS[task]
    env, agent, records = train(task, plan.iterations, plan.environments, seed)
    returns, fell = episodes(env, agent)
    found = {"return": round(returns.mean(), 1), "fell": round(fell.mean(), 4)}
    print(f"{task}, seed {seed}: return {returns.mean():.0f} (wanted {plan.reached}), {100 * fell.mean():.1f} % fell")
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as file:
            found = {"task": task, "seed": seed, **plan._asdict(), **found}
            json.dump({**found, **{name: [one[name] for one in records] for name in records[0]}}, file)
    sys.exit(int(returns.mean() < plan.reached))
