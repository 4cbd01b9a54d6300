"""`linkwright bench trust` on a few hundred states: status ok is a promise. The long run is the command's."""

import numpy as np
import pytest

from linkwright.bench.trust import RUNS, measure, recheck
from linkwright.bench.trust_states import KINDS, draw
from linkwright.bench.trust_verdicts import NO, PERHAPS, WRONG, YES, Exact, Tally, verdicts
from linkwright.errors import InputError, LinkwrightError

SMALL = {"reference": 640, "reference32": 320, "float32": 64}
COMPILED = ("catalogue", "ground")  # compiling takes its time


def told(report):
    return "\n".join(f"{c.verdict} {c.error:.1e} {c.rebuilt}" for c in report.wrong())


def test_status_ok_can_be_believed():
    report = measure(SMALL["reference"], runs=("reference",))
    assert report.states >= SMALL["reference"] and not report.refused
    assert {t.kind for t in report.tallies} == set(KINDS)
    assert not report.wrong(), told(report)


def test_status_ok_can_be_believed_in_single_precision():
    report = measure(SMALL["reference32"], runs=("reference32",))
    assert report.states >= SMALL["reference32"] and not report.refused
    assert not report.wrong(), told(report)
    for tally in report.totals():
        if tally.solver in ("lcaba", "constrained_aba"):
            assert tally.share("needless", "cautious") < 2.0


def test_status_ok_can_be_believed_in_single_precision_when_compiled():
    report = measure(SMALL["float32"], COMPILED, runs=("float32",))
    assert not report.wrong(), told(report)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_the_same_every_time_and_others_when_held_out(kind):
    one, again, other = draw(kind, 2, count=3), draw(kind, 2, count=3), draw(kind, 2, held_out=True, count=3)
    for name in ("q", "v", "tau"):
        np.testing.assert_array_equal(getattr(one, name), getattr(again, name))
    assert one.model.fingerprint == again.model.fingerprint != other.model.fingerprint


def test_an_unknown_class_is_refused_by_name():
    with pytest.raises(InputError, match="toggles"):
        draw("toggle", 0)


def drawn(kind, count=4, mechanisms=8):
    for number in range(mechanisms):
        try:
            yield draw(kind, number, count=count)
        except LinkwrightError:  # a draw that gives no mechanism
            continue


def test_what_is_called_infeasible_is_so_and_what_is_called_redundant_too():
    for states in drawn("infeasible"):
        assert np.all(Exact(states, "float64").contradiction == YES)
    for states in drawn("redundant"):
        assert not Exact(states, "float64").independent.any()


def test_toggles_are_near_and_far():
    smallest = np.concatenate(
        [[s.singular_values[s.rank - 1] for s in Exact(states, "float64").solutions] for states in drawn("toggles", 16)]
    )
    weakest = np.concatenate(
        [[s.singular_values.min() for s in Exact(states, "float64").solutions] for states in drawn("toggles", 16)]
    )
    assert smallest.min() < 1e-4 and smallest.max() > 1e-2
    assert np.mean(weakest < 1e-5) > 0.3


def test_rounded_mechanisms_are_open_by_little():
    for states in drawn("rounded", mechanisms=5):
        placed = [c for c in states.model.constraints if c.has_position]
        assert placed, states.label
        exact = Exact(states, "float64")
        assert 1e-5 <= exact.tolerance < 2e-2


def test_a_case_can_be_looked_at_again():
    found = recheck("catalogue", 0, 1, "lcaba")
    assert found["verdict"] == "right" and found["error"] < 1e-9 and found["contradiction"] == "no"
    assert found["a"].shape == found["exact"].a.shape == (found["model"].nv,)
    with pytest.raises(LinkwrightError, match="not for"):
        recheck("catalogue", 0, 1, "pv")


class Known:
    """One state whose answer is 1, as `verdicts` sees it."""

    precision = "float64"

    def __init__(self, contradiction=NO, nearest=1e4, independent=True, unmet=False):
        self.contradiction, self.nearest, self.unmet = np.array([contradiction]), nearest, np.array([unmet])
        self.independent = np.array([independent])

    def within(self, factor):
        return np.array([1 / factor < self.nearest < factor])

    def __call__(self, error, status, hard=False):
        return verdicts(self, np.array([error]), np.array([status]), hard=hard)[0]


def test_verdicts():
    fine, wrong = 1e-9, 1e-5
    assert Known()(fine, 0) == "right" and Known()(wrong, 0) == "off" and Known()(np.inf, 0) == "not finite"
    assert Known()(fine, 1) == "needless" and Known()(wrong, 1) == "flagged" and Known()(np.inf, 3) == "flagged"
    assert Known(YES)(fine, 0) == "unsaid" and Known(YES)(fine, 4) == "right"
    assert Known(YES)(wrong, 4) == "compromise off" and Known(YES)(fine, 1) == "misnamed"
    assert Known(PERHAPS)(fine, 0) == Known(PERHAPS)(fine, 4) == "right"
    assert Known(PERHAPS)(fine, 1) == "needless" and Known(PERHAPS, nearest=5)(fine, 2) == "cautious"
    assert Known()(fine, 4) == "needless" and Known(unmet=True)(fine, 4) == "right"
    assert Known(unmet=True)(fine, 1) == "needless" and Known(unmet=True)(wrong, 4) == "compromise off"
    assert Known(nearest=5)(fine, 2) == "cautious" and Known(nearest=5)(fine, 1) == "needless"
    assert Known(nearest=2)(wrong, 0) == "apart" and Known(nearest=2)(np.inf, 0) == "not finite"
    assert Known(independent=False)(wrong, 2, hard=True) == "declined"
    assert Known(independent=False)(wrong, 0, hard=True) == "off"


def test_shares_leave_out_what_is_counted_apart():
    tally = Tally("reference", "toggles", "lcaba")
    tally.verdicts.update({"right": 6, "needless": 1, "cautious": 1, "apart": 2})
    tally.passes += [2.0, 4.0]
    assert tally.states == 10 and tally.share("needless", "cautious") == 25.0
    both = tally + tally
    assert both.states == 20 and both.mean_and_most_passes == (3.0, 4.0)


def test_a_report_as_plain_data():
    report = measure(1, ("catalogue",), ("lcaba",), ("reference",))
    data = report.as_dictionary()
    assert data["states"] == report.states == RUNS["reference"].count
    assert data["results"][0]["verdicts"] == {"right": 16} and data["cases"] == []
    assert not set(WRONG) & set(data["results"][0]["verdicts"])
