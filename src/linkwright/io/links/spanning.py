"""A spanning tree of a graph of links and joints: which joints carry links, and which close loops.

The first joint of the file that names a link as its child carries that link; a further one closes a loop. Links that
this leaves unreached (they are nobody's child, or carry each other in a ring) are reached by one of the remaining
joints, walked from its child to its parent if need be.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar


class LinkEdge(Protocol):
    """Something between two links."""

    @property
    def parent(self) -> Hashable: ...
    @property
    def child(self) -> Hashable: ...


E = TypeVar("E", bound=LinkEdge)


@dataclass(frozen=True)
class CarriedLink(Generic[E]):
    """`joint` carries `link` on `on`; `backward` if the file calls the carried link the parent.

    Without a joint: `link` is the base of a part that nothing connects with the ground.
    """

    link: Any
    on: Any = None
    joint: E | None = None
    backward: bool = False


@dataclass(frozen=True)
class SpanningTree(Generic[E]):
    steps: tuple[CarriedLink[E], ...]
    """What hangs on the ground, then each base and what hangs on it: depth first, joints in the order of the file."""
    closures: tuple[E, ...]
    """The joints that are left, in the order of the file."""

    @property
    def bases(self) -> tuple[Hashable, ...]:
        return tuple(step.link for step in self.steps if step.joint is None)


def spanning_tree(links: Sequence[Hashable], joints: Sequence[E], grounded: Iterable[Hashable]) -> SpanningTree[E]:
    """`grounded` are the links that stand still; everything connected with them hangs on them."""
    return _Walk(links, joints, grounded).tree()


class _Walk(Generic[E]):
    def __init__(self, links: Sequence[Hashable], joints: Sequence[E], grounded: Iterable[Hashable]):
        self.links, self.joints = links, joints
        self.reached = set(grounded)
        self.steps: list[CarriedLink[E]] = []
        self.used: set[int] = set()
        self.first: dict[Hashable, int] = {}  # link -> the first joint that names it as its child
        for k, joint in enumerate(joints):
            self.first.setdefault(joint.child, k)
        self.below: dict[Hashable, list[int]] = {}  # link -> joints that carry something on it, last first
        self.touching: dict[Hashable, list[int]] = {}
        for k in reversed(range(len(joints))):
            joint = joints[k]
            if self.first[joint.child] == k:
                self.below.setdefault(joint.parent, []).append(k)
            for end in {joint.parent, joint.child}:
                self.touching.setdefault(end, []).append(k)

    def tree(self) -> SpanningTree[E]:
        self._spread(list(self.reached))
        uncarried = [link for link in self.links if link not in self.first]
        for link in [*uncarried, *self.links]:  # a link that nothing carries makes the better base
            if link not in self.reached:
                self.steps.append(CarriedLink(link))
                self.reached.add(link)
                self._spread([link])
        closures = tuple(joint for k, joint in enumerate(self.joints) if k not in self.used)
        return SpanningTree(tuple(self.steps), closures)

    def _spread(self, start: list[Hashable]) -> None:
        """Everything that hangs together with links that are reached."""
        part = list(start)
        self._descend(start, part)
        tried = 0
        while tried < len(part):
            # of what is left, the joints at each link, in the order in which the links were reached
            link = part[tried]
            tried += 1
            for k in reversed(self.touching.get(link, ())):
                joint = self.joints[k]
                other = joint.child if joint.parent == link else joint.parent
                if k not in self.used and other not in self.reached:
                    self._take(k, link, other)
                    part.append(other)
                    self._descend([other], part)

    def _descend(self, start: list[Hashable], part: list[Hashable]) -> None:
        waiting = [(k, link) for link in reversed(start) for k in self.below.get(link, ())]
        while waiting:
            k, link = waiting.pop()
            child = self.joints[k].child
            if child in self.reached:
                continue
            self._take(k, link, child)
            part.append(child)
            waiting.extend((further, child) for further in self.below.get(child, ()))

    def _take(self, k: int, link: Hashable, other: Hashable) -> None:
        joint = self.joints[k]
        self.used.add(k)
        self.reached.add(other)
        self.steps.append(CarriedLink(other, link, joint, backward=joint.child != other))
