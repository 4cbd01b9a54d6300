"""No byte outside the user's arrays is read or written: they lie against pages that may not be touched."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np
import pytest
from programs import chain, looped_chain, random_program, two_loops_of_columns

from linkwright.codegen import compile_program

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses Linux's mmap")
PAGE = mmap.PAGESIZE


def guarded(shape: tuple[int, ...], dtype: np.dtype, *, at_end: bool) -> np.ndarray:
    """An array directly before (or after) a page without access rights. The memory is never given back."""
    system = ctypes.CDLL(None)
    system.mmap.restype = ctypes.c_void_p
    system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    system.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    size = int(np.prod(shape)) * dtype.itemsize
    pages = -(-size // PAGE)
    private_anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    base = system.mmap(None, (pages + 2) * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, private_anonymous, -1, 0)
    for guard in (base, base + (pages + 1) * PAGE):
        assert system.mprotect(guard, PAGE, 0) == 0
    start = base + PAGE + (pages * PAGE - size if at_end else 0)
    return np.frombuffer((ctypes.c_char * size).from_address(start), dtype=dtype).reshape(shape)


@pytest.mark.parametrize("arithmetic", ["float64", "float32", "float32 in double"])
@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("program", [chain(), random_program(5), looped_chain(7)], ids=lambda p: p.name)
def test_guard_pages(program, lanes, arithmetic):
    dtype, _, inside = arithmetic.partition(" in ")
    function = compile_program(program, lanes=lanes, dtype=dtype, arithmetic="float64" if inside else None)
    rng = np.random.default_rng(0)
    for batch in (1, 3, 8, 13, 33):
        for at_end in (False, True):
            inputs, outputs = (
                [guarded((batch, *x.shape), function.dtype, at_end=at_end) for x in arrays]
                for arrays in (function.inputs, function.outputs)
            )
            for x in inputs:
                x[:] = rng.normal(size=x.shape)
            function(*inputs, out=outputs)
            for output in outputs:
                assert not np.all(output == 0)


@pytest.mark.parametrize("arithmetic", ["float64", "float32", "float32 in double"])
@pytest.mark.parametrize("count", [3, 5, 6, 7, 11, 15])
def test_passes_that_fill_no_group_of_lanes(count, arithmetic):
    """Of a sample alone, whose passes are in lanes."""
    dtype, _, inside = arithmetic.partition(" in ")
    program = two_loops_of_columns(count)
    function = compile_program(program, lanes=1, dtype=dtype, arithmetic="float64" if inside else None)
    rng = np.random.default_rng(count)
    given = [rng.normal(size=x.shape).astype(function.dtype) for x in function.inputs]
    expected = function(*given)
    for at_end in (False, True):
        inputs, outputs = (
            [guarded(x.shape, function.dtype, at_end=at_end) for x in arrays]
            for arrays in (function.inputs, function.outputs)
        )
        for x, numbers in zip(inputs, given, strict=True):
            x[:] = numbers
        function(*inputs, out=tuple(outputs))
        for output, there in zip(outputs, expected, strict=True):
            assert np.array_equal(output, there)
