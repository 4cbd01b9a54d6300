"""A compiled function at rest: object files and everything needed to call them, without the traced program."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ..errors import CodegenError
from ..trace import LoopOperations, Operations
from .header_entries import differing, is_amount, is_count, is_flag, is_text, list_of, row_of
from .signature import OUT, ArraySpec, Signature

_COMPRESSION = 1  # IR is repetitive: the fastest level already gives a factor of six


@dataclass(frozen=True)
class Image:
    signature: Signature
    operations: Operations
    lanes: int
    workspace_bytes: int
    single_workspace_bytes: int
    compile_seconds: float
    has_entry: bool
    repeats: bool
    objects: tuple[bytes, ...] = field(repr=False)
    compressed_ir: bytes = field(repr=False)

    @property
    def ir(self) -> str:
        try:
            return zlib.decompress(self.compressed_ir).decode()
        except (zlib.error, ValueError) as error:
            raise CodegenError(f"the stored LLVM code of {self.signature.name!r} could not be read: {error}") from None

    def to_bytes(self) -> bytes:
        """A line of JSON, then the binary parts one after the other."""
        head = {
            "name": self.signature.name,
            "dtype": self.signature.dtype,
            "inputs": [[x.name, x.shape] for x in self.signature.inputs],
            "outputs": [[x.name, x.shape, x.labels] for x in self.signature.outputs],
            "operations": asdict(self.operations),
            "lanes": self.lanes,
            "workspace_bytes": self.workspace_bytes,
            "single_workspace_bytes": self.single_workspace_bytes,
            "compile_seconds": self.compile_seconds,
            "has_entry": self.has_entry,
            "repeats": self.repeats,
            "parts": [len(part) for part in (*self.objects, self.compressed_ir)],
        }
        return b"".join([json.dumps(head).encode(), b"\n", *self.objects, self.compressed_ir])

    @classmethod
    def from_bytes(cls, data: bytes) -> Image:
        try:
            line, _, rest = data.partition(b"\n")
            head = json.loads(line)
            _check_head(head, len(rest))
            parts, position = [], 0
            for size in head["parts"]:
                parts.append(rest[position : position + size])
                position += size
            inputs = tuple(ArraySpec(name, tuple(shape)) for name, shape in head["inputs"])
            outputs = tuple(ArraySpec(name, tuple(shape), tuple(labels)) for name, shape, labels in head["outputs"])
            return cls(
                Signature(head["name"], inputs, outputs, head["dtype"]),
                _operations(head["operations"]),
                head["lanes"],
                head["workspace_bytes"],
                head["single_workspace_bytes"],
                head["compile_seconds"],
                head["has_entry"],
                head["repeats"],
                tuple(parts[:-1]),
                parts[-1],
            )
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise CodegenError(f"a stored compiled function could not be read: {error}") from error


def _check_head(head: Any, rest: int) -> None:
    """Raise ValueError for entries that `to_bytes` never writes: what they say is where memory is read and written."""
    shape = list_of(is_count)
    wrong = differing(
        head,
        {
            "name": is_text, "dtype": lambda x: x in ("float32", "float64"), "inputs": list_of(row_of(is_text, shape)),
            "outputs": list_of(row_of(is_text, shape, list_of(is_text))), "operations": _are_operations,
            "lanes": lambda x: is_count(x) and x > 0, "workspace_bytes": is_count, "single_workspace_bytes": is_count,
            "compile_seconds": is_amount, "has_entry": is_flag, "repeats": is_flag,
            "parts": lambda x: list_of(is_count)(x) and x and sum(x) == rest,
        },
    )  # fmt: skip
    if wrong:
        raise ValueError(wrong)
    for arrays in (head["inputs"], head["outputs"]):
        if len({name for name, *_ in arrays}) != len(arrays):
            raise ValueError("two arrays have one name")
    if not head["outputs"] or OUT in [name for name, _ in head["inputs"]]:
        raise ValueError("it has no outputs, or an input that no call can name")


def _are_operations(found: Any) -> bool:
    names = {x.name for x in fields(Operations)}
    if not isinstance(found, dict) or found.keys() != names or not isinstance(found["loops"], (list, tuple)):
        return False
    loops = [x for x in found["loops"] if isinstance(x, dict) and x.keys() == {"passes", "limit", "body"}]
    counted = all(is_amount(found[name]) for name in names - {"loops"})
    return (
        counted
        and len(loops) == len(found["loops"])
        and all(is_amount(x["passes"]) and is_amount(x["limit"]) and _are_operations(x["body"]) for x in loops)
    )


def _operations(data: dict) -> Operations:
    loops = tuple(LoopOperations(x["passes"], x["limit"], _operations(x["body"])) for x in data.pop("loops"))
    return Operations(**data, loops=loops)


def compress_ir(modules: list[str]) -> bytes:
    return zlib.compress("\n".join(modules).encode(), _COMPRESSION)
