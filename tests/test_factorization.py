"""Small factorizations: what they say about their pivots."""

import numpy as np

from linkwright.spatial.factorization import LDL


def test_margins_tell_rounding_from_pivots():
    independent, dependent = [[2.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]
    assert np.all(np.array(LDL(independent).margins) > 0)
    first, second = LDL(dependent).margins
    assert first > 0 > second
    assert LDL([]).margins == []
