"""Proximal policy optimization in NumPy alone: a cart on a crank learns to balance its pole, a quadruped to trot.

python 14_ppo.py [task] [iterations] [environments] [seed]
"""

import sys
import time
from itertools import pairwise

import numpy as np

import linkwright.envs as envs

GAMMA, LAMBDA, CLIP, RATE, EPOCHS, STEPS, PARTS = 0.98, 0.95, 0.2, 1e-3, 4, 32, 4


class Network:
    """tanh layers; `gradients` is backpropagation by hand."""

    def __init__(self, rng, *sizes):
        self.weights = [rng.normal(size=(a, b)) * (1.0 / a) ** 0.5 for a, b in pairwise(sizes)]
        self.weights = [w.astype(np.float32) for w in self.weights]
        self.weights[-1] *= 0.01
        self.biases = [np.zeros(w.shape[1], np.float32) for w in self.weights]

    @property
    def parameters(self):
        return [*self.weights, *self.biases]

    def __call__(self, x):
        self.layers = [x]
        for k, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = x @ w + b
            x = np.tanh(x) if k + 1 < len(self.weights) else x
            self.layers.append(x)
        return x

    def gradients(self, slope):
        weights, biases = [], []
        for k in reversed(range(len(self.weights))):
            weights.append(self.layers[k].T @ slope)
            biases.append(slope.sum(axis=0))
            slope = (slope @ self.weights[k].T) * (1 - self.layers[k] ** 2)
        return [*reversed(weights), *reversed(biases)]


class Adam:
    def __init__(self, parameters, rate):
        self.parameters, self.rate, self.count = parameters, rate, 0
        self.mean, self.square = ([np.zeros_like(p) for p in parameters] for _ in range(2))

    def step(self, gradients):
        self.count += 1
        size = min(1.0, 1.0 / (np.sqrt(sum(np.square(g).sum() for g in gradients)) + 1e-8))
        for p, g, m, s in zip(self.parameters, gradients, self.mean, self.square, strict=True):
            m += 0.1 * (g * size - m)
            s += 0.001 * (np.square(g * size) - s)
            p -= self.rate * (m / (1 - 0.9**self.count)) / (np.sqrt(s / (1 - 0.999**self.count)) + 1e-8)


def train(task="looped_cart_pole", iterations=40, count=512, seed=0, report=print):
    """Mean reward per action of every iteration."""
    rng, env = np.random.default_rng(seed), envs.make(task, count)
    seen, acts = env.single_observation_space.shape[0], env.single_action_space.shape[0]
    policy, value = Network(rng, seen, 64, 64, acts), Network(rng, seen, 64, 64, 1)
    log_std = np.full(acts, -1.0, np.float32)
    learning = Adam([*policy.parameters, log_std], RATE), Adam(value.parameters, RATE)
    mean, square, weight = np.zeros(seen), np.ones(seen), 1e-4
    x, _ = env.reset(seed=seed)
    curve = []
    for iteration in range(iterations):
        begin = time.perf_counter()
        X, A, R, END, OLD, earned = ([] for _ in range(6))
        for _ in range(STEPS):
            weight += 1.0
            mean += (x.mean(axis=0) - mean) / weight
            square += (np.square(x - mean).mean(axis=0) - square) / weight
            z = np.clip((x - mean) / np.sqrt(square + 1e-6), -5, 5).astype(np.float32)
            a = policy(z) + np.exp(log_std) * rng.normal(size=(count, acts)).astype(np.float32)
            X.append(z), A.append(a), OLD.append(log_probability(a, policy.layers[-1], log_std))
            x, reward, over, cut, infos = env.step(a)
            last = np.clip((infos.get("final_obs", x) - mean) / np.sqrt(square + 1e-6), -5, 5).astype(np.float32)
            earned.append(reward.mean())
            R.append(reward + GAMMA * np.where(cut, value(last)[:, 0], 0.0)), END.append(over | cut)
        z = np.clip((x - mean) / np.sqrt(square + 1e-6), -5, 5).astype(np.float32)
        V = [value(y)[:, 0] for y in [*X, z]]
        gain, gains = np.zeros(count), []
        for k in reversed(range(STEPS)):
            goes_on = ~END[k]
            gain = R[k] + GAMMA * V[k + 1] * goes_on - V[k] + GAMMA * LAMBDA * goes_on * gain
            gains.append(gain)
        X, A, OLD, G = (np.concatenate(y) for y in (X, A, OLD, gains[::-1]))
        target = (G + np.concatenate(V[:-1])).astype(np.float32)
        G = ((G - G.mean()) / (G.std() + 1e-8)).astype(np.float32)
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(len(X)), PARTS):
                update(policy, value, log_std, learning, X[part], A[part], OLD[part], G[part], target[part])
        curve.append(float(np.mean(earned)))
        speed = STEPS * count / (time.perf_counter() - begin)
        report(f"{iteration:4} reward {curve[-1]:.3f}, {int(np.sum(END))} episodes ended, {speed:,.0f} steps/s")
    return curve, policy


def log_probability(a, middle, log_std):
    return -0.5 * (np.square((a - middle) / np.exp(log_std)) + 2 * log_std).sum(axis=1)


def update(policy, value, log_std, learning, x, a, old, gain, target):
    middle = policy(x)
    ratio = np.exp(np.clip(log_probability(a, middle, log_std) - old, -20, 20))
    moving = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    slope = -(ratio * gain * moving)[:, None] / len(x)
    off = (a - middle) / np.exp(2 * log_std)
    spread = (slope * (np.square(a - middle) / np.exp(2 * log_std) - 1)).sum(axis=0) - 1e-3  # a little entropy
    learning[0].step([*policy.gradients(slope * off), spread.astype(np.float32)])
    learning[1].step(value.gradients((value(x) - target[:, None]) / len(x)))


if __name__ == "__main__":
    given = sys.argv[1:]
    task = given[0] if given else "looped_cart_pole"
    numbers = [int(text) for text in given[1:4]]
    curve, _ = train(task, *numbers)
    print(f"{task}: reward per action from {curve[0]:.3f} to {max(curve):.3f}")
