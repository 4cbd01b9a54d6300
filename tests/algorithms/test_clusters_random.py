"""Three hundred random mechanisms with loops: every algorithm against the dense referee, on plain numbers."""

import numpy as np
import pytest
from cluster_cases import dense_projection, flat, full_matrices, plan, random_clustered, random_state, solved

import linkwright as lw
from linkwright.algorithms.clusters.cluster_aba import cluster_aba
from linkwright.algorithms.clusters.cluster_crba import cluster_crba
from linkwright.algorithms.clusters.cluster_efpa import cluster_efpa
from linkwright.algorithms.clusters.cluster_projection import lagrange, projected_efpa, projected_rnea, projection
from linkwright.algorithms.clusters.cluster_rnea import cluster_rnea
from linkwright.referee import DenseDynamics, solve_kkt
from linkwright.spatial import Force

SEEDS, BLOCK = 300, 25
TOLERANCE = 1e-9
LOOP_TOLERANCE = 1e-11  # K G = 0 and K g = k, with K of order one and G up to 30


@pytest.mark.parametrize("block", range(SEEDS // BLOCK))
def test_random_clustered_models(block):
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        check(seed)


def check(seed):
    model, pose, rng = random_clustered(seed)
    y, yd, tau = random_state(model, pose, rng)
    state = solved(model, {"y": y, "yd": yd}, pose=pose)
    for spread in (0.1, 0.02, 0.004):  # Newton's method finds poses near the reference; how far is not at stake here
        if not float(state.residual) < 1e-10:
            y, yd, tau = random_state(model, pose, rng, spread)
            state = solved(model, {"y": y, "yd": yd}, pose=pose)
    assert float(state.residual) < 1e-10, seed
    q, yd, tau = [float(x) for x in state.q], [float(x) for x in yd], [float(x) for x in tau]
    G, g = full_matrices(state, model.nv)
    check_loops(model, state, q, yd, G, g)

    expected, H, bias = dense_projection(model, q, np.array(yd), np.array(tau), G, g)
    system, embeddings = state.system, state.embeddings
    scale = np.abs(expected).max()
    ydd = cluster_aba(system, q, yd, tau, embeddings)[0]
    for found in (ydd, projection(system, q, yd, tau, embeddings)[0], lagrange(system, q, yd, tau, embeddings)[0]):
        np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale, err_msg=str(seed))
    force = 1 + np.abs(bias).max()
    for inverse in (cluster_rnea, projected_rnea):
        found = inverse(system, q, yd, ydd, embeddings)
        np.testing.assert_allclose(found, tau, rtol=0, atol=TOLERANCE * force, err_msg=str(seed))
    found = np.array(cluster_crba(system, q, embeddings), dtype=float)
    np.testing.assert_allclose(found, H, rtol=0, atol=1e-11 * np.abs(H).max(), err_msg=str(seed))
    assert np.array_equal(found, found.T) and np.linalg.eigvalsh(found)[0] > 0
    check_operational(model, state, q, H, G, rng)
    if seed % 6 == 0:  # the referee's own constraints, with multipliers; and LCABA on the spanning tree
        full = np.zeros(model.nv)
        full[flat(plan(model, pose=pose))] = tau
        for a in (
            solve_kkt(model, np.array(q), G @ yd, full).a,
            lw.reference(model, "lcaba", outputs="a", iterations=30)(np.array(q), G @ yd, full),
        ):
            np.testing.assert_allclose(G @ ydd + g, a, rtol=0, atol=TOLERANCE * np.abs(a).max(), err_msg=str(seed))


def check_loops(model, state, q, yd, G, g):
    """K G = 0 and K g = k, with our K and with the referee's, and G has full rank."""
    dynamics = DenseDynamics(model, q, G @ yd)
    K, drift = (x.astype(float) for x in dynamics.constraint_rows())
    scale = 1 + np.abs(drift).max(initial=0)
    assert np.abs(K @ G).max(initial=0) < LOOP_TOLERANCE * max(1, np.abs(G).max())
    assert np.abs(K @ g + drift).max(initial=0) < LOOP_TOLERANCE * scale * max(1, np.abs(G).max())
    for e in state.embeddings:
        own = np.array(e.G, dtype=float)
        if len(e.K):
            rows = np.array(e.K, dtype=float)
            assert np.abs(rows @ own).max() < 1e-12 * max(1, np.abs(rows).max() * np.abs(own).max())
            left = rows @ np.array(e.g, dtype=float) - np.array(e.k, dtype=float)
            assert np.abs(left).max() < 1e-12 * max(1, np.abs(rows).max() * np.abs(np.array(e.g, dtype=float)).max())
    assert np.linalg.matrix_rank(G) == G.shape[1]


def check_operational(model, state, q, H, G, rng):
    """J H^-1 J' of random rows on random links."""
    links = [i for i in range(1, model.nbodies) if not model.bodies[i].name.startswith("rotor")]
    rows = [(int(rng.choice(links)), Force.of(rng.normal(size=6).tolist())) for _ in range(4)]
    found = np.array(cluster_efpa(state.system, q, state.embeddings, rows), dtype=float)
    other = np.array(projected_efpa(state.system, q, state.embeddings, rows), dtype=float)
    np.testing.assert_allclose(found, other, rtol=0, atol=1e-10 * np.abs(other).max())
    dynamics = DenseDynamics(model, q, np.zeros(model.nv))
    tree = state.system.spanning
    J = []
    for body, row in rows:
        felt = Force.of(row)  # in the frame of computation; the referee has the model's own frames
        own = tree.body_frame[body]
        moved = [own @ motion for motion in _units()]  # columns: motions of the frame of computation in the body's
        X = np.array([[float(x) for x in m] for m in moved]).T
        J.append(np.array(list(felt), dtype=float) @ np.linalg.inv(X) @ np.asarray(dynamics.J[body], dtype=float))
    J = np.array(J) @ G
    expected = J @ np.linalg.solve(H, J.T)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def _units():
    from linkwright.spatial import Motion

    return [Motion.of(1.0 if r == k else 0.0 for r in range(6)) for k in range(6)]
