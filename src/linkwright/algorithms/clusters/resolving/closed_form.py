"""Steps by formula: couplings of joints, and functions that give some joints from others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....fixed_order import least_squares
from ....model import Tree
from ....scalar import Scalar, is_zero
from ....spatial import sum_of
from ...rows.coupling_rows import derivative, value_of
from .resolving_step import ResolvingStep, Row


class CouplingStep(ResolvingStep):
    """The sum of one polynomial per joint is zero, and that of the unknown joint is linear."""

    def __init__(self, tree: Tree, terms: Sequence[tuple[int, tuple[float, ...]]], unknown: int):
        """`terms`: (body, polynomial of its joint's coordinate); `unknown`: the body to solve for."""
        self._tree = tree
        self._others = [(i, polynomial) for i, polynomial in terms if i != unknown]
        constant, slope = next(polynomial for i, polynomial in terms if i == unknown)[:2]
        self._constant, self._scale = -constant / slope, -1.0 / slope
        self._coordinate = tree.iq[unknown].start
        self.unknown = (tree.iv[unknown].start,)

    def solve_positions(self, q):
        terms = [value_of(p, q[self._tree.iq[i].start]) * self._scale for i, p in self._others]
        q[self._coordinate] = sum_of([*terms, self._constant]) if terms else self._constant

    def slopes(self, q):
        row: Row = {}
        for i, p in self._others:
            slope = value_of(derivative(p), q[self._tree.iq[i].start]) * self._scale
            row[self._tree.iv[i].start] = slope
        return [row]

    def bias(self, q, v):
        total: Scalar = 0.0
        for i, p in self._others:
            curvature = value_of(derivative(derivative(p)), q[self._tree.iq[i].start])
            if not is_zero(curvature):
                speed = v[self._tree.iv[i].start]
                total = total + curvature * (speed * speed) * self._scale
        return [total]


class LinearStep(ResolvingStep):
    """Linear couplings that share unknown joints, solved once and for all: q_u = B q_known + constant."""

    def __init__(self, tree: Tree, couplings: Sequence, unknown: Sequence[int]):
        self.unknown = tuple(unknown)
        terms = [[(tree.model.joint_index(joint), p) for joint, p in coupling.terms] for coupling in couplings]
        place = {tree.iv[i].start: tree.iq[i].start for own in terms for i, _ in own}
        self._known = [n for n in place if n not in self.unknown]
        A = np.zeros((len(terms), len(place)))
        columns = {n: c for c, n in enumerate((*self.unknown, *self._known))}
        constants = np.zeros(len(terms))
        for r, own in enumerate(terms):
            for i, p in own:
                A[r, columns[tree.iv[i].start]] += p[1]
                constants[r] += p[0]
        size = len(self.unknown)
        solved = least_squares(A[:, :size], -np.column_stack([A[:, size:], constants]))
        solved[np.abs(solved) < 1e-14 * np.abs(solved).max(initial=1.0)] = 0.0  # rounding of zeros
        self._B, self._constant = solved[:, :-1].tolist(), solved[:, -1].tolist()
        self._to, self._from = [place[n] for n in self.unknown], [place[n] for n in self._known]

    def solve_positions(self, q):
        for n, row, constant in zip(self._to, self._B, self._constant, strict=True):
            terms = [x * q[k] for x, k in zip(row, self._from, strict=True) if x]
            q[n] = sum_of([*terms, constant])

    def slopes(self, q):
        return [{n: x for n, x in zip(self._known, row, strict=True) if x} for row in self._B]

    def bias(self, q, v):
        return [0.0] * len(self.unknown)


class ExplicitStep(ResolvingStep):
    """Some joints as a function of others (model/constraints/explicit.py)."""

    def __init__(self, tree: Tree, constraint):
        self._constraint = constraint
        dependent = [tree.model.joint_index(name) for name in constraint.joints]
        known = [tree.model.joint_index(name) for name in constraint.independent]
        self.unknown = tuple(tree.iv[i].start for i in dependent)
        self._known = tuple(tree.iv[i].start for i in known)
        self._coordinates = [tree.iq[i].start for i in dependent]
        self._from = [tree.iq[i].start for i in known]

    def solve_positions(self, q):
        positions, _, _ = self._constraint.evaluate([q[n] for n in self._from], [0.0] * len(self._from))
        for n, x in zip(self._coordinates, positions, strict=True):
            q[n] = x

    def slopes(self, q):
        _, G, _ = self._constraint.evaluate([q[n] for n in self._from], [0.0] * len(self._from))
        return [dict(zip(self._known, row, strict=True)) for row in G]

    def bias(self, q, v):
        return self._constraint.evaluate([q[n] for n in self._from], [v[n] for n in self._known])[2]
