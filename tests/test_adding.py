"""The pages about adding things, each imported as one temporary module; what they add works, or says what it lacks."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.codegen.emit import LOWERING
from linkwright.codegen.lower import LATENCY, TEMPORARIES
from linkwright.codegen.machine import MACHINES
from linkwright.errors import InputError, LinkwrightError, LoadError, ModelError
from linkwright.io.formats import FORMATS, FileFormat, file_format
from linkwright.io.json_files import read_json, to_json
from linkwright.io.mjcf.mjcf_writer import to_mjcf
from linkwright.model.constraints import CONSTRAINT_KINDS
from linkwright.model.joints import JOINT_KINDS, JointMotion, joint_kind
from linkwright.physics import INTEGRATORS, integrator_of, register_integrator
from linkwright.programs.recipe import Recipe
from linkwright.programs.registry import RECIPES, register
from linkwright.referee.dense_kinematics import FURTHER_JOINTS
from linkwright.sim.verdict import complaints
from linkwright.trace import define_op
from linkwright.trace.derivative_rules import RULES
from linkwright.trace.ops import ARITY, OPERATIONS, TAKES_TRUTH, DefinedOp

FOLDER = Path(__file__).parent.parent / "docs" / "adding"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.name != "index.md")
TABLES = (
    RECIPES, JOINT_KINDS, CONSTRAINT_KINDS, FURTHER_JOINTS, DefinedOp.known, OPERATIONS, ARITY, TAKES_TRUTH, RULES,
    LOWERING, LATENCY, TEMPORARIES, INTEGRATORS,
)  # fmt: skip


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Imports a page's code; in the end everything is as it was."""
    before, lists = [dict(table) for table in TABLES], [list(x) for x in (FORMATS, MACHINES)]
    monkeypatch.syspath_prepend(tmp_path)
    imported = []

    def load(name: str):
        blocks = re.findall(r"^```python\n(.*?)^```", (FOLDER / f"{name}.md").read_text(), re.MULTILINE | re.DOTALL)
        module = f"adding_{name.replace('-', '_')}"
        (tmp_path / f"{module}.py").write_text("\n".join(blocks))
        imported.append(module)
        return importlib.import_module(module)

    yield load
    for module in imported:
        sys.modules.pop(module, None)
    for table, content in zip(TABLES, before, strict=True):
        table.clear()
        table.update(content)
    FORMATS[:], MACHINES[:] = lists


def test_there_are_seven_pages():
    assert PAGES == ["algorithm", "constraint", "file-format", "integrator", "joint", "op", "processor"]
    assert all(f"({name}.md)" in (FOLDER / "index.md").read_text() for name in PAGES)


def test_algorithm(page):
    page("algorithm")
    assert "power" in lw.list_algorithms()
    with pytest.raises(InputError, match="'lifting' takes height, of which nobody knows the shape"):
        register(Recipe("lifting", "", ("q", "height"), ("w",), lambda tree, x, options: {"w": 0.0}))
    with pytest.raises(InputError, match="named 'aba' already"):
        register(Recipe("aba", "", ("q",), ("w",), lambda tree, x, options: {"w": 0.0}))


def test_joint(page, tmp_path):
    robot = page("joint").robot
    assert read_json(to_json(robot)) == robot
    assert lw.inspect(robot).mobility.mobility == 2 and "wavy" in str(robot)
    assert "track" in lw.viewer.graph_svg(robot, tmp_path / "graph.svg").read_text()
    assert lw.viewer.write_svg(robot, robot.neutral(), tmp_path / "still.svg").exists()
    moved = lw.simulate(robot, dt=1e-3, steps=200)
    assert not complaints(moved) and np.abs(moved.q[-1]).max() > 1e-3
    assert lw.attach(lw.load("chain:2"), robot, prefix="other_").nv == 4
    h, (q, v, tau) = np.array([1e-6, 0.0]), np.full((3, 2), 0.3)
    dynamics = lw.reference(robot, "aba")
    slopes = (dynamics(q + h, v, tau) - dynamics(q - h, v, tau)) / 2e-6
    np.testing.assert_allclose(lw.jacobian(robot, "aba", wrt="q")(q, v, tau)[:, 0], slopes, rtol=1e-5, atol=1e-6)
    with pytest.raises(LinkwrightError, match="wavy"):
        to_mjcf(robot)
    with pytest.raises(LinkwrightError, match="can close a loop named 'wavy'"):
        lw.close_with("wavy", "arm")
    del FURTHER_JOINTS["wavy"]
    with pytest.raises(LinkwrightError, match=r"'wavy'.*docs/adding/joint.md"):
        lw.solve_kkt(robot, q, v, tau)


def test_a_joint_that_forgets_something():
    with pytest.raises(ModelError, match="Half lacks subspace"):

        @joint_kind
        class Half(JointMotion):
            kind, nq, nv = "half", 1, 1

            def transform(self, q):
                return None

    with pytest.raises(ModelError, match="Odd lacks integrate, difference, coordinate_rates, velocities_of"):

        @joint_kind
        class Odd(JointMotion):
            kind, nq, nv, velocity_is_rate = "odd", 1, 1, False
            transform = subspace = lambda self, q: None

    with pytest.raises(ModelError, match="taken by Revolute"):
        joint_kind(type("Again", (JOINT_KINDS["revolute"],), {}))
    assert not {"half", "odd"} & set(JOINT_KINDS)


def test_constraint(page, tmp_path):
    made = page("constraint")
    robot = made.robot
    assert read_json(to_json(robot)) == robot
    closed = lw.project_configuration(robot, robot.random_configuration(0))
    height = lw.reference(robot, "forward_kinematics", outputs="positions", frames=["left_hand"])(closed)[0, 2]
    assert abs(height - 1.0) < 1e-8
    assert "hand" in str(lw.inspect(robot)) and "(left_hand)" in str(lw.check_state(robot, closed))
    assert "hand" in lw.viewer.graph_svg(robot, tmp_path / "graph.svg").read_text()
    arm = lw.load("chain:3").with_constraints(made.Level(name="tip", frame="link_3", height=0.3))
    rng, h = np.random.default_rng(0), 1e-6
    q, v = arm.random_configuration(rng), rng.normal(size=arm.nv)
    J = lw.reference(arm, "constraint_jacobian")
    rate = (J(arm.integrate(q, h * v)) - J(arm.integrate(q, -h * v))) / (2 * h)
    np.testing.assert_allclose(rate @ v, lw.reference(arm, "constraint_bias")(q, v), atol=1e-6)
    with pytest.raises(LinkwrightError, match=r"tip|level|Level"):
        to_mjcf(arm)

    class Other(made.Level):
        kind = "other"

    odd = lw.load("chain:3").with_constraints(Other(name="tip", frame="link_3", height=0.3))
    with pytest.raises(LinkwrightError, match=r"'other'.*docs/adding/constraint.md"):
        lw.solve_kkt(odd, q, v, v)


def test_integrator(page):
    made = page("integrator")
    assert not complaints(made.swing) and "Heun's scheme" in str(made.swing)
    assert not np.array_equal(made.swing.q, made.other.q), "parameters are part of what a compiled step is known by"
    robot, q0 = made.robot, made.robot.neutral() + 0.5
    exact = lw.simulate(robot, q0, dt=1e-4, steps=2000, integrator="rk4").q[-1]
    off = [np.abs(lw.simulate(robot, q0, dt=dt, steps=round(0.2 / dt), integrator="heun").q[-1] - exact).max()
           for dt in (4e-3, 2e-3)]  # fmt: skip
    assert 1.8 < np.log2(off[0] / off[1]) < 2.2
    simulator = lw.Simulator(robot, dt=1e-3, integrator="heun")
    simulator.reset(q0)
    np.testing.assert_array_equal(simulator.step(n=500)[0], made.swing.q[-1])
    rolled = lw.rollout(robot, np.tile(q0, (2, 1)), steps=500, dt=1e-3, integrator="heun", progress=False)
    np.testing.assert_array_equal(np.asarray(rolled["q"])[1, -1], made.swing.q[-1])
    with pytest.raises(LinkwrightError, match="'heun' has no place for constraints"):
        lw.simulate(lw.load("four_bar"), steps=2, integrator="heun")
    with pytest.raises(InputError, match="an integrator named 'heun' already: Heun's scheme"):
        register_integrator(made.Heun())
    with pytest.raises(InputError, match="Nameless lacks name, title, order"):
        register_integrator(type("Nameless", (made.Integrator,), {"step": None})())
    with pytest.raises(InputError, match=r"integrator is 'hoyn'; expected one of damped_euler, .*heun,"):
        integrator_of("hoyn")


def test_op(page):
    cbrt = page("op").cbrt
    tie = lw.implicit(["link_1_joint", "link_2_joint"], lambda q: [cbrt(q[0] + 2.0) - q[1]], name="tie")
    tied = lw.load("chain:3").with_constraints(tie)
    again = read_json(to_json(tied))
    assert again == tied
    q, v, tau = tied.random_configuration(0), *np.random.default_rng(0).normal(size=(2, tied.nv))
    found = lw.compile(tied, "lcaba", outputs="a")(q, v, tau)
    np.testing.assert_allclose(found, lw.solve_kkt(tied, q, v, tau).a, rtol=1e-6, atol=1e-6)
    with pytest.raises(LinkwrightError, match="operation named 'cbrt' already"):
        define_op("cbrt", np.cbrt)
    bare = define_op("softplus", lambda x: np.log1p(np.exp(x)))
    assert np.isclose(bare(0.0), np.log(2.0))
    with pytest.raises(LinkwrightError, match="'softplus' has no machine code"):
        lw.compile(lambda x: [bare(x[0])], inputs={"x": 1})
    with pytest.raises(LinkwrightError, match="'softplus' has no derivative"):
        lw.jacobian(lambda x: [bare(x[0])], inputs={"x": 1})
    content = to_json(tied)
    for table in (DefinedOp.known, OPERATIONS, ARITY, TAKES_TRUTH, RULES, LOWERING, LATENCY, TEMPORARIES):
        table.pop(cbrt if table is not DefinedOp.known else "CBRT")
    with pytest.raises(LinkwrightError, match="operation 'cbrt'; known are"):
        read_json(content)


def test_file_format(page, tmp_path):
    arm = page("file-format").arm
    path = lw.save(arm, tmp_path / "arm.links")
    assert path.read_text().startswith("linktable\nupper 0.5 2.0\n")
    assert lw.load(path) == arm
    with pytest.raises(LoadError, match=r"line 2|:2"):
        lw.load("linktable\nupper\n")
    with pytest.raises(InputError, match="link tables"):
        lw.load(3)
    with pytest.raises(InputError, match="links"):
        lw.save(arm, tmp_path / "arm.nothing")
    wrong = {
        "recognise": FileFormat("x", read=lambda c: arm),
        "neither read": FileFormat("x", begins="y"),
        "endings": FileFormat("x", write=to_json),
        "told from": FileFormat("x", begins="{", read=lambda c: arm),
    }
    for what, lacking in wrong.items():
        with pytest.raises(InputError, match=what):
            file_format(lacking)


def test_processor(page):
    page("processor")


def test_what_stands_outside_is_not_taken_from_the_cache_unseen(page, tmp_path, monkeypatch):
    """A module that has changed gives another program under the same name."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    robot, found = lw.load("chain:2"), []
    for factor in (1.0, 3.0):
        recipe = Recipe(
            "scaled", "", ("q",), ("y",), lambda tree, x, options, factor=factor: {"y": [factor * y for y in x["q"]]}
        )
        register(recipe)
        found.append(lw.compile(robot, "scaled")(np.ones(2)).tolist())
        del RECIPES["scaled"]
    assert found == [[1.0, 1.0], [3.0, 3.0]]


def test_an_integrator_that_has_changed_is_another_program(page, tmp_path, monkeypatch):
    """Though it looks alike: the same name, the same parameters."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    made, found = page("integrator"), []
    for factor in (1.0, 2.0):

        def step(self, physics, state, h, factor=factor):
            moved = [q + factor * h * v for q, v in zip(state.q, state.v, strict=True)]
            told = made.StepReport(state.v, state.v, [], actuator_force=[])
            return made.Stepped(made.replace(state, q=moved), None, told)

        moving = type("Moving", (made.Integrator,), {"name": "moving", "step": step, "__module__": "elsewhere"})
        found.append(lw.compile(made.robot, "step", integrator=moving())(np.zeros(3), np.ones(3), np.zeros(3), 1.0).q)
    np.testing.assert_allclose(found, [[1.0] * 3, [2.0] * 3])
