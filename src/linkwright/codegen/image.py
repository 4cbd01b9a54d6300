"""A compiled function at rest: object files and everything needed to call them, without the traced program."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field

from ..errors import CodegenError
from ..trace import LoopOperations, Operations
from .signature import ArraySpec, Signature

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
        return zlib.decompress(self.compressed_ir).decode()

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
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise CodegenError(f"a stored compiled function could not be read: {error}") from error


def _operations(data: dict) -> Operations:
    loops = tuple(LoopOperations(x["passes"], x["limit"], _operations(x["body"])) for x in data.pop("loops"))
    return Operations(**data, loops=loops)


def compress_ir(modules: list[str]) -> bytes:
    return zlib.compress("\n".join(modules).encode(), _COMPRESSION)
