"""A compiled function as a file, and back: `CompiledFunction.save` and `linkwright.load_function`.

A line that says what it is, a checksum of all that follows, a line of JSON (processor, versions, symbols), then the
image and the linked code. Loading needs NumPy and nothing of LLVM. What is loaded is executed: load only what
you trust.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CodegenError, InputError, UnsupportedError
from .atomic_file import write_atomically
from .image import Image
from .instruction_sets import check_processor, level_target, sets_used
from .linked_loader import MappedCode
from .linking import LinkedCode, link
from .target import choose_lanes, host_target
from .threads import thread_count

if TYPE_CHECKING:
    from .compiled_function import CompiledFunction

_MAGIC = b"linkwright function\n"
# How compiled code and what calls it talk to each other is written in these.
_AGREEMENT = (
    "activate", "context", "entry", "general_call", "image", "kernel", "linking", "repeated_call", "repeating_drivers",
    "repetition",
)  # fmt: skip


def save_function(function: CompiledFunction, path: str | Path, processor: str | None) -> Path:
    """See `CompiledFunction.save`."""
    image, target = function._image, host_target()
    if function.origin is None:
        raise UnsupportedError(f"{function.name!r} was loaded from a file; copy that file, or save what was compiled")
    if processor is not None:
        from .compiling import build_image  # brings LLVM along

        target, origin = level_target(processor, target.triple), function.origin
        lanes = choose_lanes("auto", origin.arithmetic, target)
        image = build_image(
            origin.program(), lanes, image.signature.dtype, target, repeat=origin.repeat, arithmetic=origin.arithmetic
        )
    code = link(image.objects)
    stored = replace(image, objects=()).to_bytes()
    head = {
        "name": image.signature.name,
        "version": package_version(),
        "agreement": agreement(),
        "processor": target.cpu,
        "instruction_sets": sets_used(target),
        "data_begin": code.data_begin,
        "symbols": code.symbols,
        "addresses": code.addresses,
        "externals": code.externals,
        "image_bytes": len(stored),
    }
    payload = b"".join([json.dumps(head).encode(), b"\n", stored, code.memory])
    path = Path(path)
    write_atomically(path, b"".join([_MAGIC, hashlib.sha256(payload).hexdigest().encode(), b"\n", payload]))
    return path


def load_function(path: str | Path, *, threads: int | str = 1) -> CompiledFunction:
    """A function that `save` wrote, ready to be called: arrays, batches, `out=`, `threads` and `repeat` as before.

    Needs no LLVM, no robot and no tracing. Refused by name are files that are damaged, of another version, or for a
    processor with instructions that this one lacks. The code in the file is executed: load only what you trust.
    """
    from .compiled_function import CompiledFunction

    shares = thread_count(threads)
    try:
        data = Path(path).read_bytes()
    except (OSError, TypeError) as error:
        raise InputError(f"no function could be read from {str(path)!r}: {error}") from None
    if not data.startswith(_MAGIC):
        raise CodegenError(f"{path} is no file that a compiled function's save() has written")
    checksum, _, payload = data[len(_MAGIC) :].partition(b"\n")
    if hashlib.sha256(payload).hexdigest().encode() != checksum:
        raise CodegenError(f"{path} is damaged: its checksum does not fit; save the function again")
    line, _, rest = payload.partition(b"\n")
    head = json.loads(line)
    if (head["version"], head["agreement"]) != (package_version(), agreement()):
        raise CodegenError(
            f"{head['name']!r} in {path} was saved by linkwright {head['version']} ({head['agreement']}) and this is "
            f"{package_version()} ({agreement()}); save it with the version that loads it"
        )
    check_processor(head["name"], head["instruction_sets"], head["processor"])
    image = Image.from_bytes(rest[: head["image_bytes"]])
    addresses, externals = (tuple((where, what) for where, what in head[x]) for x in ("addresses", "externals"))
    memory = rest[head["image_bytes"] :]
    code = MappedCode(LinkedCode(memory, head["data_begin"], head["symbols"], addresses, externals))
    return CompiledFunction.on(image, code, threads=shares)


def package_version() -> str:
    from .. import __version__

    return __version__


@cache
def agreement() -> str:
    """Changes whenever what calls compiled code, or what is called, may have changed."""
    folder, digest = Path(__file__).parent, hashlib.sha256()
    for name in _AGREEMENT:
        digest.update((folder / f"{name}.py").read_bytes())
    return digest.hexdigest()[:12]
