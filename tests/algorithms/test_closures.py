"""Every form of constraint: rows, rates and errors against finite differences and the referee."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.referee import DenseDynamics
from linkwright.robots.random import random_tree

KINDS = ["fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "translational"]
STEP = 1e-6


@pytest.fixture(scope="module")
def tree():
    return random_tree(3, 9, branching=0.7, frames=6, floating_base=False, armature=True)


def ends(model):
    """Two frames on bodies that are on different branches."""
    frames = [name for name in model.frames if model.frames[name].body]
    for one in frames:
        for two in frames:
            i, j = model.frames[one].body, model.frames[two].body
            if i != j and not model.graph.is_ancestor(i, j) and not model.graph.is_ancestor(j, i):
                return one, two
    raise AssertionError("the tree has no branches")


def single_joints(model, count):
    names = [joint.name for joint in model.joints if joint.nv == 1]
    return names[:count]


def constraints(model):
    one, two = ends(model)
    j = single_joints(model, 3)
    skew = (1.0, -2.0, 0.5)
    yield from (lw.close_with(kind, one, two, name=f"{kind}_pair") for kind in KINDS)
    yield from (lw.close_with(kind, one, name=f"{kind}_ground", at=(0.1, 0.2, 0.3)) for kind in KINDS)
    yield from (
        lw.close_with(kind, one, two, axis=skew, name=f"{kind}_skew", at=(0.3, -0.1, 0.2, 0.5, 0.5, 0.5, 0.5))
        for kind in ("revolute", "prismatic", "cylindrical", "planar")
    )
    yield lw.close_with(lw.universal("u", (0, 1, 0), second_axis=(0, 0, 1)), one, two)
    yield lw.weld(one, two, name="some", directions="x rz")
    yield lw.rod(one, two, length=0.7, name="rod_pair")
    yield lw.rod(one, length=0.7, name="rod_ground")
    yield lw.couple(j[0], j[1], [0.1, -2.0, 0.3, 0.05])
    yield lw.couple(j[1], None, [0.4], name="held")
    yield lw.transmission({j[0]: 1.0, j[1]: -6.0, j[2]: 2.0}, 0.3, name="differential")
    yield lw.center_of_mass(at=(0, 0, 0.5))
    yield lw.center_of_mass([model.bodies[2].name, model.bodies[5].name], directions="z", name="two", at=(0, 0, 1))
    yield lw.constrain({one: np.arange(12.0).reshape(2, 6), two: np.ones((2, 6))}, name="sum")


NAMES = [c.name for c in constraints(random_tree(3, 9, branching=0.7, frames=6, floating_base=False, armature=True))]


@pytest.fixture(params=NAMES)
def held(request, tree):
    return tree.with_constraints(next(c for c in constraints(tree) if c.name == request.param))


def test_rows_and_rates_agree_with_the_referee(held, rng):
    q, v = held.random_configuration(rng), rng.normal(size=held.nv)
    J, drift = (x.astype(float) for x in DenseDynamics(held, q, v).constraint_rows())
    assert np.allclose(lw.reference(held, "constraint_jacobian")(q), J, rtol=1e-12, atol=1e-12)
    assert np.allclose(lw.reference(held, "constraint_bias")(q, v), drift, rtol=1e-11, atol=1e-11)


def test_the_rate_is_the_derivative_of_the_rows(held, rng):
    """d/dt (J v) along a motion with constant v."""
    q, v = held.random_configuration(rng), rng.normal(size=held.nv)
    J = lw.reference(held, "constraint_jacobian")
    before, after = (J(held.integrate(q, v * step)) @ v for step in (-STEP, STEP))
    bias = lw.reference(held, "constraint_bias")(q, v)
    assert np.allclose((after - before) / (2 * STEP), bias, atol=2e-8 * max(1.0, np.abs(bias).max()))


def closed(model, q):
    """A nearby pose in which the constraint is met."""
    error, jacobian = lw.reference(model, "constraint_error"), lw.reference(model, "constraint_jacobian")
    for _ in range(200):
        e = error(q)
        if np.abs(e).max() < 1e-13:
            return q
        step = np.linalg.lstsq(jacobian(q), -e, rcond=1e-8)[0]
        q = model.integrate(q, step * min(1.0, 0.5 / max(np.abs(step).max(), 1e-12)))
    return None


def test_the_error_has_the_rows_for_derivative_where_it_is_met(held, rng):
    if held.constraints[0].name in ("sum", "some"):
        pytest.skip("a sum, or some directions of a weld, say nothing about positions")
    met = None
    for _ in range(20):  # not every random start leads to a closed pose
        met = closed(held, held.random_configuration(rng))
        if met is not None:
            break
    if met is None:
        pytest.skip("this frame cannot get there")
    error, J = lw.reference(held, "constraint_error"), lw.reference(held, "constraint_jacobian")(met)
    for _ in range(3):
        v = rng.normal(size=held.nv)
        after, before = error(held.integrate(met, v * STEP)), error(held.integrate(met, -v * STEP))
        assert np.allclose((after - before) / (2 * STEP), J @ v, atol=1e-7 * max(1.0, np.abs(J @ v).max()))


def test_enough_constraints_can_be_met():
    model = random_tree(3, 9, branching=0.7, frames=6, floating_base=False, armature=True)
    met = [
        c.name for c in constraints(model)
        if c.has_position and closed(model.with_constraints(c), model.random_configuration(1)) is not None
    ]  # fmt: skip
    assert len(met) > 15, met


def test_constraints_survive_a_file(tree, tmp_path):
    held = tree.with_constraints(*constraints(tree))
    lw.save(held, tmp_path / "held.json")
    assert lw.load(tmp_path / "held.json") == held


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lw.close_with("helical", "a", "b"), "can close a loop"),
        (lambda: lw.close_with("hinge", "a", "b"), "revolute"),
        (lambda: lw.close_with(lw.revolute("j", damping=1.0), "a", "b"), "damping"),
        (lambda: lw.close_with(lw.revolute("j", lower=-1, upper=1), "a", "b"), "limits"),
        (lambda: lw.close_with(lw.revolute("j"), "a", "b", axis="x"), "own axes"),
        (lambda: lw.rod("a", "b", length=0), "positive"),
        (lambda: lw.rod("a", "b", length=np.inf), "positive"),
        (lambda: lw.couple("a", "b", [1.0]), "no difference"),
        (lambda: lw.couple("a", "b", [0.0, np.nan]), "finite"),
        (lambda: lw.couple("a", None, [0.0, 1.0]), "no second joint"),
        (lambda: lw.transmission({}), "ratio for each joint"),
        (lambda: lw.transmission({"a": 1.0, "b": 0.0}), "gear ratio of zero"),
        (lambda: lw.constrain({"a": np.ones((1, 6)), "b": np.ones((2, 6))}), "same for each frame"),
        (lambda: lw.center_of_mass(directions="rx"), "direction"),
        (lambda: lw.connect("a", "b", at=(np.inf, 0, 0)), "finite"),
    ],
)
def test_mistakes_in_constraints_are_named(make, message):
    with pytest.raises(lw.LinkwrightError, match=message):
        make()


def test_mistakes_on_a_model_are_named(tree):
    one, _ = ends(tree)
    j = single_joints(tree, 2)
    wide = next(joint.name for joint in tree.joints if joint.nv > 1)
    for constraint, message in [
        (lw.rod(one, "nowhere", length=1.0), "nowhere"),
        (lw.rod(one, one, length=1.0), "other end"),
        (lw.couple("nothing", j[0], [0, 1]), "nothing"),
        (lw.couple(wide, j[0], [0, 1]), "velocities"),
        (lw.center_of_mass(["nobody"]), "nobody"),
        (lw.constrain({"world": np.ones((1, 6))}), "ground"),
    ]:
        with pytest.raises(lw.LinkwrightError, match=message):
            tree.with_constraints(constraint)
    with pytest.raises(lw.LinkwrightError, match="contradict"):
        tree.with_constraints(lw.couple(j[0], j[1], [0, 1], name="a"), lw.couple(j[0], j[1], [1, 1], name="b"))


def test_what_is_part_of_the_ground_is_held_anyway():
    builder = lw.ModelBuilder("arm")
    builder.add_body("link", lw.revolute("joint", "z"), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    builder.add_frame("bench", "world", (1.0, 0.0, 0.0))
    free = builder.build()
    state = np.zeros(1), np.zeros(1), np.ones(1)
    expected = lw.reference(free, "aba")(*state)
    held = free.with_constraints(lw.weld("bench"))
    for solver in ("lcaba", "constrained_aba", "prox_bbo", "prox_ltl", "mixed"):
        found = lw.reference(held, solver, outputs=("a", "status"))(*state)
        assert found.status == 0 and np.allclose(found.a, expected), solver
    assert np.allclose(lw.compile(held, "lcaba", outputs="a")(*state), expected)


def test_locking_a_coupled_joint_keeps_the_other_where_it_belongs(tree):
    j = single_joints(tree, 2)
    coupled = tree.with_constraints(lw.couple(j[0], j[1], [0.1, 2.0]))
    locked = lw.lock_joints(coupled, {j[1]: 0.3})
    q = locked.neutral()
    q[locked.iq[locked.joint_index(j[0])]] = 0.1 + 2.0 * 0.3
    assert np.abs(lw.reference(locked, "constraint_error")(q)).max() < 1e-15
    with pytest.raises(lw.LinkwrightError, match="breaks coupling"):
        lw.lock_joints(coupled, {j[0]: 0.0, j[1]: 0.3})
    assert not lw.lock_joints(coupled, {j[0]: 0.7, j[1]: 0.3}).constraints
