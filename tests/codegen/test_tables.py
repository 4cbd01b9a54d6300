"""Counted loops in compiled code: rows read and written by index, code that does not grow with their number."""

from __future__ import annotations

import numpy as np
import pytest
from programs import looped_chain

from linkwright.codegen import compile_program
from linkwright.codegen.cache import program_content
from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.machine import AVX2
from linkwright.codegen.outline import make_outline
from linkwright.codegen.tables import Line, Memory, Move, even_line, merged
from linkwright.codegen.target import host_target
from linkwright.scalar import repeat, sqrt, until
from linkwright.trace import Program, interpret, simplify, trace


def product(n: int) -> Program:
    """C0 + A B, row by row, entry by entry, term by term."""

    def function(A, B, C0):
        def row(_, a, c):
            def entry(_, b, start):
                (total,), _ = repeat(lambda s, x, y: ([s[0] + x * y], []), [start], count=n, tables=[a, b])
                return [], [total]

            return [], [x for (x,) in repeat(entry, count=n, tables=[B.T, c])[1]]

        return {"C": repeat(row, count=n, tables=[A, C0])[1]}

    return simplify(trace(function, {"A": (n, n), "B": (n, n), "C0": (n, n)}))


def unrolled_product(n: int) -> Program:
    def function(A, B, C0):
        C = C0.copy()
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    C[i, j] = C[i, j] + A[i, k] * B[k, j]
        return {"C": C}

    return simplify(trace(function, {"A": (n, n), "B": (n, n), "C0": (n, n)}))


def compiled(program: Program, lanes: int = 4, dtype: str = "float64", chunk_size: int | None = None):
    target = host_target()
    image = build_image(program, lanes, dtype, target, chunk_size=chunk_size)
    return CompiledFunction.of(image, target), image


@pytest.mark.parametrize(("lanes", "dtype"), [(1, "float64"), (2, "float64"), (8, "float64"), (4, "float32")])
def test_a_matrix_product_has_the_bits_of_the_unrolled_one(lanes, dtype):
    matrices = np.random.default_rng(1).normal(size=(3, 11, 5, 5)).astype(dtype)
    looped, _ = compiled(product(5), lanes, dtype)
    straight, _ = compiled(unrolled_product(5), lanes, dtype)
    found = looped(*matrices)
    assert np.array_equal(found, straight(*matrices))
    assert np.allclose(found, matrices[2] + matrices[0] @ matrices[1], atol=1e-13 if dtype == "float64" else 1e-5)
    assert all(np.array_equal(looped(*(x[k] for x in matrices)), found[k]) for k in range(11))


@pytest.mark.parametrize("chunk_size", [None, 2])
def test_a_long_chain(chunk_size):
    program = looped_chain(200)
    rng = np.random.default_rng(2)
    state = {"q": rng.normal(size=(13, 200)), "gravity": rng.normal(size=13)}
    function, _ = compiled(program, chunk_size=chunk_size)
    found, expected = function(**state), interpret(program, state)
    for name, value in expected.items():
        assert np.allclose(getattr(found, name), value, rtol=1e-11, atol=1e-11), name
    single = function(*(x[5] for x in state.values()))
    assert all(np.array_equal(one, many[5]) for one, many in zip(single, found, strict=True))


@pytest.mark.parametrize("make", [looped_chain, product])
def test_code_does_not_grow_with_the_number_of_passes(make):
    (_, small), (_, large) = compiled(make(8)), compiled(make(24))
    lines = [
        sum("%window_at" not in line and " asm " not in line for line in image.ir.splitlines())  # short addresses
        for image in (small, large)
    ]
    assert lines[0] == lines[1]
    assert program_content(make(8)) != program_content(make(24))
    code = [sum(map(len, image.objects)) for image in (small, large)]
    table = 16 * 24 * 8  # what the longer chain's tables take
    assert code[1] - code[0] < 200 + (table if make is looped_chain else 0)


def test_values_that_lie_unevenly_are_gathered():
    def function(x, y):
        doubled = [2.0 * a for a in x]
        tables = [[x[0], x[2], x[1], y[0]], doubled[::-1], [1.0, x[3], 3.0, doubled[0]]]
        (total,), rows = repeat(lambda s, a, b, c: ([s[0] + a * b], [a + c, s[0]]), [y[1]], count=4, tables=tables)
        return {"total": total, "rows": rows, "some": [rows[3][0], rows[1][1], rows[0][0]], "again": rows}

    program = simplify(trace(function, {"x": 4, "y": 2}))
    rng = np.random.default_rng(3)
    state = {"x": rng.normal(size=(9, 4)), "y": rng.normal(size=(9, 2))}
    for lanes in (1, 4):
        found, expected = compiled(program, lanes)[0](**state), interpret(program, state)
        assert all(np.allclose(getattr(found, name), value, rtol=1e-13) for name, value in expected.items())


def test_counted_loops_in_repeated_steps():
    def step(q, k):
        def spring(s, left, right):
            return [s[0] + left * 0.1], [left + 0.01 * k * (right - left) + 0.001 * s[0]]

        (total,), rows = repeat(spring, [0.0], count=6, tables=[q, [*q[1:], q[0]]])
        (limited,) = until(lambda s: ([s[0] * 0.5], abs(s[0]) < 1.0), [total], limit=30)
        return {"q": [x for (x,) in rows], "total": limited}

    function = compile_program(simplify(trace(step, {"q": 6, "k": ()})), repeat=True, threads=2)
    rng = np.random.default_rng(5)
    q, k = rng.normal(size=(19, 6)), rng.normal(size=19)
    together = function.repeat({"q": q, "k": k}, steps=9)
    for _ in range(9):
        q, _ = function(q, k)
    assert np.array_equal(together.q[:, -1], q)


def test_lines_and_moves():
    places = [(Memory.INPUT, 1, 5), (Memory.INPUT, 1, 3), (Memory.INPUT, 1, 1)]
    assert even_line(places) == Line(Memory.INPUT, 1, 5, -2)
    assert even_line([*places, (Memory.INPUT, 1, 0)]) is None
    assert even_line([*places, (Memory.INPUT, 0, -1)]) is None and even_line([*places, None]) is None
    moves = [Move(Line(Memory.INPUT, 0, 7 + 3 * k, 1), Line(Memory.FIXED, 0, 20 + k, 0)) for k in range(5)]
    other = Move(Line(Memory.INPUT, 0, 8, 1), Line(Memory.FIXED, 0, 25, 0))
    assert merged([*moves, other]) == [
        Move(Line(Memory.INPUT, 0, 7, 1, 3), Line(Memory.FIXED, 0, 20, 0, 1), 5), other
    ]  # fmt: skip


def early_rows(count: int) -> Program:
    """What a table is gathered from is there before another loop; in the program itself and in the body of a loop."""

    def two_loops(x, y):
        early = [sqrt(x[k] * x[k] + y) for k in range(count)]
        (total,), _ = repeat(lambda s, a: ([s[0] + a * y], []), [y], count=count, tables=[x])
        mixed = [total * x[0], *early[1:-1], 0.5]  # some of it computed now, some no value of the program
        _, rows = repeat(lambda _, a, b: ([], [a * total - b]), count=count, tables=[early[::-1], mixed])
        return [row[0] for row in rows]

    def function(x, y):
        once = two_loops(x, y[0])
        (_, *turned), _ = repeat(lambda s: ([s[0] * 0.5, *two_loops(s[1:], s[0])], []), [y[0], *x], count=3)
        return {"once": once, "turned": turned}

    return simplify(trace(function, {"x": count, "y": 1}))


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_rows_are_written_where_they_are_computed(lanes):
    program = early_rows(5)
    outline = make_outline(program, AVX2)
    home = {x: stretch for stretch in outline.stretches for y in stretch.instructions for x in y.results}
    gathered = [(x, s) for s in outline.stretches for x, cell in s.writes if cell in outline.tables.fixed and x in home]
    assert {(), (2,)} <= {stretch.around for _, stretch in gathered}  # the program itself, the body of its third loop
    assert all(home[x] is stretch for x, stretch in gathered)
    x, y = np.random.default_rng(3).uniform(0.5, 1.0, size=(11, 5)), np.linspace(0.1, 0.3, 11)[:, None]
    function, _ = compiled(program, lanes)
    found, expected = function(x, y), interpret(program, {"x": x, "y": y})
    for name in ("once", "turned"):
        np.testing.assert_allclose(getattr(found, name), expected[name], rtol=1e-12)
        assert np.array_equal(getattr(function(x[4], y[4]), name), getattr(found, name)[4])
