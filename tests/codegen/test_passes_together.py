"""Independent passes of counted loops: several at once where a sample is alone, and the bits of one by one."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.scalar import repeat, sin


def products(x, A):
    """Rows times a matrix that is the same in all passes, with numbers of the pass; side by side and not."""
    n, count = len(x), A.shape[0]
    M = [[x[i] * x[j] + 1.0 for j in range(n)] for i in range(n)]

    def body(_, row, k):
        return [], [sum(M[i][j] * row[j] for j in range(n)) / (2.0 + k) + sin(row[i]) for i in range(n)]

    _, found = repeat(body, count=count, tables=[list(A), [float(k * k) for k in range(count)]])
    every = np.array(found, dtype=object)
    return {"rows": every, "columns": every.T, "sums": every.sum(axis=0)}


@pytest.mark.parametrize("count", [2, 7, 8, 13])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_sample_alone_gives_the_bits_of_a_batch(count, dtype):
    f = lw.compile(products, inputs={"x": 3, "A": (count, 3)}, dtype=dtype, cache=False)
    rng = np.random.default_rng(count)
    x, A = rng.normal(size=(5, 3)).astype(dtype), rng.normal(size=(5, count, 3)).astype(dtype)
    batch = f(x, A)
    for k in range(5):
        alone = f(x[k], A[k])
        for name in ("rows", "columns", "sums"):
            assert np.array_equal(getattr(alone, name), getattr(batch, name)[k])
        expected = (A[k] @ (np.outer(x[k], x[k]) + 1.0)) / (2.0 + np.arange(count)[:, None] ** 2) + np.sin(A[k])
        assert np.allclose(alone.rows, expected, rtol=1e-4 if dtype == "float32" else 1e-12)
