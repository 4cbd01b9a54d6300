"""Every kind of constraint says everything that anybody asks of one, and nobody asks what kind it is."""

import ast
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.assembly.residuals import described, residuals
from linkwright.errors import ModelError
from linkwright.io.json_files import read_json, to_json
from linkwright.model.constraints import CONSTRAINT_KINDS, Constraint, constraint_kind
from linkwright.referee.dense_rows import dense_rows

ROOT = Path(lw.__file__).parent
K = np.array([[1.0, 0.5, 0, 0, 0, 0.2], [0, 0, 1.0, 0.3, 0, 0]])


def mechanism() -> lw.Model:
    """Two arms on a body that floats, one of them ending in a slider; inertias off centre."""
    rng = np.random.default_rng(3)
    builder = lw.ModelBuilder("two_arms")
    tensor = np.diag([0.3, 0.4, 0.5]) + 0.01

    def add(name, joint, parent="world", at=(0, 0, 0)):
        inertia = lw.Inertia(1.5, 0.3 * rng.normal(size=3), tensor)
        builder.add_body(name, joint, parent=parent, placement=at, inertia=inertia)

    add("base", lw.free_flyer("base_joint"))
    for side, axis in (("left", "y"), ("right", "x")):
        add(f"{side}_upper", lw.revolute(f"{side}_hip", axis), "base", (0.1, 0.2, 0.3))
        last = lw.revolute("left_knee", "z") if side == "left" else lw.prismatic("right_slide", "y")
        add(f"{side}_lower", last, f"{side}_upper", (0.4, 0.1, -0.2))
    return builder.build()


EXAMPLES = {
    "relative": lw.close_with("universal", "left_lower", "right_lower", name="c"),
    "rod": lw.rod("left_lower", "right_lower", length=0.6, name="c"),
    "coupling": lw.couple("left_hip", "right_slide", [0.1, 0.4, 0.3], name="c"),
    "sum": lw.constrain({"left_lower": K, "right_lower": 2 * K}, name="c"),
    "center_of_mass": lw.center_of_mass(["base", "left_lower"], directions="x z", at=[0.1, 0.2, 0.3], name="c"),
    "implicit_function": lw.implicit(["left_hip", "left_knee"], lambda q: [q[0] * q[1] - q[0] ** 2 + 0.1], name="c"),
    "explicit_function": lw.explicit(["right_slide"], ["left_hip"], lambda y: [lw.scalar.sin(y[0])], name="c"),
}
every_kind = pytest.mark.parametrize("kind", CONSTRAINT_KINDS)


def constrained(kind: str) -> lw.Model:
    if kind not in EXAMPLES:
        pytest.fail(f"constraint kind {kind!r} has no example in this test")
    assert EXAMPLES[kind].kind == kind
    return mechanism().with_constraints(EXAMPLES[kind])


def state(model):
    rng = np.random.default_rng(1)
    return model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


@every_kind
def test_its_error_changes_as_its_rows_say(kind):
    """d/dt error = J v where it is met; and everywhere for what is linear in what it measures."""
    model = constrained(kind)
    if not EXAMPLES[kind].has_position:
        assert EXAMPLES[kind].changeable_rows
        return
    q, v, _ = state(model)
    q = lw.project_configuration(model, q)
    error, h = lw.reference(model, "constraint_error"), 1e-6
    rate = (error(model.integrate(q, h * v)) - error(model.integrate(q, -h * v))) / (2 * h)
    np.testing.assert_allclose(rate, lw.reference(model, "constraint_jacobian")(q) @ v, atol=1e-6)


@every_kind
def test_its_drift_is_how_its_rows_change(kind):
    model = constrained(kind)
    q, v, _ = state(model)
    J, h = lw.reference(model, "constraint_jacobian"), 1e-6
    rate = (J(model.integrate(q, h * v)) - J(model.integrate(q, -h * v))) / (2 * h)
    np.testing.assert_allclose(rate @ v, lw.reference(model, "constraint_bias")(q, v), atol=1e-5)


@every_kind
def test_solvers_agree_with_the_referee(kind):
    model = constrained(kind)
    assert EXAMPLES[kind].__class__ in dense_rows.registry
    q, v, tau = state(model)
    wanted = lw.solve_kkt(model, q, v, tau)
    found = lw.reference(model, "lcaba")(q, v, tau)
    np.testing.assert_allclose(found.a, wanted.a, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.forces["c"], wanted.forces["c"], rtol=1e-5, atol=1e-5)


@every_kind
def test_it_is_stored_renamed_and_shown(kind, tmp_path):
    model, constraint = constrained(kind), EXAMPLES[kind]
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


@every_kind
def test_what_is_internal_does_not_see_the_whole_move(kind):
    model, constraint = constrained(kind), EXAMPLES[kind]
    q, _, _ = state(model)
    if constraint.has_position:
        q = lw.project_configuration(model, q)
    carried = lw.reference(model, "constraint_jacobian")(q)[:, :6]
    assert constraint.is_internal(model) == (np.abs(carried).max() < 1e-8)


@every_kind
def test_what_ties_joints_says_so_by_joints(kind):
    model, constraint = constrained(kind), EXAMPLES[kind]
    if not constraint.tied_joints:
        return
    tree, (q, v, _) = lw.model.tree_of(model), state(model)
    joints = [model.joint_index(name) for name in constraint.tied_joints]
    x, rates = ([float(values[index[i].start]) for i in joints] for values, index in ((q, tree.iq), (v, tree.iv)))
    error, rows, rate = constraint.joint_rows(tree, x, rates)
    J = lw.reference(model, "constraint_jacobian")(q)[:, [tree.iv[i].start for i in joints]]
    np.testing.assert_allclose(rows, J, atol=1e-12)
    np.testing.assert_allclose(error, lw.reference(model, "constraint_error")(q), atol=1e-12)
    np.testing.assert_allclose(rate, lw.reference(model, "constraint_bias")(q, v), atol=1e-12)
    given = constraint.given(constraint.tied_joints[1:])
    if given:
        others = [k for k, name in enumerate(constraint.tied_joints) if name not in given]
        places, _, _ = constraint.formula(tree, [x[k] for k in others], [rates[k] for k in others], given)
        solved = dict(zip(constraint.tied_joints, x, strict=True)) | dict(zip(given, places, strict=True))
        error, _, _ = constraint.joint_rows(tree, [solved[name] for name in constraint.tied_joints], rates)
        np.testing.assert_allclose(error, 0.0, atol=1e-12)


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
