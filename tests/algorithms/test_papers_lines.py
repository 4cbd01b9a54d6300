"""A reader with a paper beside the code finds every line of its algorithms in one file, in the paper's order.

Files say it in comments: `# Algorithm 1, line 5` stands on what computes that line (a file goes on with the algorithm
named last), `# lines 4-10: other.py` where another file has them, which must say so too, `# lines 9-16: name` where the
function called there has. What is called `early` stands before its place. What is not in the paper has no number.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import linkwright as lw
from linkwright import algorithms
from linkwright.robots import quadruped, tree

ROOT = Path(algorithms.__file__).parent
FILES = {path.name: path for path in ROOT.rglob("*.py")}
SHARED = {"motion_sweep.py", "aba.py"}  # with ABA, whose paper is another one: they carry no numbers of these
MOST = 4  # lines of a paper that one statement may stand for without saying where they are


@dataclass(frozen=True)
class Printed:
    """An algorithm as printed: which lines say something ("end for" and titles do not), and the file that has it."""

    key: str
    number: int
    lines: frozenset[int]
    home: str
    in_order: bool = True

    def __str__(self) -> str:
        return f"{self.key}-{self.number}"


def lines(*spans: tuple[int, int]) -> frozenset[int]:
    return frozenset(n for first, last in spans for n in range(first, last + 1))


PRINTED = [
    Printed("Sathya2025", 1, lines((1, 26)), "lcaba.py"),
    Printed("Sathya2025", 2, lines((1, 12)), "lcaba.py"),
    Printed("Sathya2025", 3, lines((1, 12)), "proximal.py", in_order=False),  # one loop of two algorithms, which
    Printed("Sathya2025", 6, lines((1, 11)), "proximal.py", in_order=False),  # looks for its end at another place
    Printed("Sathya2025", 4, lines((1, 23)), "bbo.py"),
    Printed("Sathya2025", 5, lines((1, 16)), "bbo.py"),
    Printed("Sathya2024", 1, lines((1, 17)), "pv.py"),
    Printed("Sathya2023", 3, lines((1, 28)), "pv_osimr.py"),
    Printed("Chignoli2023", 1, lines((2, 6), (8, 15), (17, 21), (25, 33), (38, 42)), "cluster_aba.py"),
]
EARLY = ("(67)", "(65)", "(60)", "(57)", "(62)", "(63)", "(42c, d)", "(62)", "(64)")  # PV-early, both its sweeps


@dataclass(frozen=True)
class Mark:
    """Lines of an algorithm, said at some lines of a file; perhaps where else they are."""

    algorithm: int
    lines: tuple[int, ...]
    rows: range
    elsewhere: str | None = None
    early: bool = False


_NUMBERS = r"\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*"
_SAID = re.compile(rf"Algorithm (\d+)|lines? ({_NUMBERS})(?:: (\w+\.py|\w+)(?=$|;)|(, early))?")


def marks(source: str) -> list[Mark]:
    begin = re.search(r"Algorithm (\d+)", ast.get_docstring(ast.parse(source)) or "")
    found, algorithm = [], int(begin[1]) if begin else 0
    for row, text, is_comment in _texts(source):
        for said in _SAID.finditer(text):
            if said[1]:
                algorithm = int(said[1])
            elif is_comment:
                found.append(Mark(algorithm, _numbers(said[2]), _statement(source, row), said[3], bool(said[4])))
    return found


def _texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """(row, text, whether it is a comment): comments and docstrings but the module's."""
    docstrings = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            docstrings[node.body[0].lineno] = ast.get_docstring(node)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.strip(), True
        elif token.type == tokenize.STRING and token.start[0] in docstrings:
            yield token.start[0], docstrings[token.start[0]], False


def _numbers(text: str) -> tuple[int, ...]:
    spans = [tuple(map(int, span.split("-"))) for span in text.split(", ")]
    return tuple(n for span in spans for n in range(span[0], span[-1] + 1))


def _statement(source: str, row: int) -> range:
    """Rows of the innermost statement that a comment is on, or of the one below it; of a loop its first row."""
    text = source.splitlines()
    while text[row - 1].strip().startswith("#"):
        row += 1
    spans = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            inner = getattr(node, "body", None)
            last = inner[0].lineno - 1 if isinstance(inner, list) and inner else node.end_lineno
            if node.lineno <= row <= max(last, node.lineno):
                spans.append(range(node.lineno, max(last, node.lineno) + 1))
    assert spans, f"line {row} is no code: {text[row - 1]}"
    return min(spans, key=len)


def of(printed: Printed, name: str) -> list[Mark]:
    source = FILES[name].read_text()
    assert printed.key in source, f"{name} does not cite {printed.key}"
    return [mark for mark in marks(source) if mark.algorithm == printed.number]


def every_mark(printed: Printed) -> Iterator[tuple[str, Mark]]:
    """(file, mark): of the file that has it, and of the files it points at."""
    names = [printed.home]
    for name in names:
        for mark in of(printed, name):
            yield name, mark
            other = mark.elsewhere
            if other in FILES and other not in (*names, *SHARED):
                names.append(other)


algorithm = pytest.mark.parametrize("printed", PRINTED, ids=str)


@algorithm
def test_every_line_is_there(printed):
    said = {n for mark in of(printed, printed.home) for n in mark.lines}
    assert said == printed.lines


@algorithm
def test_lines_are_in_their_order(printed):
    first = [mark.lines[0] for mark in of(printed, printed.home) if not mark.early]
    assert not printed.in_order or first == sorted(first)


@algorithm
def test_lines_that_stand_elsewhere_do(printed):
    for name, mark in every_mark(printed):
        if mark.elsewhere is None:
            assert len(mark.lines) <= MOST, f"{name}: {mark} says too much at once"
        elif mark.elsewhere in FILES and mark.elsewhere not in SHARED:
            there = {n for other in of(printed, mark.elsewhere) for n in other.lines}
            assert set(mark.lines) <= there, f"{mark.elsewhere} lacks {sorted(set(mark.lines) - there)} of {printed}"
        elif mark.elsewhere not in FILES:
            rows = FILES[name].read_text().splitlines()[mark.rows.start - 1 : mark.rows.stop - 1]
            assert f"{mark.elsewhere}(" in "".join(rows), f"{name}: {mark} calls no {mark.elsewhere}"


def held(model: lw.Model, hold) -> lw.Model:
    """By its feet, or by all of its tips."""
    tips = [model.bodies[i].name for i in range(1, model.nbodies) if not model.graph.children[i]]
    return model.with_constraints(*map(hold, [name for name in model.frames if "foot" in name] or tips))


LOOPS = ("lcaba", "prox_bbo")
OPTIONS = {"pv": {"base": "last"}, **{name: {"iterations": 3, "tolerance": 1e-6} for name in LOOPS}}
RUNS = [  # mechanisms that take the algorithms through all of their lines
    ("chain_of_loops:2", (*LOOPS, "cluster_aba")), ("geared_chain:2", (*LOOPS, "cluster_aba")),
    ("hand_with_cube", (*LOOPS, "cluster_aba")), ("tello_leg", (*LOOPS, "cluster_aba")),
    (held(quadruped(), lw.weld), ("pv",)), (held(quadruped(), lw.connect), ("pv",)),
    (held(tree(9, 2), lw.weld), ("pv_osimr",)), ("chain:2", ("cluster_aba",)),
]  # fmt: skip


@pytest.fixture(scope="module")
def executed() -> set[tuple[str, int]]:
    """(file, row) of all that runs while the algorithms are traced."""
    rows: set[tuple[str, int]] = set()
    known = {str(path): name for name, path in FILES.items()}

    def watch(frame, event, _):
        name = known.get(frame.f_code.co_filename)
        if name is None:
            return None
        rows.add((name, frame.f_lineno))
        return watch

    before = sys.gettrace()
    try:
        for model, names in RUNS:
            robot = lw.load(model) if isinstance(model, str) else model
            for name in names:
                sys.settrace(watch)
                lw.trace_program(robot, name, **OPTIONS.get(name, {}))
                sys.settrace(before)
    finally:
        sys.settrace(before)
    return rows


@algorithm
def test_what_carries_a_number_is_computed(printed, executed):
    idle = [
        f"{name}:{mark.rows.start}" for name, mark in every_mark(printed)
        if not any((name, row) in executed for row in mark.rows)
    ]  # fmt: skip
    assert not idle


def test_pv_early_has_its_equations_in_their_order():
    """Section VIII prints no algorithm; the file's docstring says in which order its equations are computed."""
    source = FILES["pv_early.py"].read_text()
    comments = [text for _, text, is_comment in _texts(source) if is_comment]
    said = [number for text in comments for number in re.findall(r"\(\d+[a-d]?(?:, [a-d])?\)", text)]
    place = -1
    for number in EARLY:
        place = next((k for k in range(place + 1, len(said)) if said[k] == number), len(said))
        assert place < len(said), f"eq. {number} is missing, or out of its order"
    docstring = ast.get_docstring(ast.parse(source)) or ""
    assert all(number[1:3] in docstring for number in EARLY)


def test_what_is_missing_is_seen():
    source = FILES["pv.py"].read_text()
    assert {n for mark in marks(source) for n in mark.lines} == set(range(1, 18))
    without = source.replace("# line 12", "# the twelfth line")
    assert {n for mark in marks(without) for n in mark.lines} == set(range(1, 18)) - {12}
