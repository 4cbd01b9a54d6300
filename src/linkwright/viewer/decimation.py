"""Fewer faces for pictures: vertices that share a cell of a grid become one (Rossignac and Borrel 1993)."""

from __future__ import annotations

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]
_FINER = 0.4  # of the cells that flat surfaces would need: a first trial that is fine enough
_COARSER = 1.15  # how much larger cells get from one trial to the next
_MOST_CELLS = 1 << 20  # along an axis, so that three numbers fit into one, with which equal ones are found


def clustered(mesh: Mesh, cell: float) -> Mesh:
    """A mesh with one vertex per cell, the mean of those in it; faces without extent are gone."""
    vertices, faces = mesh
    cells = np.minimum((vertices - vertices.min(axis=0)) / cell, _MOST_CELLS - 1).astype(np.int64)
    _, cluster, counts = np.unique(_one_number(cells), return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(cluster, weights=x) for x in vertices.T], axis=1) / counts[:, None]
    moved = cluster[faces]
    moved = moved[(moved[:, 0] != moved[:, 1]) & (moved[:, 1] != moved[:, 2]) & (moved[:, 2] != moved[:, 0])]
    first = np.argmin(moved, axis=1)[:, None]  # each face begins at its lowest vertex, so that equal ones are equal
    moved = np.take_along_axis(moved, (first + np.arange(3)) % 3, axis=1)
    if len(counts) < _MOST_CELLS:
        moved = moved[np.unique(_one_number(moved), return_index=True)[1]]
    used, inverse = np.unique(moved, return_inverse=True)
    return means[used], inverse.reshape(-1, 3)


def decimated(meshes: list[Mesh], most: int) -> list[Mesh]:
    """All meshes with at most `most` faces together, on one grid as fine as that allows."""
    if sum(len(faces) for _, faces in meshes) <= most:
        return meshes
    cell, found = _FINER * np.sqrt(2.0 * sum(map(_area, meshes)) / most), meshes
    while sum(len(faces) for _, faces in found) > most:
        found = [clustered(mesh, cell) for mesh in meshes]
        cell *= _COARSER
    return found


def _one_number(rows: np.ndarray) -> np.ndarray:
    """(n,) of three numbers below `_MOST_CELLS` each."""
    return (rows[:, 0] * _MOST_CELLS + rows[:, 1]) * _MOST_CELLS + rows[:, 2]


def _area(mesh: Mesh) -> float:
    a, b, c = np.moveaxis(mesh[0][mesh[1]], 1, 0)
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
