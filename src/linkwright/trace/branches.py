"""Which nodes serve one branch of a selection only.

Going backward, such a node hands on zero where its branch is not taken; but zero times the slope of a root at zero, or
of a quotient by it, is NaN, and it is for such points that people write `where`. So what leaves a branch is zero where
the branch is not taken, whatever was computed in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .ops import LEAVES, TRUTH_VALUED, Op, operands_of
from .program import Program

# multiplying adjoints with their slopes cannot make something of nothing
_HARMLESS = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.SELECT, Op.ABS, Op.MIN, Op.MAX, Op.RESULT})


@dataclass(eq=False)
class Branch:
    """Of a selection by `condition`, a node: the part that is computed for where it holds, or does not.

    within   the branch that this one belongs to; None: the whole program
    risky    whether a slope in it may be infinite
    """

    within: Branch | None = None
    condition: int = -1
    taken: bool = True
    risky: bool = False
    depth: int = 0
    _inner: dict[tuple[int, bool], Branch] = field(default_factory=dict)

    def inner(self, condition: int, taken: bool) -> Branch:
        key = condition, taken
        if key not in self._inner:
            self._inner[key] = Branch(self, condition, taken, depth=self.depth + 1)
        return self._inner[key]

    def up_to(self, other: Branch) -> Iterable[Branch]:
        """This branch and those around it, up to but without `other`, which is one of them."""
        branch = self
        while branch is not other:
            yield branch
            branch = branch.within  # type: ignore[assignment]  # `other` is met first


def branches(program: Program, roots: Iterable[int]) -> tuple[list[Branch | None], Branch]:
    """For every node the innermost branch that all its uses lie in (None of nodes without), and the whole program."""
    whole = Branch()
    found: list[Branch | None] = [None] * len(program.nodes)
    for root in roots:
        found[root] = whole
    for index in range(len(program.nodes) - 1, -1, -1):
        node, own = program.nodes[index], found[index]
        if own is None or node[0] in TRUTH_VALUED:
            continue
        if node[0] is Op.INPUT:
            found[index] = whole  # what is asked about is no part of a branch
            continue
        if not _is_harmless(program, node):
            branch: Branch | None = own
            while branch is not None and not branch.risky:
                branch.risky, branch = True, branch.within
        for position, operand in enumerate(operands_of(node)):
            if node[0] is Op.SELECT and position == 0:
                continue
            use = own.inner(node[1], position == 1) if node[0] is Op.SELECT else own
            before = found[operand]
            found[operand] = use if before is None else _common(before, use)
    return found, whole


def _is_harmless(program: Program, node: tuple) -> bool:
    op = node[0]
    if op is Op.MUL:  # by a number that is known
        return any(program.nodes[x][0] is Op.CONST for x in node[1:])
    return op in _HARMLESS or op in LEAVES


def _common(a: Branch, b: Branch) -> Branch:
    while a is not b:
        if a.depth < b.depth:
            a, b = b, a
        a = a.within  # type: ignore[assignment]  # the whole program is around both
    return a
