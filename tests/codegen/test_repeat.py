"""Many steps in one call: the same bits as calling step by step, whatever the batch, the lanes and the threads."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.codegen import compile_program, threads
from linkwright.errors import InputError, UnsupportedError
from linkwright.scalar import absolute, cos, sin, until
from linkwright.trace import trace


def pendulums(n: int):
    """A step of n coupled pendulums, with more outputs than are fed back and one input that is not."""

    def step(q, v, push, gain):
        a = [push[k] - sin(q[k]) * gain - 0.1 * v[k] + 0.3 * cos(q[k - 1]) for k in range(n)]
        v1 = [x + 0.01 * y for x, y in zip(v, a, strict=True)]
        q1 = [x + 0.01 * y for x, y in zip(q, v1, strict=True)]
        return {"v": v1, "a": a, "q": q1}

    return trace(step, {"q": n, "v": n, "push": n, "gain": ()})


def step_by_step(function, q, v, push, gain, steps):
    """push: (steps, ..., n)"""
    records = []
    for k in range(steps):
        v, a, q = function(q, v, np.ascontiguousarray(push[k]), gain)
        records.append((v, a, q))
    return [np.stack(x, axis=-2) for x in zip(*records, strict=True)]


@pytest.fixture(scope="module", params=[(1, 3), (2, 3), (4, 3), (4, 7), (8, 9)])
def case(request):
    lanes, n = request.param
    return compile_program(pendulums(n), lanes=lanes, repeat=True), n


@pytest.mark.parametrize("batch", [None, 1, 3, 4, 5, 37])
def test_same_bits_as_step_by_step(case, batch):
    function, n = case
    rng = np.random.default_rng(0)
    lead = () if batch is None else (batch,)
    q, v = rng.normal(size=(2, *lead, n))
    push = rng.normal(size=(*lead, 25, n))
    gain = np.array(3.0) if batch is None else rng.normal(size=lead)
    wanted = step_by_step(function, q, v, np.moveaxis(push, -2, 0), gain, 25)
    inputs = {"q": q, "v": v, "push": push, "gain": gain}
    results = function.repeat(inputs, 25, advancing=("push",))
    for name, expected in zip(("v", "a", "q"), wanted, strict=True):
        np.testing.assert_array_equal(results[name], expected)
    for every in (1, 4, 5, 25, 100):  # every so many steps, and the last
        kept = sorted({*range(every - 1, 25, every), 24})
        few = function.repeat(inputs, 25, every=every, advancing=("push",))
        np.testing.assert_array_equal(few.q, wanted[2][..., kept, :])
    some = function.repeat(inputs, 25, every=4, advancing=("push",), last=("q",))
    np.testing.assert_array_equal(some.q, wanted[2][..., -1, :])
    np.testing.assert_array_equal(some.a, wanted[1][..., [3, 7, 11, 15, 19, 23, 24], :])


def test_inputs_that_stay_and_inputs_shared_by_all_samples(case):
    function, n = case
    rng = np.random.default_rng(1)
    q, v = rng.normal(size=(2, 11, n))
    push = rng.normal(size=n)
    stays = function.repeat({"q": q, "v": v, "push": push, "gain": 2.0}, 9)
    advances = function.repeat({"q": q, "v": v, "push": np.tile(push, (9, 1)), "gain": 2.0}, 9, advancing=("push",))
    alone = [function.repeat({"q": q[k], "v": v[k], "push": push, "gain": 2.0}, 9).q for k in range(11)]
    np.testing.assert_array_equal(stays.q, advances.q)
    np.testing.assert_array_equal(stays.q, np.stack(alone))


def test_inputs_are_left_as_they_were_and_steps_continue(case):
    function, n = case
    rng = np.random.default_rng(2)
    q, v = rng.normal(size=(2, 6, n))
    before = q.copy()
    rest = {"push": np.zeros(n), "gain": 1.0}
    whole = function.repeat({"q": q, "v": v, **rest}, 20)
    np.testing.assert_array_equal(q, before)
    first = function.repeat({"q": q, "v": v, **rest}, 8, every=8)
    second = function.repeat({"q": first.q[:, -1], "v": first.v[:, -1], **rest}, 12)
    np.testing.assert_array_equal(second.q, whole.q[:, 8:])


def test_threads_and_empty_batches(monkeypatch):
    monkeypatch.setattr(threads, "SMALLEST_SHARE", 1000)
    alone = compile_program(pendulums(5), repeat=True)
    shared = compile_program(pendulums(5), repeat=True, threads=3)
    q, v = np.random.default_rng(3).normal(size=(2, 101, 5))
    inputs = {"q": q, "v": v, "push": np.zeros(5), "gain": 1.0}
    np.testing.assert_array_equal(alone.repeat(inputs, 50).q, shared.repeat(inputs, 50).q)
    assert alone.repeat({**inputs, "q": q[:0], "v": v[:0]}, 50).q.shape == (0, 50, 5)


@pytest.mark.parametrize("arithmetic", ["float32", "float64"])
def test_single_precision(arithmetic):
    function = compile_program(pendulums(4), repeat=True, dtype="float32", arithmetic=arithmetic)
    q, v = np.random.default_rng(4).normal(size=(2, 13, 4)).astype(np.float32)
    inputs = {"push": np.zeros(4), "gain": 1.0}
    batch = function.repeat({"q": q, "v": v, **inputs}, 30).q
    np.testing.assert_array_equal(batch[7], function.repeat({"q": q[7], "v": v[7], **inputs}, 30).q)
    first = function.repeat({"q": q, "v": v, **inputs}, 12, every=12)  # what is kept from step to step is in floats
    again = function.repeat({"q": first.q[:, -1], "v": first.v[:, -1], **inputs}, 18).q
    np.testing.assert_array_equal(again, batch[:, 12:])


def test_refusals(case):
    function, n = case
    inputs = {"q": np.zeros(n), "v": np.zeros(n), "push": np.zeros(n), "gain": 1.0}
    with pytest.raises(InputError, match="steps is 0"):
        function.repeat(inputs, 0)
    with pytest.raises(InputError, match="every is -1"):
        function.repeat(inputs, 5, every=-1)
    with pytest.raises(InputError, match="'push' has shape"):
        function.repeat(inputs, 5, advancing=("push",))
    with pytest.raises(InputError, match="fed back"):
        function.repeat(inputs, 5, advancing=("q",))
    with pytest.raises(InputError, match="missing 'gain'"):
        function.repeat({k: x for k, x in inputs.items() if k != "gain"}, 5)
    with pytest.raises(InputError, match="samples"):
        function.repeat({**inputs, "q": np.zeros((3, n)), "v": np.zeros((4, n))}, 5)
    with pytest.raises(InputError, match="push"):
        function.repeat({**inputs, "pus": 1.0}, 5)
    with pytest.raises(UnsupportedError, match="repeat=True"):
        compile_program(pendulums(2)).repeat(inputs, 5)


def halvings():
    """A step whose loop takes each sample as many passes as it likes, and tells."""

    def step(x, push):
        def body(values):
            y, count = values
            return [y * 0.5, count + 1.0], absolute(y) < 0.02

        y, count = until(body, [x[0] + push[0], 0.0], limit=60, expected=6.0)
        return {"x": [x[0] * 0.9 + y + sin(x[1] * 40.0), x[1] + 0.37 * count], "passes": count, "y": y}

    return trace(step, {"x": 2, "push": 1})


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("batch", [70, 133])
def test_samples_that_take_alike_long_go_together_and_nothing_changes(lanes, batch):
    """The order is another one, results are the same: records, states, inputs that advance, ragged last blocks."""
    function = compile_program(halvings(), lanes=lanes, repeat=True)
    rng = np.random.default_rng(1)
    x, push = rng.normal(size=(batch, 2)) * [10.0, 1.0], rng.normal(size=(batch, 13, 1)) * 10.0
    inputs = {"x": x, "push": push}
    for every, last in ((1, ()), (3, ("x",)), (4, ("passes",)), (13, ("x", "y", "passes")), (50, ())):
        given = {"every": every, "last": last, "advancing": ("push",)}
        plain = function.repeat(inputs, 13, **given)
        assert len(np.unique(plain.passes)) > 3  # else there is nothing to order
        ordered = function.repeat(inputs, 13, effort="passes", **given)
        for name in ("x", "passes", "y"):
            np.testing.assert_array_equal(ordered[name], plain[name])
    np.testing.assert_array_equal(inputs["x"], x)


def test_ordered_batches_are_split_over_threads(monkeypatch):
    function = compile_program(halvings(), lanes=4, repeat=True, threads=2)
    monkeypatch.setattr(threads, "SMALLEST_SHARE", 100)
    rng = np.random.default_rng(2)
    inputs = {"x": rng.normal(size=(90, 2)), "push": rng.normal(size=(90, 1)) * 10.0}
    plain, ordered = (function.repeat(inputs, 9, effort=effort) for effort in (None, "passes"))
    np.testing.assert_array_equal(ordered.x, plain.x)


def test_an_effort_nobody_tells_is_refused():
    function = compile_program(halvings(), lanes=1, repeat=True)
    with pytest.raises(InputError, match="pases"):
        function.repeat({"x": [1.0, 0.0], "push": [1.0]}, 2, effort="pases")
