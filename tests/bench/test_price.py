"""What running until converged costs."""

import pytest

import linkwright as lw
from linkwright.bench.price import geometric_mean, measure


def test_measures_what_it_says():
    (price,) = measure(["four_bar"], seconds=0.01)
    assert price.system == "four_bar" and 2 <= price.passes <= price.most_passes
    assert all(x > 0 for pair in (price.single, price.batched) for x in pair)
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)


def test_counts():
    """Operations, which do not depend on the machine: what is not repeated costs less than two more iterations."""
    for name in ("hand_with_cube", "digit_like", "jansen_leg"):
        model = lw.load(name)
        counts = [lw.trace_program(model, "lcaba", outputs="a", iterations=n) for n in (2, 3)]
        two, three = (lw.trace.count_operations(p).total for p in counts)
        converged = lw.trace.count_operations(lw.trace_program(model, "lcaba", outputs="a"))
        assert two < converged.setup < three
        assert converged.loops[0].body.total < 1.4 * (three - two) and converged.loops[1].passes == 0
