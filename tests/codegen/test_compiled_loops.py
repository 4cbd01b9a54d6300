"""Loops and guards in compiled code: the interpreter's values, and the same bits whatever lanes, batch and chunks."""

from __future__ import annotations

import re

import numpy as np
import pytest

from linkwright.codegen import compile_program, visits
from linkwright.codegen.cache import program_content
from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.target import host_target
from linkwright.scalar import cos, guard, maximum, repeat, sin, sqrt, until, where
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


def test_guards_in_repeated_steps(states):
    def step(q, gain):
        (pushed,) = guard(q[0] < gain, lambda: [sqrt(gain - q[0]) * 0.5], [0.0], expected=0.3)
        return {"q": [0.9 * q[0] + 0.2 * q[1] + pushed, q[1] * 0.8], "pushed": pushed}

    function = compile_program(simplify(trace(step, {"q": 2, "gain": ()})), repeat=True, threads=2)
    q, gain = states["x"][:, :2], states["w"][:, 0] * 0.3
    together = function.repeat({"q": q, "gain": gain}, steps=7)
    sometimes = np.zeros(len(q))
    for _ in range(7):
        q, pushed = function(q, gain)
        sometimes += pushed > 0.0
    assert np.array_equal(together.q[:, -1], q) and np.isfinite(q).all()
    assert len(set(sometimes)) > 3 and sometimes.min() == 0.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_what_is_skipped_does_not_leak(lanes, dtype):
    """No number in the lanes that do not need it, whether the others do or the whole block is skipped."""

    def function(x):
        root, inverse = guard(x[0] > 0.0, lambda: [sqrt(x[0]), 1.0 / x[0]], [-1.0, x[0]])
        (deep,) = guard(x[0] > 0.0, lambda: guard(x[0] > 4.0, lambda: [sqrt(x[0] - 4.0)], [root]), [7.0])
        return {"root": root, "inverse": inverse, "deep": deep}

    x = np.array([4.0, -1.0, 0.0, 9.0, np.nan, *[-3.0] * 12, 16.0, np.inf, -np.inf])[:, None].astype(dtype)
    found = compile_program(simplify(trace(function, {"x": 1})), lanes=lanes, dtype=dtype)(x)
    with np.errstate(all="ignore"):
        assert np.array_equal(found.root, np.where(x > 0, np.sqrt(x), -1.0)[:, 0].astype(dtype))
        assert np.array_equal(found.inverse, np.where(x > 0, 1 / x, x)[:, 0], equal_nan=True)
        deep = np.where(x > 4.0, np.sqrt(x - 4.0), np.where(x > 0.0, np.sqrt(x), 7.0))[:, 0]
        assert np.array_equal(found.deep, deep.astype(dtype))


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_guards_that_add_to_the_same_sums(lanes):
    """Each reads what the last one left; also what was left is read once more behind the last one."""

    def function(x):
        total, seen = [0.0, x[3]], []
        for k in range(3):
            more = lambda k=k, old=total: [old[0] + sqrt(x[k]) * old[1], old[1] - x[k]]  # noqa: E731
            total = guard(x[k] > 0.0, more, total)
            seen.append(total[k % 2])
        return [*total, *seen]

    program = simplify(trace(function, {"x": 4}))
    x = np.random.default_rng(4).normal(size=(9, 4))
    found = compile_program(program, lanes=lanes)(x)
    np.testing.assert_allclose(found, interpret(program, {"x": x})["out"], rtol=1e-14, atol=1e-14)
    values = np.zeros((9, 2)) + [0.0, 1.0] * x[:, 3:]
    for k in range(3):
        more = np.stack([values[:, 0] + np.sqrt(np.abs(x[:, k])) * values[:, 1], values[:, 1] - x[:, k]], axis=1)
        values = np.where(x[:, k : k + 1] > 0, more, values)
    np.testing.assert_allclose(found[:, :2], values, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("keeps", [False, True])
def test_a_guard_goes_on_where_the_loop_around_it_carries(lanes, keeps):
    """One value the guard alone reads last, one is read once more behind it, two change places in it."""

    def function(x):
        def body(values, running):
            a, b, c, d = values
            go = where(running, where(a < 2.0, 1.0, 0.0), 0.0)
            more = lambda: [a + go * (0.5 + b * b), b + go * a, c + go * (d - c), d + go * (c - d)]  # noqa: E731
            a_next, b_next, c_next, d_next = guard(go > 0.5, more, values, keeps=keeps)
            return [a_next, b_next + go * b * 0.1, c_next, d_next], a_next > 2.0

        return until(body, [x[0], x[1], x[2], x[0] + x[1]], limit=12, keeps=True)

    program = simplify(trace(function, {"x": 3}))
    x = np.random.default_rng(6).normal(size=(11, 3))
    found = compile_program(program, lanes=lanes)(x)
    np.testing.assert_allclose(found, interpret(program, {"x": x})["out"], rtol=1e-12, atol=1e-12)
    for k, (a, b, c) in enumerate(x):
        d = a + b
        for _ in range(12):
            if a < 2.0:
                a, b, c, d = a + 0.5 + b * b, b + a + 0.1 * b, d, c
            if a > 2.0:
                break
        np.testing.assert_allclose(found[k], [a, b, c, d], rtol=1e-12, atol=1e-12)


def test_guards_within_a_loop_stand_in_its_function():
    """Asked where they stand, one within another: most are not taken, and a call of each would be dearer."""

    def function(x):
        def body(values):
            a, b = values
            (deep,) = guard(a < 1.0, lambda: guard(b > 0.0, lambda: [sqrt(b + a * a)], [b]), [a])
            return [a + 0.3, deep], a > 1.5

        return until(body, [x[0], x[1]], limit=9)

    program = simplify(trace(function, {"x": 2}))
    compiled = compile_program(program, lanes=4)
    assert len(re.findall(r"define internal void @lw_loop_", compiled.ir)) == 2  # for one lane and for four
    x = np.random.default_rng(3).normal(size=(9, 2))
    np.testing.assert_allclose(compiled(x), interpret(program, {"x": x})["out"], rtol=1e-14)
    assert all(np.array_equal(compiled(one), many) for one, many in zip(x, compiled(x), strict=True))


def test_no_code_between_guards_that_need_nothing_of_each_other():
    """What they start from is written before the first; one that needs another's result comes after code of its own."""

    def rooted(x, k):
        nothing = [maximum(-(x[k] * x[k]) - n, 0.0) for n in range(40)]  # more than registers: slots are used again
        product = sum((y * z for y, z in zip(nothing, reversed(nothing), strict=True)), sqrt(x[k]))
        return [where(x[k] > 0.0, product, x[k] * 3.0)]

    def function(x):
        roots = [guard(x[k] > 0.0, lambda k=k: rooted(x, k), [x[k] * 3.0], keeps=True)[0] for k in range(5)]
        (last,) = guard(roots[0] > 1.0, lambda: [roots[1] * roots[2]], [roots[3] + roots[4]])
        return [*roots, last]

    program = simplify(trace(function, {"x": 5}))
    compiled = compile_program(program, lanes=4)
    chunks = re.findall(r"define void @lw_chunk_4_\d+\(", compiled.ir)
    assert len(chunks) == 1 + 5 + 1 + 1 + 1  # before the first, their bodies, before the last, its body, the end
    x = np.random.default_rng(8).normal(size=(21, 5))
    np.testing.assert_allclose(compiled(x), interpret(program, {"x": x})["out"], rtol=1e-13)
    assert all(np.array_equal(compiled(one), many) for one, many in zip(x, compiled(x), strict=True))


def test_a_guard_that_no_lane_needs_is_a_branch():
    """A body of a hundred sines is called from one place, behind the question whether any lane needs it."""

    def heavy(x):
        total = x[1]
        for _ in range(100):
            total = sin(total + x[2])
        return [total]

    function = compile_program(simplify(trace(lambda x: guard(x[0] > 0.0, lambda: heavy(x), [0.0]), {"x": 3})), lanes=4)
    definitions = {re.search(r"@(\w+)\(", text).group(1): text for text in function.ir.split("define ")[1:]}
    for lanes in (1, 4):
        chunks = {name: text for name, text in definitions.items() if name.startswith(f"lw_chunk_{lanes}_")}
        body = max(chunks, key=lambda name: len(chunks[name]))
        assert len(chunks[body]) > 0.9 * sum(map(len, chunks.values()))
        callers = {name: text for name, text in definitions.items() if f"call void @{body}(" in text}
        assert list(callers) == [f"lw_loop_{lanes}_0"]
        asked, skipped = callers[f"lw_loop_{lanes}_0"].split("br i1 %any, label %round, label %done")
        assert body not in asked and body in skipped


def random_function(seed: int):
    """Random straight lines around and within loops and guards, some of them nested; the same at every call."""
    rng = np.random.default_rng(seed)

    def same_every_time(part):
        """A body may be run any number of times, and must then be the same."""
        own = np.random.default_rng(rng.integers(1 << 40)).bit_generator.state

        def run(*arguments, **named):
            before, rng.bit_generator.state = rng.bit_generator.state, own
            try:
                return part(*arguments, **named)
            finally:
                rng.bit_generator.state = before

        return run

    def mix(values, count):
        values = list(values)
        for _ in range(count):
            a, b, c = (values[int(k)] for k in rng.integers(len(values), size=3))
            kind = rng.integers(4)
            new = (a * 0.5 + b * 0.4, a * cos(b), where(a < b, c * 0.9, b), 0.3 * (a - c))[kind]
            values.append(new)
        return values

    def guarded(values, depth=0):
        """A guard on some of the values, now and then with a guard or a loop within."""
        a, b, *otherwise = (values[int(k)] for k in rng.integers(len(values), size=2 + int(rng.integers(1, 4))))

        @same_every_time
        def part():
            inside = mix(values, int(rng.integers(12)))
            if depth < 2 and rng.random() < 0.4:
                inside += guarded(inside, depth + 1)
            if rng.random() < 0.3:
                inside += until(lambda s: ([s[0] * 0.5 + inside[-1]], s[0] > b), [values[-1]], limit=3)
            inside = mix(inside, 5)
            return [inside[int(k)] for k in rng.integers(len(inside), size=len(otherwise))]

        return guard(a < b, part, otherwise)

    def counted(values, x, depth=0):
        """A counted loop; its tables hold constants, inputs in and out of order, values computed, results of a loop."""
        count = int(rng.integers(1, 6))
        kinds = [
            lambda: rng.normal(size=(count, 1)),
            lambda: rng.normal(size=(count, 2)),
            lambda: [[x[k % 5]] for k in range(count)],
            lambda: [[x[4 - k % 5]] for k in range(count)],
            lambda: [[x[k * k % 5], x[k]] for k in range(count)],
            lambda: [[values[int(k)] for k in rng.integers(len(values), size=6)] for _ in range(count)],
            lambda: [[x[0], values[-1], 2.0, float(k)] for k in range(count)],
        ]
        tables = [kinds[int(k)]() for k in rng.integers(len(kinds), size=int(rng.integers(3)))]
        start = [values[int(k)] for k in rng.integers(len(values), size=int(rng.integers(4)))]

        @same_every_time
        def step(s, *rows):
            inside = mix([*s, *(y for row in rows for y in row), *values[-2:]], int(rng.integers(12)))
            if depth < 2 and rng.random() < 0.4:
                inside += counted(inside, x, depth + 1)
            if rng.random() < 0.3:
                inside += guarded(inside, 2)
            inside = [0.5 * y for y in mix(inside, 4)]
            chosen = [inside[int(k)] for k in rng.integers(len(inside), size=len(start))]
            return chosen, [[*inside, *s][int(k)] for k in rng.integers(len([*inside, *s]), size=results)]

        results = int(rng.integers(4))
        last, found = repeat(step, start, count=count, tables=tables)
        flat = [y for row in found for y in row]
        if found and found[0]:  # a loop over the results of a loop, some of them backwards
            last += repeat(lambda s, a, b: ([0.5 * s[0] + a[0] * b[-1]], []), [values[0]], count=count,
                           tables=[found, found[::-1]])[0]  # fmt: skip
        return [*last, *flat]

    @same_every_time
    def function(x):
        before = mix(x, 25)
        before = mix([*before, *guarded(before), *guarded(before)], 3)
        before = mix([*before, *counted(before, x)], 3)
        n = int(rng.integers(1, 9))

        @same_every_time
        def body(s):
            inside = mix([*s, *before[-6:]], 20)
            inside = mix([*inside, *guarded([*inside[-5:], *before[-3:]])], 3)
            inside = mix([*inside, *counted(inside, x)], 3)

            @same_every_time
            def inner(t):
                deep = mix([*t, *inside[-4:], before[3]], 10)
                deep += guarded(deep[-8:])
                return deep[-2:], deep[-1] > 0.1

            inside += until(inner, inside[-2:], limit=int(rng.integers(1, 4)))
            inside = mix(inside, 8)
            return [inside[int(k)] for k in rng.integers(len(inside), size=n)], inside[-1] > 0.2

        start = [before[int(k)] for k in rng.integers(len(before), size=n)]
        after = mix([*until(body, start, limit=int(rng.integers(1, 7))), *before[-5:]], 15)
        second = until(lambda s: ([s[1], s[0] * 0.5], s[0] < 0.0), after[-2:], limit=3)
        rows = counted(after, x)
        return {"out": [*mix([*second, *after[-4:], *rows], 9)[-6:], second[0], after[0], *rows], "rows": rows[::-1]}

    return function


def random_loops(seed: int) -> Program:
    return simplify(trace(random_function(seed), {"x": 5}))


@pytest.mark.parametrize("seed", range(20))
def test_random_loops_on_numbers(seed):
    """Traced and interpreted as they run on arrays of samples, and on the numbers of one."""
    function = random_function(seed)
    x = np.random.default_rng(200 + seed).normal(size=(6, 5))
    found = interpret(trace(function, {"x": 5}, name="random"), {"x": x})
    for name, columns in function(x.T).items():
        expected = np.stack([np.broadcast_to(y, 6) for y in columns], axis=1) if columns else np.zeros((6, 0))
        assert np.allclose(found[name], expected, rtol=1e-9, atol=1e-12)
        assert np.allclose(np.array(function(x[4])[name], dtype=float), found[name][4], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(36))
def test_random_loops(seed):
    """Lanes and sizes of chunks in all combinations, one to a seed; single calls run the code for one lane."""
    program = random_loops(seed)
    x = np.random.default_rng(100 + seed).normal(size=(21, 5))
    lanes, chunk_size = (1, 2, 4, 8)[seed % 4], (3, 7, None)[seed % 3]
    target = host_target()
    function = CompiledFunction.of(build_image(program, lanes, "float64", target, chunk_size=chunk_size), target)
    found, expected = function(x), interpret(program, {"x": x})
    for name, value in expected.items():
        assert np.allclose(getattr(found, name), value, rtol=1e-9, atol=1e-12)
        assert all(np.array_equal(getattr(function(x[k]), name), getattr(found, name)[k]) for k in (0, 11, 20))


@pytest.mark.parametrize("seed", range(8))
def test_random_loops_lane_by_lane(seed, monkeypatch):
    """As if all of them were rare."""
    monkeypatch.setattr(visits, "RARE", np.inf)
    program, target = random_loops(seed), host_target()
    x = np.random.default_rng(300 + seed).normal(size=(13, 5))
    lanes, chunk_size = (2, 4, 8)[seed % 3], (3, None)[seed % 2]
    function = CompiledFunction.of(build_image(program, lanes, "float64", target, chunk_size=chunk_size), target)
    found, expected = function(x), interpret(program, {"x": x})
    for name, value in expected.items():
        assert np.allclose(getattr(found, name), value, rtol=1e-9, atol=1e-12)
        assert all(np.array_equal(getattr(function(x[k]), name), getattr(found, name)[k]) for k in (0, 7, 12))


@pytest.mark.parametrize("dtype, arithmetic", [("float64", None), ("float32", None), ("float32", "float64")])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_what_is_rare_is_there_for_one_lane_only(lanes, dtype, arithmetic):
    """A loop in a guard and one beside it, which read inputs, values from outside and what they carry."""

    def function(x, w):
        outside = sqrt(x[0] * x[0] + 1.0)

        def rare():
            rate = sin(x[1]) * w[0] + outside
            return until(lambda s: ([s[0] * 0.5 + rate, s[1] + 1.0], s[0] > 3.0 * x[2]), [x[0], 0.0], limit=9)

        a, passes = guard(x[2] > 0.8, rare, [outside, x[1]], expected=0.01)
        (b,) = until(
            lambda s: ([s[0] * 0.5 + cos(s[0]) + w[1] * a], abs(s[0]) < 1.0), [outside], limit=5, done=x[1] < 0.9,
            expected=0.0,
        )  # fmt: skip
        return {"a": a * 2.0 + outside, "passes": passes, "b": b}

    program = simplify(trace(function, {"x": 3, "w": 2}))
    rng = np.random.default_rng(0)
    x, w = rng.integers(-40, 40, size=(43, 3)) / 16.0, rng.integers(-40, 40, size=(43, 2)) / 16.0
    function = compile_program(program, lanes=lanes, dtype=dtype, arithmetic=arithmetic)
    found, expected = function(x.astype(dtype), w.astype(dtype)), interpret(program, {"x": x, "w": w})
    exact = {"rtol": 1e-12} if dtype == "float64" else {"rtol": 1e-5 if arithmetic else 1e-4, "atol": 1e-5}
    for name, value in expected.items():
        assert np.allclose(getattr(found, name), value, **exact), name
    for k in (0, 21, 42):
        single = function(x[k].astype(dtype), w[k].astype(dtype))
        assert all(np.array_equal(a, b[k]) for a, b in zip(single, found, strict=True))
    if lanes > 1:
        chunks = [len(re.findall(rf"define void @lw_chunk_{n}_", function.ir)) for n in (1, lanes)]
        assert chunks[1] < chunks[0]


def test_the_cache_tells_loops_apart():
    texts = {program_content(orbit(limit)) for limit in (2, 3, 40)}
    assert len(texts) == 3
    function = compile_program(orbit())
    assert [loop.limit for loop in function.operations.loops] == [40]
    again = compile_program(orbit())
    assert again.operations == function.operations
