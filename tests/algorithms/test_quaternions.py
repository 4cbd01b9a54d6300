"""Quaternions of any length stand for their rotation in whatever is computed; one of length zero is said."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.programs import RECIPES

LENGTHS = (2.0, np.sqrt(2.0), 1.0 - 1e-3, 0.1, 1e-4, 1e6)


def flying(joint=None) -> lw.Model:
    """An arm on a free body, or on another joint, which ends in a ball joint."""
    builder = lw.ModelBuilder("flying")
    tensor = np.diag([0.3, 0.4, 0.5]) + 0.01
    inertia = lw.Inertia(1.5, [0.1, -0.2, 0.3], tensor)
    builder.add_body("base", joint or lw.free_flyer("free"), inertia=inertia)
    builder.add_body("arm", lw.revolute("hinge", "y"), parent="base", placement=(0.1, 0.2, 0.3), inertia=inertia)
    builder.add_body("ball", lw.spherical("ball"), parent="arm", placement=(0.4, 0.1, -0.2), inertia=inertia)
    return builder.build()


def quaternions(model: lw.Model) -> list[slice]:
    return [slice(own.stop - 4, own.stop) for own, joint in zip(model.iq[1:], model.joints, strict=True)
            if joint.moves.has_quaternion]  # fmt: skip


def stretched(model: lw.Model, q: np.ndarray, length: float) -> np.ndarray:
    q = np.array(q)
    for own in quaternions(model):
        q[..., own] *= length
    return q


def inputs_of(function, model, rng, batch=()):
    sizes = {"q": model.nq, "v": model.nv, "a": model.nv, "tau": model.nv, "b": model.nv, "x": model.nv}
    return {name: rng.normal(size=(*batch, n)) for name, n in sizes.items()}


TREE = ("aba", "rnea", "bias_torques", "gravity_torques", "coriolis_torques", "crba", "ltl_factor", "center_of_mass",
        "center_of_mass_velocity", "centroidal_momentum", "potential_energy", "kinetic_energy", "forward_kinematics",
        "joint_torque_regressor")  # fmt: skip
HELD = ("lcaba", "constrained_aba", "prox_ltl", "prox_pv", "prox_bbo", "ltl", "pv", "constraint_error",
        "constraint_jacobian", "constraint_bias")  # fmt: skip


@pytest.mark.parametrize("name", TREE + HELD)
def test_programs_give_the_answer_of_the_rotation(name):
    model = flying()
    if name in HELD:
        model = model.with_constraints(lw.connect("ball", at=(0.3, 0.2, 0.1)))
    rng = np.random.default_rng(3)
    given = {key: x for key, x in inputs_of(name, model, rng).items() if key in RECIPES[name].inputs}
    given["q"] = model.random_configuration(rng)
    solve = lw.reference(model, name, **({"outputs": ("a", "status", "residual")} if "status" in RECIPES[name].outputs
                                         and name != "aba" else {}))  # fmt: skip
    for length in (2.0, 0.25):  # powers of two: digits are the same
        found, wanted = solve(**{**given, "q": stretched(model, given["q"], length)}), solve(**given)
        for one, other in zip(_arrays(found), _arrays(wanted), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def _arrays(found):
    return [found] if isinstance(found, np.ndarray) else [np.asarray(x) for x in found]


@pytest.mark.parametrize("joint", [lw.free_flyer("free"), lw.spherical("ball_joint")])
@pytest.mark.parametrize("length", LENGTHS)
def test_gravity_is_gravity_whatever_the_length(joint, length):
    model = flying(joint)
    rng = np.random.default_rng(1)
    q, zeros = model.random_configuration(rng, 5), np.zeros((5, model.nv))
    usual = lw.reference(model, "aba", outputs=("a", "status"))(q, zeros, zeros)
    found = lw.reference(model, "aba", outputs=("a", "status"))(stretched(model, q, length), zeros, zeros)
    np.testing.assert_allclose(found.a, usual.a, rtol=1e-9, atol=1e-9)
    assert not found.status.any()


@pytest.mark.parametrize("program", ["aba", "lcaba", "contact_dynamics", "step"])
@pytest.mark.parametrize("joint", [0, 1])
def test_a_length_of_zero_is_said(program, joint):
    model = flying()
    if program == "lcaba":
        model = model.with_constraints(lw.connect("ball"))
    if program == "contact_dynamics":
        model = model.with_shapes(lw.sphere("base", 0.1)).on_ground(0.5)
    q = model.random_configuration(np.random.default_rng(0), 2)
    q[1, quaternions(model)[joint]] = 0.0
    solve = lw.compile(model, program, outputs=("q", "status") if program == "step" else ("a", "status"))
    given = {spec.name: np.zeros((2, *spec.shape)) for spec in solve.inputs} | {"q": q}
    if "dt" in given:
        given["dt"] = np.full(2, 1e-3)
    found = solve(**given)
    assert list(found.status) == [0, 3] and np.isfinite(found[0][0]).all()
    assert not np.isfinite(found[0][1]).all() or program == "step"


def test_compiled_samples_stand_for_their_rotations_side_by_side():
    model, rng = flying(), np.random.default_rng(5)
    f = lw.compile(model, "aba")
    q, (v, tau) = model.random_configuration(rng, 32), rng.normal(size=(2, 32, model.nv))
    lengths = 10.0 ** rng.uniform(-3, 3, 32)
    wrong = q.copy()
    for own in quaternions(model):
        wrong[:, own] *= lengths[:, None]
    np.testing.assert_allclose(f(wrong, v, tau), f(q, v, tau), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(f(wrong[0], v[0], tau[0]), f(q[0], v[0], tau[0]), rtol=1e-8, atol=1e-8)


def test_placements_that_are_inputs_too():
    model, rng = flying(), np.random.default_rng(6)
    usual = lw.default_parameters(model, ["placements"])["placements"]
    long = usual.copy()
    long[:, 3:] *= 1.7
    f = lw.reference(model, "aba", parameters="placements", outputs="a")
    q, (v, tau) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    np.testing.assert_allclose(f(q, v, tau, long), f(q, v, tau, usual), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("length", LENGTHS)
def test_integrating_and_differences_too(length):
    model, rng = flying(), np.random.default_rng(7)
    q, other, v = model.random_configuration(rng), model.random_configuration(rng), rng.normal(size=model.nv)
    np.testing.assert_allclose(
        model.integrate(stretched(model, q, length), v), model.integrate(q, v), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        model.difference(stretched(model, q, length), other), model.difference(q, other), rtol=1e-9, atol=1e-9
    )


def test_derivatives_are_those_of_the_rotation():
    model, rng = flying(), np.random.default_rng(8)
    q, (v, tau) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    J = lw.jacobian(model, "aba", wrt="q")
    np.testing.assert_allclose(
        np.asarray(J(stretched(model, q, 1.3), v, tau)), np.asarray(J(q, v, tau)), rtol=1e-8, atol=1e-8
    )


def test_the_referee_agrees():
    model, rng = flying(), np.random.default_rng(9)
    q, (v, tau) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    long = stretched(model, q, 3.0)
    np.testing.assert_allclose(lw.solve_kkt(model, long, v, tau).a, lw.reference(model, "aba")(long, v, tau), rtol=1e-9)
