"""Models written as MJCF and read again: the same mechanism."""

from __future__ import annotations

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import COUPLINGS, EQUALITIES, EVERY_JOINT, with_equality  # noqa: E402
from mujoco_referee import MujocoReferee, row_space  # noqa: E402
from sdf_files import FOUR_BAR  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.errors import LoadError, UnsupportedError  # noqa: E402
from linkwright.io import to_mjcf  # noqa: E402
from linkwright.robots import random_tree  # noqa: E402
from linkwright.robots.catalog import find_robot  # noqa: E402

BODY = lw.Inertia.box(1.0, (0.1, 0.2, 0.3), (0.1, 0.0, -0.1))


def assert_same_tree(first, second, seed=0):
    """The same mass matrix and bias, state for state in MuJoCo's layout."""
    assert (first.nq, first.nv) == (second.nq, second.nv)
    rng = np.random.default_rng(seed)
    q, v = first.random_configuration(rng), rng.normal(size=first.nv)
    qpos, qvel = lw.to_mujoco(first, q, v)
    other_q, other_v = lw.from_mujoco(second, qpos, qvel)
    pairs = []
    for model, at, moving in ((first, q, v), (second, other_q, other_v)):
        tree = model.without_constraints()
        energy = lw.reference(tree, "kinetic_energy")(at, moving) + lw.reference(tree, "potential_energy")(at)
        acceleration = lw.reference(tree, "aba")(at, moving, np.zeros(model.nv))
        pairs.append((energy, lw.to_mujoco(model, at, acceleration)[1]))
    assert np.allclose(pairs[0][0], pairs[1][0], rtol=1e-10, atol=1e-10)
    assert np.allclose(pairs[0][1], pairs[1][1], rtol=1e-8, atol=1e-8)


def scaled_rows(model, q):
    """Rows of the constraints and their errors; the scale of a coupling is nobody's business."""
    J = np.asarray(lw.reference(model, "constraint_jacobian")(q))
    both = np.column_stack([J, np.asarray(lw.reference(model, "constraint_error")(q))])
    leading = both[np.arange(len(J)), np.argmax(np.abs(J) > 1e-9, axis=1)]
    return both / leading[:, None]


@pytest.mark.parametrize("text", [EVERY_JOINT, *map(with_equality, {**EQUALITIES, **COUPLINGS}.values())])
def test_mjcf_survives(text, tmp_path):
    model = lw.load(text)
    again = lw.load(lw.save(model, tmp_path / "robot.xml"))
    assert_same_tree(model, again)
    assert [c.name for c in again.constraints] == [c.name for c in model.constraints]
    assert np.allclose(again.drawn, model.drawn, atol=1e-14)
    assert {*again.configurations} == {*model.configurations}
    for name, q in model.configurations.items():
        assert np.allclose(again.configurations[name], q, atol=1e-14)
    assert [j.name for j in again.joints] == [j.name for j in model.joints]
    for quantity in ("armature", "damping", "stiffness", "friction", "lower", "upper", "effort_limit"):
        assert np.allclose(again.stacked(quantity), model.stacked(quantity)), quantity
    between = {name for name, frame in model.frames.items() if not model.bodies[frame.body].inertia.mass and frame.body}
    assert {*model.frames} - between <= {*again.frames}
    if model.nc:
        q = model.random_configuration(np.random.default_rng(1))
        assert np.allclose(scaled_rows(model, q), scaled_rows(again, q), atol=1e-10)


@pytest.mark.parametrize("kind", ["cylindrical", "universal", "translational", "spherical", "continuous", "prismatic"])
def test_joints_that_mujoco_has_otherwise(kind):
    builder = lw.ModelBuilder(gravity=(1, 2, -9))
    builder.add_body("a", getattr(lw, kind)("j", damping=0.3, armature=0.2), placement=(0.1, 0.2, 0.3), inertia=BODY)
    builder.add_body("b", lw.revolute("k", "y"), parent="a", placement=(0.3, 0, 0), inertia=BODY)
    model = builder.build()
    assert_same_tree(model, lw.load(to_mjcf(model)))


def test_a_hinge_that_closes_a_loop_is_two_points():
    model = lw.load(FOUR_BAR)
    again = lw.load(to_mjcf(model))
    assert model.nc == 5 and again.nc == 6
    q = model.neutral()
    rows = [np.asarray(lw.reference(m, "constraint_jacobian")(q)) for m in (model, again)]
    assert np.abs(row_space(rows[0]) - row_space(rows[1])).max() < 1e-8


@pytest.mark.skipif(not find_robot("cassie").available, reason="needs example-robot-data")
def test_cassie_in_mujoco():
    """From SDF by way of MJCF: MuJoCo's tree and rows are ours, and so are the accelerations of a hard solve."""
    model = lw.load("cassie")
    referee = MujocoReferee(mujoco.MjModel.from_xml_string(to_mjcf(model)), model)
    rng = np.random.default_rng(0)
    q, tau = model.drawn, rng.normal(size=model.nv)
    J, error = referee.rows(q)
    assert len(J) == 12 and np.abs(error).max() < 1e-12
    v = rng.normal(size=model.nv)
    v -= np.linalg.pinv(J, rcond=1e-6) @ J @ v
    M, c = referee.mass_and_bias(q, v)
    tree = model.without_constraints()
    assert np.allclose(lw.reference(tree, "crba")(q), M, atol=1e-9)
    assert np.allclose(lw.reference(tree, "rnea")(q, v, np.zeros(model.nv)), c, atol=1e-8)
    expected = referee.acceleration(q, v, tau)
    assert np.abs(lw.solve_kkt(model, q, v, tau).a - expected).max() < 1e-6 * (1 + np.abs(expected).max())


def test_constraints_to_the_ground_are_closed_at_neutral():
    builder = lw.ModelBuilder()
    builder.add_body("a", lw.free_flyer("j"), inertia=BODY)
    builder.add_frame("foot", "a", (0.1, 0.2, 0.3))
    for constraint in (lw.weld("foot"), lw.connect("foot"), lw.weld("a", at=(1, 2, 3))):
        model = builder.build().with_constraints(constraint)
        again = lw.load(to_mjcf(model))
        assert again.nc == model.nc
        at = [1, 2, 3, 0, 0, 0, 1] if constraint.frame == "a" else model.neutral()
        assert np.abs(lw.reference(again, "constraint_error")(at)).max() < 1e-12


def test_what_mjcf_cannot_say_is_refused_by_name():
    builder = lw.ModelBuilder()
    builder.add_body("a", lw.revolute("j"), inertia=BODY)
    builder.add_body("b", lw.revolute("k"), parent="a", placement=(1, 0, 0), inertia=BODY)
    model = builder.build()
    for constraint in (
        lw.close_with("prismatic", "b", name="rail"), lw.close_with("universal", "b", name="rail"),
        lw.center_of_mass(name="rail"), lw.constrain("b", np.ones((1, 6)), name="rail"),
        lw.couple("j", "k", [0, 1, 1, 1, 1, 1], name="rail"),
    ):  # fmt: skip
        with pytest.raises(UnsupportedError, match="'rail' cannot be written"):
            to_mjcf(model.with_constraints(constraint))
    builder.add_body("c", lw.planar("p"), parent="a", inertia=BODY)
    with pytest.raises(UnsupportedError, match="'p' is planar"):
        to_mjcf(builder.build())


def test_mimics_and_what_has_no_place():
    builder = lw.ModelBuilder()
    builder.add_body("a", lw.revolute("j", velocity_limit=3.0), inertia=BODY)
    builder.add_body("b", lw.revolute("k"), parent="a", placement=(1, 0, 0), inertia=BODY)
    builder.add_mimic("k", "j", 2.0, 0.5)
    text = to_mjcf(builder.build())
    assert 'active="false"' in text and "velocity limits left out" in text
    again = lw.load(text)
    assert not again.constraints and any("'k/mimic' is not active" in warning for warning in again.warnings)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees(seed):
    model = random_tree(seed)
    kinds = {joint.kind for joint in model.joints}
    if kinds & {"helical", "planar"}:
        with pytest.raises(UnsupportedError):
            to_mjcf(model)
        return
    try:
        text = to_mjcf(model)
    except UnsupportedError as error:
        assert "differs by direction" in str(error) or "free-flyer" in str(error)
        return
    assert_same_tree(model, lw.load(text))


def test_states_there_and_back():
    model = lw.load(EVERY_JOINT)
    rng = np.random.default_rng(0)
    q, v = model.random_configuration(rng, 5), rng.normal(size=(5, model.nv))
    qpos, qvel = lw.to_mujoco(model, q, v)
    back, velocity = lw.from_mujoco(model, qpos, qvel)
    assert np.abs(model.difference(q, back)).max() < 1e-12 and np.allclose(velocity, v)
    assert np.allclose(lw.to_mujoco(model, q[0]), qpos[0]) and np.allclose(lw.from_mujoco(model, qpos[0]), q[0])
    with pytest.raises(lw.LinkwrightError, match=r"qpos has shape \(3,\)"):
        lw.from_mujoco(model, np.zeros(3))
    with pytest.raises(lw.LinkwrightError, match="qvel has shape"):
        lw.from_mujoco(model, qpos[0], np.zeros(3))


def test_what_is_missing_is_written_and_read_again(tmp_path):
    wind = lw.NotComputed("100% of the wind", "it's \"strong\" <b>", "close the door", "fluid", ("j",), True)
    model = lw.load(EVERY_JOINT).with_not_computed(wind, lw.NotComputed("rain"))
    with pytest.warns(lw.LinkwrightWarning, match="rain"):
        again = lw.load(lw.save(model, tmp_path / "m.xml"))
    assert again.not_computed == model.not_computed
    ball = model.with_shapes(lw.sphere("many", 0.1)).on_ground()
    assert any("contacts of 2 shapes" in entry.what for entry in lw.load(to_mjcf(ball)).not_computed)


@pytest.mark.parametrize("data", ["", "{}", "[1]", "[[", '[{"what": 3}]'])
def test_notes_that_make_no_sense_are_refused(data):
    text = f"<mujoco><custom>\n<text name='not computed by linkwright' data='{data}'/></custom><worldbody/></mujoco>"
    with pytest.raises(LoadError, match="remove") as refusal:
        lw.load(text)
    assert refusal.value.line == 2
