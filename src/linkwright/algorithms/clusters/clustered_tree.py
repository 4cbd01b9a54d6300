"""A tree and its clusters, with everything known before the state is."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...model.clusters import ClusterGraph
from ...scalar import Scalar, is_zero
from ...spatial import Force, RowVector, Subspace, Transform
from ..parts.motion_sweep import MotionSweep
from ..parts.passive_torques import passive_torques
from .cluster_articulation import ClusterArticulation, SingleBody
from .cluster_joint import ClusterJoint
from .embedding import Embedding
from .rotors import CarrierTree, Reflected, Rotor


class ClusteredTree:
    """tree          with its rotors absorbed by their carriers
    clusters      as in the graph; 0 is the ground
    iy            per cluster, which of yd are its own
    rotors        per cluster
    reflected     per cluster, rotors of which only the inertia reflected to the coordinates is kept (approximations)
    """

    def __init__(
        self, tree: Tree, graph: ClusterGraph, independent: Sequence[Sequence[int]], rotors: Sequence[Rotor],
        reflection: str | None = None,
    ):  # fmt: skip
        """`reflection`: None is exact. "block", "diagonal" and "none" say what of G' I G of the rotors is kept, and it
        is all of them that is: the independent tree has no rotors, nor their mass ([Chignoli2023] sec. II-C).
        """
        self.spanning = tree
        self.tree = CarrierTree(tree, rotors, carried=reflection is None)
        self.graph, self.clusters = graph, graph.clusters
        velocities = sorted(k for chosen in independent for k in chosen)
        place = {k: n for n, k in enumerate(velocities)}
        self.independent = tuple(velocities)
        """Of each entry of yd: which entry of v it is."""
        self.iy = tuple(tuple(place[k] for k in chosen) for chosen in independent)
        own = tuple(tuple(r for r in rotors if graph.of_body[r.body] == k) for k in range(len(graph.clusters)))
        none: tuple[tuple[Rotor, ...], ...] = ((),) * len(own)
        self.reflection = reflection
        self.rotors, self.reflected = (own, none) if reflection is None else (none, own)

    @property
    def ny(self) -> int:
        return len(self.independent)

    def velocities_of(self, k: int) -> list[int]:
        return [n for i in self.clusters[k].bodies for n in range(self.tree.iv[i].start, self.tree.iv[i].stop)]

    def is_plain(self, k: int) -> bool:
        """One body, no loop."""
        return len(self.clusters[k].bodies) == 1 and not self.clusters[k].constraints

    def pick(self, k: int, values: Sequence[Scalar]) -> RowVector:
        """The entries of a vector like y that belong to cluster k."""
        return RowVector(values[n] for n in self.iy[k])

    def spread(self, embeddings: Sequence[Embedding], values: Sequence[Scalar]) -> list[Scalar]:
        """v = G yd."""
        v: list[Scalar] = [0.0] * self.tree.nv
        for k in self.graph.outward():
            for n, x in zip(self.velocities_of(k), embeddings[k].velocities(self.pick(k, values)), strict=True):
                v[n] = x
        return v

    def biases(self, embeddings: Sequence[Embedding]) -> list[Scalar]:
        """g of all tree velocities."""
        g: list[Scalar] = [0.0] * self.tree.nv
        for k in self.graph.outward():
            for n, x in zip(self.velocities_of(k), embeddings[k].g, strict=True):
                g[n] = x
        return g

    def gathered(self, embeddings: Sequence[Embedding], tau: Sequence[Scalar]) -> list[Scalar]:
        """G' tau."""
        result: list[Scalar] = [0.0] * self.ny
        for k in self.graph.outward():
            torques = embeddings[k].torques([tau[n] for n in self.velocities_of(k)])
            for n, x in zip(self.iy[k], torques, strict=True):
                result[n] = x
        return result

    def joints(
        self, X: Sequence[Transform], S: Sequence[Subspace], embeddings: Sequence[Embedding]
    ) -> list[ClusterJoint]:
        """Every cluster at a posture."""
        return [None, *(  # type: ignore[list-item]
            ClusterJoint(self.tree, self.clusters[k], X, S, embeddings[k], self.rotors[k],
                         Reflected(self.reflected[k], self.reflection))
            for k in self.graph.outward()
        )]  # fmt: skip

    def eliminate(self, k: int, joint: ClusterJoint, inertia, tied) -> SingleBody | ClusterArticulation:
        return SingleBody(joint, inertia) if self.is_plain(k) else ClusterArticulation(joint, inertia, tied)


class ClusterSweep:
    """The mechanism moving with v = G yd, its accelerations those of ydd (or zero) and the biases g.

    [Chignoli2023] Algorithm 1, forward pass #1, over bodies: their own tree says how clusters move, so X, S and c of
    clusters are never formed.
    """

    def __init__(
        self, system: ClusteredTree, q: Sequence[Scalar], yd: Sequence[Scalar], embeddings: Sequence[Embedding],
        ydd: Sequence[Scalar] | None = None,
    ):  # fmt: skip
        self.system, self.embeddings = system, embeddings
        self.v = system.spread(embeddings, yd)  # line 11, and of line 13 the product with yd
        self.a = RowVector(system.biases(embeddings))  # lines 11, 19, its g
        if ydd is not None:
            self.a = RowVector(system.spread(embeddings, ydd)) + self.a
        a = None if all(map(is_zero, self.a)) else self.a
        self.motion = MotionSweep(system.tree, q, self.v, a)  # lines 2-6, 13-15, 17-19: motion_sweep.py
        self.passive = passive_torques(system.spanning, q, self.v)
        self._q = q

    def wrenches(self, f_ext: Sequence[Force] | None = None) -> list[Force]:
        """What it takes to move each body so, rotors included, less external forces."""
        system, tree = self.system, self.system.tree
        result = self.motion.wrenches(tree, f_ext)
        for rotor in (r for rotors in system.rotors for r in rotors):
            spinning = rotor.wrench(self.motion.w[rotor.carrier], self.v[rotor.velocity], self.a[rotor.velocity])
            result[rotor.carrier] = result[rotor.carrier] + spinning
            if f_ext is not None:
                result[rotor.carrier] = result[rotor.carrier] - self._turned(rotor).T @ f_ext[rotor.body]
        return result

    def rotor_torques(self, f_ext: Sequence[Force] | None = None) -> dict[int, Scalar]:
        """Per rotor velocity what its joint must give, rotor inertias (armature) and passive torques left out."""
        torques = {}
        for rotor in (r for rotors in self.system.rotors for r in rotors):
            torque = rotor.torque(self.motion.acceleration[rotor.carrier], self.a[rotor.velocity])
            if f_ext is not None:
                torque = torque - f_ext[rotor.body].angular[self.system.tree.joint[rotor.body].k]
            torques[rotor.velocity] = torque
        return torques

    def _turned(self, rotor: Rotor) -> Transform:
        """From the carrier to the rotor as it has turned; only forces that turn with it need to know."""
        tree = self.system.tree
        return tree.Xtree[rotor.body].then(tree.joint[rotor.body].transform(self._q[tree.iq[rotor.body]]))
