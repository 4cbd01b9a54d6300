"""Functions as files: they run without LLVM, and what does not fit this computer is refused by name."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright import scalar
from linkwright.codegen import instruction_sets, saved_function
from linkwright.codegen.linking import link
from linkwright.errors import CodegenError, InputError, UnsupportedError

linux_x86 = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="functions are saved on x86-64 Linux only"
)
pytestmark = linux_x86

WITHOUT_LLVM = """
import sys
sys.modules["llvmlite"] = None  # importing it raises
import numpy as np
import linkwright as lw
data = np.load(sys.argv[1])
"""


def run_without_llvm(code: str, *arguments) -> str:
    command = [sys.executable, "-c", WITHOUT_LLVM + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


def pendulum(x, u):
    """A step with a loop in it, and a guard."""
    angle, rate = scalar.until(
        lambda s: ([s[0] + 0.01 * s[1], s[1] - 0.01 * scalar.sin(s[0])], abs(s[1]) < 0.02), [x[0], x[1]], limit=20
    )
    (push,) = scalar.guard(u[0] > 0.5, lambda: [scalar.exp(u[0])], [0.0])
    return {"x": [angle, rate + push], "energy": rate * rate - scalar.cos(angle)}


@pytest.fixture(scope="module")
def robot():
    return lw.load("quadruped")


def test_a_saved_function_gives_the_same_bits_without_llvm(robot, tmp_path):
    function = lw.compile(robot, "aba")
    rng = np.random.default_rng(0)
    q = np.array([robot.random_configuration(k) for k in range(21)])
    v, tau = rng.normal(size=(2, 21, robot.nv))
    np.savez(tmp_path / "data.npz", q=q, v=v, tau=tau, a=function(q, v, tau))
    for processor in (None, "x86-64-v3"):
        path = function.save(tmp_path / "aba.lwf", processor=processor)
        if processor and not {"fma", "avx2"} <= instruction_sets.processor_flags():
            continue
        seen = run_without_llvm(
            """
f = lw.load_function(sys.argv[2], threads=2)
q, v, tau, a = (data[x] for x in ("q", "v", "tau", "a"))
assert np.array_equal(f(q, v, tau), a)                                  # a batch with a ragged end
assert all(np.array_equal(f(q[k], v[k], tau[k]), a[k]) for k in range(3))
out = np.empty_like(a)
assert f(q, v, tau=tau, out=out) is out and np.array_equal(out, a)
many = [np.concatenate([x] * 200) for x in (q, v, tau)]                 # enough for two threads
assert np.array_equal(f(*many), np.concatenate([a] * 200))
assert np.array_equal(f(list(q[0]), v[0], tau[0]), a[0])                # the Python path
assert np.isnan(f(q[0] * np.nan, v[0], tau[0])).any()
print(*(name for name in sys.modules if name.startswith("linkwright.")))
""",
            tmp_path / "data.npz", path,
        )  # fmt: skip
        layers = {name.split(".")[1] for name in seen.split()}
        assert layers == {"codegen", "errors", "scalar", "trace"}


def test_loops_guards_and_repetition_are_saved_too(tmp_path):
    function = lw.compile(pendulum, inputs={"x": 2, "u": 1}, repeat=True)
    x, u = np.random.default_rng(1).normal(size=(9, 2)), np.linspace(0, 1, 9)[:, None]
    once, many = function(x, u), function.repeat({"x": x, "u": u}, 50, every=10)
    np.savez(tmp_path / "data.npz", x=x, u=u, once=once.x, many=many.x, energy=many.energy)
    path = function.save(tmp_path / "pendulum.lwf")
    run_without_llvm(
        """
f = lw.load_function(sys.argv[2])
assert np.array_equal(f(data["x"], data["u"]).x, data["once"])
records = f.repeat({"x": data["x"], "u": data["u"]}, 50, every=10)
assert np.array_equal(records.x, data["many"]) and np.array_equal(records.energy, data["energy"])
assert f.operations.total and f.name == "pendulum" and [x.name for x in f.inputs] == ["x", "u"]
""",
        tmp_path / "data.npz", path,
    )  # fmt: skip


@pytest.fixture
def saved(tmp_path):
    return lw.compile(lambda x: x[0] * x[1], inputs={"x": 2}).save(tmp_path / "product.lwf")


def test_single_precision(tmp_path):
    function = lw.compile(lambda x: scalar.sin(x[0]) * x[1], inputs={"x": 2}, dtype="float32")
    loaded = lw.load_function(function.save(tmp_path / "f.lwf"))
    x = np.random.default_rng(2).normal(size=(33, 2)).astype(np.float32)
    assert loaded.dtype == np.float32 and np.array_equal(loaded(x), function(x))


def test_another_processor_is_refused_by_name(saved, monkeypatch):
    monkeypatch.setattr(instruction_sets, "processor_flags", lambda: frozenset({"cmov", "sse4_2"}))
    with pytest.raises(CodegenError, match=r"was saved for a processor .* with .*popcnt.*, which the one at hand"):
        lw.load_function(saved)


def test_the_error_names_the_level_that_would_do(saved, monkeypatch):
    level = frozenset(instruction_sets.LINUX_NAMES[x] for x in instruction_sets.LEVELS["x86-64-v2"])
    monkeypatch.setattr(instruction_sets, "processor_flags", lambda: level)
    if not instruction_sets.sets_used(saved_function.host_target()) == list(instruction_sets.LEVELS["x86-64-v2"]):
        with pytest.raises(CodegenError, match=re.escape("save it with processor='x86-64-v2'")):
            lw.load_function(saved)


def test_another_kind_of_computer_is_refused_by_name(saved, monkeypatch):
    monkeypatch.setattr(instruction_sets.platform, "machine", lambda: "aarch64")
    with pytest.raises(CodegenError, match=r"saved for x86_64 Linux .* and this computer is aarch64 Linux"):
        lw.load_function(saved)


def test_another_version_is_refused_by_name(saved, monkeypatch):
    monkeypatch.setattr(saved_function, "package_version", lambda: "9.9")
    with pytest.raises(CodegenError, match=r"was saved by linkwright 0.* and this is 9\.9"):
        lw.load_function(saved)


def test_every_damaged_byte_is_noticed(saved):
    data = saved.read_bytes()
    for position in np.linspace(0, len(data) - 1, 40).astype(int):
        broken = bytearray(data)
        broken[position] ^= 0x10
        saved.write_bytes(bytes(broken))
        with pytest.raises(CodegenError, match=r"damaged|no file that"):
            lw.load_function(saved)
    for length in (0, 10, 60, len(data) // 2, len(data) - 1):
        saved.write_bytes(data[:length])
        with pytest.raises(CodegenError, match=r"damaged|no file that"):
            lw.load_function(saved)


def test_what_is_no_file_and_what_cannot_be_written(saved, tmp_path):
    with pytest.raises(InputError, match="no function could be read"):
        lw.load_function(tmp_path / "absent.lwf")
    with pytest.raises(InputError, match="no function could be read"):
        lw.load_function(tmp_path)
    function = lw.compile(lambda x: x[0], inputs={"x": 1})
    with pytest.raises(InputError, match="could not be written"):
        function.save(tmp_path / "no_such_folder" / "f.lwf")
    with pytest.raises(InputError, match="no processor named 'x86'"):
        function.save(tmp_path / "f.lwf", processor="x86")
    with pytest.raises(InputError, match="threads=0"):
        lw.load_function(saved, threads=0)


def test_a_file_is_replaced_whole(saved, monkeypatch):
    before = saved.read_bytes()

    def fails(*_):
        raise OSError("no space left")

    monkeypatch.setattr("linkwright.codegen.atomic_file.os.replace", fails)
    with pytest.raises(InputError, match="no space left"):
        lw.compile(lambda x: x[0] + x[1], inputs={"x": 2}).save(saved)
    assert saved.read_bytes() == before and [x.name for x in saved.parent.iterdir()] == [saved.name]


def test_a_loaded_function_knows_no_program(saved, tmp_path):
    loaded = lw.load_function(saved)
    with pytest.raises(UnsupportedError, match="no program"):
        _ = loaded.program
    with pytest.raises(UnsupportedError, match="copy that file"):
        loaded.save(tmp_path / "again.lwf")


def test_other_object_files_are_refused():
    with pytest.raises(UnsupportedError, match="only functions compiled on Linux"):
        link([b"\xcf\xfa\xed\xfe" + bytes(100)])


def test_the_program_is_there_also_if_the_code_came_from_the_cache():
    for _ in range(2):
        function = lw.compile(lw.load("chain:3"), "rnea")
    assert function.from_cache and function.program.name == "rnea"
