"""What a compiled function accepts, refuses and returns."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from programs import chain, every_operation

from linkwright.codegen import CompiledFunction, compile_program
from linkwright.errors import CodegenError, InputError, LinkwrightError, UnsupportedError
from linkwright.trace import interpret, trace

B = 9


@pytest.fixture(scope="module")
def function():
    return compile_program(chain())


@pytest.fixture(scope="module")
def several():
    def outputs(x, m):
        return {"sum": x + m[0], "product": x[0] * m, "left foot": [x[1]], "scalar": x[0] * x[1]}

    return compile_program(trace(outputs, {"x": 3, "m": (2, 3)}, "several"))


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    return rng.normal(size=(B, 5)), rng.normal(size=(B, 4)), rng.normal(size=(B, 4))


def expected(q, v, tau):
    return interpret(chain(), {"q": q, "v": v, "tau": tau})["out"]


def same(actual, wanted):
    np.testing.assert_allclose(actual, wanted, rtol=1e-13, atol=1e-15)


def test_single_and_batch(function, arrays):
    q, v, tau = arrays
    batch = function(q, v, tau)
    assert type(batch) is np.ndarray and batch.shape == (B, 4) and batch.dtype == np.float64
    same(batch, expected(q, v, tau))
    for k in range(B):
        np.testing.assert_array_equal(function(q[k], v[k], tau[k]), batch[k])


def test_names(function, arrays):
    q, v, tau = arrays
    wanted = function(q, v, tau)
    np.testing.assert_array_equal(function(tau=tau, v=v, q=q), wanted)
    np.testing.assert_array_equal(function(q, tau=tau, v=v), wanted)
    runtime_name = "".join(["t", "au"])  # not interned, so the compiled entry point does not know it
    np.testing.assert_array_equal(function(q, v, **{runtime_name: tau}), wanted)


def test_unbatched_inputs_are_repeated(function, arrays):
    q, v, tau = arrays
    same(function(q, v[0], tau), expected(q, np.tile(v[0], (B, 1)), tau))
    same(function(q[0], v[0], tau), expected(np.tile(q[0], (B, 1)), np.tile(v[0], (B, 1)), tau))
    same(function(q, v[0].tolist(), tau), expected(q, np.tile(v[0], (B, 1)), tau))


def test_conversions(function, arrays):
    q, v, tau = arrays
    wanted = function(q, v, tau)
    wide = np.zeros((B, 9))
    wide[:, 2:7] = q
    odd = np.zeros((2 * B, 4))
    odd[::2] = v
    unaligned = np.zeros(tau.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(tau.shape)
    unaligned[:] = tau
    for variant in (
        (q.tolist(), v, tau),
        (wide[:, 2:7], v, tau),
        (q, odd[::2], tau),
        (np.asfortranarray(q), v, tau),
        (q[::-1][::-1], v, tau),
        (q, v, unaligned),
        (q.astype(">f8"), v, tau),
        (q.view(np.matrix), v, tau),
        (np.ma.array(q), v, tau),
    ):
        np.testing.assert_array_equal(function(*variant), wanted)
    np.testing.assert_array_equal(function(q[::-1], v[::-1], tau[::-1]), wanted[::-1])
    whole = np.arange(5), np.arange(4), np.arange(4)
    same(function(*whole), expected(*(x.astype(float) for x in whole)))
    same(function(np.broadcast_to(q[0], (B, 5)), v, tau), expected(np.tile(q[0], (B, 1)), v, tau))
    same(function(q.astype(np.float32), v, tau), expected(q.astype(np.float32).astype(float), v, tau))


def test_masks_are_refused_and_not_lost(function, arrays):
    q, v, tau = arrays
    masked = np.ma.array(v, mask=np.zeros_like(v))
    np.testing.assert_array_equal(function(q, masked, tau), function(q, v, tau))  # nothing is hidden
    masked[3, 1] = np.ma.masked
    with pytest.raises(InputError, match=r"'v' is a masked array .* \.filled"):
        function(q, masked, tau)
    with pytest.raises(InputError, match=r"'v' is a masked array"):
        function(q[3], masked[3], tau[3])
    with pytest.raises(InputError, match=r"'out' is a masked array"):
        function(q, v, tau, out=np.ma.masked_array(np.empty((B, 4)), mask=True))


def test_empty_batch(function, several):
    assert function(np.zeros((0, 5)), np.zeros((0, 4)), np.zeros(4)).shape == (0, 4)
    result = several(np.zeros((0, 3)), np.zeros((2, 3)))
    assert [x.shape for x in result] == [(0, 3), (0, 2, 3), (0, 1), (0,)]


@pytest.mark.parametrize(
    "arguments, names, message",
    [
        ((np.zeros(5), np.zeros(4)), {}, "missing 'tau'"),
        ((np.zeros(5), np.zeros(4), np.zeros(4), np.zeros(1)), {}, "takes 3 inputs"),
        ((np.zeros(5), np.zeros(4)), {"taw": np.zeros(4)}, "'tau'"),
        ((np.zeros(5), np.zeros(4), np.zeros(4)), {"q": np.zeros(5)}, "given twice"),
        ((np.zeros(6), np.zeros(4), np.zeros(4)), {}, r"'q' has shape \(6,\); expected \(5,\)"),
        ((np.zeros((2, 3, 5)), np.zeros(4), np.zeros(4)), {}, r"\(B, 5\)"),
        ((np.zeros((3, 5)), np.zeros((2, 4)), np.zeros(4)), {}, "'v' holds 2 samples but 'q' holds 3"),
        ((np.zeros(5, complex), np.zeros(4), np.zeros(4)), {}, "complex128"),
        ((np.zeros(5, object), np.zeros(4), np.zeros(4)), {}, "object"),
        ((["a"] * 5, np.zeros(4), np.zeros(4)), {}, "'q' has dtype"),
        (([[1.0], [1.0, 2.0]], np.zeros(4), np.zeros(4)), {}, "'q'"),
        ((None, np.zeros(4), np.zeros(4)), {}, "'q'"),
    ],
)
def test_bad_arguments(function, arguments, names, message):
    with pytest.raises(InputError, match=message):
        function(*arguments, **names)


def test_out(function, arrays):
    q, v, tau = arrays
    wanted = function(q, v, tau)
    out = np.empty((B, 4))
    assert function(q, v, tau, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    for given in ({"out": np.empty((B, 4))}, (np.empty((B, 4)),)):
        array = given["out"] if isinstance(given, dict) else given[0]
        assert function(q, v, tau, out=given) is array
        np.testing.assert_array_equal(array, wanted)
    single = np.empty(4)
    assert function(q[0], v[0], tau[0], out=single) is single
    np.testing.assert_array_equal(single, wanted[0])


def test_out_may_be_an_input(function, arrays):
    q, v, tau = arrays
    wanted = function(q, v, tau)
    assert function(q, v, tau, out=tau) is tau
    np.testing.assert_array_equal(tau, wanted)
    memory = np.zeros((B + 1, 4))
    memory[:-1] = v
    tau = np.random.default_rng(0).normal(size=(B, 4))
    wanted = function(q, memory[:-1].copy(), tau)
    function(q, memory[:-1], tau, out=memory[1:])
    np.testing.assert_array_equal(memory[1:], wanted)
    spread = np.zeros((2 * B, 4))  # an input that is read in place, every other row, and overlaps the result
    spread[::2] = v
    wanted = function(q, v, tau)
    function(q, spread[::2], tau, out=spread[:B])
    np.testing.assert_array_equal(spread[:B], wanted)


@pytest.mark.parametrize(
    "out, message",
    [
        (np.empty(5), "shape"),
        (np.empty((1, 4)), "shape"),
        (np.empty(4, np.float32), "float32"),
        (np.empty(8)[::2], "contiguous"),
        ([1.0, 2.0, 3.0, 4.0], "one array per output"),
        ({"a": np.empty(4)}, "no output named 'a'"),
        ([np.empty(4), np.empty(4)], "2 arrays"),
        (3, "'int'"),
        ([[0.0] * 4], "list"),
    ],
)
def test_bad_out(function, out, message):
    with pytest.raises(InputError, match=message):
        function(np.zeros(5), np.zeros(4), np.zeros(4), out=out)


def test_out_must_be_writeable(function):
    out = np.empty(4)
    out.flags.writeable = False
    with pytest.raises(InputError, match="read-only"):
        function(np.zeros(5), np.zeros(4), np.zeros(4), out=out)


def test_named_results(several):
    x, m = np.array([1.0, 2.0, 3.0]), np.arange(6.0).reshape(2, 3)
    result = several(x, m)
    np.testing.assert_array_equal(result.sum, x + m[0])
    np.testing.assert_array_equal(result["product"], m)
    np.testing.assert_array_equal(result["left foot"], [2.0])
    assert result.scalar.shape == () and result.scalar == 2.0
    total, product, *_ = result
    assert total is result[0] and product is result.product
    assert dict(result).keys() == {"sum", "product", "left foot", "scalar"}
    assert "left foot=array([2.])" in repr(result)
    with pytest.raises(AttributeError):
        result.sum = x
    with pytest.raises(InputError, match="left foot"):
        result["left"]
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.product, result.product)


def test_several_outputs_into_given_arrays(several):
    x, m = np.ones((B, 3)), np.ones((2, 3))
    result = several(x, m, out={"sum": (given := np.empty((B, 3)))})
    assert result.sum is given and np.all(given == 2)
    again = several(x, m, out=result)
    assert again.sum is given
    with pytest.raises(InputError, match="overlap"):
        several(x, m, out={"sum": given, "left foot": given.reshape(-1)[:B].reshape(B, 1)})


def test_attributes(function):
    assert isinstance(function, CompiledFunction)
    assert function.name == "chain" and function.threads == 1
    assert [(x.name, x.shape) for x in function.inputs] == [("q", (5,)), ("v", (4,)), ("tau", (4,))]
    assert [(x.name, x.shape) for x in function.outputs] == [("out", (4,))]
    assert function.operations.divisions == 4
    assert function.dtype == np.float64 and function.lanes >= 2
    assert "define void @lw_chunk_1_0" in function.ir and "chain" not in function.ir and "tau" not in function.ir
    assert function.compile_seconds > 0
    assert "chain(q[5], v[4], tau[4]) -> out[4]" in repr(function)
    with pytest.raises(LinkwrightError, match="cannot be pickled"):
        pickle.dumps(function)


@pytest.mark.parametrize("options", [{"lanes": 3}, {"lanes": 16}, {"lanes": True}, {"threads": 0}, {"threads": "many"}])
def test_bad_options(options):
    with pytest.raises(InputError):
        compile_program(chain(), **options)


def test_bad_dtype():
    with pytest.raises(UnsupportedError, match="float64, float32"):
        compile_program(chain(), dtype="float16")


def test_programs_that_cannot_be_called():
    with pytest.raises(CodegenError, match="no outputs"):
        compile_program(trace(lambda x: {}, {"x": 2}))
    with pytest.raises(CodegenError, match="named 'out'"):
        compile_program(trace(lambda out: out, {"out": 2}))


def test_programs_without_inputs_or_operations():
    constant = compile_program(trace(lambda: {"a": [1.0, 2.0]}, {}))
    np.testing.assert_array_equal(constant(), [1.0, 2.0])
    copy = compile_program(trace(lambda x: x[::-1], {"x": 3}))
    np.testing.assert_array_equal(copy(np.arange(6.0).reshape(2, 3)), [[2, 1, 0], [5, 4, 3]])


def test_single_precision():
    function = compile_program(every_operation(), dtype="float32")
    assert function.dtype == np.float32
    x, y = np.array([0.5, 1.0, 2.0]), np.array([2.0, 3.0])
    result = function(x, y)
    assert result.add.dtype == np.float32 and result.add == np.float32(2.5)
    np.testing.assert_array_equal(function(x.astype(np.float32), y.astype(np.float32)).sin, result.sin)


@pytest.mark.parametrize("count", [None, 1, 21])
def test_arrays_of_floats_computed_in_double_precision(count):
    program = trace(lambda x: {"left": (x + 1e9) - 1e9, "copy": x[0], "third": 1.0 / 3.0}, {"x": 9})
    function = compile_program(program, dtype="float32", arithmetic="float64")
    x = np.random.default_rng(0).normal(size=9 if count is None else (count, 9)).astype(np.float32)
    result = function(x)
    assert result.left.dtype == np.float32 and function.dtype == np.float32
    np.testing.assert_array_equal(result.left, ((x.astype(float) + 1e9) - 1e9).astype(np.float32))
    assert np.abs(result.left - x).max() < 1e-6  # floats would lose all of it
    np.testing.assert_array_equal(result.copy, x[..., 0])
    assert np.all(result.third == np.float32(1.0 / 3.0))
    given = np.full(x.shape, np.nan, np.float32)
    np.testing.assert_array_equal(function(x, out=(given, result.copy, result.third))[0], given)
    np.testing.assert_array_equal(given, result.left)


def test_arrays_of_doubles_are_not_computed_in_single_precision():
    with pytest.raises(UnsupportedError, match="arithmetic is 'float32'"):
        compile_program(every_operation(), arithmetic="float32")
    with pytest.raises(InputError, match="lanes=16"):
        compile_program(every_operation(), dtype="float32", arithmetic="float64", lanes=16)
