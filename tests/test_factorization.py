"""Small factorizations: what they say about their pivots."""

import numpy as np

from linkwright.algorithms.pv_base import FlooredLDL
from linkwright.spatial.factorization import LDL


def test_margins_tell_rounding_from_pivots():
    independent, dependent = [[2.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]
    for factor in (LDL, lambda A: FlooredLDL(A, [1e-9, 1e-9])):
        assert np.all(np.array(factor(independent).margins) > 0)
        first, second = factor(dependent).margins
        assert first > 0 > second
        assert factor([]).margins == []
