"""Tables of counted loops share memory where they are never needed together, and blocks a tile where code is large."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.kernel import tile_blocks
from linkwright.codegen.machine import AVX2, AVX512, SSE2
from linkwright.codegen.plan import make_plan
from linkwright.codegen.target import host_target
from linkwright.codegen.vector_type import VectorType
from linkwright.scalar import repeat, sqrt, until
from linkwright.trace import Program, interpret, simplify, trace

PASSES = 11


def scattered(x, shift: float) -> list[list]:
    """A table of values that lie nowhere side by side, and of zeros."""
    n = len(x)
    return [[sqrt(x[(7 * p) % n] * x[p % n] + shift), 0.0 if p % 3 else x[p % n] * shift] for p in range(PASSES)]


def one_after_the_other(x, *, first_again: bool = False):
    """Three loops, each with a table of its own and results of which only some are outputs side by side."""
    found = []
    for k in range(3):
        _, rows = repeat(
            lambda _, a, k=k: ([], [a[0] * a[1] + x[k], a[0] - a[1]]), count=PASSES, tables=[scattered(x, 1.5 + k)]
        )
        found.append(rows)
    if first_again:  # what the first loop found is read after the last one, by a loop and by straight code
        _, rows = repeat(lambda _, a: ([], [a[0] + 2.0 * a[1]]), count=PASSES, tables=[found[0]])
        found.append(rows)
    return {
        "found": [[row[0] for row in rows] for rows in found],
        "others": [row[-1] * (k + 1.0) for k, row in enumerate(found[0])],
    }


def traced(first_again: bool) -> Program:
    return simplify(trace(lambda x: one_after_the_other(x, first_again=first_again), {"x": 13}))


@pytest.mark.parametrize("first_again", [False, True])
@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_results_are_those_of_the_program(first_again, lanes):
    program = traced(first_again)
    function = CompiledFunction.of(build_image(program, lanes, "float64", host_target()), host_target())
    x = np.random.default_rng(2).uniform(0.5, 2.0, size=(19, 13))
    for batch in (x, x[:3]):
        found = function(batch)
        expected = interpret(program, {"x": batch})
        for name in ("found", "others"):
            np.testing.assert_allclose(getattr(found, name), expected[name], rtol=1e-13)
        alone = [function(row) for row in batch]
        assert all(
            np.array_equal(getattr(found, name), [getattr(one, name) for one in alone]) for name in ("found", "others")
        )


def test_tables_that_are_over_make_room_and_results_nobody_reads_take_none():
    for first_again in (False, True):
        plan = make_plan(traced(first_again), AVX512)
        # one table at a time, what the first loop found, a row of the table, and what a pass finds for it
        assert plan.slots - plan.fixed_start == 2 * PASSES + 2 * PASSES + 2 + 2


def test_a_table_outlives_the_loop_around_its_reader():
    """What is written before a loop and read in each of its passes stays, whatever tables the passes make."""

    def function(x):
        outside = scattered(x, 2.0)

        def go(values):
            n, total = values
            _, inner = repeat(
                lambda _, a: ([], [a[0] * total]), count=PASSES, tables=[scattered([v + total for v in x], 3.0)]
            )
            _, again = repeat(lambda _, a, b: ([], [a[0] + b[0]]), count=PASSES, tables=[outside, inner])
            return [n + 1.0, total * 0.5 + sum(row[0] for row in again) * 1e-3], n > 3.0

        return {"total": until(go, [x[1] * 0.0, x[0]], limit=6)[1]}

    program = simplify(trace(function, {"x": 13}))
    x = np.random.default_rng(3).uniform(0.5, 2.0, size=(9, 13))
    expected = interpret(program, {"x": x})
    for lanes in (1, 4):
        function_ = CompiledFunction.of(build_image(program, lanes, "float64", host_target()), host_target())
        np.testing.assert_allclose(function_(x), expected["total"], rtol=1e-12)


@pytest.mark.parametrize("machine", [AVX512, AVX2, SSE2])
def test_code_beyond_the_cache_serves_two_blocks(machine):
    plan = make_plan(traced(False), machine)
    vector = VectorType(machine.lanes("float64"), "float64")
    usual = tile_blocks(plan, vector)
    assert usual == machine.largest_tile  # it is small
    for tile_bytes, second_cache, blocks in ((1, 1 << 20, 1), (1, 1, 2), (1 << 20, 1, usual)):
        small = replace(plan, machine=replace(machine, tile_bytes=tile_bytes, second_cache=second_cache))
        assert tile_blocks(small, vector) == blocks


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_zeros_in_tables_are_stored_together(lanes):
    """Runs of all lengths, up to the ends of their columns; a negative zero is none."""
    columns = [[0.0 if p >= k else 1.0 for p in range(PASSES)] for k in range(PASSES)]

    def function(x):
        # values that are computed stand between the zeros, so that every column is a table of its own
        rows = [[sqrt(x[p] * x[k]) if columns[k][p] else columns[k][p] for k in range(PASSES)] for p in range(PASSES)]
        rows = [[*row, -0.0 if p % 2 else 0.0, x[p]] for p, row in enumerate(rows)]
        _, found = repeat(lambda _, a: ([], [*a]), count=PASSES, tables=[rows])
        return {"found": [[found[p][k] for p in range(PASSES)] for k in range(PASSES + 2)]}

    program = simplify(trace(function, {"x": PASSES}))
    compiled = CompiledFunction.of(build_image(program, lanes, "float64", host_target()), host_target())
    x = np.random.default_rng(4).uniform(0.5, 2.0, size=(2 * lanes + 1, PASSES))
    expected = interpret(program, {"x": x})["found"]
    for found in (compiled(x), np.stack([compiled(row) for row in x])):
        np.testing.assert_allclose(found, expected, rtol=1e-15)
        assert np.array_equal(np.signbit(found), np.signbit(expected))
