"""Loops that are solved: four-bars, Newton's method, functions of joints, shafts; and what is refused."""

import numpy as np
import pytest
from cluster_cases import plan

import linkwright as lw
from linkwright import scalar
from linkwright.errors import InputError, ModelError
from linkwright.model import Inertia, ModelBuilder

GROUND_BAR, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.7
SIDEWAYS = (0.0, -9.81, 0.0)


def rod(length):
    return Inertia.box(length, (length, 0.05, 0.05), (length / 2, 0.0, 0.0))


def four_bar(*, closure="connect", mirrored=False, chain=False, lengths=(GROUND_BAR, CRANK, COUPLER, ROCKER)):
    """A crank and a rocker on the ground with a coupler between them; neutral is not closed."""
    d, a, b, c = lengths
    builder = ModelBuilder("four_bar", SIDEWAYS)
    builder.add_body("crank", lw.continuous("crank_joint", "z"), inertia=rod(a))
    axis = "-z" if mirrored else "z"
    pins = {name: lw.revolute(f"{name}_joint", k) for name, k in (("coupler", axis), ("rocker", "z"))}
    builder.add_body("coupler", pins["coupler"], parent="crank", placement=(a, 0, 0.1), inertia=rod(b))
    if chain:
        builder.add_body("rocker", pins["rocker"], parent="coupler", placement=(b, 0, 0), inertia=rod(c))
        builder.add_frame("end", "rocker", (c, 0, 0))
        builder.add_frame("pivot", "world", (d, 0, 0.1))
        frames, model = ("end", "pivot"), builder.build()
    else:
        builder.add_body("rocker", pins["rocker"], placement=(d, 0, 0.1), inertia=rod(c))
        builder.add_frame("coupler_end", "coupler", (b, 0, 0))
        builder.add_frame("rocker_end", "rocker", (c, 0, 0))
        frames, model = ("coupler_end", "rocker_end"), builder.build()
    closing = {
        "connect": lambda: lw.connect(*frames, name="pin"),
        "revolute": lambda: lw.close_with("revolute", *frames, name="pin"),
    }
    return model.with_constraints(closing[closure]())


@pytest.mark.parametrize("closure", ["connect", "revolute"])
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("known", ["crank_joint", "rocker_joint", "coupler_joint"])
def test_four_bar_in_closed_form(closure, mirrored, known, rng):
    """Whichever joint is given; redundant rows of a revolute closure in space make no difference."""
    model = four_bar(closure=closure, mirrored=mirrored)
    found = plan(model, independent=(known,))
    assert type(found.steps[1][0].solved).__name__ == "DyadStep"
    reference = found.drawn[model.iq[model.joint_index(known)].start]
    for y in reference + rng.uniform(-0.3, 0.3, 5):
        result = lw.reference(model, "spanning_position", independent=known)([y])
        assert result.residual < 1e-12
    y, yd, h = np.array([reference + 0.1]), rng.normal(size=1), 1e-5
    ahead, here, behind = (
        lw.reference(model, "spanning_position", independent=known, outputs="q")(y + s * yd) for s in (h, 0, -h)
    )
    J = lw.reference(model, "loop_jacobians", independent=known)(y, yd)
    np.testing.assert_allclose((ahead - behind) / (2 * h), J.G @ yd, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose((ahead - 2 * here + behind) / h**2, J.g, rtol=1e-3, atol=1e-4)


def test_four_bar_as_a_chain_that_ends_on_the_ground():
    """A constraint to the ground is a loop when the user says so."""
    model = four_bar(chain=True)
    result = lw.reference(model, "spanning_position", loops="pin", independent="crank_joint")
    for y in np.linspace(-7, 7, 29):  # whole turns of the crank
        assert result([y]).residual < 1e-12


def test_energy_of_a_swinging_four_bar():
    """RK4 at 1 kHz for 10 s."""
    model = four_bar()
    options = {"independent": "crank_joint"}
    acceleration = lw.compile(model, "cluster_aba", **options)
    spanning = lw.compile(model, "spanning_velocity", outputs=("v", "q"), **options)
    kinetic, potential = (lw.compile(model, f"{kind}_energy") for kind in ("kinetic", "potential"))

    def energy(y, yd):
        state = spanning(y, yd)
        return float(kinetic(state.q, state.v)) + float(potential(state.q))

    y, yd, tau, h = np.array([1.0]), np.array([0.0]), np.zeros(1), 1e-3
    first, lowest, turned = energy(y, yd), np.inf, 0.0
    for _ in range(10_000):
        k1 = acceleration(y, yd, tau)
        k2 = acceleration(y + h / 2 * yd, yd + h / 2 * k1, tau)
        k3 = acceleration(y + h / 2 * yd + h**2 / 4 * k1, yd + h / 2 * k2, tau)
        k4 = acceleration(y + h * yd + h**2 / 2 * k2, yd + h * k3, tau)
        y = y + h * yd + h**2 / 6 * (k1 + k2 + k3)
        yd = yd + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        lowest, turned = min(lowest, float(y[0])), max(turned, abs(float(yd[0])))
    assert turned > 3  # it did swing
    assert abs(energy(y, yd) - first) < 1e-6 * max(1.0, abs(first))


def test_lengths_may_be_inputs():
    """With placements as inputs a four-bar is solved by Newton's method, for the lengths it is given."""
    model = four_bar()
    reference = plan(model, independent=("crank_joint",)).drawn
    y, yd, tau = reference[:1], [0.7], [0.3]
    options = {"independent": "crank_joint", "pose": reference}
    given = lw.default_parameters(model, ("placements",))["placements"]
    same = lw.reference(model, "cluster_aba", parameters="placements", **options)(y, yd, tau, given)
    np.testing.assert_allclose(same, lw.reference(model, "cluster_aba", **options)(y, yd, tau), rtol=1e-9)
    shifted = given.copy()
    shifted[3, 0] += 0.05  # the rocker's pivot, farther away
    outputs = ("q", "residual")
    far = lw.reference(model, "spanning_position", parameters="placements", outputs=outputs, **options)(y, shifted)
    near = lw.reference(model, "spanning_position", outputs=outputs, **options)(y)
    assert far.residual < 1e-11 and np.abs(far.q - near.q).max() > 1e-2


def test_a_pose_that_cannot_be_reached_is_reported():
    model = four_bar(lengths=(1.0, 0.8, 0.5, 0.5))  # the crank cannot turn all the way
    outputs = ("ydd", "residual", "status")
    result = lw.reference(model, "cluster_aba", independent="crank_joint", outputs=outputs)
    fine, beyond = result([0.5], [0.0], [0.0]), result([3.0], [0.0], [0.0])
    assert fine.status == 0 and fine.residual < 1e-12
    assert beyond.status != 0 and beyond.residual > 0.1


def test_near_a_singularity_the_status_says_so():
    """At a dead point of the rocker its angle does not determine the crank's."""
    model = four_bar()
    options = {"independent": "rocker_joint", "coordinates": "spanning", "outputs": ("ydd", "status")}
    step = lw.reference(model, "cluster_aba", **options)
    position = lw.reference(model, "spanning_position", independent="crank_joint", outputs="q")
    inner = np.arccos(((COUPLER - CRANK) ** 2 + GROUND_BAR**2 - ROCKER**2) / (2 * (COUPLER - CRANK) * GROUND_BAR))
    outer = np.arccos(((COUPLER + CRANK) ** 2 + GROUND_BAR**2 - ROCKER**2) / (2 * (COUPLER + CRANK) * GROUND_BAR))
    dead = [sign * angle for angle in (outer, inner + np.pi, inner - np.pi) for sign in (1, -1)]
    codes = [step(position([y]), [0.0], [0.0]).status for y in dead]
    assert 2.0 in codes or 3.0 in codes
    assert step(position([1.0]), [0.0], [0.0]).status == 0


def test_functions_of_coordinates(rng):
    """q = gamma(y) traced and differentiated, here a lever and a cam; also as a loop for the other solvers."""
    model = lw.robots.chain(4)
    lever = lw.explicit(
        ("link_2_joint", "link_3_joint"), ("link_1_joint",),
        lambda y: [scalar.atan2(scalar.sin(y[0]), 2.0 + scalar.cos(y[0])), 0.2 * y[0] * y[0]],
    )  # fmt: skip
    model = model.with_constraints(lever)
    y, yd, tau = rng.normal(size=(3, 2))
    result = lw.reference(model, "cluster_aba", outputs=("ydd", "a", "q"))(y, yd, tau)
    np.testing.assert_allclose(result.q[1:3], [np.arctan2(np.sin(y[0]), 2 + np.cos(y[0])), 0.2 * y[0] ** 2])
    v = lw.reference(model, "spanning_velocity")(y, yd)
    full = np.zeros(4)
    full[[0, 3]] = tau
    loops = lw.reference(model, "lcaba", outputs="a", iterations=20)(result.q, v, full)
    np.testing.assert_allclose(result.a, loops, rtol=1e-8, atol=1e-8)
    error = lw.reference(model, "constraint_error")(result.q)
    assert np.abs(error).max() < 1e-14
    again = lw.model.serialization.from_dictionary(lw.model.serialization.to_dictionary(model))
    assert again == model and again.fingerprint == model.fingerprint


def test_shafts_at_an_angle(rng):
    """A universal joint between shafts: uneven within a turn, one for one over whole turns."""
    model = lw.robots.chain(2).with_constraints(lw.universal_transmission("link_2_joint", "link_1_joint", 0.6))
    position = lw.reference(model, "spanning_position", outputs="q")
    for y in np.linspace(-10, 10, 41):
        q = position([y])
        assert np.sin(q[1]) * np.cos(y) * np.cos(0.6) == pytest.approx(np.cos(q[1]) * np.sin(y), abs=1e-12)
        assert abs(q[1] - y) < np.pi / 4
    with pytest.raises(InputError, match="expected under pi/2"):
        lw.universal_transmission("a", "b", 2.0)


def test_spatial_loop_by_newtons_method(rng):
    """A four-link loop with skew axes and a spherical joint, closed by a point."""
    builder = ModelBuilder("spatial")
    builder.add_body("a", lw.revolute("a_joint", "z"), inertia=rod(0.3))
    builder.add_body("b", lw.universal("b_joint"), parent="a", placement=(0.3, 0, 0), inertia=rod(0.8))
    builder.add_body("c", lw.revolute("c_joint", (0.2, 0.3, 1.0)), placement=(1.0, 0.2, 0), inertia=rod(0.6))
    builder.add_frame("b_end", "b", (0.8, 0, 0))
    builder.add_frame("c_end", "c", (0.6, 0, 0))
    model = builder.build().with_constraints(lw.connect("b_end", "c_end", name="ball"))
    found = plan(model, independent=("a_joint",))
    y0 = found.drawn[0]
    result = lw.reference(model, "spanning_position", independent="a_joint")
    for y in y0 + rng.uniform(-0.5, 0.5, 6):
        assert result([y]).residual < 1e-11
    compiled = lw.compile(model, "cluster_aba", independent="a_joint", outputs=("ydd", "residual", "status"))
    batch = y0 + rng.uniform(-0.5, 0.5, (7, 1))
    many = compiled(batch, np.ones((7, 1)), np.zeros((7, 1)))
    assert np.all(many.status == 0) and many.residual.max() < 1e-11
    for row, ydd in zip(batch, many.ydd, strict=True):
        expected = lw.reference(model, "projection", independent="a_joint")(row, np.ones(1), np.zeros(1))
        np.testing.assert_allclose(ydd, expected, rtol=1e-9)


def refusal(model, **options):
    with pytest.raises((ModelError, InputError)) as caught:
        lw.trace_program(model, "cluster_aba", **options)
    return str(caught.value)


def test_bad_inputs_name_the_joints_and_a_way_out():
    links = lw.robots.chain(4)
    names = [f"link_{k}_joint" for k in range(1, 5)]
    circle = links.with_constraints(
        lw.couple(names[0], names[1], [0, 2], name="a"), lw.couple(names[1], names[2], [0, 3], name="b"),
        lw.couple(names[0], names[2], [0, 6], name="c"),
    )  # fmt: skip
    text = refusal(circle)
    assert "go round in a circle" in text and names[0] in text and "'c'" in text and "remove one" in text
    stuck = links.with_constraints(lw.couple(names[0], None, [0.3]))
    assert "no motion at all" in refusal(stuck) and names[0] in refusal(stuck)
    pair = links.with_constraints(lw.couple(names[0], names[1], [0, 2]))
    text = refusal(pair, independent=names[:2])
    assert "leave 1 independent" in text and "too many" in text and names[1] in text
    triple = links.with_constraints(lw.transmission({names[0]: 1.0, names[1]: 2.0, names[2]: -1.0}))
    assert "too few" in refusal(triple, independent=names[0])
    two = links.with_constraints(
        lw.couple(names[0], names[1], [0, 2]), lw.couple(names[2], names[3], [0, 2]),
        lw.weld("link_4", "link_1", name="extra", directions="x"),
    )  # fmt: skip
    assert "cannot be embedded" in refusal(two) or "independent" in refusal(two)
    dependent = links.with_constraints(
        lw.couple(names[0], names[1], [0, 2], name="m"), lw.transmission({names[2]: 1.0, names[3]: 1.0, names[0]: 1.0})
    )
    text = refusal(dependent, independent=names[:2])
    assert "depend on one another" in text and "would do" in text
    assert "no loop involves it" in refusal(pair, independent=[names[0], names[3]])
    text = refusal(four_bar(lengths=(5.0, 0.3, 0.9, 0.7)))
    assert "cannot be closed" in text and "crank_joint" in text and "pin" in text
    with pytest.raises(ModelError, match="not zero"):
        lw.gear("motor", "link", 0.0)
    with pytest.raises(ModelError, match="expected as many of each"):
        lw.parallel_belts(["a", "b"], ["c"], [6], [[1]])
    with pytest.raises(InputError, match="gamma returns 2 coordinates; expected 1"):
        lw.explicit("a", "b", lambda y: [y[0], y[0]])
    assert "newton is" in refusal(pair, newton=3)
    assert "coordinates is 'both'" in refusal(pair, coordinates="both")
    assert "the constraints are" in refusal(pair, loops="nothing")
