"""Which loops a mechanism's constraints close, and how they hang together ([Sathya2025] sec. III-B).

Adding one constraint to the tree closes one fundamental loop: the bodies it acts on, and all between them and the body
that carries them all, the loop's root. A constraint to the ground closes a loop through the ground.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..call_errors import names_arguments
from ..errors import unknown_name
from ..printable import printable
from .constraints import Constraint
from .model import Model


@dataclass(frozen=True)
class Loop:
    """One fundamental loop.

    constraint   its name, and its number of `rows`
    bodies       the supporting links: around the loop from the first end to the second, the root among them
    joints       of the tree that the constraint depends on, around the loop in the same order
    ends         the bodies the constraint acts on
    root         the body closest to the tips that carries all of them
    """

    constraint: str
    rows: int
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    ends: tuple[str, ...]
    root: str

    def __str__(self) -> str:
        return printable(f"{self.constraint} ({self.rows} rows): {' - '.join(self.bodies)}, root {self.root}")


@dataclass(frozen=True)
class Loops:
    """All loops of a model; `groups` are those coupled by shared joints, directly or by way of others."""

    loops: tuple[Loop, ...]
    groups: tuple[tuple[Loop, ...], ...]

    def __iter__(self):
        return iter(self.loops)

    def __len__(self) -> int:
        return len(self.loops)

    def __getitem__(self, name: str | int) -> Loop:
        if isinstance(name, int):
            return self.loops[name]
        for loop in self.loops:
            if loop.constraint == name:
                return loop
        raise unknown_name("loop", name, [loop.constraint for loop in self.loops])

    def supported_by(self, body: str) -> tuple[Loop, ...]:
        """The loops that a body is part of."""
        return tuple(loop for loop in self.loops if body in loop.bodies)

    def __str__(self) -> str:
        if not self.loops:
            return "no loops"
        lines = []
        for group in self.groups:
            if len(group) > 1:
                lines.append(f"{len(group)} coupled loops:")
            lines += [("  " if len(group) > 1 else "") + str(loop) for loop in group]
        return "\n".join(lines)


@names_arguments
def loops(model: Model) -> Loops:
    """The fundamental loops of a model, one per constraint."""
    found = tuple(_loop(model, constraint) for constraint in model.constraints)
    return Loops(found, _coupled(found))


def constrained_ends(model: Model, constraint: Constraint) -> tuple[int, ...]:
    """The bodies a constraint acts on; the ground among them unless all of it is relative to a moving body."""
    bodies = constraint.bodies(model)
    coupled = [model.joint_index(name) for name in constraint.tied_joints]
    if coupled:  # a joint moves its body relative to the one that carries it
        relative = all(model.bodies[i].parent for i in coupled)
    else:
        relative = constraint.is_internal(model)
    return bodies if relative else (*bodies, 0)


def loop_root(model: Model, constraint: Constraint) -> int:
    """The last body that all of its ends hang on; 0 is the ground."""
    root, *others = constrained_ends(model, constraint)
    for end in others:
        root = model.graph.common_ancestor(root, end)
    return root


def _loop(model: Model, constraint: Constraint) -> Loop:
    ends, root = constrained_ends(model, constraint), loop_root(model, constraint)
    graph = model.graph
    above = set(graph.support[root])
    paths = [[i for i in graph.support[end] if i not in above] for end in ends]
    coupled = constraint.tied_joints
    if coupled:  # whatever is between these joints makes no difference
        around, bodies = [model.joint_index(name) for name in coupled], list(ends)
    elif len(ends) == 2:  # up from the first end to the root, and down to the second
        around = [*reversed(paths[0]), *paths[1]]
        bodies = [*reversed(paths[0]), root, *paths[1]]
    else:
        around = sorted({i for path in paths for i in path})
        bodies = [root, *around]
    return Loop(
        constraint.name,
        constraint.size,
        tuple(model.bodies[i].name for i in bodies),
        tuple(model.bodies[i].joint.name for i in around),
        tuple(model.bodies[i].name for i in dict.fromkeys(ends)),
        model.bodies[root].name,
    )


def _coupled(found: Sequence[Loop]) -> tuple[tuple[Loop, ...], ...]:
    groups: list[tuple[set[str], list[Loop]]] = []
    for loop in found:
        joints, members = set(loop.joints), [loop]
        apart = []
        for group in groups:
            if group[0] & joints:
                joints, members = joints | group[0], [*group[1], *members]
            else:
                apart.append(group)
        groups = [*apart, (joints, members)]
    order = {id(loop): k for k, loop in enumerate(found)}
    ranked = [sorted(members, key=lambda loop: order[id(loop)]) for _, members in groups]
    return tuple(tuple(members) for members in sorted(ranked, key=lambda members: order[id(members[0])]))
