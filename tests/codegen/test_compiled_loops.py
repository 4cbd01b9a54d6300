"""Loops in compiled code: the interpreter's values, the same bits whatever the lanes, the batch and the chunks."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.codegen import compile_program
from linkwright.codegen.cache import program_content
from linkwright.codegen.compiling import build_image
from linkwright.codegen.function import CompiledFunction
from linkwright.codegen.target import host_target
from linkwright.scalar import cos, sqrt, until, where
from linkwright.trace import Program, interpret, simplify, trace


def orbit(limit: int = 40) -> Program:
    """A loop in a loop, with values from outside, cells that are shifted and swapped, results used before and after."""

    def function(x, w):
        scale, large = sqrt(x[0] * x[0] + 1.0), x[1] > 0.0

        def body(s):
            a, b, c, count = s
            turned, steps = until(
                lambda t: ([0.6 * cos(t[0]) + 0.1 * a * scale, t[1] + 1.0], abs(t[0]) < 0.4), [b, 0.0], limit=6
            )
            return [b, where(large, turned, c) * 0.7, a, count + steps], abs(a - c) < 0.05 * scale

        a, b, c, count = until(body, [x[0], w[0], w[1], 0.0], done=x[2] > 1.5, limit=limit)
        return {"abc": [a, b, c], "passes": count, "sum": a + b * scale, "constant": 2.5, "copy": w, "scale": scale}

    return simplify(trace(function, {"x": 3, "w": 2}))


@pytest.fixture(scope="module")
def states(request):
    rng = np.random.default_rng(3)
    return {"x": rng.normal(size=(43, 3)), "w": rng.normal(size=(43, 2))}


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("chunk_size", [None, 1, 2, 5])
def test_compiled_as_interpreted(lanes, chunk_size, states):
    program = orbit()
    expected = interpret(program, states)
    target = host_target()
    function = CompiledFunction.of(build_image(program, lanes, "float64", target, chunk_size=chunk_size), target)
    found = function(**states)
    counts = expected["passes"]
    assert len(set(counts)) > 10 and counts.min() == 0  # samples end at different times, some before they begin
    for name, value in expected.items():
        assert np.allclose(getattr(found, name), value, rtol=1e-10, atol=1e-10), name
    for k in (0, 7, 42):
        single = function(*(x[k] for x in states.values()))
        assert all(np.array_equal(a, b[k]) for a, b in zip(single, found, strict=True))


def test_the_limit_holds(states):
    found = compile_program(orbit(limit=2))(**states)
    expected = interpret(orbit(limit=2), states)
    assert np.allclose(found.abc, expected["abc"], rtol=1e-12) and np.array_equal(found.passes, expected["passes"])


def test_single_precision(states):
    function = compile_program(orbit(limit=3), dtype="float32")
    found = function(*(x.astype(np.float32) for x in states.values()))
    expected = interpret(orbit(limit=3), states)["abc"]
    near = np.abs(found.abc - expected).max(axis=1) < 1e-4
    assert near.mean() > 0.9  # a condition may fall the other way in a few samples


def test_repeated_steps_and_threads(states):
    """Loops within the steps of a repeated program: the same bits as calling step by step."""

    def step(q, gain):
        (root,) = until(lambda s: ([0.5 * (s[0] + gain / s[0])], abs(s[0] * s[0] - gain) < 1e-3), [q[0]], limit=9)
        return {"q": [0.3 * q[1] + 1.0, root * 0.9 + 0.2], "root": root}

    function = compile_program(trace(step, {"q": 2, "gain": ()}), repeat=True, threads=2)
    q, gain = np.abs(states["x"][:, :2]) + 0.5, np.abs(states["w"][:, 0]) + 0.1
    together = function.repeat({"q": q, "gain": gain}, steps=6)
    for _ in range(6):
        q, _ = function(q, gain)
    assert np.array_equal(together.q[:, -1], q)


def random_loops(seed: int) -> Program:
    """Random straight lines around and within loops, one of them nested."""
    rng = np.random.default_rng(seed)

    def mix(values, count):
        values = list(values)
        for _ in range(count):
            a, b, c = (values[int(k)] for k in rng.integers(len(values), size=3))
            kind = rng.integers(4)
            new = (a * 0.5 + b * 0.4, a * cos(b), where(a < b, c * 0.9, b), 0.3 * (a - c))[kind]
            values.append(new)
        return values

    def function(x):
        before = mix(x, 25)
        n = int(rng.integers(1, 9))

        def body(s):
            inside = mix([*s, *before[-6:]], 20)

            def inner(t):
                deep = mix([*t, *inside[-4:], before[3]], 10)
                return deep[-2:], deep[-1] > 0.1

            inside += until(inner, inside[-2:], limit=int(rng.integers(1, 4)))
            inside = mix(inside, 8)
            return [inside[int(k)] for k in rng.integers(len(inside), size=n)], inside[-1] > 0.2

        start = [before[int(k)] for k in rng.integers(len(before), size=n)]
        after = mix([*until(body, start, limit=int(rng.integers(1, 7))), *before[-5:]], 15)
        second = until(lambda s: ([s[1], s[0] * 0.5], s[0] < 0.0), after[-2:], limit=3)
        return {"out": [*mix([*second, *after[-4:]], 9)[-6:], second[0], after[0]]}

    return simplify(trace(function, {"x": 5}))


@pytest.mark.parametrize("seed", range(25))
def test_random_loops(seed):
    program = random_loops(seed)
    x = np.random.default_rng(100 + seed).normal(size=(21, 5))
    expected = interpret(program, {"x": x})["out"]
    target = host_target()
    for lanes, chunk_size in ((1, 7), (4, 3), (8, None)):
        image = build_image(program, lanes, "float64", target, chunk_size=chunk_size)
        assert np.allclose(CompiledFunction.of(image, target)(x), expected, rtol=1e-9, atol=1e-12)


def test_the_cache_tells_loops_apart():
    texts = {program_content(orbit(limit)) for limit in (2, 3, 40)}
    assert len(texts) == 3
    function = compile_program(orbit())
    assert [loop.limit for loop in function.operations.loops] == [40]
    again = compile_program(orbit())
    assert again.operations == function.operations
