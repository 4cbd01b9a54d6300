"""Bad input: a clear error, and what was computed is kept."""

import numpy as np
import pytest
from small_mechanisms import closed_four_bar, pendulum

import linkwright as lw
from linkwright.errors import InputError, UnsupportedError

MODEL, Q0, V0 = closed_four_bar()


def run(**options):
    given = {"dt": 1e-3, "steps": 10, **options}
    return lw.simulate(given.pop("robot", MODEL), given.pop("q0", Q0), given.pop("v0", V0), **given)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"dt": 0}, "dt is 0; expected a positive number"),
        ({"dt": -1e-3}, "dt is -0.001"),
        ({"dt": np.nan}, "dt is nan"),
        ({"dt": "fast"}, "dt is 'fast'"),
        ({"dt": [1e-3]}, "dt is"),
        ({"steps": 0}, "steps is 0; expected a positive whole number"),
        ({"steps": 1.5}, "steps is 1.5"),
        ({"record": 0}, "record is 0"),
        ({"integrator": "rk5"}, "integrator is 'rk5'; expected one of damped_euler, dormand_prince, euler"),
        ({"baumgarte": -1}, "baumgarte is -1"),
        ({"baumgarte": "none"}, "baumgarte is 'none'"),
        ({"projection": 3}, "projection is 3"),
        ({"iterations": 0}, "iterations is 0"),
        ({"solver": "lcba"}, "lcaba"),
        ({"outputs": "forcs"}, "forces"),
        ({"start": "anyhow"}, "check"),
        ({"q0": np.zeros(2)}, r"q0 has shape \(2,\); expected \(3,\) or \(B, 3\)"),
        ({"q0": [0, np.nan, 0]}, "q0 is .*nan.* not finite"),
        ({"v0": np.zeros((2, 4))}, "v0 has shape"),
        ({"q0": np.zeros((2, 3)), "v0": np.zeros((3, 3))}, "q0 holds 2 samples and v0 3"),
        ({"control": np.zeros(2)}, r"control has shape \(2,\); expected \(3,\), \(10, 3\)"),
        ({"control": np.zeros((9, 3))}, r"control has shape \(9, 3\)"),
        ({"control": "push"}, "control is 'push'"),
        ({"control": [0, np.nan, 0]}, "control is nan at entry 1"),
        ({"control": np.where(np.arange(30).reshape(10, 3) == 22, np.inf, 0)}, "control is inf at entry 1 in step 7"),
        ({"control": np.zeros((2, 10, 3)), "q0": np.tile(Q0, (3, 1))}, r"hold \[2, 3\] samples"),
        ({"control": lw.PD(-1)}, "kp of PD is -1"),
        ({"control": lw.PD(1, {"crank": 1})}, "crank_joint"),
        ({"control": lw.PD([1, 2])}, r"kp of PD has shape \(2,\)"),
        ({"control": lw.PD(1, q=np.zeros(4))}, "reference q of PD has shape"),
        ({"steps": 10**12}, "GB; keep fewer"),
        ({"q0": np.zeros((0, 3))}, r"q0 has shape \(0, 3\)"),
        ({"mu": [1.0]}, r"mu is \[1.0\]; expected a positive number"),
        ({"mu": "much"}, "mu is 'much'"),
        ({"mu": {"pin": [1.0]}}, "mu is"),
        ({"mu": {"pon": 1.0}}, "pin"),
        ({"baumgarte": True}, "baumgarte is True"),
        ({"tolerance": float("nan")}, "tolerance is nan, which is the soft law's, and there is no contact here"),
        ({"cone": "elliptic"}, "cone is 'elliptic'"),
        ({"lanes": 3}, "lanes=3"),
        ({"threads": 0}, "threads=0"),
        ({"robot": 3}, "cannot load a int"),
        ({"robot": lw.ModelBuilder("stone").build()}, "'stone' has no joints"),
    ],
)
def test_clear_errors(options, message):
    with pytest.raises(InputError, match=message):
        run(**options)


def test_solvers_that_do_not_suit():
    with pytest.raises(UnsupportedError, match="lcaba"):
        run(solver="aba")
    with pytest.raises(UnsupportedError, match="lcaba"):
        run(solver="constrained_aba")


def test_an_open_start_is_refused_by_name_and_by_how_much():
    with pytest.raises(InputError, match=r"open are 'pin' by 0\.0\d+ .*project_configuration"):
        run(q0=np.add(Q0, [0, 0.1, 0]))
    with pytest.raises(InputError, match=r"coming apart are 'pin' at .*project_velocity"):
        run(v0=np.add(V0, [0, 1.0, 0]))
    with pytest.raises(InputError, match="open are 'pin'"):
        run(q0=np.stack([Q0, np.add(Q0, [0, 0.1, 0])]))
    assert run(q0=np.add(Q0, [0, 1e-7, 0])).drift[0] > 1e-9


def test_a_quaternion_that_is_none():
    builder = lw.ModelBuilder("ball")
    builder.add_body("ball", lw.spherical("socket"), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.1)))
    with pytest.raises(InputError, match="quaternion of joint 'socket' has length 2"):
        lw.simulate(builder.build(), [0, 0, 0, 2.0], steps=1)


def test_a_policy_that_raises_in_step_317():
    def policy(t, q, v):
        if round(t / 1e-3) == 317:
            raise RuntimeError("out of coffee")
        return np.zeros(3)

    with pytest.raises(lw.SimulationError, match=r"step 317 .*RuntimeError: out of coffee") as caught:
        run(control=policy, steps=1000)
    kept = caught.value.trajectory
    assert len(kept.t) == 318 and kept.steps == 317 and isinstance(caught.value.__cause__, RuntimeError)
    np.testing.assert_array_equal(kept.q, run(steps=317).q)


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda k: np.full(3, np.nan), "control returned nan for velocity 0 in step 5"),
        (lambda k: np.zeros(4), r"shape \(4,\) in step 5"),
        (lambda k: None, "control failed in step 5|shape"),
        (lambda k: "hello", "control failed in step 5"),
    ],
)
def test_a_policy_that_answers_nonsense(answer, message):
    with pytest.raises(lw.SimulationError, match=message) as caught:
        run(control=lambda t, q, v: np.zeros(3) if t < 4.5e-3 else answer(5))
    assert len(caught.value.trajectory.t) == 6


def test_a_policy_cannot_spoil_the_state():
    def policy(t, q, v):
        q[:], v[:] = np.nan, np.nan
        return np.zeros(3)

    np.testing.assert_array_equal(run(control=policy).q, run().q)


def test_a_state_that_explodes_is_cut_where_it_was_still_finite():
    model = pendulum(stiffness=1e9)
    with pytest.raises(lw.SimulationError, match=r"no longer finite at t = .*smaller dt") as caught:
        lw.simulate(model, [0.1], dt=1e-2, steps=5000)
    kept = caught.value.trajectory
    assert 1 < len(kept.t) < 5000 and np.all(np.isfinite(kept.q)) and np.all(np.isfinite(kept.v))
    with pytest.raises(lw.SimulationError, match="in 1 of 2 samples") as caught:
        lw.simulate(weightless_spring(), [[0.1], [0.0]], dt=1e-2, steps=5000)
    assert caught.value.trajectory.finite.tolist() == [False, True]


def weightless_spring():
    """At rest it stays at rest."""
    builder = lw.ModelBuilder("spring", gravity=(0, 0, 0))
    builder.add_body("rod", lw.revolute("pivot", "y", stiffness=1e9), inertia=lw.Inertia.box(1.0, (0.1, 0.1, 0.5)))
    return builder.build()


def test_the_verdict_says_what_is_wrong():
    good = run(steps=500)
    assert str(good).splitlines()[0].endswith("ok") and "drift" in str(good) and "steps/s" in str(good)
    loose = run(steps=5000, baumgarte=None)
    assert "constraints come apart by" in str(loose)
    springy = lw.simulate(pendulum(stiffness=1e3), [0.5], dt=2e-2, steps=300)
    assert "energy is off by" in str(springy)
    batch = run(q0=np.tile(Q0, (5, 1)))
    assert "5 samples" in str(batch)
