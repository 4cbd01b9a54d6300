"""What nothing pushes keeps its momentum: bodies of any inertia, and floating mechanisms with and without loops."""

from dataclasses import replace

import numpy as np
import pytest
from small_mechanisms import bar, closed

import linkwright as lw
from linkwright.sim.invariants import energy_share, momentum_share
from linkwright.sim.verdict import verdict

INTEGRATORS = ("damped_euler", "euler", "rk4")


def random_inertia(rng, *, centred=False):
    """A cloud of points: any mass, centre and axes that a body can have."""
    points, masses = rng.normal(size=(6, 3)) * 0.2, rng.uniform(0.1, 2.0, size=6)
    com = masses @ points / masses.sum()
    away = points - com
    tensor = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, away, strict=True))
    return lw.Inertia(masses.sum(), 0 * com if centred else com + rng.normal(size=3) * 0.2, tensor)


def body(inertia, joint, gravity=(0, 0, 0)):
    builder = lw.ModelBuilder("body", gravity=gravity)
    builder.add_body("body", joint, inertia=inertia)
    return builder.build()


def floating_mechanism(rng):
    """A base with a four-bar on it, one with a spherical and a sliding joint, nothing that holds the base."""
    builder = lw.ModelBuilder("floating", gravity=(0, 0, 0))
    builder.add_body("base", lw.free_flyer("base"), inertia=random_inertia(rng))
    builder.add_body("crank", lw.revolute("crank", "y"), parent="base", placement=(0.1, 0.1, 0), inertia=bar(0.2))
    builder.add_body("coupler", lw.revolute("coupler", "y"), parent="crank", placement=(0, 0, 0.2), inertia=bar(0.5))
    builder.add_body("rocker", lw.revolute("rocker", "y"), parent="base", placement=(0.55, 0.1, 0), inertia=bar(0.4))
    builder.add_body(
        "arm", lw.spherical("shoulder"), parent="base", placement=(0, -0.2, 0.1), inertia=random_inertia(rng)
    )
    builder.add_frame("coupler_end", "coupler", (0, 0, 0.5))
    builder.add_frame("rocker_end", "rocker", (0, 0, 0.4))
    model = builder.build().with_constraints(lw.weld("coupler_end", "rocker_end", directions="x z", name="pin"))
    q = model.neutral()
    q[model.iq[2].start : model.iq[2].start + 3] = [0.3, 1.0, 0.5]
    return model, *closed(model, q, rng.normal(size=model.nv) * [1, 1, 1, 1, 1, 1, 3, 0, 0, 1, 1, 1])


def momentum(model, trajectory):
    """[linear; angular about the centre of mass] in the world."""
    return lw.reference(model, "centroidal_momentum")(trajectory.q, trajectory.v)


def lost(model, q0, v0, dt, integrator, seconds=1.0):
    trajectory = lw.simulate(model, q0, v0, dt=dt, steps=round(seconds / dt), integrator=integrator, record=10**6)
    P = momentum(model, trajectory)
    return np.abs(P[-1] - P[0]), np.abs(P[0]).max()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_free_sphere(integrator):
    """10 m/s and 10 rad/s for 10 s: 100 m; and falling, to the order of the scheme."""
    ball = lw.Inertia.sphere(1.0, 0.1)
    w = 10 * np.array([0.6, 0.0, 0.8])
    for gravity, fall, allowed in ((0.0, 0.0, 1e-9), (-9.81, -490.5, 1e-7 if integrator == "rk4" else 0.05)):
        model = body(ball, lw.free_flyer("free"), (0, 0, gravity))
        end, v = lw.simulate(
            model, v0=[10, 0, 0, *w], dt=1e-3, steps=10_000, integrator=integrator, record=10_000
        ).final
        assert np.abs(end[:3] - [100, 0, fall]).max() < allowed, integrator
        assert np.abs(v[3:] - w).max() < 1e-9


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_free_body_keeps_its_linear_momentum_exactly(integrator, rng):
    for _ in range(4):
        model = body(random_inertia(rng), lw.free_flyer("free"))
        v0 = rng.normal(size=6) * 4
        trajectory = lw.simulate(model, model.random_configuration(rng), v0, dt=1e-2, steps=500, integrator=integrator)
        P = momentum(model, trajectory)[:, :3]
        assert np.abs(P - P[0]).max() < 1e-11 * np.abs(P[0]).max()
        at = lw.reference(model, "center_of_mass")(trajectory.q)
        mass = model.bodies[1].inertia.mass
        assert np.abs(at - at[0] - trajectory.t[:, None] * P[0] / mass).max() < 1e-10


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_body_in_a_plane_keeps_its_linear_momentum_exactly(integrator, rng):
    for axis in ("x", (0.6, 0.0, 0.8)):
        model = body(random_inertia(rng), lw.planar("table", axis=axis))
        trajectory = lw.simulate(
            model, rng.normal(size=3), rng.normal(size=3) * 4, dt=1e-2, steps=500, integrator=integrator
        )
        P = momentum(model, trajectory)
        assert np.abs(P[:, :3] - P[0, :3]).max() < 1e-11 * np.abs(P[0]).max()


def test_inertias_given_with_the_call_have_their_own_centre(rng):
    model, other = (body(random_inertia(rng), lw.free_flyer("free")) for _ in range(2))
    q0, v0 = model.random_configuration(rng), rng.normal(size=6) * 4
    step = lw.compile(model, "step", parameters="inertias", integrator="euler", repeat=True)
    given = {"q": q0, "v": v0, "tau": np.zeros(6), "dt": 1e-2, **lw.default_parameters(other, ["inertias"])}
    own = lw.simulate(other, q0, v0, dt=1e-2, steps=100, integrator="euler")
    assert np.abs(step.repeat(given, 100).q - own.q[1:]).max() < 1e-12


@pytest.mark.parametrize("integrator", ["damped_euler", "euler"])
def test_errors_of_euler_halve_with_the_step(integrator, rng):
    """Of the angular momentum of a free body, and of a body on a ball joint; of all momentum of a mechanism."""
    free = body(random_inertia(rng), lw.free_flyer("free"))
    held = body(random_inertia(rng, centred=True), lw.spherical("ball"))
    cases = [(model, model.random_configuration(rng), rng.normal(size=model.nv) * 3) for model in (free, held)]
    cases.append(floating_mechanism(rng))
    for model, q0, v0 in cases:
        ends = [lost(model, q0, v0, dt, integrator)[0].max() for dt in (2e-3, 1e-3, 5e-4)]
        ratios = np.divide(ends[:-1], ends[1:])
        assert np.all((1.7 < ratios) & (ratios < 2.4)), (model.name, ends)


def test_runge_kutta_keeps_all_of_it(rng):
    free = body(random_inertia(rng), lw.free_flyer("free"))
    cases = [(free, free.random_configuration(rng), rng.normal(size=6) * 3), floating_mechanism(rng)]
    for model, q0, v0 in cases:
        left, size = lost(model, q0, v0, 1e-3, "rk4", seconds=10.0)
        assert left.max() < 1e-9 * max(1.0, size), model.name


def test_steps_in_parts_keep_it_however_fast_it_travels(rng):
    """A crank that turns at 60 rad/s needs parts. The first of their stages is what Euler's step has found: with other
    velocities than those it was solved with, every such step gave what travels a push aside."""
    model, q0, v0 = floating_mechanism(rng)
    v0 = lw.project_velocity(model, q0, [*v0[:6], 60.0, *v0[7:]], fixed=["base", "crank"])
    off = []
    for travelling in (0.0, 500.0):
        v = v0 + travelling * np.array([0.6, 0.0, 0.8, *[0.0] * (model.nv - 3)])
        trajectory = lw.simulate(model, q0, v, dt=1e-3, steps=200, outputs="iterations", record=10)
        assert trajectory["iterations"].max() > 1
        P = trajectory.evaluate("centroidal_momentum", *trajectory.where_velocities_belong)
        off.append(np.abs(P - P[0]).max())
    assert off[0] < 0.02 and abs(off[1] - off[0]) < 1e-6


def test_what_is_fixed_to_the_ground_falls_with_nobody(rng):
    """A file may give masses to links that stand; energy and momentum are judged by what moves."""
    falling = body(random_inertia(rng), lw.free_flyer("free"), gravity=(0, 0, -9.81))
    ground = replace(falling.bodies[0], inertia=lw.Inertia(7.0, np.zeros(3), np.eye(3)))
    model = replace(falling, bodies=(ground, *falling.bodies[1:]))
    assert model.mass > 7.0
    trajectory = lw.simulate(model, v0=[1.0, 0.5, 0.2, 0.3, -0.2, 0.4], dt=2e-3, steps=200)
    assert verdict(trajectory) == "ok" and energy_share(trajectory) < 1e-3 and momentum_share(trajectory) < 1e-3
