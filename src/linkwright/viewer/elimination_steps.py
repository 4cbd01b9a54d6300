"""How couplings come and go while links are eliminated, step by step ([Sathya2025] Figures 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..algorithms.constrained.carried_rows import roots
from ..algorithms.constrained.elimination_order import elimination_order
from ..model import Model, tree_of
from ..programs.breaking_ties import cheapest_ties

Node = int  # a link by its index, a constraint k by ~k, so that all constraints are negative


@dataclass(frozen=True)
class Stage:
    """The graph between eliminations.

    eliminated   what went since the stage before, in order
    gone         everything that went
    coupled      pairs of what is left that are coupled, besides links by their joints; the smaller first
    """

    eliminated: tuple[Node, ...]
    gone: frozenset[Node]
    coupled: frozenset[tuple[Node, Node]]


def elimination(model: Model) -> list[tuple[int, tuple[int, ...]]]:
    """(link, its neighbours when it is eliminated), in LCABA's order."""
    return elimination_order(tree_of(model), ties=cheapest_ties(model))


def lcaba_stages(model: Model) -> list[Stage]:
    """The start, and the graph after each run of links down one limb, until nothing is coupled."""
    coupled = {pair for bodies in model.constraint_bodies for pair in _pairs(bodies)}
    stages = _Stages(coupled)
    for i, neighbours in elimination(model):
        if not coupled:
            break
        parent = model.bodies[i].parent
        coupled = {pair for pair in coupled if i not in pair}
        if neighbours:
            coupled |= _pairs([*neighbours, parent] if parent else neighbours)
        stages.went(i, parent, coupled)
    return stages.finished()


def bbo_stages(model: Model) -> list[Stage]:
    """The same for proxBBO: links take the constraints they support along; at a loop's root its constraint goes."""
    root_of = roots(tree_of(model))
    coupled = {(~k, i) for k, bodies in enumerate(model.constraint_bodies) for i in bodies}
    stages = _Stages(coupled)
    for i in [*reversed(range(1, model.nbodies)), 0]:
        for k, root in enumerate(root_of):
            if root == i:  # everything the loop is made of is gone but its root
                neighbours = [a + b - ~k for a, b in coupled if ~k in (a, b)]
                coupled = {pair for pair in coupled if ~k not in pair} | _pairs(neighbours)
                stages.went(~k, i, coupled)
        if not coupled or not i:
            break
        parent = model.bodies[i].parent
        supported = [a for a, b in coupled if b == i]
        coupled = {pair for pair in coupled if i not in pair}
        coupled |= _pairs([*supported, parent] if parent else supported)
        stages.went(i, parent, coupled)
    return stages.finished()


def _pairs(nodes: Iterable[Node]) -> set[tuple[Node, Node]]:
    nodes = sorted(set(nodes))
    return {(a, b) for a in nodes for b in nodes if a < b}


class _Stages:
    """Collects stages: a new one begins where the elimination leaves a limb."""

    def __init__(self, coupled: set[tuple[Node, Node]]):
        self.stages = [Stage((), frozenset(), frozenset(coupled))]
        self._run: list[Node] = []
        self._next: Node | None = None
        self._coupled = coupled

    def went(self, node: Node, then: Node, coupled: set[tuple[Node, Node]]) -> None:
        """`node` went; the limb goes on if `then` is next."""
        if self._run and node != self._next and not (node < 0 and self._run[-1] < 0):
            self._close()
        self._run.append(node)
        self._next, self._coupled = then, coupled

    def finished(self) -> list[Stage]:
        self._close()
        return self.stages

    def _close(self) -> None:
        if self._run:
            gone = self.stages[-1].gone | set(self._run)
            self.stages.append(Stage(tuple(self._run), frozenset(gone), frozenset(self._coupled)))
            self._run = []
