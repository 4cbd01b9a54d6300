"""What `bench derivatives` times must be what Pinocchio computes."""

import pytest

from linkwright.bench.derivative_times import DerivativeTimes, measure

pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")


def test_against_pinocchio():
    found = list(measure(("chain:4",), ("panda H6",), peer=None, seconds=0.01))
    assert [x.algorithm for x in found] == ["rnea", "aba", "constrained_aba"]
    for times in found:
        assert isinstance(times, DerivativeTimes) and times.pinocchio_python is not None
        assert times.error < (1e-7 if times.algorithm == "constrained_aba" else 1e-9), times
        assert times.gradient_ratio < 4
        assert set(times.as_dictionary()) >= {"single", "batched", "pinocchio_cpp", "error"}
