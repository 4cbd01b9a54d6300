"""Rotors: bodies that look the same from whichever angle they have turned to.

A body that is symmetric about the axis of its own revolute joint, and carries nothing, has a constant inertia in its
carrier's frame. It is then a part of the carrier plus a *gyrostat*: spinning at rate s against the carrier it adds the
moment I (ds/dt z + s w x z) to the carrier and I (ds/dt + z . alpha) to its joint, where I is the inertia about the
axis z, and w and alpha are the carrier's. Its angle does not matter, so neither sine nor cosine of it is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from ...model import Tree
from ...model.lumping import lump_inertias
from ...scalar import Scalar, is_zero
from ...spatial import Force, Motion, RigidInertia, Vector

# Entries of an inertia below this share of its largest are rounding of a symmetric body's zeros.
SYMMETRY_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Rotor:
    """body, the one that carries it, its velocity in v, the axis in the carrier's frame, inertia about the axis."""

    body: int
    carrier: int
    velocity: int
    axis: Vector
    inertia: float

    @property
    def force(self) -> Force:
        """What the carrier feels of a unit acceleration."""
        return Force(self.axis * self.inertia, Vector.zero())

    def wrench(self, w: Vector, rate: Scalar, acceleration: Scalar) -> Force:
        """On the carrier, that turns with w, beyond what the rotor does when it stands still."""
        spinning = w.cross(self.axis) * (rate * self.inertia) + self.axis * (acceleration * self.inertia)
        return Force(spinning, Vector.zero())

    def torque(self, carrier: Motion, acceleration: Scalar) -> Scalar:
        """At its joint."""
        return (self.axis @ carrier.angular + acceleration) * self.inertia


def find_rotors(tree: Tree, candidates: Iterable[int]) -> tuple[Rotor, ...]:
    """Those of the candidates that are rotors; inertias that are inputs of the call are never known to be symmetric."""
    rotors = []
    for i in candidates:
        joint = tree.joint[i]
        if joint.turns and not tree.graph.children[i]:
            inertia = _inertia_about_axis(tree.inertia[i], joint.k)
            if inertia is not None:
                axis = tree.Xtree[i].rotate_back(Vector.unit(joint.k))
                if all(isinstance(x, float) for x in axis):
                    rotors.append(Rotor(i, tree.parent[i], tree.iv[i].start, axis, inertia))
    return tuple(rotors)


def _inertia_about_axis(inertia: RigidInertia, k: int) -> float | None:
    """The inertia about coordinate axis k of a body that is symmetric about it, else None."""
    J, h, i, j = inertia.J, inertia.h, (k + 1) % 3, (k + 2) % 3
    entries = [J[r, s] for r in range(3) for s in range(r, 3)]
    if not all(isinstance(x, float) for x in [*entries, *h, inertia.m]):
        return None
    limit = SYMMETRY_TOLERANCE * max(map(abs, entries))
    if max(abs(J[i, i] - J[j, j]), abs(J[i, j]), abs(J[i, k]), abs(J[j, k])) > limit:
        return None
    if max(abs(h[i]), abs(h[j])) > SYMMETRY_TOLERANCE * max(1.0, abs(h[k])) * inertia.m:
        return None
    return J[k, k]


@dataclass(frozen=True)
class Reflected:
    """Rotors of which only G' I G is left: all of it ("block"), its diagonal ("diagonal") or nothing ("none")."""

    rotors: Sequence[Rotor] = ()
    kept: str | None = None

    def inertia(self, rows: Mapping[int, Sequence[Scalar]], size: int) -> list[list[Scalar]]:
        """To be added to the inertia of the cluster's coordinates; `rows` are those of G by velocity."""
        result: list[list[Scalar]] = [[0.0] * size for _ in range(size)]
        if self.kept == "none":
            return result
        for rotor in self.rotors:
            row = rows[rotor.velocity]
            for a in range(size):
                for b in range(size):
                    if not (is_zero(row[a]) or is_zero(row[b])) and (a == b or self.kept == "block"):
                        result[a][b] = result[a][b] + row[a] * row[b] * rotor.inertia
        return result


class CarrierTree(Tree):
    """A tree whose rotors ride as parts of the bodies that carry them, or nowhere; they are left out of its sweeps."""

    def __init__(self, tree: Tree, rotors: Sequence[Rotor], *, carried: bool = True):
        self.__dict__.update(copy(tree).__dict__)
        absorbed = {rotor.body for rotor in rotors}
        self._links = tuple(i for i in range(1, len(tree.parent)) if i not in absorbed)
        if rotors:
            inertia = list(tree.inertia)
            for rotor in rotors:
                if carried:
                    own = tree.Xtree[rotor.body].congruence(inertia[rotor.body])
                    inertia[rotor.carrier] = inertia[rotor.carrier] + own
                inertia[rotor.body] = RigidInertia.zero()
            self.inertia = tuple(inertia)
            self.lumped = lump_inertias(self.parent, self.joint, self.Xtree, self.inertia)

    def outward(self) -> tuple[int, ...]:  # type: ignore[override]
        return self._links

    def inward(self) -> tuple[int, ...]:  # type: ignore[override]
        return self._links[::-1]
