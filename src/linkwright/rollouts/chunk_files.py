"""Where finished chunks go: memory, `.npy` files, or a Zarr group. A chunk is there whole or not at all.

A folder holds `rollout.json`, what is being rolled out; of every finished chunk one file an array, `00007.q.npy`, and
last its record, `00007.json`, with their sizes: a chunk without a record, or whose files are not what it says, was
never there. In a Zarr group arrays are whole, a chunk of theirs is one of ours, and records lie beside it.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..atomic_file import write_atomically
from ..errors import InputError, MissingExtraError
from .chunk import Arrays

DESCRIPTION = "rollout.json"
FORMATS = ("npy", "zarr")


class ChunkStore(Protocol):
    def finished(self) -> set[int]:
        """Numbers of the chunks that are there."""

    def put(self, number: int, arrays: Arrays) -> None: ...

    def get(self, number: int, name: str) -> np.ndarray: ...

    def names(self) -> list[str]:
        """Of the arrays; none before the first chunk is there."""


class InMemory:
    def __init__(self) -> None:
        self._chunks: dict[int, Arrays] = {}

    def finished(self) -> set[int]:
        return set(self._chunks)

    def put(self, number: int, arrays: Arrays) -> None:
        self._chunks[number] = arrays

    def get(self, number: int, name: str) -> np.ndarray:
        return self._chunks[number][name]

    def names(self) -> list[str]:
        return list(next(iter(self._chunks.values()), {}))


class NpyFiles:
    """`.npy` files in a folder that is there."""

    def __init__(self, folder: Path):
        self.folder = folder

    def finished(self) -> set[int]:
        numbers = (int(path.stem) for path in self.folder.glob("[0-9]*.json"))
        return {number for number in numbers if self._is_whole(number)}

    def _is_whole(self, number: int) -> bool:
        record = self._record(number)
        try:
            return record is not None and all(
                self._path(number, name).stat().st_size == size for name, size in record.items()
            )
        except OSError:
            return False

    def _record(self, number: int) -> Mapping[str, int] | None:
        try:
            found = json.loads((self.folder / f"{number:05}.json").read_text())
        except (OSError, ValueError):
            return None
        fine = isinstance(found, dict) and all(isinstance(size, int) for size in found.values())
        return found if fine else None

    def _path(self, number: int, name: str) -> Path:
        return self.folder / f"{number:05}.{name}.npy"

    def put(self, number: int, arrays: Arrays) -> None:
        sizes = {}
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
            write_atomically(self._path(number, name), buffer.getvalue())
            sizes[name] = buffer.tell()
        write_atomically(self.folder / f"{number:05}.json", json.dumps(sizes).encode())

    def get(self, number: int, name: str) -> np.ndarray:
        return np.load(self._path(number, name), mmap_mode="r", allow_pickle=False)

    def names(self) -> list[str]:
        return next((list(self._record(number) or ()) for number in sorted(self.finished())), [])


class ZarrGroup:
    """A Zarr group with one array a name, whose chunks are ours."""

    def __init__(self, folder: Path, parts: Sequence[slice]):
        try:
            import zarr
        except ImportError:
            raise MissingExtraError("zarr", "zarr", "writing rollouts to Zarr") from None
        self.folder, self.parts = folder, parts
        with _told(folder):
            self._group: Any = zarr.open_group(str(folder / "arrays.zarr"), mode="a")

    def finished(self) -> set[int]:
        return {int(path.stem) for path in self.folder.glob("[0-9]*.json")}

    def put(self, number: int, arrays: Arrays) -> None:
        samples, own = self.parts[-1].stop, self.parts[number]
        with _told(self.folder):
            for name, array in arrays.items():
                if name not in self._group:
                    size = self.parts[0].stop - self.parts[0].start
                    self._group.create_array(
                        name, shape=(samples, *array.shape[1:]), chunks=(size, *array.shape[1:]), dtype=array.dtype
                    )
                self._group[name][own] = array
        write_atomically(self.folder / f"{number:05}.json", json.dumps(list(arrays)).encode())

    def get(self, number: int, name: str) -> np.ndarray:
        return np.asarray(self._group[name][self.parts[number]])

    def names(self) -> list[str]:
        first = min(self.finished(), default=None)
        return [] if first is None else json.loads((self.folder / f"{first:05}.json").read_text())


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{folder} could not be written: {error.strerror or error}") from None


def opened(folder: Path, description: Mapping[str, Any], parts: Sequence[slice], form: str) -> ChunkStore:
    """The store in a folder, which is made, or holds the same rollout already."""
    path = folder / DESCRIPTION
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = json.loads(path.read_text()) if path.exists() else None
        others = known is None and any(folder.iterdir())
    except ValueError:
        raise InputError(f"{path} cannot be read as a rollout's description; choose another folder") from None
    except OSError as error:
        raise InputError(f"into={str(folder)!r} cannot be used: {error.strerror or error}") from None
    if others:
        raise InputError(f"into={str(folder)!r} holds files that are not a rollout's; choose an empty folder")
    if known is None:
        write_atomically(path, json.dumps(dict(description), indent=1).encode())
    elif known != description:
        different = [name for name in description if known.get(name) != description[name]]
        raise InputError(
            f"into={str(folder)!r} holds another rollout ({', '.join(different)} differ); choose another folder, or "
            f"remove this one"
        )
    return store_of(folder, parts, form)


def store_of(folder: Path, parts: Sequence[slice], form: str) -> ChunkStore:
    return NpyFiles(folder) if form == "npy" else ZarrGroup(folder, parts)


def digest(*parts: Any) -> str:
    """Of numbers and texts: what tells one rollout from another."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            found.update(str((part.shape, part.dtype.str)).encode())
            found.update(np.ascontiguousarray(part).tobytes())
        else:
            found.update(repr(part).encode())
    return found.hexdigest()
