"""Vertices of STL (binary and text), OBJ and MuJoCo's MSH files. Faces do not matter for a hull."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...errors import LoadError
from ..text.reading import read_bytes

_STL_HEADER, _STL_FACE = 84, 50  # bytes: header and count; normal, three corners and two more bytes
_KINDS = (".stl", ".obj", ".msh")


def read_vertices(path: str | Path) -> np.ndarray:
    """(n, 3), each point once, in the file's units."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in _KINDS:
        raise LoadError(f"is a mesh of kind {kind or 'unknown'!r}; read are {', '.join(_KINDS)}", file=path)
    data = read_bytes(path)
    points = {".obj": _obj, ".stl": _stl, ".msh": _msh}[kind](data, path)
    if not len(points):
        raise LoadError("is a mesh without vertices", file=path)
    if not np.isfinite(points).all():
        raise LoadError("is a mesh with vertices that are not finite", file=path)
    return np.unique(points, axis=0)


def _stl(data: bytes, path: Path) -> np.ndarray:
    """Binary unless the length says otherwise: text files begin with "solid", but so do some binary ones."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= _STL_HEADER else 0
    if len(data) >= _STL_HEADER and len(data) == _STL_HEADER + _STL_FACE * count:
        faces = np.frombuffer(data, dtype=np.uint8, offset=_STL_HEADER).reshape(count, _STL_FACE)
        corners = np.ascontiguousarray(faces[:, 12:48]).view("<f4")
        return corners.reshape(-1, 3).astype(float)
    if data.lstrip()[:5].lower() != b"solid":
        raise LoadError(f"is no STL file: {len(data)} bytes are not those of {count} faces, nor text", file=path)
    return _numbers_after(data, b"vertex", path)


def _msh(data: bytes, path: Path) -> np.ndarray:
    """MuJoCo's own: four counts, of vertices, normals, coordinates of textures and faces; then these."""
    counts = np.frombuffer(data[:16], dtype="<i4") if len(data) >= 16 else np.zeros(0, dtype=int)
    sizes = (12, 12, 8, 12)  # bytes of one of each
    whole = 16 + sum(int(n) * size for n, size in zip(counts, sizes, strict=False))
    if len(counts) != 4 or counts.min() < 0 or whole != len(data):
        raise LoadError(f"is no MSH file: {len(data)} bytes are not what its four counts say", file=path)
    return np.frombuffer(data, dtype="<f4", count=3 * int(counts[0]), offset=16).reshape(-1, 3).astype(float)


def _obj(data: bytes, path: Path) -> np.ndarray:
    return _numbers_after(data, b"v", path)


def _numbers_after(data: bytes, word: bytes, path: Path) -> np.ndarray:
    rows = []
    for number, line in enumerate(data.splitlines(), start=1):
        parts = line.split()
        if not parts or parts[0].lower() != word:
            continue
        try:
            rows.append([float(x) for x in parts[1:4]])
        except ValueError:
            rows.append([])
        if len(rows[-1]) != 3:
            raise LoadError(f"has a vertex {line[:80]!r}; expected three numbers", file=path, line=number)
    return np.array(rows, dtype=float).reshape(-1, 3)
