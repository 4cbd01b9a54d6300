"""C that `export_c` writes, compiled and compared: the same bits as machine code."""

import ctypes
import functools
import re
import shutil
import subprocess

import numpy as np
import pytest

import linkwright as lw
from linkwright import scalar
from linkwright.codegen.instruction_sets import processor_flags
from linkwright.errors import InputError, UnsupportedError
from linkwright.export.c_names import comment, identifier, identifiers

COMPILER = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler on this computer")
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fPIC", "-shared")


def fused() -> tuple[str, ...]:
    """Machine code fuses products and sums where the processor can; so must C, to be compared."""
    try:
        return ("-mfma",) if "fma" in processor_flags() else ()
    except lw.LinkwrightError:
        return ()


def c_function(function, folder, *flags, name=None):
    """The C function, as one of arrays."""
    files = lw.export_c(function, folder, name=name)
    library = folder / f"lib{files.name}.so"
    command = [COMPILER, *STRICT, *fused(), *(flags or ("-O1",)), str(files.source), "-lm", "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, done.stderr[:2000]
    called = getattr(ctypes.CDLL(str(library)), files.name)
    size = int(re.search(r"_WORKSPACE (\d+)", files.header.read_text())[1])
    kind = np.float64 if "double workspace" in files.header.read_text() else np.float32

    def call(*inputs):
        arrays = [np.array(x, function.dtype) for x in inputs]
        arrays += [np.full(max(1, x.size), np.nan, function.dtype) for x in function.outputs]
        workspace = np.full(size, np.nan, kind)  # its contents do not matter
        called(*(ctypes.c_void_p(x.ctypes.data) for x in (*arrays, workspace)))
        return [x[: spec.size] for x, spec in zip(arrays[len(inputs) :], function.outputs, strict=True)]

    return call


def states(function, robot=None, count=5):
    """Inputs by the names and shapes that a function declares."""
    rng = np.random.default_rng(3)
    arrays = []
    for spec in function.inputs:
        if robot is not None and spec.name in ("q", "q0", "q1") and spec.shape == (robot.nq,):
            arrays.append(np.array([robot.random_configuration(len(spec.name) + k) for k in range(count)]))
        elif spec.name == "dt":
            arrays.append(np.full(count, 1e-3))
        else:
            arrays.append(rng.normal(size=(count, *spec.shape)))
    return [x.astype(function.dtype) for x in arrays]


def assert_same_bits(function, inputs, folder, *flags):
    expected = function(*inputs)
    expected = expected if isinstance(expected, tuple) else (expected,)
    call = c_function(function, folder, *flags)
    for k in range(len(inputs[0])):
        for found, wanted, spec in zip(call(*(x[k] for x in inputs)), expected, function.outputs, strict=True):
            assert np.array_equal(found, wanted[k].ravel(), equal_nan=True), (function.name, spec.name, k)


@functools.cache
def robot(name):
    return lw.load(name)


PROGRAMS = [
    ("quadruped", "aba"), ("quadruped", "rnea"), ("quadruped", "crba"), ("quadruped", "forward_kinematics"),
    ("quadruped", "centroidal_momentum"), ("quadruped", "contact_dynamics"), ("random_tree:1,5", "aba"),
    ("random_tree:1,5", "integrate"), ("random_tree:1,5", "difference"), ("four_bar", "lcaba"), ("four_bar", "step"),
    ("four_bar", "constraint_jacobian"), ("slider_crank", "cluster_aba"), ("slider_crank", "spanning_position"),
    ("chain:30", "aba"),
]  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("name, algorithm", PROGRAMS)
def test_named_programs_have_the_same_bits(name, algorithm, tmp_path):
    function = lw.compile(robot(name), algorithm)
    assert_same_bits(function, states(function, robot(name)), tmp_path)


@needs_compiler
@pytest.mark.parametrize("kind", ["jacobian", "vjp", "jvp"])
def test_derivatives_have_the_same_bits(kind, tmp_path):
    function = getattr(lw, kind)(robot("chain:4"), "aba")
    assert_same_bits(function, states(function, robot("chain:4")), tmp_path)


@needs_compiler
def test_floats_and_floats_computed_in_double_precision(tmp_path):
    for algorithm in ("rnea", "lcaba"):  # the second computes in double precision
        function = lw.compile(robot("four_bar").without_constraints() if algorithm == "rnea" else robot("four_bar"),
                              algorithm, dtype="float32")  # fmt: skip
        assert_same_bits(function, states(function, robot("four_bar")), tmp_path / algorithm)


def elementary(x):
    a, b = x[0], x[1]
    truth = (a < b) | ~(b <= 0.3) & (a < 0.2)
    chosen = scalar.where(truth, scalar.atan2(a, b), scalar.log(abs(a)))
    return [
        scalar.sin(50.0 * a), scalar.cos(b), scalar.exp(a), scalar.log(b), scalar.atan2(b, a), chosen, abs(a),
        scalar.minimum(a, b), scalar.maximum(a, b), scalar.sqrt(a), a / b, -a, 3.0, x[0],
    ]  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_operation_also_on_what_is_not_finite(dtype, tmp_path):
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, 1e300, 0.75, 1e-30, -3.3, 700.0, -750.0, 1e6]
    with np.errstate(over="ignore"):
        x = np.array([[a, b] for a in special for b in special])
        rng = np.random.default_rng(0)
        usual = rng.normal(size=(400, 2)) * 10.0 ** rng.integers(-5, 3, (400, 1))
        x = np.concatenate([x, usual]).astype(dtype)
    assert_same_bits(lw.compile(elementary, inputs={"x": 2}, dtype=dtype), [x], tmp_path)


def test_operations_of_a_users_own(tmp_path):
    double = lw.trace.define_op("doubled_in_llvm", lambda x: 2 * x)
    lw.codegen.lower_op(double, lambda b, x: b.emit(f"fadd {b.type.text} {x}, {x}"))
    function = lw.compile(lambda x: double(x[0]), inputs={"x": 1})
    with pytest.raises(UnsupportedError, match="has no C"):
        lw.export_c(function, tmp_path)


def nested(x, A):
    """A counted loop over tables with a search in it, behind a guard."""

    def row_sum(carried, row, bound):
        found = scalar.until(
            lambda s: ([s[0] * 0.5 + bound, s[1] + 1.0], s[0] < 0.1), [row[0] + row[1], 0.0], limit=9, done=row[1] < 0.0
        )
        return [carried[0] + found[0] * row[0]], [found[1], row[1] * carried[0]]

    (end,), rows = scalar.repeat(row_sum, [x[0]], count=6, tables=[A, [0.1, 0.2, 0.3, 0.01, 0.02, 0.5]])
    (far,) = scalar.guard(end > 0.4, lambda: [scalar.sin(end) + rows[2][1]], [end])
    return {"end": end, "rows": rows, "far": far}


@needs_compiler
@pytest.mark.parametrize("flags", [("-O2",), ("-O3",), ("-O0",)])
def test_loops_guards_and_tables_at_any_optimisation(flags, tmp_path):
    function = lw.compile(nested, inputs={"x": 1, "A": (6, 2)})
    assert_same_bits(function, states(function, count=20), tmp_path, *flags)


@needs_compiler
@pytest.mark.long
@pytest.mark.parametrize("name, algorithm", [("stewart_platform", "lcaba"), ("humanoid", "aba"), ("cassie", "step")])
def test_large_programs(name, algorithm, tmp_path):
    function = lw.compile(robot(name), algorithm)
    assert_same_bits(function, states(function, robot(name)), tmp_path, "-O2")


def test_the_header_says_how_to_call_it(tmp_path):
    text = lw.export_c(lw.compile(robot("four_bar"), "step"), tmp_path).header.read_text()
    for part in ("q: 3", "dt: one number", "next_q: 3", "-ffp-contract=off", "double workspace[STEP_WORKSPACE];"):
        assert part in text
    assert "malloc" not in (tmp_path / "step.c").read_text()


@needs_compiler
def test_names_that_are_no_c(tmp_path):
    def product(**given):
        return {"double": given["a-b"][0] * given["for"][0], "*/ int x;": given["a b"][0], "workspace": 1.0}

    inputs = {"a-b": 1, "a b": 1, "for": 1}
    function = lw.codegen.compile_program(lw.trace.trace(product, inputs, name="exp*/"))
    call = c_function(function, tmp_path)
    assert [x.tolist() for x in call([2.0], [3.0], [4.0])] == [[8.0], [3.0], [1.0]]


def test_identifiers_and_comments():
    assert identifiers(["q", "q", "int", "9", "", "lw_x"]) == ["q", "q_2", "the_int", "the_9", "the_", "the_lw_x"]
    assert identifier("ä b") == "the___b" and identifier("exp") == "the_exp"
    assert "*/" not in comment("a */ b\n#include") and "\n" not in comment("a\nb")


def test_bad_input(tmp_path):
    function = lw.compile(lambda x: x[0], inputs={"x": 1})
    with pytest.raises(InputError, match="expected what compile"):
        lw.export_c(elementary, tmp_path)
    with pytest.raises(InputError, match="expected an identifier of C, such as 'a_b'"):
        lw.export_c(function, tmp_path, name="a b")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be used as a folder"):
        lw.export_c(function, tmp_path / "file")


def test_what_was_loaded_has_no_program(tmp_path):
    if not fused():
        pytest.skip("functions are saved on x86-64 Linux only")
    loaded = lw.load_function(lw.compile(lambda x: x[0], inputs={"x": 1}).save(tmp_path / "f.lwf"))
    with pytest.raises(UnsupportedError, match="has no program"):
        lw.export_c(loaded, tmp_path)
