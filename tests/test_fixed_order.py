"""Linear algebra of constants against LAPACK's, which may round differently but must agree."""

import math

import numpy as np
import pytest

from linkwright import fixed_order


def matrices(count=60):
    """Of all shapes up to 12, and of all ranks."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        m, n = rng.integers(1, 13, 2)
        rank = int(rng.integers(1, min(m, n) + 1))
        yield rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)), rank


def test_products_are_added_from_first_to_last():
    A, B = np.random.default_rng(1).normal(size=(2, 3, 3))
    expected = [[A[r, 0] * B[0, c] + A[r, 1] * B[1, c] + A[r, 2] * B[2, c] for c in range(3)] for r in range(3)]
    assert np.array_equal(fixed_order.product(A, B), expected)
    assert np.array_equal(fixed_order.product(A, B[:, 0]), np.array(expected)[:, 0])
    wide = np.random.default_rng(2).normal(size=(3, 7))
    assert np.array_equal(fixed_order.product(A, wide)[:, 4], fixed_order.product(A, wide[:, 4]))
    assert np.allclose(fixed_order.product(A[0], wide), A[0] @ wide, rtol=0, atol=1e-14)
    assert fixed_order.determinant(A) == pytest.approx(np.linalg.det(A), rel=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e307, 1e-200, 5e-324])
def test_lengths_neither_overflow_nor_vanish(scale):
    assert fixed_order.norm([3 * scale, 0.0, -4 * scale]) == pytest.approx(5 * scale, rel=1e-15)
    assert fixed_order.norm(fixed_order.unit([3 * scale, 0.0, -4 * scale])) == pytest.approx(1.0, rel=1e-15)


def test_lengths_of_what_is_not_finite():
    assert fixed_order.norm([0.0, math.inf]) == math.inf and fixed_order.norm([]) == 0.0


def test_rank_and_pseudo_inverse():
    for A, rank in matrices():
        assert fixed_order.rank(A, 1e-8) == rank
        expected = np.linalg.pinv(A, rcond=1e-10)
        assert np.abs(fixed_order.pseudo_inverse(A, 1e-10) - expected).max() < 1e-11 * np.abs(expected).max()
    assert np.array_equal(fixed_order.pseudo_inverse(np.zeros((2, 3)), 1e-10), np.zeros((3, 2)))
    assert fixed_order.pseudo_inverse(np.zeros((0, 3)), 1e-10).shape == (3, 0)


def test_least_squares_and_kernels():
    rng = np.random.default_rng(3)
    for A, _ in matrices():
        b, x = rng.normal(size=(len(A), 2)), rng.normal(size=A.shape[1])
        expected = np.linalg.lstsq(A, b, rcond=1e-10)[0]
        assert np.abs(fixed_order.least_squares(A, b) - expected).max() < 1e-10 * (1 + np.abs(expected).max())
        unseen = fixed_order.projected_on_kernel(A, x, 1e-10)
        assert np.abs(A @ unseen).max() < 1e-12 * np.abs(A).max()
        assert np.abs(unseen - (x - np.linalg.pinv(A, rcond=1e-10) @ A @ x)).max() < 1e-11


def test_equally_long_columns_come_in_their_order():
    A = np.array([[1.0, 1.0 + 1e-15, 0.0], [0.0, 0.0, 1.0 + 2e-15]])
    assert fixed_order.PivotedColumns(A, 1e-9).order == [0, 2]


def test_symmetric_matrices():
    rng = np.random.default_rng(4)
    for A, _ in matrices():
        S = A @ A.T
        assert np.abs(fixed_order.eigenvalues(S) - np.linalg.eigvalsh(S)).max() < 1e-12 * np.abs(S).max() + 1e-300
        definite, b = S + np.eye(len(S)), rng.normal(size=(len(S), 2))
        x = fixed_order.solve_positive_definite(definite, b)
        assert np.abs(definite @ x - b).max() < 1e-11
        assert np.array_equal(fixed_order.solve_positive_definite(definite, b[:, 0]), x[:, 0])
    with pytest.raises(fixed_order.NotPositiveDefinite, match="pivot 1"):
        fixed_order.CholeskyFactor(np.array([[1.0, 1.0], [1.0, 1.0]]), tolerance=1e-12)
