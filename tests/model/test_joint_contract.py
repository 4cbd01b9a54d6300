"""Every kind of joint has everything that anybody asks of one; a new one works everywhere, or fails by its name."""

import numpy as np
import pytest
from joint_checks import check_joint

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.io.json_files import read_json, to_json
from linkwright.io.mjcf.mjcf_writer import to_mjcf
from linkwright.model.joints import JOINT_KINDS, Revolute
from linkwright.model.reversal import reversed_joint
from linkwright.trace import count_operations

every_kind = pytest.mark.parametrize("kind", JOINT_KINDS)


def carrying(kind: str) -> lw.Model:
    """A body with everything off centre on a joint of this kind, itself on a turning one."""
    rng = np.random.default_rng(3)
    builder = lw.ModelBuilder(kind)
    tensor = np.diag([0.3, 0.4, 0.5]) + 0.01
    axes = {"axis": "x", "second_axis": "y", "pitch": 0.2 if kind == "helical" else 0.0}
    builder.add_body("first", lw.revolute("turn", axis=[0, 1, 0]), inertia=lw.Inertia(2.0, rng.normal(size=3), tensor))
    joint = lw.Joint(name="joint", kind=kind, **axes)
    builder.add_body("second", joint, parent="first", inertia=lw.Inertia(1.5, rng.normal(size=3), tensor))
    return builder.build()


@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_what_it_says_of_itself_is_what_its_transform_does(kind, seed):
    check_joint(JOINT_KINDS[kind], seed)


@every_kind
def test_its_subspace_is_how_its_transform_moves(kind):
    """J v of a frame on the child, by differences of positions along `integrate`."""
    model, rng, h = carrying(kind), np.random.default_rng(0), 1e-6
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    place = lw.reference(model, "forward_kinematics", outputs="positions", frames=["second"])
    moved = (place(model.integrate(q, h * v)) - place(model.integrate(q, -h * v))) / (2 * h)
    J = lw.reference(model, "frame_jacobian", frame="second", seen_from="local_world_aligned")(q)
    np.testing.assert_allclose(moved[0], (J @ v)[:3], atol=1e-6)


@every_kind
def test_it_goes_where_differences_lead(kind):
    model, rng = carrying(kind), np.random.default_rng(1)
    q0, q1 = model.random_configuration(rng), model.random_configuration(rng)
    again = model.integrate(q0, model.difference(q0, q1))
    place = lw.reference(model, "forward_kinematics")
    for one, other in zip(place(again), place(q1), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@every_kind
def test_what_it_leaves_in_place_makes_no_difference(kind):
    """Inertias handed to the parent, and the referee, which hands over nothing."""
    model, rng = carrying(kind), np.random.default_rng(2)
    q, v, tau = model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    found, wanted = lw.reference(model, "aba")(q, v, tau), lw.solve_kkt(model, q, v, tau).a
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)


@every_kind
def test_it_is_stored_turned_round_and_shown(kind, tmp_path):
    model = carrying(kind)
    assert read_json(to_json(model)) == model
    joint = model.bodies[2].joint
    assert reversed_joint(reversed_joint(joint)).kind == kind
    assert kind in str(model)
    assert "joint" in lw.viewer.graph_svg(model, tmp_path / "graph.svg").read_text()


def test_a_new_kind_of_joint_works_or_fails_by_name(monkeypatch):
    class Knuckle(Revolute):
        kind = "knuckle"

    monkeypatch.setitem(JOINT_KINDS, "knuckle", Knuckle)
    model, known = carrying("knuckle"), carrying("revolute")
    q, v, tau = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert np.array_equal(lw.reference(model, "aba")(q, v, tau), lw.reference(known, "aba")(q, v, tau))
    programs = [lw.trace_program(m, "aba") for m in (model, known)]
    assert count_operations(programs[0]) == count_operations(programs[1]), "inertias are lumped as those of its parent"
    assert read_json(to_json(model)) == model
    assert lw.inspect(model).mobility.mobility == 2
    with pytest.raises(LinkwrightError, match="knuckle"):
        lw.solve_kkt(model, q, v, tau)
    with pytest.raises(LinkwrightError, match="knuckle"):
        to_mjcf(model)
