"""The callable a user holds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LinkwrightError, UnsupportedError
from ..trace import Operations, Program
from .activate import fast_entry
from .general_call import Runner
from .image import Image
from .loader import Code, LoadedCode
from .origin import Origin
from .repetition import repeat
from .signature import ArraySpec
from .target import Target, host_target
from .threads import thread_count


class CompiledFunction:
    """Call it with arrays: each input in its declared shape, or with a leading batch axis.

    Inputs go by position or name; unbatched ones are repeated for every sample of a batch. `out=` takes arrays to
    write into. One output comes back as an array, several as a named tuple. Values never raise: NaN in, NaN out.
    """

    def __init__(self, runner: Runner, *, from_cache: bool):
        self._runner = runner
        self._image = runner.image
        self.from_cache = from_cache
        self.choice: Any = None
        """Why this algorithm was taken, with the operations of others, where a problem was named and none of them."""
        self.origin: Origin | None = None
        """What it was compiled from; a function that was loaded from a file has none."""

    @classmethod
    def of(cls, image: Image, target: Target, *, threads: int = 1, from_cache: bool = False) -> CompiledFunction:
        """The function of `image`, its object files loaded by LLVM."""
        return cls.on(image, LoadedCode(image.objects, target), threads=threads, from_cache=from_cache)

    @classmethod
    def on(cls, image: Image, code: Code, *, threads: int = 1, from_cache: bool = False) -> CompiledFunction:
        """The function of `image`, called through its compiled entry point where that is possible.

        Python looks `__call__` up on the type, so each function gets a type of its own; and since a builtin function
        does not bind, calling the instance reaches the compiled code with the caller's arguments as they are.
        """
        runner = Runner(image, code, threads)
        builtin = fast_entry(runner)
        members = {"__module__": cls.__module__, "__doc__": cls.__doc__}
        if builtin is not None:
            members["__call__"] = builtin
        return type(cls.__name__, (cls,), members)(runner, from_cache=from_cache)

    def on_threads(self, threads: int | str) -> CompiledFunction:
        """The same machine code, loaded once more for another number of threads (or "all"); nothing is compiled."""
        function = CompiledFunction.of(self._image, host_target(), threads=thread_count(threads))
        function.origin, function.choice = self.origin, self.choice
        for name, variant in self._runner.variants.items():
            function.accept(name, lambda variant=variant: variant().on_threads(threads))  # type: ignore[misc]
        return function

    def __call__(self, *arrays: Any, out: Any = None, **named: Any):
        return self._runner(*arrays, out=out, **named)

    def repeat(
        self, inputs: Mapping[str, Any], steps: int, *, every: int = 1, advancing: Sequence[str] = (),
        last: Sequence[str] = (), effort: str | None = None,
    ):  # fmt: skip
        """Run `steps` times in one call, each output fed back to the input of its name (compile with repeat=True).

        Inputs named in `advancing` hold one row per step, (steps, ...) or (B, steps, ...). Returns every `every`-th
        result and the final one, each array (records, ...) or (B, records, ...); of outputs named in `last` the final
        one only. `effort` names an output that says how long a sample took: of large batches samples that take alike
        long are then computed together, which is faster and changes no result.
        """
        return repeat(self._runner, inputs, steps, every=every, advancing=advancing, last=last, effort=effort)

    def save(self, path: str | Path, *, processor: str | None = None) -> Path:
        """Write the machine code to a file that `linkwright.load_function` runs without LLVM, robot or tracing.

        processor   by default the one at hand; "x86-64-v2", "x86-64-v3" (AVX2) or "x86-64-v4" (AVX-512) for any
                    with these instructions
        """
        from .saved_function import save_function

        return save_function(self, path, processor)

    @property
    def program(self) -> Program:
        """The traced program, which is traced again if the machine code came from the cache."""
        if self.origin is None:
            raise UnsupportedError(
                f"{self.name!r} was loaded from a file, which holds machine code and no program; compile it again"
            )
        return self.origin.program()

    def accept(self, name: str, variant: Callable[[], CompiledFunction]) -> None:
        """Let calls give the further input `name`: `variant` then makes the function that takes it, once."""
        self._runner.variants[name] = functools.cache(variant)

    @property
    def name(self) -> str:
        return self._image.signature.name

    @property
    def algorithm(self) -> str:
        """The name of the algorithm, also where it was not named but chosen."""
        return self.name

    @property
    def inputs(self) -> tuple[ArraySpec, ...]:
        return self._image.signature.inputs

    @property
    def outputs(self) -> tuple[ArraySpec, ...]:
        return self._image.signature.outputs

    @property
    def operations(self) -> Operations:
        return self._image.operations

    @property
    def lanes(self) -> int:
        """Samples computed at once in a batch."""
        return self._image.lanes

    @property
    def threads(self) -> int:
        return self._runner.threads

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self._image.signature.dtype)

    @property
    def ir(self) -> str:
        """The LLVM code, all modules one after the other."""
        return self._image.ir

    @property
    def compile_seconds(self) -> float:
        """What compiling took, when it was done."""
        return self._image.compile_seconds

    @property
    def code_bytes(self) -> int:
        """Size of the object files."""
        return sum(map(len, self._image.objects))

    def __repr__(self) -> str:
        signature = self._image.signature
        return f"<compiled {signature}, {self.dtype}, {self.lanes} lanes, {self.operations.total} operations>"

    def __reduce__(self):
        raise LinkwrightError(
            f"compiled function {self.name!r} cannot be pickled or copied; compile it again in the other process "
            "(the on-disk cache makes that quick)"
        )
