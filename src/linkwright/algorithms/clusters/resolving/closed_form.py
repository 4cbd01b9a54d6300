"""Steps by formula: couplings of joints, and functions that give some joints from others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....fixed_order import least_squares
from ....model import Tree
from ....model.constraints import Constraint
from ....spatial import sum_of
from .resolving_step import ResolvingStep


class FormulaStep(ResolvingStep):
    """One constraint gives some joints from others (`Constraint.formula`)."""

    def __init__(self, tree: Tree, constraint: Constraint, unknown: Sequence[int]):
        self._tree, self._constraint = tree, constraint
        joints = [(name, tree.model.joint_index(name)) for name in constraint.tied_joints]
        wanted = [(name, i) for name, i in joints if tree.iv[i].start in unknown]
        known = [i for name, i in joints if tree.iv[i].start not in unknown]
        self._wanted = [name for name, _ in wanted]
        self.unknown = tuple(tree.iv[i].start for _, i in wanted)
        self._known = [tree.iv[i].start for i in known]
        self._coordinates, self._from = [tree.iq[i].start for _, i in wanted], [tree.iq[i].start for i in known]

    def _formula(self, q, v=None):
        rates = [0.0] * len(self._known) if v is None else [v[n] for n in self._known]
        return self._constraint.formula(self._tree, [q[n] for n in self._from], rates, self._wanted)

    def solve_positions(self, q):
        for n, x in zip(self._coordinates, self._formula(q)[0], strict=True):
            q[n] = x

    def slopes(self, q):
        return [dict(zip(self._known, row, strict=True)) for row in self._formula(q)[1]]

    def bias(self, q, v):
        return self._formula(q, v)[2]


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
