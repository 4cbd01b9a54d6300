"""A sample's answer does not depend on the others: not on their values, number, order, nor on threads."""

from __future__ import annotations

import numpy as np
import pytest
from programs import chain, random_program

from linkwright.codegen import compile_program, threads
from linkwright.trace import interpret


@pytest.fixture(scope="module", params=[1, 2, 4, 8])
def function(request):
    return compile_program(chain(), lanes=request.param)


def batch_of(size, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(size, n)) for n in (5, 4, 4)]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_odd_numbers_stay_in_their_sample(function, bad):
    arrays = batch_of(37)
    wanted = function(*arrays)
    for sample in (0, 3, 17, 36):
        spoilt = [x.copy() for x in arrays]
        for x in spoilt:
            x[sample] = bad
        actual = function(*spoilt)
        others = np.arange(37) != sample
        np.testing.assert_array_equal(actual[others], wanted[others])
        assert not np.array_equal(actual[sample], wanted[sample])


def test_order_and_tail(function):
    arrays = batch_of(75)
    wanted = function(*arrays)
    order = np.random.default_rng(1).permutation(75)
    np.testing.assert_array_equal(function(*(x[order] for x in arrays)), wanted[order])
    for size in (1, 2, 31, 32, 33, 64, 74):
        np.testing.assert_array_equal(function(*(x[:size] for x in arrays)), wanted[:size])


def test_nothing_outside_the_arrays_is_touched(function):
    """Rows at the very end of mapped memory cannot be tested portably; a guard around the result can."""
    for size in (1, 3, 5, 17):
        memory = np.full((size + 8, 4), 7.0)
        function(*batch_of(size), out=memory[4:-4])
        assert np.all(memory[:4] == 7.0) and np.all(memory[-4:] == 7.0)


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 9, 16, 17])
@pytest.mark.parametrize("lanes", [4, 8])
def test_rows_of_any_length(width, lanes):
    from linkwright.trace import trace

    function = compile_program(trace(lambda x: x * 2.0, {"x": width}), lanes=lanes)
    x = np.arange(11.0 * width).reshape(11, width)
    np.testing.assert_array_equal(function(x), 2 * x)


@pytest.mark.parametrize("count", [2, 3, "all"])
def test_threads(count, monkeypatch):
    monkeypatch.setattr(threads, "SMALLEST_SHARE", 1000)  # so that a small batch is split
    program = random_program(3)
    alone, shared = compile_program(program, lanes=4), compile_program(program, lanes=4, threads=count)
    assert shared.threads == count or count == "all"
    rng = np.random.default_rng(0)
    for size in (1, 4, 99, 1000):
        inputs = {x.name: rng.normal(size=(size, *x.shape)) for x in program.inputs}
        one, many = alone(**inputs), shared(**inputs)
        for name in one.keys():
            np.testing.assert_array_equal(one[name], many[name])


def test_threads_pass_errors_on():
    def run(begin, end):
        if begin:
            raise ValueError("in a share")

    with pytest.raises(ValueError, match="in a share"):
        threads.run_split(run, 1000, threads=3, unit=4, cost=10**6)


def test_shares_cover_the_batch_once():
    seen = []
    threads.run_split(lambda begin, end: seen.append((begin, end)), 1003, threads=4, unit=8, cost=10**6)
    assert len(seen) == 4
    assert [x for begin, end in sorted(seen) for x in range(begin, end)] == list(range(1003))
    assert all(begin % 8 == 0 for begin, _ in seen)


def test_long_batch_against_the_interpreter():
    program = random_program(11, operations=1500)
    function = compile_program(program)
    rng = np.random.default_rng(4)
    inputs = {x.name: rng.normal(size=(333, *x.shape)) for x in program.inputs}
    wanted, actual = interpret(program, inputs), function(**inputs)
    for name in wanted:
        np.testing.assert_allclose(actual[name], wanted[name], rtol=1e-8, atol=1e-9)
