"""Every kind of constraint says everything that anybody asks of one, and nobody asks what kind it is."""

import ast
from pathlib import Path

import numpy as np
import pytest
from constraint_checks import CHECKS, EXAMPLES, mechanism, on_mechanism

import linkwright as lw
from linkwright.assembly.residuals import described, residuals
from linkwright.errors import ModelError
from linkwright.io.json_files import read_json, to_json
from linkwright.model.constraints import CONSTRAINT_KINDS, Constraint, constraint_kind

ROOT = Path(lw.__file__).parent
every_kind = pytest.mark.parametrize("kind", CONSTRAINT_KINDS)
every_example = pytest.mark.parametrize(
    ("kind", "number"), [(kind, n) for kind, examples in EXAMPLES.items() for n in range(len(examples))]
)


@every_kind
def test_it_has_an_example(kind):
    assert EXAMPLES.get(kind), f"constraint kind {kind!r} has no example in constraint_checks.py"
    assert {example.kind for example in EXAMPLES[kind]} == {kind}


@every_example
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_what_it_says_of_itself(kind, number, check):
    check(EXAMPLES[kind][number])


@every_kind
def test_it_is_stored_renamed_and_shown(kind, tmp_path):
    constraint = EXAMPLES[kind][0]
    model = on_mechanism(constraint)
    assert read_json(to_json(model)) == model
    if kind != "center_of_mass":  # whose world another model does not share
        twice = lw.attach(mechanism(), model, prefix="other_")
        assert [c.name for c in twice.constraints] == ["other_c"] and twice.nc == model.nc
    assert constraint.lengths(model).shape == (constraint.size,)
    rows = residuals(model, np.full(constraint.size, 0.5))["c"]
    assert rows.has_metres or rows.has_radians
    assert "'c'" in described(constraint) and constraint.holds in described(constraint)
    assert lw.inspect(model).cuts["c"]
    lw.viewer.graph_svg(model, tmp_path / "graph.svg")
    assert len(lw.viewer.write_svg(model, model.drawn, tmp_path / "still.svg").read_text()) > 1000


def test_a_kind_that_forgets_something_is_refused_by_name():
    with pytest.raises(ModelError, match="Half lacks bodies, at, to_dictionary, renamed"):

        @constraint_kind
        class Half(Constraint):
            kind, size, has_position = "half", 1, True

    assert "half" not in CONSTRAINT_KINDS


def test_nobody_asks_what_kind_a_constraint_is():
    """Outside its own file, the formats that must name it, and the referee, which writes each once more."""
    names = {cls.__name__ for cls in CONSTRAINT_KINDS.values()}
    asked = []
    for path in sorted(ROOT.rglob("*.py")):
        place = path.relative_to(ROOT)
        if place.parts[0] == "io" or place.parts[:2] == ("model", "constraints"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
                asked += [f"{place}:{node.lineno}" for x in ast.walk(node) if getattr(x, "id", "") in names]
            if isinstance(node, ast.Compare) and "constraint" in ast.unparse(node) and ".kind" in ast.unparse(node):
                asked.append(f"{place}:{node.lineno}")
    assert not asked
