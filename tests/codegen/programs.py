"""Programs to compile in tests."""

from __future__ import annotations

import numpy as np

from linkwright import scalar
from linkwright.trace import Op, Program, simplify, trace
from linkwright.trace.program import Input, Output


def every_operation() -> Program:
    """Each operation at least once, with one output per operation, from two vectors of numbers."""

    def function(x, y):
        a, b = x[0], y[0]
        return {
            "add": a + b,
            "sub": a - b,
            "mul": a * b,
            "div": a / b,
            "neg": -(a * b),
            "sqrt": scalar.sqrt(a),
            "abs": abs(a),
            "min": scalar.minimum(a, b),
            "max": scalar.maximum(a, b),
            "sin": scalar.sin(a),
            "cos": scalar.cos(a),
            "atan2": scalar.atan2(a, b),
            "exp": scalar.exp(a),
            "log": scalar.log(a),
            "less": scalar.where(a < b, 1.0, 2.0),
            "less_equal": scalar.where(a <= b, a, b),
            "and": scalar.where((a < b) & (a < 1.0), 1.0, 0.0),
            "or": scalar.where((a < b) | (a < 1.0), 1.0, 0.0),
            "not": scalar.where(~(a < b), 1.0, 0.0),
            "constant": 3.25,
            "copy": x,
        }

    return trace(function, {"x": 3, "y": 2}, "every_operation")


def random_program(seed: int, operations: int = 300, inputs: int = 3) -> Program:
    """A random straight-line program that keeps its numbers bounded, so that errors stay comparable."""
    rng = np.random.default_rng(seed)
    shapes = [int(n) for n in rng.integers(1, 12, size=inputs)]
    nodes: list[tuple] = [(Op.INPUT, k, e) for k, n in enumerate(shapes) for e in range(n)]
    numbers = list(range(len(nodes)))
    truths: list[int] = []

    def append(*node):
        nodes.append(node)
        return len(nodes) - 1

    def pick():
        return int(rng.choice(numbers[-40:] if rng.random() < 0.7 else numbers))

    for value in rng.normal(size=5):
        numbers.append(append(Op.CONST, float(value)))
    for _ in range(operations):
        kind = rng.integers(12)
        if kind < 3:
            numbers.append(append(Op.ADD if kind else Op.SUB, pick(), pick()))
        elif kind < 5:
            numbers.append(append(Op.SIN, append(Op.MUL, pick(), pick())))
        elif kind == 5:
            angle = pick()
            numbers += [append(Op.COS, angle), append(Op.SIN, angle)]
        elif kind == 6:
            truths.append(append(Op.LT, pick(), pick()))
        elif kind == 7 and len(truths) > 1:
            truths.append(append(Op.AND, *(int(x) for x in rng.choice(truths, 2))))
        elif kind == 8 and truths:
            numbers.append(append(Op.SELECT, int(rng.choice(truths)), pick(), pick()))
        elif kind == 9:
            numbers.append(append(Op.MIN, pick(), pick()))
        elif kind == 10:
            numbers.append(append(Op.ATAN2, pick(), pick()))
        else:
            numbers.append(append(Op.SQRT, append(Op.ABS, pick())))
    outputs = []
    for name, shape in (("first", (7,)), ("second", (2, 3)), ("third", ())):
        chosen = rng.choice(numbers[-60:], size=int(np.prod(shape)))
        outputs.append(Output(name, shape, tuple(int(x) for x in chosen)))
    declared = tuple(Input(f"x{k}", (n,)) for k, n in enumerate(shapes))
    return Program(f"random_{seed}", tuple(nodes), declared, tuple(outputs)).check()


def chain(name: str = "chain") -> Program:
    """Three inputs, one output; the shape of a forward dynamics."""

    def function(q, v, tau):
        return [scalar.sin(q[k]) * v[k] + tau[k] / (1.5 + scalar.cos(q[k + 1])) for k in range(4)]

    return trace(function, {"q": 5, "v": 4, "tau": 4}, name)


def looped_chain(links: int) -> Program:
    """Positions along a chain of links of various lengths, outward, and a sum over them, inward."""
    lengths = np.linspace(0.1, 1.0, links)

    def function(q, gravity):
        def outward(s, angle, length):
            heading, x, y = s[0] + angle, s[1], s[2]
            x, y = x + length * scalar.cos(heading), y + length * scalar.sin(heading)
            return [heading, x, y], [x, y]

        _, places = scalar.repeat(outward, [0.0, 0.0, 0.0], count=links, tables=[q, lengths])

        def inward(s, place, length):
            return [s[0] + place[0] * gravity, s[1] + length * place[1]], [s[0]]

        (moment, height), moments = scalar.repeat(inward, [0.0, 0.0], count=links, tables=[places[::-1], lengths[::-1]])
        return {"moments": [x for (x,) in moments[::-1]], "moment": moment, "height": height, "places": places}

    return simplify(trace(function, {"q": links, "gravity": ()}, name="looped_chain"))


def two_loops_of_columns(count: int) -> Program:
    """Loops whose passes need nothing of each other: rows from inputs, constants, straight-line code and the results of
    another loop; results side by side and apart, zeros among them."""

    def function(x, across, down):
        def first(_, column, row, k):
            return [], [x[0] * column[0] + row[0] / (2.0 + k), 0.0, scalar.sin(column[1]) * row[1]]

        numbers = [float(k * k) for k in range(count)]
        _, found = scalar.repeat(first, count=count, tables=[list(across.T), list(down), numbers])

        def second(_, row, here):
            z = scalar.sin(row[2] * here)
            return [], [row[0] - x[1] * row[2], 0.0, z + row[1], z * x[0], z - row[0], row[0] * here]

        gathered = [x[0] * x[1] + down[k, 0] if k % 3 else 0.0 for k in range(count)]
        _, last = scalar.repeat(second, count=count, tables=[found, gathered])
        last = np.array(last, dtype=object)
        return {"columns": last[:, :3].T, "rows": last[:, 3:5], "sums": last[:, 4:].sum(axis=0), "end": last[:, 5]}

    inputs = {"x": 2, "across": (2, count), "down": (count, 2)}
    return simplify(trace(function, inputs, name=f"{count}_columns"))
