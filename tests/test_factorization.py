"""Small factorizations: what they say about their pivots."""

import numpy as np

from linkwright.spatial.factorization import LDL


def test_margins_tell_rounding_from_pivots():
    independent, dependent = [[2.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]
    assert np.all(np.array(LDL(independent).margins) > 0)
    first, second = LDL(dependent).margins
    assert first > 0 > second
    assert LDL([]).margins == []


def test_the_diagonal_of_an_inverse():
    A = np.random.default_rng(0).normal(size=(8, 5))
    A = A.T @ A
    np.testing.assert_allclose(LDL(A.tolist()).inverse_diagonal, np.diag(np.linalg.inv(A)), rtol=1e-12)
