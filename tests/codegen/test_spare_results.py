"""Results of large batches are written into again, and only when nobody could tell."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from programs import every_operation

import linkwright as lw
from linkwright.codegen import compile_program, python_abi, spare_results
from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.spare_results import LEAST_BYTES, MOST_BYTES, MOST_HELD, SETS
from linkwright.codegen.target import host_target
from linkwright.trace import simplify, trace

pytestmark = pytest.mark.skipif(
    python_abi.numpy_table() is None, reason="this Python or NumPy is not laid out as known"
)
BATCH = LEAST_BYTES // 8 // 2  # with two numbers of output or more


def function_of(outputs: int) -> CompiledFunction:
    def body(x):
        return {f"y{k}": [x[0] * (k + 1.0), x[1] + x[0], x[1]] for k in range(outputs)}

    return CompiledFunction.of(build_image(simplify(trace(body, {"x": 2})), 4, "float64", host_target()), host_target())


@pytest.fixture(params=[1, 3], ids=["one output", "three outputs"])
def outputs(request):
    return request.param


@pytest.fixture
def function(outputs):
    return function_of(outputs)


def samples(seed: int, batch: int = BATCH) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(batch, 2))


def every(result) -> list[np.ndarray]:
    return [result] if isinstance(result, np.ndarray) else list(result)


def places(result) -> list[int]:
    return [array.ctypes.data for array in every(result)]


def assert_right(result, x):
    for k, array in enumerate(every(result)):
        assert np.array_equal(array, np.stack([x[:, 0] * (k + 1.0), x[:, 1] + x[:, 0], x[:, 1]], axis=1))


def test_what_nobody_holds_is_taken_again(function):
    x, y = samples(1), samples(2)
    first = function(x)
    where = places(first)
    del first
    second = function(y)
    assert places(second) == where
    assert_right(second, y)
    third = function(x)  # the second is still held
    assert not set(places(third)) & set(where)
    assert_right(second, y)
    assert_right(third, x)
    where = [*where, *places(third)]
    for _ in range(5):  # as in a loop that assigns to one name
        second, third = third, function(y)
        assert_right(third, y)
    assert sys.getrefcount(every(third)[0]) >= 2


HOLDS = {
    "the array": lambda array: array,
    "a view": lambda array: array[3:, 1],
    "a reshaped one": lambda array: array.reshape(-1),
    "a buffer": memoryview,
    "an array over its buffer": np.frombuffer,
    "a weak reference": weakref.ref,
    "a container": lambda array: {"key": [array]},
}


@pytest.mark.parametrize("hold", HOLDS.values(), ids=HOLDS)
def test_whoever_looks_at_one_array_holds_all(function, hold, outputs):
    for which in range(outputs):
        result = function(samples(1))
        where, held = places(result), hold(every(result)[which])
        expected = every(result)[which].copy()
        del result
        later = [function(samples(seed)) for seed in range(2, 6)]
        if isinstance(held, weakref.ref):  # it may go, but not become another result
            assert held() is None or np.array_equal(held(), expected)
            continue
        for one in later:
            assert places(one)[which] != where[which]
        if isinstance(held, np.ndarray | memoryview):
            start = expected[3:, 1] if held.ndim == 1 and len(held) == BATCH - 3 else expected.reshape(np.shape(held))
            assert np.array_equal(np.asarray(held), start)
        del held, later


def test_an_input_may_be_a_result(outputs):
    function = function_of(outputs)
    x = samples(1)
    for seed in range(4):
        result = function(x)
        following = np.ascontiguousarray(every(result)[-1][:, :2])
        view = every(result)[0].reshape(-1)[: 2 * len(x)].reshape(-1, 2)
        assert view.base is not None
        expected = view.copy()
        del result
        assert_right(function(view), expected)
        x = following + samples(seed)


def test_arrays_that_were_changed_are_not_taken(function):
    def locked(array):
        array.setflags(write=False)

    def flattened(array):
        array.shape = (-1,)

    for change in (locked, flattened):
        result = function(samples(1))
        for array in every(result):
            change(array)
        del result, array
        x = samples(2)
        result = function(x)
        assert_right(result, x)
        assert all(array.flags.writeable and array.shape == (BATCH, 3) for array in every(result))


def test_other_batches_small_and_huge_ones_and_single_calls(function, outputs):
    huge = MOST_BYTES // (8 * 3 * outputs) + 1
    for batch in (BATCH, BATCH + 1, 5, BATCH, huge, BATCH):
        x = samples(batch, batch)
        result = function(x)
        assert_right(result, x)
        array = every(result)[0]
        # the result itself, the name, the argument; and the function
        assert sys.getrefcount(array) == (4 if batch in (BATCH, BATCH + 1) else 3)
        del result, array
    assert np.shape(every(function(samples(1)[0]))[0]) == (3,)


def test_the_last_ones_are_kept_as_long_as_the_function(outputs):
    function = function_of(outputs)
    arrays = [every(function(samples(1)))]
    arrays += [every(function(samples(seed))) for seed in range(SETS + 1)]  # the ones before are held
    counts = [[sys.getrefcount(array) for array in one] for one in arrays]
    assert counts == [[3] * outputs] * 2 + [[4] * outputs] * SETS  # the list, the name, the argument
    del function
    gc.collect()
    assert [[sys.getrefcount(array) for array in one] for one in arrays] == [[3] * outputs] * (SETS + 2)


def test_many_threads(outputs):
    function, wrong = function_of(outputs), []

    def work(seed):
        x = samples(seed)
        for _ in range(30):
            try:
                assert_right(function(x), x)
            except AssertionError as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_every_operation_gives_the_same_again():
    function = compile_program(every_operation())
    x, y = np.random.default_rng(0).uniform(0.1, 1.0, size=(2, 4096, 3))
    first = [array.copy() for array in function(x, y[:, :2].copy())]
    for _ in range(3):
        again = function(x, y[:, :2].copy())
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, again, strict=True))


@pytest.fixture
def nothing_kept():
    gc.collect()
    lw.release_results()
    assert spare_results._held.value == 0
    yield
    gc.collect()
    lw.release_results()
    assert spare_results._held.value == 0


def test_what_is_kept_is_counted_and_given_back(function, outputs, nothing_kept):
    x, size = samples(1), BATCH * 3 * 8 * outputs
    weak = weakref.ref(every(function(x))[0])
    assert spare_results._held.value == size and weak() is not None
    held = function(x)  # the first is seen by a weak reference, so this is other memory
    assert spare_results._held.value == 2 * size
    assert lw.release_results() == 2 * size and spare_results._held.value == 0
    assert weak() is None
    assert_right(held, x)
    for batch in (BATCH, 2 * BATCH, BATCH, 3 * BATCH):
        assert_right(function(samples(batch, batch)), samples(batch, batch))
    kept = spare_results._held.value
    assert 0 < kept <= 5 * size and lw.release_results() == kept and spare_results._held.value == 0


def test_all_functions_together_keep_no_more_than_one_may(nothing_kept):
    """Four functions, whose results would take half a GB."""
    batch = MOST_BYTES // (8 * 3)
    functions, x = [function_of(1) for _ in range(4)], np.ones((batch, 2))
    for function in functions:
        first, second = function(x), function(x)
        assert second[-1, 0] == 1.0 and first[-1, 1] == 2.0
        del first, second
        assert spare_results._held.value <= MOST_HELD
    assert spare_results._held.value > MOST_HELD - 2 * 8 * 3
    assert_right(functions[3](x), x)  # which keeps nothing
    del functions, function
    gc.collect()
    assert spare_results._held.value == 0


def test_a_function_that_is_loaded_finds_room(nothing_kept):
    x = np.ones((MOST_BYTES // (8 * 3), 2))
    first = function_of(1)
    held = first(x), first(x)
    assert spare_results._held.value > MOST_HELD // 2
    second = function_of(1)
    assert spare_results._held.value == 0
    where = places(second(x))
    assert places(second(x)) == where
    assert_right(held[0], x)


def test_giving_back_while_others_compute(function, nothing_kept):
    wrong, done = [], threading.Event()

    def work(seed):
        x = samples(seed)
        for _ in range(60):
            try:
                assert_right(function(x), x)
            except AssertionError as error:
                wrong.append(error)

    def give_back():
        while not done.is_set():
            lw.release_results()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    giving = threading.Thread(target=give_back)
    for thread in (*threads, giving):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    giving.join()
    assert not wrong
