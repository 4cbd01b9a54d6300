"""Functions as files: they run without LLVM, and what does not fit this computer is refused by name."""

import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright import scalar
from linkwright.codegen import cache, instruction_sets, saved_function
from linkwright.codegen.linking import link
from linkwright.errors import CodegenError, InputError, LinkwrightError, UnsupportedError

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
        assert layers == {"atomic_file", "call_errors", "codegen", "errors", "printable", "scalar", "trace"}


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

    monkeypatch.setattr("linkwright.atomic_file.os.replace", fails)
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


USED = """
f = lw.load_function(sys.argv[2], threads=2)
f(np.ones((5, 2)))
print(*(m.__file__ for name, m in sys.modules.items() if name.startswith("linkwright.") and m.__file__))
"""
# Of what runs saved code: nothing compiled depends on these.
WITHOUT_LAYOUT = {"atomic_file.py", "call_errors.py", "errors.py", "printable.py", "scalar.py"}


def test_whatever_runs_saved_code_is_part_of_the_agreement(saved, tmp_path, monkeypatch):
    """Any module that a saved function needs, or that generates code, may change how the two fit together."""
    np.savez(tmp_path / "data.npz")
    package = os.path.dirname(lw.__file__)
    needed = {os.path.relpath(x, package) for x in run_without_llvm(USED, tmp_path / "data.npz", saved).split()}
    generating = {f"codegen/{name}" for name in os.listdir(f"{package}/codegen") if name.endswith(".py")}
    assert {"codegen/spare_results.py", "codegen/python_abi.py", "codegen/results.py", "codegen/image.py"} <= needed
    copied = tmp_path / "copied"
    for folder in ("codegen", "trace"):
        shutil.copytree(f"{package}/{folder}", copied / folder)
    monkeypatch.setattr(cache, "__file__", str(copied / "codegen" / "cache.py"))

    def agreed():
        cache.source_hash.cache_clear()
        return saved_function.agreement()

    try:
        before = agreed()
        for name in sorted((needed | generating) - WITHOUT_LAYOUT):
            text = (copied / name).read_bytes()
            (copied / name).write_bytes(text + b"# another layout\n")
            assert agreed() != before, name
            (copied / name).write_bytes(text)
        assert agreed() == before
    finally:
        monkeypatch.undo()
        cache.source_hash.cache_clear()


def parts_of(path):
    """(header, header of the image, the rest of the image, the code) of a saved function."""
    line, rest = path.read_bytes().split(b"\n", 2)[2].split(b"\n", 1)
    head = json.loads(line)
    image, code = rest[: head["image_bytes"]], rest[head["image_bytes"] :]
    inner, parts = image.split(b"\n", 1)
    return head, json.loads(inner), parts, code


def written(path, head, inner, parts, code):
    """With a checksum that is right, and the image's size where it is not given."""
    image = json.dumps(inner).encode() + b"\n" + parts
    if isinstance(head, dict) and head.get("image_bytes") == "right":
        head = {**head, "image_bytes": len(image)}
    payload = b"".join([json.dumps(head).encode(), b"\n", image, code])
    path.write_bytes(saved_function._MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    return path


STRANGE = (
    None, True, -1, 0, 3, 2**31, 2**63, 1e300, float("nan"), "", "x", "\x1b[31m", "a" * 5000, [], [1], [[]], {},
    {"a": 1}, [[1, 2]], [[-8, 2]], [[1 << 40, "memset"]], [["x", [2]]], [["x", [-2]]], [[0, "no_such_function"]],
    [[None, None]],
)  # fmt: skip


def spoiled(value, rng):
    """The same with one thing changed, somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        return {**value, key: spoiled(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        k = rng.randrange(len(value))
        return [*value[:k], spoiled(value[k], rng), *value[k + 1 :]]
    if isinstance(value, dict) and value and rng.random() < 0.5:
        gone = rng.choice(list(value))
        return {key: one for key, one in value.items() if key != gone}
    if type(value) is int and rng.random() < 0.5:
        return value + rng.choice([-(2**40), -4096, -8, -1, 1, 8, 4096, 2**40])
    return rng.choice(STRANGE)


def load_spoiled(folder, count, seed):
    """How many of so many files were refused; the others are loaded and let go."""
    rng, refused = random.Random(seed), 0
    sources = [
        lw.compile(lambda x: x[0] * x[1], inputs={"x": 2}).save(folder / "a.lwf"),
        lw.compile(pendulum, inputs={"x": 2, "u": 1}, repeat=True).save(folder / "b.lwf"),
    ]
    known = [parts_of(path) for path in sources]
    assert lw.load_function(written(folder / "same.lwf", *known[0]))(np.ones(2)) == 1.0
    for k in range(count):
        head, inner, parts, code = known[k % len(known)]
        where, head = rng.randrange(4), {**head, "image_bytes": "right"}
        head = spoiled(head, rng) if where in (0, 2) else head
        inner = spoiled(inner, rng) if where in (1, 2) else inner
        code = code[: rng.randrange(len(code) + 1)] if where == 3 else code
        try:
            lw.load_function(written(folder / "spoiled.lwf", head, inner, parts, code))
        except LinkwrightError as error:
            assert str(error).isprintable(), error
            refused += 1
    return refused


LOADING = """
import sys, pathlib
sys.path.insert(0, sys.argv[1])
from test_saved_functions import load_spoiled
print(load_spoiled(pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
"""


def headers_with_right_checksums(tmp_path, count, seed):
    """In a process of its own, which is still there in the end."""
    arguments = [os.path.dirname(__file__), str(tmp_path), str(count), str(seed)]
    done = subprocess.run([sys.executable, "-c", LOADING, *arguments], capture_output=True, text=True, timeout=1200)
    assert not done.returncode, done.stderr[-3000:]
    return int(done.stdout)


def test_wrong_headers_with_right_checksums(tmp_path):
    assert headers_with_right_checksums(tmp_path, 150, 0) > 75


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 6))
def test_many_wrong_headers_with_right_checksums(tmp_path, seed):
    assert headers_with_right_checksums(tmp_path, 20_000, seed) > 10_000


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"null", b"{}", b"[" * 100_000, b'{"name": 1}', b"\xff\xfe", b'{"a": NaN}']
)
def test_headers_that_are_none(tmp_path, line):
    payload = line + b"\n" + bytes(100)
    path = tmp_path / "f.lwf"
    path.write_bytes(saved_function._MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    with pytest.raises(CodegenError, match="no function that can be called"):
        lw.load_function(path)
