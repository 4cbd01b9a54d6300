"""Calling compiled code on whatever arrays a user has: the general path, written in Python."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arguments import Bound, as_usual, bind, detach_overlaps, prepare_outputs
from .array_places import begins
from .image import Image
from .kernel import KERNEL, SINGLE
from .loader import Code
from .machine import ALIGNMENT
from .repeating_drivers import repeat_name
from .results import result_class
from .threads import run_split


class Runner:
    """Safe to use from many threads at once: scratch memory is per thread."""

    def __init__(self, image: Image, code: Code, threads: int):
        self.image = image
        self.signature = image.signature
        self.threads = threads
        self.cost = image.operations.total
        self.code = code
        self.result_class = result_class(self.signature.name, self.signature.outputs)
        pointer, whole = ctypes.c_void_p, ctypes.c_int64
        self._single = self.code.function(SINGLE, pointer, pointer)
        self._kernel = self.code.function(KERNEL, pointer, pointer, pointer, whole, whole, pointer)
        self.repeaters: dict[int, Callable[..., None]] = {
            lanes: self.code.function(repeat_name(lanes), *[pointer] * 4, *[whole] * 4, pointer, pointer)
            for lanes in ((1, image.lanes) if image.repeats else ())
        }
        """Drivers of many steps in one call, by lanes."""
        self._local = threading.local()
        self.entry: weakref.ref[Callable[..., Any]] | None = None
        """The compiled entry point, if there is one; it owns this runner, not the other way round."""
        self.variants: dict[str, Callable[[], Callable[..., Any]]] = {}
        """Optional inputs by name, and what makes the function that takes each; made when first given."""

    def __call__(self, *arrays: Any, out: Any = None, **named: Any):
        if named:
            for name in self.variants.keys() & named.keys():
                return self.variants[name]()(*arrays, out=out, **named)
        usual = as_usual(self.signature, arrays, named, out)
        entry = None if usual is None or self.entry is None else self.entry()
        if entry is not None and usual is not None:
            # what is left to do it does faster; nothing is converted twice, so it does not come back
            return entry(*usual.arrays, out=usual.out) if usual.out is not None else entry(*usual.arrays)
        bound = bind(self.signature, arrays, named)
        outputs = prepare_outputs(self.signature, out, bound.batch)
        if out is not None:
            bound = detach_overlaps(self.signature, bound, outputs)
        if bound.batch is None:
            self._single(addresses([*bound.arrays, *outputs]), self.workspace())
        elif bound.batch > 0:
            self._run_batch(bound, outputs, bound.batch)
        return outputs[0] if len(outputs) == 1 else self.result_class(outputs)

    def run_at(self, sources: Sequence[int], strides: Sequence[int], targets: Sequence[int], batch: int | None) -> None:
        """On memory that others own: where inputs and outputs begin, and elements from one sample to the next."""
        pointers = ctypes.c_void_p * len(sources)
        if batch is None:
            every = (ctypes.c_void_p * (len(sources) + len(targets)))(*sources, *targets)
            self._single(every, self.workspace())
        elif batch > 0:
            self._run_split(pointers(*sources), strides, (ctypes.c_void_p * len(targets))(*targets), batch)

    def _run_batch(self, bound: Bound, outputs: list[np.ndarray], batch: int) -> None:
        self._run_split(addresses(bound.arrays), bound.strides, addresses(outputs), batch)

    def _run_split(self, sources: ctypes.Array, steps: Sequence[int], targets: ctypes.Array, batch: int) -> None:
        strides = (ctypes.c_int64 * len(steps))(*steps)

        def run(begin: int, end: int) -> None:
            self._kernel(sources, strides, targets, begin, end, self.workspace())

        run_split(run, batch, self.threads, self.image.lanes, self.cost)

    def workspace(self) -> int:
        """Address of this thread's own scratch memory."""
        address = getattr(self._local, "address", None)
        if address is None:
            size = max(self.image.workspace_bytes, self.image.single_workspace_bytes)
            self._local.memory = memory = np.empty(size + ALIGNMENT, dtype=np.uint8)
            self._local.address = address = -(-begins([memory])[0] // ALIGNMENT) * ALIGNMENT
        return address


def addresses(arrays: list[np.ndarray]) -> ctypes.Array:
    return (ctypes.c_void_p * len(arrays))(*begins(arrays))
