"""The leapfrog, and Dormand and Prince's pair within its steps: orders, errors, scales, what jumps, what is refused."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, pendulum, tumbling_body

import linkwright as lw
from linkwright.errors import InputError
from linkwright.spatial.quaternion import rotation_matrix

WHOLE = lw.Leapfrog(threshold=None)
PAIR = lw.DormandPrince()


def run(model, q0, v0, seconds, dt, integrator=WHOLE, **options):
    options = {"record": 10**9, "start": "as given", **options}
    return lw.simulate(model, q0, v0, dt=dt, steps=round(seconds / dt), integrator=integrator, **options)


def orders(model, q0, v0, seconds, counts, integrator, **options):
    """By step halving, against the pair with short steps."""
    exact = run(model, q0, v0, seconds, seconds / (4 * counts[-1]), PAIR, **options).q[-1]
    ends = [run(model, q0, v0, seconds, seconds / n, integrator, **options).q[-1] for n in counts]
    errors = np.array([np.abs(model.difference(exact, q)).max() for q in ends])
    return np.log2(errors[:-1] / errors[1:]), errors


def tree_with_group_joints():
    builder = lw.ModelBuilder("groups")
    builder.add_body("base", lw.free_flyer("base"), inertia=lw.Inertia.box(3.0, (0.3, 0.2, 0.1)))
    box = lw.Inertia.box(1.0, (0.1, 0.1, 0.3), (0, 0, 0.15))
    builder.add_body("ball", lw.spherical("shoulder"), parent="base", placement=(0.2, 0, 0.1), inertia=box)
    slider = lw.Inertia.box(1.0, (0.1, 0.2, 0.1), (0.02, 0, 0))
    builder.add_body("slider", lw.planar("table", axis="x"), parent="base", placement=(-0.2, 0.1, 0), inertia=slider)
    return builder.build()


def sprung_chain(damping=0.0, stiffness=1.0):
    builder = lw.ModelBuilder("chain")
    for k in range(3):
        joint = lw.revolute(f"j{k}", "y", damping=damping, stiffness=stiffness)
        parent, place = (f"b{k - 1}", (0, 0, -0.3)) if k else ("world", (0, 0, 0))
        inertia = lw.Inertia.box(1.0, (0.05, 0.05, 0.3), (0, 0, -0.15))
        builder.add_body(f"b{k}", joint, parent=parent, placement=place, inertia=inertia)
    return builder.build()


GROUPS = tree_with_group_joints()
CASES = {
    "pendulum": lambda rng: (pendulum(), [2.5], [1.0]),
    "brick": lambda rng: (tumbling_body((0, 0, -9.81)), tumbling_body().neutral(), [0.3, -0.2, 1.0, 0.2, 6.0, 0.4]),
    "groups": lambda rng: (GROUPS, GROUPS.random_configuration(rng), rng.normal(size=12)),
    "springs": lambda rng: (sprung_chain(), rng.normal(size=3), rng.normal(size=3)),
    "four_bar": lambda rng: closed_four_bar(speed=3.0),
}  # fmt: skip


@pytest.mark.parametrize("integrator, least, seconds, counts", [
    (WHOLE, 1.8, 0.4, (100, 200, 400)), (PAIR, 4.8, 0.4, (8, 16, 32)),
], ids=["leapfrog", "pair"])  # fmt: skip
@pytest.mark.parametrize("name", CASES)
def test_order_from_the_first_step_on(name, integrator, least, seconds, counts, rng):
    model, q0, v0 = CASES[name](rng)
    if name == "four_bar" and integrator is PAIR:
        counts = (16, 32, 64)
    found, errors = orders(model, q0, v0, seconds, counts, integrator)
    assert np.all(found > least), (found, errors)


@pytest.mark.parametrize("damping", [0.05, 2.0])
def test_order_with_dampers(damping, rng):
    """From dampers that hardly matter to such as take a sixth of a velocity in a step."""
    model = sprung_chain(damping=damping)
    found, errors = orders(model, rng.normal(size=3), rng.normal(size=3), 0.4, (200, 400, 800), WHOLE)
    assert np.all(found > 1.5), (found, errors)


def test_stiff_dampers_and_gains_do_not_ring(rng):
    """Of a velocity that a damper takes within a small part of a step, a step leaves a tenth at most."""
    builder = lw.ModelBuilder("one")
    builder.add_body("rod", lw.revolute("pivot", "z", damping=200.0), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    tr = run(builder.build(), [0.0], [1.0], 0.01, 1e-3, record=1)
    speed = np.abs(tr.v[:, 0])
    assert np.all(speed[1:] < 0.1 * speed[:-1]) and np.all(np.abs(np.diff(tr.q[:, 0])) <= 1e-3)
    chain = lw.robots.chain(3, length=0.3)
    held = run(chain, rng.normal(size=3), rng.normal(size=3), 2.0, 4e-3, control=lw.PD(2000.0, 20.0), record=1)
    assert np.abs(held.v[-1]).max() < 1e-3


def test_free_fall_is_exact():
    builder = lw.ModelBuilder("mass")
    builder.add_body("mass", lw.free_flyer("base"), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    model = builder.build()
    v0 = np.array([0.3, 0, 5.0, 0, 0, 0])
    for integrator in (WHOLE, lw.Leapfrog(), PAIR):
        tr = run(model, model.neutral(), v0, 1.0, 5e-3, integrator)
        assert tr.q[-1, :3] == pytest.approx([0.3, 0, 5.0 - 0.5 * 9.81], abs=1e-12)
        assert tr.v[-1, 2] == pytest.approx(5.0 - 9.81, abs=1e-12)


@pytest.mark.parametrize("spin", [60.0, 250.0, 500.0])
def test_fast_tops_precess_as_they_should(spin):
    """Against the same scheme at a twelfth of the step."""
    builder = lw.ModelBuilder("top")
    inertia = lw.Inertia(1.0, np.array([0, 0, 0.2]), np.diag([0.02, 0.02, 0.001]))
    builder.add_body("top", lw.spherical("ball"), inertia=inertia)
    model = builder.build()
    q0 = model.integrate(model.neutral(), [0.5, 0, 0])
    ends = [run(model, q0, [0, 0, spin], 2.0, dt, lw.Leapfrog()).q[-1] for dt in (1e-3, 1e-3 / 12)]
    axes = [np.array(rotation_matrix(list(q)).rows)[:, 2] for q in ends]
    assert np.abs(axes[0] - axes[1]).max() < 2e-5


def test_free_bodies_keep_their_momentum(rng):
    model = tumbling_body()
    tr = run(model, model.random_configuration(rng), rng.normal(size=6) * 5, 2.0, 1e-3, lw.Leapfrog(), record=100)
    momentum = lw.reference(model, "centroidal_momentum", outputs=("momentum",))
    found = np.array([momentum(q, v) for q, v in zip(tr.q, tr.v, strict=True)])
    assert str(tr).splitlines()[0].endswith("ok")
    assert np.abs(found - found[0]).max() < 1e-11


@pytest.mark.parametrize("name, kick, seconds, most", [
    ("four_bar", 10, 1.0, 4e-4), ("jansen_leg", 5, 0.5, 6e-5),
])  # fmt: skip
def test_off_after_a_second_of_steps_of_a_millisecond(name, kick, seconds, most, rng):
    model = lw.load(name)
    q0 = lw.project_configuration(model, model.drawn)
    v0 = kick * rng.normal(size=model.nv)
    for _ in range(3):
        v0 = lw.project_velocity(model, q0, v0)
    v0 = v0 * kick / np.abs(v0).max()
    exact = run(model, q0, v0, seconds, 5e-5, PAIR)
    tr = run(model, q0, v0, seconds, 1e-3, lw.Leapfrog())
    assert np.abs(model.difference(exact.q[-1], tr.q[-1])).max() < most
    assert np.abs(tr.drift).max() < 2e-6


@pytest.mark.parametrize("projection", [False, True])
def test_the_same_mechanics_at_another_scale_of_time_are_the_same_to_the_last_bit(projection):
    model = lw.load("slider_crank")
    q0 = lw.project_configuration(model, model.drawn)
    v0 = lw.project_velocity(model, q0, np.array([9.0, -3.0, 1.0]))
    step = lw.compile(
        model, "step", outputs=("q", "v", "lam", "lead", "lag", "memory", "iterations"), parameters=("gravity",),
        integrator="leapfrog", contact=None, projection=projection, warm_start="input", repeat=True,
    )  # fmt: skip
    found = []
    for scale in (1.0, 1 / 8, 1 / 32):
        given = {spec.name: np.zeros(spec.shape) for spec in step.inputs}
        given |= {"q": q0, "v": v0 * scale, "dt": np.array(1e-3 / scale), "gravity": np.array(model.gravity) * scale**2}
        told = step.repeat(given, 150, every=1, last=("lam", "lead", "memory"))
        found.append((np.asarray(told["q"]), np.asarray(told["iterations"])))
    assert found[0][1].max() > 5.0  # the pair has had its share
    for q, iterations in found[1:]:
        assert np.array_equal(q, found[0][0]) and np.array_equal(iterations, found[0][1])


def test_torques_that_jump_are_no_error(rng):
    model, q0, v0 = closed_four_bar(speed=2.0)
    inertias = 1.0 / np.diag(np.linalg.inv(lw.reference(model.without_constraints(), "crba")(q0)))
    tau = rng.normal(size=(400, model.nv)) * 10.0 * inertias
    tr = run(model, q0, v0, 0.4, 1e-3, lw.Leapfrog(), control=tau, outputs="iterations", record=1)
    assert np.mean(tr["iterations"] > 1.5) <= 0.02


def test_limits_and_friction_neither_shorten_steps_nor_let_through(rng):
    builder = lw.ModelBuilder("arm")
    rod = lw.Inertia.box(1.0, (0.05, 0.05, 0.4), (0, 0, -0.2))
    builder.add_body("upper", lw.revolute("shoulder", "y", lower=-0.5, upper=0.5, friction=0.05), inertia=rod)
    builder.add_body("lower", lw.revolute("elbow", "y", lower=-0.8, upper=0.8), parent="upper", placement=(0, 0, -0.4),
                     inertia=rod)  # fmt: skip
    tr = run(builder.build(), [0.3, -0.2], [4.0, -3.0], 4.0, 1e-3, lw.Leapfrog(), outputs="iterations", record=1)
    assert str(tr).splitlines()[0].endswith("ok")
    assert np.mean(tr["iterations"] > 1.5) < 0.02
    assert np.abs(tr.q[:, 0]).max() < 0.52 and np.abs(tr.q[:, 1]).max() < 0.82
    assert np.abs(tr.v[-1]).max() < np.abs(tr.v[0]).max()


def test_samples_of_a_batch_have_the_bits_they_have_alone(rng):
    model = lw.load("five_bar")
    q0 = lw.project_configuration(model, model.drawn)
    v0 = lw.project_velocity(model, q0, 3 * rng.normal(size=(5, model.nv)))
    together = run(model, np.tile(q0, (5, 1)), v0, 0.2, 1e-3, lw.Leapfrog())
    for k in (0, 3):
        assert np.array_equal(run(model, q0, v0[k], 0.2, 1e-3, lw.Leapfrog()).q[-1], together.q[k, -1])


def test_simulator_steps_as_simulate_does():
    model, q0, v0 = closed_four_bar()
    simulator = lw.Simulator(model, dt=1e-3, integrator="leapfrog")
    simulator.reset(q0, v0)
    q, v = simulator.step(n=50)
    tr = run(model, q0, v0, 0.05, 1e-3, "leapfrog")
    assert np.array_equal(q, tr.q[-1]) and np.array_equal(v, tr.v[-1])


def test_loops_may_be_embedded():
    model, q0, v0 = closed_four_bar(speed=3.0)
    found, errors = orders(model, q0, v0, 0.3, (150, 300, 600), WHOLE, coordinates="independent")
    assert np.all(found > 1.8), (found, errors)


def test_derivatives_of_a_step_are_those_of_the_step(rng):
    model = lw.robots.chain(3, length=0.3)
    q, v, tau = (rng.normal(size=3) for _ in range(3))
    slope = lw.jacobian(model, "step", of=("v",), wrt=("v",), integrator=WHOLE)
    step = lw.compile(model, "step", outputs=("v",), integrator=WHOLE)
    found = np.asarray(slope(q, v, tau, np.array(1e-3)))
    h = 1e-6
    after = lambda v: np.asarray(step(q, v, tau, np.array(1e-3)))  # noqa: E731
    expected = np.stack([(after(v + h * e) - after(v - h * e)) / (2 * h) for e in np.eye(3)], axis=1)
    assert np.allclose(found.reshape(3, 3), expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("threshold", [0.0, -1e-4, float("nan"), float("inf"), "small", True])
def test_thresholds_that_are_none_are_refused(threshold):
    with pytest.raises(InputError, match=r"threshold of Leapfrog is .* expected a positive number"):
        lw.Leapfrog(threshold=threshold)


def ball_over_ground(com=(0.0, 0.0, 0.0)):
    builder = lw.ModelBuilder("ball")
    inertia = lw.Inertia(2.0, np.array(com), np.diag([0.008, 0.012, 0.016]))
    builder.add_body("ball", lw.free_flyer("free"), inertia=inertia)
    return builder.build().with_shapes(lw.sphere("ball", 0.1, name="skin")).on_ground(0.8)


def test_free_flight_over_a_floor_is_exact():
    """A second of it at 5 ms, turning, about a centre of mass that is not where the body's frame is."""
    model = ball_over_ground(com=(0.02, 0.01, 0.0))
    q0, v0 = np.array([0, 0, 10.0, 0, 0, 0, 1]), np.array([0.3, 0, 5.0, 1.0, 7.0, 3.0])
    tr = run(model, q0, v0, 1.0, 5e-3, lw.Leapfrog(), record=100)
    centre = lw.reference(model, "center_of_mass", outputs=("position",))
    start = np.array([0.3, 0, 5.0]) + np.cross(v0[3:], [0.02, 0.01, 0])  # its velocity there
    way = np.asarray(centre(tr.q[-1])) - np.asarray(centre(q0))
    assert way == pytest.approx(start - np.array([0, 0, 0.5 * 9.81]), abs=1e-11)
    thrown = run(ball_over_ground(), [0, 0, 10.0, 0, 0, 0, 1], [0, 0, 5.0, 0, 0, 0], 1.0, 5e-3, "leapfrog")
    assert thrown.q[-1, 2] - 10.0 == pytest.approx(0.0950, abs=1e-10)


def test_what_bounces_and_slides_comes_to_where_short_steps_bring_it():
    """At 1 s, with velocities that belong to the positions, as MuJoCo's own scheme does with short steps."""
    model, q0, v0 = ball_over_ground(), [0, 0, 0.3, 0, 0, 0, 1], [1.5, 0, 0, 0, -5.0, 0]
    exact = run(model, q0, v0, 1.0, 2e-5, "implicitfast").q[-1, :3]
    assert np.abs(run(model, q0, v0, 1.0, 1e-3, "leapfrog").q[-1, :3] - exact).max() < 1.5e-3


def test_what_rests_stays():
    model = ball_over_ground()
    tr = run(model, [0, 0, 0.1, 0, 0, 0, 1], [0] * 6, 2.0, 2e-3, "leapfrog", record=1)
    assert str(tr).splitlines()[0].endswith("ok")
    assert np.abs(tr.v[-1]).max() < 1e-6 and abs(tr.q[-1, 2] - 0.1) < 2e-3


def test_loops_that_touch_are_held():
    model = lw.load("walking_beast")
    tr = run(model, model.drawn, np.zeros(model.nv), 0.2, 1e-3, "leapfrog", record=1)
    assert str(tr).splitlines()[0].endswith("ok")
    assert tr.drift.max() < 1e-6


def test_dampers_far_stiffer_than_steps_are_taken_in_parts_at_first_alone(rng):
    """A finger's inertia, and a damper that takes its velocity in a thousandth of a step."""
    builder = lw.ModelBuilder("finger")
    for k in range(2):
        inertia = lw.Inertia.box(0.05, (0.01, 0.01, 0.05), (0, 0, -0.025))
        builder.add_body(
            f"b{k}", lw.revolute(f"j{k}", "y", damping=0.3), parent=f"b{k - 1}" if k else "world",
            placement=(0, 0, -0.05 * k), inertia=inertia,
        )  # fmt: skip
    tr = run(builder.build(), [1.0, 0.5], [2.0, -1.0], 0.1, 1e-3, lw.Leapfrog(), outputs="iterations", record=1)
    assert tr["iterations"][0] > 100 and np.all(tr["iterations"][20:] == 1.0)
    assert str(tr).splitlines()[0].endswith("ok")


def test_what_no_parts_are_short_enough_for_is_taken_whole_and_said(rng):
    """A damper that would need tens of thousands of parts: the leapfrog bears it, and knows no error in the first
    steps."""
    builder = lw.ModelBuilder("stuck")
    inertia = lw.Inertia.box(1e-4, (0.01, 0.01, 0.05), (0, 0, -0.025))
    builder.add_body("finger", lw.revolute("joint", "y", damping=10.0), inertia=inertia)
    tr = run(builder.build(), [1.0], [0.0], 0.5, 1e-3, lw.Leapfrog(), outputs=("iterations", "status"), record=1)
    assert tr["status"][0] == 1 and np.all(tr["status"][5:] == 0) and np.all(tr["iterations"][5:] == 1)
    assert tr.t[-1] == 0.5 and abs(tr.q[-1, 0] - 1.0) < 1e-3
    assert str(tr).splitlines()[0].endswith("ok")
