"""Clusters: the bodies that a loop ties together, and the tree that clusters form ([Chignoli2023] sec. IV).

Bodies of a loop form one cluster, loops that share a body share a cluster, and every other body is a cluster of its
own. Each body of a cluster has an *output body*, the nearest one that carries it and is outside; all of them must lie
in one parent cluster, and where they do not, clusters merge until they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import InputError
from .model import Model


@dataclass(frozen=True)
class Cluster:
    """bodies       in increasing order
    parent       the cluster that carries it
    constraints  which of the model's constraints it embeds
    output       per body the nearest body outside that carries it
    """

    bodies: tuple[int, ...]
    parent: int
    constraints: tuple[int, ...]
    output: dict[int, int]

    @property
    def outputs(self) -> tuple[int, ...]:
        """The bodies of the parent cluster that carry this one."""
        return tuple(sorted(set(self.output.values())))


class ClusterGraph:
    """`clusters[0]` is the ground, a cluster comes after the one that carries it, `of_body[i]` is body i's cluster."""

    def __init__(self, model: Model, ties: Sequence[tuple[int, Iterable[int]]]):
        """`ties`: (constraint, the bodies whose joints it involves); -1 for bodies grouped by hand."""
        groups = _merged(model, ties)
        group_of = {i: group for group in groups for i in group}
        order = _in_order(model, groups, group_of)
        index = {id(group): k for k, group in enumerate(order)}
        self.of_body = tuple(index[id(group_of[i])] for i in range(model.nbodies))
        held: dict[int, list[int]] = {}
        for constraint, bodies in ties:
            if constraint >= 0:
                held.setdefault(self.of_body[next(iter(bodies))], []).append(constraint)
        clusters = []
        for k, group in enumerate(order):
            output = {i: _output(model, i, group) for i in sorted(group) if i}
            parent = self.of_body[next(iter(output.values()))] if output else 0
            clusters.append(Cluster(tuple(sorted(group)), parent, tuple(held.get(k, ())), output))
        self.clusters = tuple(clusters)

    def outward(self) -> range:
        return range(1, len(self.clusters))

    def inward(self) -> range:
        return range(len(self.clusters) - 1, 0, -1)


def bodies_by_hand(model: Model, groups) -> list[tuple[int, tuple[int, ...]]]:
    """Clusters that the user asks for, as lists of joint names."""
    if isinstance(groups, str) or not all(isinstance(g, Sequence) and not isinstance(g, str) for g in groups):
        raise InputError(f"clusters is {groups!r}; expected lists of joint names, as in [['hip', 'hip_rotor'], ...]")
    ties = []
    for group in groups:
        if not group:
            raise InputError("clusters holds an empty list; expected names of joints")
        ties.append((-1, tuple(model.joint_index(name) for name in group)))
    return ties


def _merged(model: Model, ties) -> list[set[int]]:
    """The smallest groups that keep tied bodies together and give each group outputs in one other group."""
    group_of = {i: {i} for i in range(model.nbodies)}

    def join(members: Iterable[int]) -> set[int]:
        union = set().union(*(group_of[i] for i in members))
        for i in union:
            group_of[i] = union
        return union

    for _, bodies in ties:
        join(bodies)
    changed = True
    while changed:
        changed = False
        for i in range(1, model.nbodies):
            group = group_of[i]
            outputs = {_output(model, j, group) for j in group}
            if len({id(group_of[o]) for o in outputs}) > 1:
                # the outputs farthest from the ground hang, one way or another, on the others: take them in
                deepest = max(outputs, key=lambda o: (model.graph.depth[o], o))
                join((i, deepest))
                changed = True
    return list({id(group): group for group in group_of.values()}.values())


def _output(model: Model, i: int, group: set[int]) -> int:
    while i in group:
        i = model.bodies[i].parent
    return i


def _in_order(model: Model, groups: list[set[int]], group_of) -> list[set[int]]:
    """Parents first, otherwise by the smallest body."""
    order: list[set[int]] = []
    done: set[int] = set()

    def place(group: set[int]) -> None:
        if id(group) in done:
            return
        done.add(id(group))
        if 0 not in group:
            place(group_of[_output(model, min(group), group)])
        order.append(group)

    place(group_of[0])
    for group in sorted(groups, key=min):
        place(group)
    return order
