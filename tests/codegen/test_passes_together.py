"""Independent passes of counted loops: several at once where a sample is alone, and the bits of one by one."""

import numpy as np
import pytest
from programs import two_loops_of_columns

import linkwright as lw
from linkwright.codegen import compile_program
from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.target import Target, choose_lanes, host_target
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


def check_alone_and_in_batches(function, seed):
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=(19, *x.shape)).astype(function.dtype) for x in function.inputs]
    batch = function(*inputs)
    for k in (0, 7, 18):
        alone = function(*(x[k] for x in inputs))
        for one, many in zip(alone, batch, strict=True):
            assert np.isfinite(one).all() and np.array_equal(one, many[k])
    return inputs, batch


@pytest.mark.parametrize("count", range(1, 18))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_count_of_passes(count, dtype):
    program = two_loops_of_columns(count)
    (x, across, down), found = check_alone_and_in_batches(compile_program(program, dtype=dtype), count)
    pass_number = np.arange(count)
    first = x[:, :1] * across[:, 0] + down[:, :, 0] / (2.0 + pass_number**2)
    second = np.sin(across[:, 1]) * down[:, :, 1]
    here = np.where(pass_number % 3, (x[:, 0] * x[:, 1])[:, None] + down[:, :, 0], 0.0)
    z = np.sin(second * here)
    close = {"rtol": 1e-4, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-12}
    expected = np.stack([first - x[:, 1:] * second, 0.0 * z, z], axis=1)
    assert np.allclose(found.columns, expected, **close)
    assert np.allclose(found.rows, np.stack([z * x[:, :1], z - first], axis=2), **close)
    assert np.allclose(found.sums, np.stack([(z - first).sum(axis=1), (first * here).sum(axis=1)], axis=1), **close)
    assert np.allclose(found.end, first * here, **close)


@pytest.mark.parametrize("count", [3, 5, 7])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("features", ["", "+avx,+avx2,+fma"], ids=["SSE2", "AVX2"])
def test_fewer_lanes_than_there_are_here(features, dtype, count):
    host = host_target()
    if not host.triple.startswith("x86_64") or (features and not (host.has("avx2") and host.has("fma"))):
        pytest.skip("this processor does not run that code")
    target = Target(host.triple, "x86-64", features)
    image = build_image(two_loops_of_columns(count), choose_lanes("auto", dtype, target), dtype, target)
    check_alone_and_in_batches(CompiledFunction.of(image, target), count)
