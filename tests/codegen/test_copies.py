"""Values that change places, and what code there is for thousands of them."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from linkwright import scalar
from linkwright.codegen.compiling import compile_program
from linkwright.codegen.copies import ordered_copies
from linkwright.codegen.machine import AVX2
from linkwright.codegen.plan import make_plan
from linkwright.trace import simplify, trace


@pytest.mark.parametrize("seed", range(40))
def test_all_is_read_before_it_is_written(seed):
    """Trees and circles of any kind: every place gets what was in its source at the beginning."""
    rng = np.random.default_rng(seed)
    places = rng.permutation(12)[: rng.integers(1, 12)].tolist()
    copies = [(int(rng.integers(16)), place) for place in places]
    if seed % 2:  # mostly circles
        copies = [(value, place) for value, place in zip(rng.permutation(places).tolist(), places, strict=True)]
    copies = [(value, place) for value, place in copies if value != place]
    memory = {k: k for k in range(16)}
    done = []
    for group in ordered_copies(copies):
        read = [memory[value] for value, _ in group]
        for value, (_, place) in zip(read, group, strict=True):
            memory[place] = value
        done += group
    wanted = {k: k for k in range(16)} | {place: value for value, place in copies}
    assert memory == wanted and sorted(done) == sorted(copies)


def test_only_circles_are_read_together():
    groups = list(ordered_copies([(1, 2), (2, 3), (3, 4), (7, 8), (8, 7), (9, 1)]))
    assert groups[:4] == [[(3, 4)], [(2, 3)], [(1, 2)], [(9, 1)]] and sorted(map(len, groups)) == [1, 1, 1, 1, 2]


def rotated(x):
    """Carries all of `x`, each pass one place further, and gives it in the end."""
    return scalar.until(lambda y: ([*y[1:], y[0]], y[1] < y[0]), list(x), limit=9)


def test_carried_values_change_places():
    f = compile_program(simplify(trace(rotated, {"x": 300})), cache=False)
    x = np.stack([np.roll(np.arange(300.0), k) for k in range(3, 12)])
    expected = np.stack([np.roll(row, -min(k, 9)) for k, row in enumerate(x, start=3)])
    found = f(x)
    assert np.array_equal(found, expected) and np.array_equal(f(x[4]), expected[4])


def test_chunks_stay_small_however_much_is_copied():
    """One function of thousands of copies would take LLVM quadratic time."""

    def columns(x):
        _, rows = scalar.repeat(lambda c, row: ([], [row * x[k] for k in range(50)]), [], count=80, tables=[list(x)])
        every = [element for row in rows for element in row]
        return [every[k * k % 4001 % 4000] for k in range(4000)]  # at no even distances

    plan = make_plan(simplify(trace(columns, {"x": 80})), AVX2, 100)
    assert sum(map(len, plan.chunks)) > 2000 and max(map(len, plan.chunks)) <= 4 * 100


def test_compiling_leaves_the_collector_as_it_was():
    program = trace(lambda x: x[0] + 1.0, {"x": 1})
    try:
        for before in (False, True):
            (gc.enable if before else gc.disable)()
            compile_program(program, cache=False)
            assert gc.isenabled() == before
    finally:
        gc.enable()
