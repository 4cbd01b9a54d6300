"""A few seconds of two mechanisms: finite, believed, and where Runge-Kutta gets."""

from linkwright.bench.believe import measure


def test_a_short_run():
    results = list(measure(("four_bar", "pantograph_leg"), seconds=2.0))
    assert len(results) == 4
    for r in results:
        assert r.finite and not r.complaints and r.drift < 1e-5 and r.energy < 0.01, r
        assert r.window < 0.02, r
