"""Compiled code against the interpreter, operation by operation and for random programs."""

from __future__ import annotations

import numpy as np
import pytest
from programs import every_operation, random_program

from linkwright.codegen import compile_program
from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.target import host_target
from linkwright.trace import interpret

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.3, -2.7, 100.0, 1e-310, -1e-310, 1e300, 30.0]
BATCHES = (0, 1, 3, 4, 5, 17, 100)
CONFIGURATIONS = [
    *(("float64", None, lanes) for lanes in (1, 2, 4, 8)),
    *(("float32", None, lanes) for lanes in (1, 4, 8, 16)),
    *(("float32", "float64", lanes) for lanes in (1, 4, 8)),
]


@pytest.fixture(scope="module", params=CONFIGURATIONS, ids=lambda p: f"{p[0]}-{p[1] or p[0]}-{p[2]}")
def compiled(request):
    dtype, arithmetic, lanes = request.param
    return compile_program(every_operation(), dtype=dtype, lanes=lanes, arithmetic=arithmetic)


def test_every_operation(compiled):
    pairs = np.array([(x, y) for x in SPECIAL for y in SPECIAL])
    with np.errstate(all="ignore"):
        x = np.stack([pairs[:, 0], pairs[:, 1], pairs[:, 0]], axis=1).astype(compiled.dtype)
        y = np.stack([pairs[:, 1], pairs[:, 0]], axis=1).astype(compiled.dtype)
        expected = {k: v.astype(compiled.dtype) for k, v in interpret(every_operation(), {"x": x, "y": y}).items()}
    actual = compiled(x, y)
    unit = np.finfo(compiled.dtype)
    for output in compiled.outputs:
        name, tolerance, checked = output.name, 4 * unit.smallest_subnormal, np.full(len(x), True)
        if name in ("sin", "cos"):
            tolerance, checked = 2 * unit.eps, ~(np.isfinite(x[:, 0]) & (np.abs(x[:, 0]) > 1e6))
        np.testing.assert_allclose(
            actual[name][checked], expected[name][checked], rtol=4 * unit.eps, atol=tolerance, err_msg=name
        )


@pytest.mark.parametrize("batch", BATCHES)
def test_batch_sizes(compiled, batch):
    """Every sample's answer is, bit for bit, what it is anywhere else in any batch."""
    rng = np.random.default_rng(batch)
    x = rng.normal(size=(batch, 3)).astype(compiled.dtype)
    y = rng.normal(size=(batch, 2)).astype(compiled.dtype)
    together = compiled(x, y)
    for output in compiled.outputs:
        assert together[output.name].shape == (batch, *output.shape)
    for sample in {0, 1, batch // 2, batch - 1} & set(range(batch)):
        alone = compiled(x[sample : sample + 1], y[sample : sample + 1])
        unbatched = compiled(x[sample], y[sample])
        for output in compiled.outputs:
            np.testing.assert_array_equal(together[output.name][sample], alone[output.name][0])
            np.testing.assert_array_equal(together[output.name][sample], unbatched[output.name])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lanes", [1, 4])
def test_random_programs_in_small_chunks(seed, lanes):
    program = random_program(seed)
    target = host_target()
    whole = compile_program(program, lanes=lanes)
    pieces = CompiledFunction.of(build_image(program, lanes, "float64", target, chunk_size=7 + seed), target)
    rng = np.random.default_rng(seed)
    inputs = {x.name: rng.normal(size=(13, *x.shape)) for x in program.inputs}
    expected = interpret(program, inputs)
    for function in (whole, pieces):
        actual = function(**inputs)
        for name, want in expected.items():
            np.testing.assert_allclose(actual[name], want, rtol=1e-9, atol=1e-11)
