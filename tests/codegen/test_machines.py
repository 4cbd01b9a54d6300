"""Code for processors other than the one at hand: which row of the table serves them, and what LLVM makes of it."""

from __future__ import annotations

import struct

import llvmlite.binding as llvm
import numpy as np
import pytest
from programs import two_loops_of_columns

import linkwright as lw
from linkwright.codegen.compiled_function import CompiledFunction
from linkwright.codegen.compiling import build_image
from linkwright.codegen.instruction_builder import Builder, Constants
from linkwright.codegen.machine import AVX2, AVX512, LARGEST_LANES, MACHINES, NEON, SSE2
from linkwright.codegen.target import Target, choose_lanes, host_target
from linkwright.codegen.vector_type import VectorType

LINUX = "x86_64-unknown-linux-gnu"
ARM = Target("aarch64-unknown-linux-gnu", "generic", "+neon")
ELF_MACHINE = {"x86_64": 62, "aarch64": 183}  # of the ELF specification


@pytest.mark.parametrize(
    ("triple", "features", "machine"),
    [
        (LINUX, "+sse2,+avx,+avx2,+fma,+avx512f,+avx512vl", AVX512),
        (LINUX, "+sse2,+avx,+avx2,+fma,-avx512f,-avx512vl", AVX2),
        (LINUX, "+sse2,+avx,-avx2,-fma", SSE2),
        (LINUX, "", SSE2),
        ("aarch64-unknown-linux-gnu", "+neon", NEON),
        ("arm64-apple-darwin23.0.0", "", NEON),
    ],
)
def test_the_row_of_a_target(triple, features, machine):
    assert Target(triple, "generic", features).machine is machine


def test_lanes_fill_a_register():
    lanes = {machine.name: (machine.lanes("float64"), machine.lanes("float32")) for machine in MACHINES}
    assert lanes == {"AVX-512": (8, 16), "AVX2": (4, 8), "SSE2": (2, 4), "NEON": (2, 4)}
    assert choose_lanes("auto", "float32", ARM) == 4
    assert all(machine.lanes(dtype) <= LARGEST_LANES[dtype] for machine in MACHINES for dtype in LARGEST_LANES)


def elf_machine(code: bytes) -> int:
    assert code[:4] == b"\x7fELF" and code[4] == 2  # 64 bits
    return struct.unpack_from("<H", code, 18)[0]


def has_backend(triple: str) -> bool:
    llvm.initialize_all_targets()
    try:
        llvm.Target.from_triple(triple)
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("target", [ARM, Target(LINUX, "x86-64", "")], ids=["aarch64", "SSE2"])
def test_forward_dynamics_for_another_processor(target):
    """Code of that processor, from the same program as the code for the one at hand; where it can run, it is run."""
    if not has_backend(target.triple):
        pytest.skip(f"this llvmlite generates no code for {target.triple}")
    try:
        robot = lw.load("solo12")
    except lw.LinkwrightError:
        robot = lw.load("humanoid")
    program = lw.trace_program(robot, "aba")
    image = build_image(program, choose_lanes("auto", "float64", target), "float64", target)
    architecture = target.triple.partition("-")[0]
    assert {elf_machine(code) for code in image.objects} == {ELF_MACHINE[architecture]}
    assert sum(map(len, image.objects)) > 10 * program.size  # some bytes for every operation, once for each lane count
    usual = lw.compile(robot, "aba")
    assert image.operations == usual.operations
    if host_target().triple.startswith(architecture):
        rng = np.random.default_rng(1)
        state = [np.stack([robot.random_configuration(rng) for _ in range(5)]), *rng.normal(size=(2, 5, robot.nv))]
        expected = usual(*state)
        assert np.allclose(CompiledFunction.of(image, target)(*state), expected, atol=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("machine", "lanes", "dtype", "entry"),
    [
        (AVX512, 8, "float64", "double"), (AVX512, 16, "float32", "float"), (AVX512, 4, "float64", "<4 x double>"),
        (AVX512, 1, "float64", "double"), (AVX2, 4, "float64", "<4 x double>"), (NEON, 2, "float64", "<2 x double>"),
    ],
)  # fmt: skip
def test_tables_hold_a_number_once_where_it_is_spread_when_read(machine, lanes, dtype, entry):
    vector, lines = VectorType(lanes, dtype), []
    constants = Constants(vector, "table", machine)
    Builder(vector, lines, set(), constants).constant(2.5)
    (definition,) = constants.definition()
    spread = entry != vector.text
    assert f"[1 x {entry}]" in definition and f"load {entry}, ptr" in lines[1]
    assert ("shufflevector" in lines[-1]) == spread
    assert lines[0].unit == (vector.scalar_bytes if spread else 1)


@pytest.mark.parametrize(
    ("target", "dtype", "count", "found", "missing"),
    [
        (Target(LINUX, "x86-64", "+avx2,+fma,+avx512f,+avx512vl"), "float64", 5, "llvm.masked.store.v8f64", "<5 x "),
        (Target(LINUX, "x86-64", "+avx2,+fma"), "float64", 3, "store <3 x double>", "llvm.masked"),
        (Target(LINUX, "x86-64", "+avx2,+fma"), "float64", 5, "<4 x double>", "<5 x "),
        (ARM, "float32", 3, "store <3 x float>", "llvm.masked"),
    ],
    ids=["AVX-512", "AVX2", "AVX2, more passes than lanes", "NEON"],
)  # fmt: skip
def test_where_there_are_fewer_passes_than_lanes(target, dtype, count, found, missing):
    if not has_backend(target.triple):
        pytest.skip(f"this llvmlite generates no code for {target.triple}")
    image = build_image(two_loops_of_columns(count), choose_lanes("auto", dtype, target), dtype, target)
    bodies = [x for x in image.ir.split("define ") if x.startswith("void @lw_together")]
    assert any(found in x for x in bodies) and not any(missing in x for x in bodies)
