"""Reverse mode: from adjoints of the outputs to those of everything before them, in one sweep backward.

The adjoint of a node says how much what is asked about changes with it. A node hands its own to its operands by the
rules of derivative_rules.py, after all its users have handed theirs to it. Loops: see loop_adjoints.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from .branches import Branch, branches
from .copying import Copy
from .derivative_rules import GraphArithmetic, is_zero, rule_of
from .loop_adjoints import counted_adjoints, guard_adjoints
from .ops import LEAVES, TRUTH_VALUED, WITH_BODY, Op, operands_of
from .program import Repeat


class Adjoints:
    """of   node of the program that was copied -> its adjoint in the graph of the copy, 0.0 where there is none"""

    def __init__(self, copy: Copy, seeds: Mapping[int, int | float]):
        """`seeds` are the adjoints to start from, by node."""
        self.copy, self.builder = copy, GraphArithmetic(copy.graph)
        program = copy.program
        self.of: list = [0.0] * len(program.nodes)
        self._results: dict[int, dict[int, int | float]] = {}  # node of a loop -> adjoints of its results
        self._branches, self._whole = branches(program, seeds)
        for at, seed in seeds.items():
            self.of[at] = seed
        for index in range(len(program.nodes) - 1, -1, -1):
            node = program.nodes[index]
            if node[0] in WITH_BODY:
                self._through_loop(index, node)
            elif not is_zero(self.of[index]) and node[0] not in TRUTH_VALUED:
                self._hand_on(index, node)

    def input(self, number: int, size: int) -> list:
        """Adjoints of the elements of an input."""
        found: list = [0.0] * size
        for index, node in enumerate(self.copy.program.nodes):
            if node[0] is Op.INPUT and node[1] == number:
                found[node[2]] = self.of[index]
        return found

    def _hand_on(self, index: int, node: tuple) -> None:
        op, adjoint = node[0], self.of[index]
        if op is Op.RESULT:
            self._results.setdefault(node[1], {})[node[2]] = adjoint
        elif op not in LEAVES:
            image = self.copy.image
            handed = rule_of(op).adjoints(self.builder, image[index], [image[x] for x in node[1:]], adjoint)
            for operand, value in zip(node[1:], handed, strict=True):
                self._give(operand, value, self._branches[index])

    def _through_loop(self, index: int, node: tuple) -> None:
        if index in self._results:
            loop = self.copy.program.loops[node[1]]
            rule = counted_adjoints if isinstance(loop, Repeat) else guard_adjoints
            handed = rule(self.copy, loop, index, self._results[index])
            for operand, value in zip(operands_of(node), handed, strict=True):
                self._give(operand, value, self._branches[index])

    def _give(self, operand: int, value, branch: Branch | None) -> None:
        """`branch` is where the value comes from (of a selection, which is zero where it should be: around it)."""
        if is_zero(value) or self.copy.program.nodes[operand][0] is Op.CONST:
            return
        home = self._branches[operand]
        assert branch is not None and home is not None  # both are used
        for left in branch.up_to(home) if branch.depth > home.depth else ():
            if left.risky:
                condition = self.copy.image[left.condition]
                chosen = (value, 0.0) if left.taken else (0.0, value)
                value = self.builder.select(condition, *chosen)
        self.of[operand] = self.builder.add(self.of[operand], value)
