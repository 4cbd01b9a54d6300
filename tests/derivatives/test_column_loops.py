"""Columns through stages: the same numbers in any partition, and the partition that costs least."""

import itertools

import numpy as np
import pytest

from linkwright.derivatives import column_loops
from linkwright.derivatives.column_loops import ColumnStage, Part, partition, through_stages


def stages_of(first: np.ndarray, second: np.ndarray) -> list[ColumnStage]:
    """Two products."""

    def stage(A):
        def work(at):
            reached = np.flatnonzero(np.any(A[:, sorted(at)] != 0.0, axis=1))
            return int(np.count_nonzero(A[:, sorted(at)])), frozenset(map(int, reached))

        return ColumnStage(lambda column: list(A @ np.array(column)), work)

    return [stage(first), stage(second)]


def cost(parts: list[Part], places, stages) -> float:
    """As the page tells it, by itself."""
    total = 0.0
    for columns, looped_from in parts:
        seen, each = [], 0.0
        for j in columns:
            at = places[j]
            for stage in stages[:looped_from]:
                work, at = stage.work(at)
                each += work
            seen.append(at)
        total += 2.0 * each
        if looped_from < len(stages):
            at = frozenset().union(*seen)
            total += 2.0 * len(columns) * len(at) + column_loops.LOOP
            for stage in stages[looped_from:]:
                work, at = stage.work(at)
                total += (len(columns) + 1.0) * work
    return total


@pytest.mark.parametrize("loop", [0.0, 20.0, 1e9])
@pytest.mark.parametrize("seed", range(4))
def test_no_partition_is_cheaper(seed, loop, monkeypatch):
    monkeypatch.setattr(column_loops, "LOOP", loop)
    rng = np.random.default_rng(seed)
    n, m = 6, 7
    stages = stages_of(*(rng.normal(size=(2, n, n)) * (rng.random((2, n, n)) < [[[0.3]], [[0.8]]])))
    places = {j: frozenset(map(int, np.flatnonzero(rng.random(n) < 0.5))) for j in range(m) if j != 4}
    found = partition(places, stages)
    assert sorted(j for part in found for j in part.columns) == sorted(places)
    best = np.inf
    for cuts in itertools.product([False, True], repeat=m - 1):
        ends = [j + 1 for j in range(m - 1) if cuts[j] or j in (3, 4)]
        runs = [range(a, b) for a, b in itertools.pairwise([0, *ends, m]) if range(a, b) != range(4, 5)]
        best = min(best, sum(min(cost([Part(run, s)], places, stages) for s in range(3)) for run in runs))
    assert cost(found, places, stages) == pytest.approx(best)
    assert loop < 1e9 or all(part.looped_from == 2 for part in found)


@pytest.mark.parametrize("looped", [False, True])
def test_results_are_the_same(looped, rng):
    A, B = rng.normal(size=(2, 5, 5))
    columns = {j: list(rng.normal(size=5)) for j in (0, 1, 2, 4)}
    found = through_stages(columns, stages_of(A, B), looped=looped)
    assert set(found) == set(columns)
    for j, column in columns.items():
        np.testing.assert_allclose(found[j], B @ A @ column, rtol=1e-12, atol=1e-12)
