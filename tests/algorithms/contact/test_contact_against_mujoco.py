"""The soft law against MuJoCo's own solver, run to the end, on random models."""

import numpy as np
import pytest

import linkwright as lw

pytest.importorskip("mujoco")
from random_mjcf import Answers

OUTPUTS = ("a", "contact_force", "contact_point", "active", "iterations", "status")


def differences(answers: Answers, solution) -> tuple[float, float, int]:
    """(relative error of accelerations, of contact forces, contacts that push)."""
    size = 1.0 + np.abs(answers.a).max(axis=1)
    of_a = (np.abs(solution.a - answers.a).max(axis=1) / size).max()
    points, forces = np.asarray(solution.contact_point), np.asarray(solution.contact_force)
    of_forces, pushing = 0.0, 0
    for n, contacts in enumerate(answers.contacts):
        largest = 1.0 + max((np.abs(force).max() for *_, force in contacts), default=0.0)
        for first, second, point, force in contacts:
            same = [k for k, c in enumerate(answers.model.contacts) if {c.first, c.second} == {first, second}]
            k = min(same, key=lambda k: np.abs(points[n, k] - point).max())
            assert np.abs(points[n, k] - point).max() < 1e-9
            of_forces = max(of_forces, np.abs(forces[n, k] - force).max() / largest)
            pushing += bool(force.any())
    return of_a, of_forces, pushing


def check(seeds, states: int = 6) -> int:
    pushing = 0
    for seed in seeds:
        answers = Answers.of(seed, states, obstacles=True)
        solve = lw.reference(answers.model, "contact_dynamics", equality="soft", outputs=OUTPUTS)
        solution = solve(answers.q, answers.v, answers.tau, answers.dt)
        of_a, of_forces, count = differences(answers, solution)
        assert not solution.status.any(), f"seed {seed}"
        assert of_a < 1e-6 and of_forces < 1e-5, f"seed {seed}: {of_a:.1e}, {of_forces:.1e}"
        pushing += count
    return pushing


def test_random_models():
    assert check(range(16)) > 100


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 1300, 50))
def test_many_random_models(start):
    assert check(range(start, start + 50)) > 300


@pytest.mark.parametrize("seed", [9, 12, 22])
def test_compiled_single_and_batched(seed):
    """Machine code, whose loops end by lanes; single and batched calls give the same bits."""
    answers = Answers.of(seed, 11)
    solve = lw.compile(answers.model, "contact_dynamics", equality="soft", outputs=OUTPUTS)
    solution = solve(answers.q, answers.v, answers.tau, answers.dt)
    of_a, of_forces, _ = differences(answers, solution)
    assert not solution.status.any() and of_a < 1e-6 and of_forces < 1e-5
    for n in range(3):
        alone = solve(answers.q[n], answers.v[n], answers.tau[n], answers.dt)
        for together, single in zip(solution, alone, strict=True):
            np.testing.assert_array_equal(together[n], single)


def test_warm_starts_take_one_pass():
    answers = Answers.of(12, 5)
    options = {"equality": "soft", "outputs": ("a", "iterations", "status")}
    cold = lw.reference(answers.model, "contact_dynamics", **options)
    warm = lw.reference(answers.model, "contact_dynamics", warm_start="input", **options)
    first = cold(answers.q, answers.v, answers.tau, answers.dt)
    again = warm(answers.q, answers.v, answers.tau, answers.dt, first.a)
    assert first.iterations.max() > 1 and again.iterations.max() == 1
    np.testing.assert_allclose(again.a, first.a, rtol=0, atol=1e-8 * (1 + np.abs(first.a).max()))


def test_too_few_passes_are_told():
    answers = Answers.of(12, 5)
    solve = lw.reference(answers.model, "contact_dynamics", equality="soft", iterations=1, outputs=("a", "status"))
    solution = solve(answers.q, answers.v, answers.tau, answers.dt)
    off = np.abs(solution.a - answers.a).max(axis=1) > 1e-6 * (1 + np.abs(answers.a).max(axis=1))
    assert off.any() and (solution.status[off] == 1).all()


def test_single_precision():
    answers = Answers.of(36, 20)
    solve = lw.compile(answers.model, "contact_dynamics", equality="soft", dtype="float32", outputs=("a", "status"))
    solution = solve(*(x.astype(np.float32) for x in (answers.q, answers.v, answers.tau)), np.float32(answers.dt))
    error = np.abs(solution.a - answers.a).max(axis=1) / (1 + np.abs(answers.a).max(axis=1))
    assert (error[solution.status == 0] < 1e-2).all() and np.median(error) < 1e-4
