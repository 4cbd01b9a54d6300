"""A compiled function as a file, and back: `CompiledFunction.save` and `linkwright.load_function`.

A line that says what it is, a checksum of all that follows, a line of JSON (processor, versions, symbols), then the
image and the linked code. Loading needs NumPy and nothing of LLVM. What is loaded is executed: load only what
you trust.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ..atomic_file import write_atomically
from ..call_errors import names_arguments
from ..errors import CodegenError, InputError, UnsupportedError
from .cache import source_hash
from .header_entries import differing, entries_of, is_count, is_text, list_of, row_of
from .image import Image
from .instruction_sets import check_processor, level_target, sets_used
from .linked_loader import MappedCode
from .linking import LARGEST_PAGE, WORD, LinkedCode, link
from .target import choose_lanes, host_target
from .threads import thread_count

if TYPE_CHECKING:
    from .compiled_function import CompiledFunction

_MAGIC = b"linkwright function\n"
_AGREEMENT_DIGITS = 12  # of the digest: shown in errors, and more than two versions share by chance


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


@names_arguments
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
    try:
        head = _SavedHead.read(line)
        if (head.version, head.agreement) != (package_version(), agreement()):
            raise CodegenError(
                f"{head.name!r} in {path} was saved by linkwright {head.version} ({head.agreement}) and this is "
                f"{package_version()} ({agreement()}); save it with the version that loads it"
            )
        check_processor(head.name, head.instruction_sets, head.processor)
        image, code = Image.from_bytes(rest[: head.image_bytes]), head.code(rest[head.image_bytes :])
        return CompiledFunction.on(image, MappedCode(code), threads=shares)
    except _WrongContent as error:
        raise CodegenError(f"{path} is no function that can be called: {error}; save the function again") from None


class _WrongContent(ValueError):
    """Of a header: the checksum fits, and yet no `save` wrote it."""


@dataclass(frozen=True)
class _SavedHead:
    """The line of JSON, checked: types, and places that lie within the code."""

    name: str
    version: str
    agreement: str
    processor: str
    instruction_sets: list[str]
    data_begin: int
    symbols: dict[str, tuple[int, int]]
    addresses: list[tuple[int, int]]
    externals: list[tuple[int, str]]
    image_bytes: int

    @classmethod
    def read(cls, line: bytes) -> _SavedHead:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise _WrongContent("its header is no JSON") from None
        places = row_of(is_count, is_count)
        wrong = differing(
            found,
            {
                "name": is_text, "version": is_text, "agreement": is_text, "processor": is_text,
                "instruction_sets": list_of(is_text), "data_begin": is_count, "image_bytes": is_count,
                "symbols": entries_of(places), "addresses": list_of(places),
                "externals": list_of(row_of(is_count, lambda x: is_text(x) and x.isidentifier() and x.isascii())),
            },
        )  # fmt: skip
        if wrong:
            raise _WrongContent(f"of its header, {wrong}")
        return cls(**found)

    def code(self, memory: bytes) -> LinkedCode:
        """What is patched, called and written lies where it should."""
        size, begin = len(memory), self.data_begin
        patched = [where for where, _ in (*self.addresses, *self.externals)]
        if not (
            0 < begin <= size and begin % LARGEST_PAGE == 0
            and all(at + length <= size for at, length in self.symbols.values())
            and all(begin <= where <= size - WORD for where in patched)
            and all(what <= size for _, what in self.addresses)
            and _are_apart([*self.symbols.values(), *((where, WORD) for where in patched)])
        ):  # fmt: skip
            raise _WrongContent("its header names places outside of its code")
        symbols = {name: (at, length) for name, (at, length) in self.symbols.items()}
        addresses = tuple((at, what) for at, what in self.addresses)
        return LinkedCode(memory, begin, symbols, addresses, tuple((at, name) for at, name in self.externals))


def _are_apart(places: Iterable[Sequence[int]]) -> bool:
    """Whether no byte belongs to two of them, (where, bytes) each."""
    ordered = sorted(map(tuple, places))
    return all(at + length <= following for (at, length), (following, _) in pairwise(ordered))


def package_version() -> str:
    from .. import __version__

    return __version__


def agreement() -> str:
    """Changes whenever what calls compiled code, or what is called, may have changed.

    Which layouts the two have in common is not listed anywhere: all sources that decide what is generated count, as
    they do for the cache.
    """
    return source_hash()[:_AGREEMENT_DIGITS]
