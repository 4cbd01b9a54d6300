"""The compiled entry point: that it is used, leaks nothing, and hands odd calls to Python."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import timeit
import tracemalloc
import weakref

import numpy as np
import pytest
from programs import chain, every_operation

import linkwright
from linkwright.codegen import compile_program, python_abi
from linkwright.codegen.arguments import is_usual
from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.general_call import Runner
from linkwright.codegen.target import host_target
from linkwright.errors import InputError
from linkwright.trace import trace

COMPILED_ENTRY = python_abi.numpy_table() is not None
needs_entry = pytest.mark.skipif(not COMPILED_ENTRY, reason="this Python or NumPy is not laid out as known")


@pytest.fixture(scope="module")
def image():
    return build_image(chain(), 4, "float64", host_target())


@pytest.fixture
def function(image):
    return CompiledFunction.of(image, host_target())


@pytest.fixture
def arrays():
    return np.linspace(0, 1, 5), np.ones(4), np.zeros(4)


@pytest.fixture
def count_slow_calls(monkeypatch):
    calls = []
    original = Runner.__call__

    def counted(self, *args, **kwargs):
        calls.append(args)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(Runner, "__call__", counted)
    return calls


@needs_entry
def test_where_python_calls_functions_only(image, arrays, monkeypatch):
    """As 3.10 does: what is called is wrapped in a function."""
    calling = python_abi.calling()
    wrapped = python_abi.Calling(calling.address, python_abi._as_function)
    monkeypatch.setattr("linkwright.codegen.activate.calling", lambda: wrapped)
    function = CompiledFunction.of(image, host_target())
    np.testing.assert_array_equal(function(*map(list, arrays)), function(*arrays))
    with pytest.raises(InputError, match="nonsense"):
        function(*arrays, nonsense=1)


@needs_entry
def test_which_calls_it_serves(function, arrays, count_slow_calls):
    q, v, tau = arrays
    batch = np.ones((7, 5)), np.ones((7, 4)), np.ones((7, 4))
    function(q, v, tau)
    function(q, v, tau=tau)
    function(tau=tau, q=q, v=v)
    function(q, v, tau, out=np.empty(4))
    function(*batch)
    function(q, v, batch[2])
    function(*batch, out=np.empty((7, 4)))
    assert not count_slow_calls
    function(q.tolist(), v, tau)
    function(q, v, tau, out=tau)
    function(np.linspace(0, 1, 10)[::2], v, tau)
    function(np.ones((0, 5)), v, tau)
    assert len(count_slow_calls) == 4


@pytest.fixture(scope="module")
def several():
    def outputs(x, m):
        return {"sum": x + m[0], "product": x[0] * m, "scalar": x[0] * x[1]}

    return compile_program(trace(outputs, {"x": 3, "m": (2, 3)}, "several"))


@needs_entry
def test_several_outputs_into_a_tuple(several, count_slow_calls):
    for lead in ((), (7,)):
        x, m = np.ones((*lead, 3)), np.full((*lead, 2, 3), 2.0)
        wanted = several(x, m)
        out = tuple(np.empty_like(array) for array in wanted)
        counts = [sys.getrefcount(array) for array in out]
        result = several(x, m, out=out)
        assert type(result) is type(wanted) and all(a is b for a, b in zip(result, out, strict=True))
        for array, expected in zip(result, wanted, strict=True):
            np.testing.assert_array_equal(array, expected)
        del result, array
        assert [sys.getrefcount(array) for array in out] == counts
    assert not count_slow_calls


@needs_entry
def test_tuples_that_do_not_fit_are_explained(several):
    x, m = np.ones(3), np.ones((2, 3))
    good = np.empty(3), np.empty((2, 3)), np.empty(())
    both = np.empty(7)
    for out, message in (
        (good[:2], "2 arrays"),
        ((good[0], np.empty((3, 2)), good[2]), r"'product' has shape \(3, 2\)"),
        ((good[0], good[1], np.empty((), np.float32)), "'scalar' has dtype float32"),
        ((both[:3], both[1:].reshape(2, 3), good[2]), "overlap"), ((good[0], good[1], good[0]), "'scalar' has shape"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            several(x, m, out=out)
    assert several(x, m, out=(*good[:2], None)).scalar == 1.0  # what is not given is made
    shared = np.ones(3)
    np.testing.assert_array_equal(several(shared, m, out=(shared, *good[1:])).product, np.ones((2, 3)))
    np.testing.assert_array_equal(shared, np.full(3, 2.0))


@needs_entry
def test_conversions_come_back_to_it_once(function, several, arrays, count_slow_calls):
    wanted = function(*arrays)
    for given in (
        [x.tolist() for x in arrays], [x.astype(np.float32) for x in (np.zeros(5), *arrays[1:])],
        [np.repeat(x, 2)[::2] for x in arrays], [x.astype(">f8") for x in arrays],
    ):  # fmt: skip
        count_slow_calls.clear()
        result = function(*given)
        assert len(count_slow_calls) == 1
        if given[0][-1] == 1.0:
            np.testing.assert_array_equal(result, wanted)
    count_slow_calls.clear()
    out = {"sum": np.empty(3), "product": np.empty((2, 3)), "scalar": np.empty(())}
    assert several([1, 2, 3], np.ones((2, 3)), out=out).sum is out["sum"]
    assert len(count_slow_calls) == 1 and out["scalar"] == 2.0


@needs_entry
def test_both_paths_agree(function, arrays):
    batch = [np.random.default_rng(1).normal(size=(7, x.size)) for x in arrays]
    runner = function._runner
    np.testing.assert_array_equal(function(*arrays), runner(*arrays))
    np.testing.assert_array_equal(function(*batch), runner(*batch))


def test_works_without_it(image, arrays, monkeypatch):
    with_entry = CompiledFunction.of(image, host_target())
    monkeypatch.setattr("linkwright.codegen.activate.numpy_table", lambda: None)
    without = CompiledFunction.of(image, host_target())
    np.testing.assert_array_equal(without(*arrays), with_entry(*arrays))
    np.testing.assert_array_equal(without(arrays[0], tau=arrays[2], v=arrays[1], out=np.empty(4)), with_entry(*arrays))
    with pytest.raises(InputError):
        without(arrays[0])


def test_references(function, arrays):
    q, v, tau = arrays
    out, dtype = np.empty(4), np.dtype(float)
    batch = np.ones((3, 5))
    objects = (q, v, tau, out, dtype, np.ndarray, function, type(function), function._runner)
    gc.collect()  # errors hold arrays, by their tracebacks, until then
    before = [sys.getrefcount(x) for x in objects]
    for _ in range(1000):
        function(q, v, tau)
        function(q, v, tau, out=out)
        function(q=q, v=v, tau=tau)
        function(batch, v, tau)
        with pytest.raises(InputError):
            function(q, v, v[:2])
    gc.collect()
    after = [sys.getrefcount(x) for x in objects]
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= 3  # not hundreds


def test_result_is_owned_by_the_caller(function, arrays):
    result = function(*arrays)
    assert sys.getrefcount(result) == 2
    assert result.flags.owndata and result.flags.writeable and result.flags.c_contiguous
    dead = weakref.ref(result)
    del result
    assert dead() is None


def test_no_memory_is_lost(function, arrays):
    several = compile_program(every_operation())
    x, y = np.ones((50, 3)), np.ones((50, 2))

    def work():
        for _ in range(300):
            function(*arrays)
            several(x, y)
            several(x[0], y[0])

    work()
    tracemalloc.start()
    try:
        work()
        first = tracemalloc.get_traced_memory()[0]
        work()
        second = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert second - first < 20_000


def test_functions_are_collected(image, arrays):
    function = CompiledFunction.of(image, host_target())
    function(*arrays)
    call = type(function).__call__
    dead, dead_runner = weakref.ref(function), weakref.ref(function._runner)
    del function
    gc.collect()
    assert dead() is None
    if COMPILED_ENTRY:
        assert dead_runner() is not None  # the builtin still needs it
        assert call(*arrays).shape == (4,)
    del call
    gc.collect()
    assert dead_runner() is None


def test_exceptions_pass_through(function):
    class Odd:
        def __array__(self, dtype=None, copy=None):
            raise ZeroDivisionError("from the argument")

    with pytest.raises(ZeroDivisionError, match="from the argument"):
        function(Odd(), np.ones(4), np.ones(4))


def test_many_threads_at_once(function):
    rng = np.random.default_rng(2)
    batches = [[rng.normal(size=(50 + k, n)) for n in (5, 4, 4)] for k in range(6)]
    wanted = [function(*batch) for batch in batches]
    failures = []

    def work(k):
        for _ in range(200):
            if not np.array_equal(function(*batches[k]), wanted[k]):
                failures.append(k)
            if not np.array_equal(function(*(x[0] for x in batches[k])), wanted[k][0]):
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_report_the_overhead(function, arrays, record_property):
    """A number for the log; it decides nothing."""
    q, v, tau = arrays
    best = min(timeit.repeat(lambda: function(q, v, tau), number=2000, repeat=5)) / 2000
    record_property("microseconds_per_call", round(best * 1e6, 3))


def test_an_array_that_was_pickled_is_read_where_it_is():
    """It has a dtype object of its own, which means the same; others do not."""
    array = pickle.loads(pickle.dumps(np.arange(3.0)))
    assert array.dtype is not np.dtype(float) and is_usual(array, np.dtype(float))
    assert not is_usual(array.astype(np.float32), np.dtype(float))
    assert not is_usual(array.astype(">f8"), np.dtype(float))
    robot = linkwright.robots.chain(3)
    aba = linkwright.compile(robot, "aba")
    expected = aba(np.arange(3.0), np.zeros(3), np.zeros(3))
    for q in (array, array.astype(">f8"), array.astype(int)):
        np.testing.assert_array_equal(aba(q, np.zeros(3), np.zeros(3)), expected)
