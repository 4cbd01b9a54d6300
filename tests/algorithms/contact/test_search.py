"""How far a step goes: to where slopes vanish, however far that is."""

import pytest

from linkwright.algorithms.contact.search import SearchLine, walked
from linkwright.algorithms.contact.sites import Slopes


class Kinked:
    """A cost along t with curvature `stiff` up to a kink, and `weak` beyond."""

    def __init__(self, stiff: float, kink: float, weak: float):
        self.stiff, self.kink, self.weak = stiff, kink, weak

    def slopes(self, x, d, t, so_far):
        beyond = max(t - self.kink, 0.0)
        first = self.stiff * min(t, self.kink) + self.weak * beyond
        return Slopes(so_far.first + first, so_far.second + (self.stiff if t < self.kink else self.weak))


@pytest.mark.parametrize(("stiff", "kink", "weak"), [
    (1.0, 2.0, 1.0), (1.0, 0.1, 1e-4), (1.0, 0.01, 1e-6), (1.0, 0.5, 1e-7), (1.0, 0.9, 1e5), (30.0, 1.0, 1.0),
])  # fmt: skip
def test_the_minimum_is_found_however_far(stiff, kink, weak):
    line = SearchLine([Kinked(stiff, kink, weak)], [[0.0]], [[1.0]], -1.0, -1.0, 0.0, 1e-14)
    exact = 1.0 / stiff if stiff * kink >= 1.0 else kink + (1.0 - stiff * kink) / weak
    t = walked(line)
    assert abs(line.at(t).first) <= 0.05 and t == pytest.approx(exact, rel=0.1)
