"""From a program, or a stored image of its compiled form, to a callable."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import CodegenError
from ..trace import Program, count_operations
from .cache import load_cached, make_key, program_content, store
from .compiled_function import CompiledFunction
from .defined_lowering import check_lowered
from .image import Image, compress_ir
from .modules import ModuleSource
from .objectfile import generate_objects
from .origin import Origin
from .signature import Signature
from .target import Target, check_arithmetic, check_dtype, choose_lanes, host_target
from .threads import thread_count


def compile_program(
    program: Program, *, lanes: int | str = "auto", dtype: str = "float64", threads: int | str = 1,
    cache_key: str | None = None, cache: bool = True, repeat: bool = False, arithmetic: str | None = None,
) -> CompiledFunction:  # fmt: skip
    """Machine code for `program` on this computer.

    Arrays hold numbers of type `dtype`, and computing is done in that precision or, where given, in that of
    `arithmetic`, "float64". `lanes` samples are computed at once in a batch ("auto": as many as fit a register);
    `threads` (a number or "all") share large batches. `cache_key` identifies the program in the on-disk
    cache, in place of its full content.
    """
    return compile_cached(
        lambda: program, key=cache_key, lanes=lanes, dtype=dtype, threads=threads, cache=cache, repeat=repeat,
        arithmetic=arithmetic,
    )  # fmt: skip


def compile_cached(
    make_program: Callable[[], Program], *, key: str | None, lanes: int | str = "auto", dtype: str = "float64",
    threads: int | str = 1, cache: bool = True, repeat: bool = False, arithmetic: str | None = None, asked: Any = None,
) -> CompiledFunction:  # fmt: skip
    """As `compile_program`, but the program is only made if the cache holds nothing under `key`.

    `key` must identify everything `make_program` depends on; None means that only the program itself can tell.
    `repeat` makes a function that can run many times in one call, its outputs fed back to inputs of the same name.
    `asked` is what the program answers, for those who want to ask more about it.
    """
    target, dtype = host_target(), check_dtype(dtype)
    arithmetic = check_arithmetic(arithmetic, dtype)
    lanes, threads = choose_lanes(lanes, arithmetic, target), thread_count(threads)
    origin = Origin(make_program, arithmetic, repeat, asked)
    program = None
    if key is None:
        with _collector_paused():
            program = make_program()
        content = "program " + program_content(program)
    else:
        content = "key " + key
    if repeat:
        content = "repeated " + content
    full_key = make_key(content, lanes=lanes, dtype=dtype, target=target, arithmetic=arithmetic)
    image = load_cached(full_key) if cache else None
    if image is not None:
        try:
            function = CompiledFunction.of(image, target, threads=threads, from_cache=True)
            function.origin = origin
            return function
        except CodegenError:
            pass  # intact, but this process cannot load it: compile it here
    with _collector_paused():
        program = make_program() if program is None else program
        image = build_image(program, lanes, dtype, target, repeat=repeat, arithmetic=arithmetic)
    if cache:
        store(full_key, image)
    function = CompiledFunction.of(image, target, threads=threads)
    function.origin = origin
    return function


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Hundreds of thousands of small tuples are made, none of them garbage: looking for some takes a fifth of the time
    and more in a process that holds much else."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def build_image(
    program: Program, lanes: int, dtype: str, target: Target, *, chunk_size: int | None = None, repeat: bool = False,
    arithmetic: str | None = None,
) -> Image:  # fmt: skip
    start = time.perf_counter()
    check_lowered(program.every_op())
    signature = Signature.of(program.check(), dtype)
    source = ModuleSource(program, lanes, dtype, target, chunk_size, repeat=repeat, arithmetic=arithmetic)
    modules: list[str] = []

    def recorded():
        for module in source.modules():
            modules.append(module)
            yield module

    objects = generate_objects(recorded(), target, program.size)
    return Image(
        signature,
        count_operations(program),
        lanes,
        source.sizes.workspace_bytes,
        source.sizes.single_workspace_bytes,
        time.perf_counter() - start,
        source.has_entry,
        repeat,
        tuple(objects),
        compress_ir(modules),
    )
