"""Derivatives under constraints beside Pinocchio's `computeConstraintDynamicsDerivatives`.

Where a point moves though it is held, acceleration has two meanings: Pinocchio asks that p-double-dot be zero, we that
the rate of the row `R' p-dot` be zero (docs/closed-loops.md). They differ by w x (R' p-dot), which is zero as long as
the constraint is kept, but its derivative is not. With u = J v and K = da/d(desired), from one to the other

    da/dx (ours) = da/dx (Pinocchio) + K (w x du/dx).
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.constrained_times import consistent_velocities
from linkwright.bench.derivative_times import _pinocchio_call, _undamped
from linkwright.bench.systems import SYSTEMS
from linkwright.io import pinocchio_model
from linkwright.model.editing import depth_first


def states(name, rng):
    """(model, q, v, tau, ours, theirs): derivatives by input."""
    pinocchio = pytest.importorskip("pinocchio", reason="needs the package pin")
    model = _undamped(depth_first(SYSTEMS[name]()))
    q = model.random_configuration(rng, 1)
    v, tau = rng.normal(size=(2, 1, model.nv))
    one = [x[0] for x in (q, consistent_velocities(model, q, v), tau)]
    other = pinocchio_model(model.without_constraints())
    call, results = _pinocchio_call(pinocchio, model, other, "constrained_aba", one)
    call()
    found = lw.jacobian(model, "constrained_aba")(*one)
    ours = {x: np.asarray(getattr(found, f"da_d{x}")) for x in ("q", "v", "tau")}
    return (model, *one, ours, dict(zip(ours, map(np.array, results()), strict=True)))


@pytest.mark.parametrize("name", ["panda H6", pytest.param("talos 2F6", marks=pytest.mark.long)])
def test_welds(name, rng):
    *_, ours, theirs = states(name, rng)
    for x, slope in theirs.items():
        np.testing.assert_allclose(ours[x], slope, rtol=0, atol=1e-9 * np.abs(slope).max(), err_msg=x)


@pytest.mark.parametrize("name", ["solo12 4F3"])
def test_points(name, rng):
    model, q, v, _, ours, theirs = states(name, rng)
    jacobian, frames = lw.compile(model, "constraint_jacobian"), [c.frame for c in model.constraints]
    J, M = jacobian(q), lw.compile(model, "crba")(q)
    turning = lw.compile(model, "frame_velocities", frames=frames, seen_from="local")(q, v).reshape(-1, 6)[:, 3:]
    kkt = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    K = np.linalg.solve(kkt, np.eye(len(kkt)))[: model.nv, model.nv :]
    step = 1e-5
    moved = [(jacobian(model.integrate(q, step * e)) - jacobian(model.integrate(q, -step * e))) @ v / (2 * step)
             for e in np.eye(model.nv)]  # fmt: skip
    for x, du in (("q", np.array(moved).T), ("v", J)):
        turned = np.cross(turning[:, :, None], du.reshape(-1, 3, model.nv), axis=1).reshape(du.shape)
        expected = theirs[x] + K @ turned
        assert np.abs(K @ turned).max() > 1e-5 * np.abs(expected).max()  # it makes a difference
        np.testing.assert_allclose(ours[x], expected, rtol=0, atol=1e-9 * np.abs(expected).max(), err_msg=x)
    np.testing.assert_allclose(ours["tau"], theirs["tau"], rtol=0, atol=1e-10 * np.abs(theirs["tau"]).max())
    kept = np.linalg.svd(J)[2][len(J) :].T  # changes of velocity that keep the feet where they are
    np.testing.assert_allclose(ours["v"] @ kept, theirs["v"] @ kept, rtol=0, atol=1e-9 * np.abs(theirs["v"]).max())
