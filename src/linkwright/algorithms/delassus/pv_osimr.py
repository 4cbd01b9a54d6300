"""PV-OSIMr: the Delassus matrix in O(n + m^2), the lowest order there is.

[Sathya2023] Algorithm 3, with its line numbers and in its order: the first forward sweep and lines 8-11 are
`articulated_joints`, the backward sweep `Branches`, the forward sweep over branching links `forward_sweep`, the
backward sweep over them `ComposedRows`, which works out what is asked for, and the assembly `assemble`.

At most six rows travel through any joint. Where more would, the body is a *branching link* (the paper's set N): the
rows end there, and six unit rows, the link's extended motion propagator (EMP), travel on in their place. What the rows
would have met further inward is composed over branching links only, and two constraints meet at their closest common
one (cca).

**Not in the paper**: up to six rows of several constraints travel as they are, which is no more than an EMP; inverse
inertias are kept as factors where that is cheaper (`inverse_inertia`); where two constraints meet, accelerations may
move (`meeting_rows.py`), where the paper always composes rows inward, line 22; and short ways are gone joint by joint
(`bundles.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force, dot
from ..parts.articulation import Articulation
from ..rows.constraint_rows import constrained_bodies
from .bundles import Bundle, Row
from .meeting_rows import Meetings
from .propagators import (
    FactoredInverse,
    FullInverse,
    Posture,
    ThinInverse,
    UnitBasis,
    articulated_joints,
    combination,
    mirrored,
    rows_of,
    zeros,
)

Inverse = ThinInverse | FactoredInverse | FullInverse


def pv_osimr(
    tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None, moving: str = "accelerations"
) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero.

    `moving`: what does where constraints meet, one of MOVING.
    """
    posture = Posture(tree, q)
    # Algorithm 3
    joint, _ = articulated_joints(tree, posture)  # lines 1, 2, 8-11: propagators.py
    return delassus_by_branches(tree, posture, joint, rows_of(tree, posture, active), moving=moving)


def delassus_by_branches(
    tree: Tree, posture: Posture, joint: Sequence[Articulation], rows: Sequence[tuple[int, Force]],
    basis: Callable = lambda link: UnitBasis(), moving: str = "accelerations",
) -> list[list[Scalar]]:  # fmt: skip
    """K Omega K' of any rows (body, covector), for joints eliminated before.

    `basis(i)` gives the six rows that stand for branching link i.
    """
    branches = Branches(tree, posture, joint, rows, basis)
    Omega = forward_sweep(tree, branches)
    return assemble(branches, Meetings(branches, ComposedRows(branches), Omega, moving), len(rows))


class Branches:
    """Backward sweep.

    basis     per branching link, the rows that stand for it
    ends      the bundles that end there, and at the ground (0)
    carried   the constraint rows beyond it
    """

    def __init__(self, tree: Tree, posture: Posture, joint, rows: Sequence[tuple[int, Force]], basis: Callable):
        self.basis: dict = {}
        self.ends: dict[int, list[Bundle]] = {i: [] for i in (0, *constrained_bodies(tree))}
        self.carried: dict[int, list[int]] = {}
        self.inner: dict[int, int] = {}  # the paper's A(i)
        for r, (body, row) in enumerate(rows):  # line 3
            self.ends[body].append(Bundle([row], [r]))  # line 4
        for i in reversed(constrained_bodies(tree)):  # line 5
            bundle, *others = self.ends[i]
            if sum(len(b.K) for b in self.ends[i]) > 6:
                bundle = self._branch(i, basis(i))  # lines 6, 7
            else:  # up to six rows of several constraints are no more than an EMP, so they travel as they are
                for other in others:
                    bundle = bundle.join(other)
            if tree.parent[i] or bundle.link:
                bundle.pass_joint(joint[i], posture.X[i])  # lines 12-15: bundles.py
            else:
                bundle.reach_ground(joint[i])
            self.ends[tree.parent[i]].append(bundle)

    def _branch(self, i: int, basis) -> Bundle:
        self.basis[i], self.carried[i], self.inner[i] = basis, [], 0
        for bundle in self.ends[i]:
            self.carried[i] += self.carried[bundle.link] if bundle.link else bundle.numbers
            self.inner[bundle.link] = i
        return Bundle(basis.rows, link=i)

    def resting(self, i: int) -> list[int]:
        """Rows that act on branching link i itself: full of zeros."""
        return [r for bundle in self.ends[i] if not (bundle.link or bundle.steps) for r in bundle.numbers]

    def goes_by_joints(self, i: int, bundle: Bundle) -> bool:
        """Whether what goes between link i and the bundle's link goes joint by joint."""
        units = isinstance(self.basis[i], UnitBasis) and isinstance(self.basis[bundle.link], UnitBasis)
        return units and bundle.is_short


def forward_sweep(tree: Tree, branches: Branches) -> dict[int, Inverse]:
    """0_Omega_i of every branching link; of end effectors it is in their bundles then."""
    Omega: dict[int, Inverse] = {}
    for bundle in branches.ends[0]:  # A(i) = 0: the backward sweep has it already
        if bundle.link:
            Omega[bundle.link] = inverse_inertia(tree, bundle, branches, thin=True)
    for i in sorted(branches.basis):  # line 16
        for bundle in branches.ends[i]:
            bundle.half = [Omega[i].half(branches.basis[i].coordinates(row)) for row in bundle.K]
            bundle.other = [Omega[i].other(h) for h in bundle.half]
            for r in range(len(bundle.half)):
                for s in range(r + 1):
                    bundle.Omega[r][s] = bundle.Omega[r][s] + dot(bundle.half[r], bundle.other[s])  # line 17
            if bundle.link:
                Omega[bundle.link] = inverse_inertia(tree, bundle, branches)
    return Omega


class ComposedRows:
    """Backward sweep over branching links: rows of the constraints beyond them, worked out when they are asked for."""

    def __init__(self, branches: Branches):
        self._branches = branches
        self._known: dict[tuple[int, int], Row] = {}

    def row(self, i: int, r: int) -> Row:
        """Row r on branching link i in terms of its basis."""
        if (i, r) not in self._known:  # line 18
            coordinates = self._branches.basis[i].coordinates
            for bundle in self._branches.ends[i]:
                if r in bundle.numbers:  # line 19
                    self._known[i, r] = coordinates(bundle.K[bundle.numbers.index(r)])  # line 20
                elif bundle.link and r in self._branches.carried[bundle.link]:  # line 21
                    self._known[i, r] = self._composed(i, bundle, self.row(bundle.link, r))  # line 22
        return self._known[i, r]

    def _composed(self, i: int, bundle: Bundle, row: Row) -> Row:
        """A row in terms of the basis of the bundle's link, in terms of that of link i."""
        if self._branches.goes_by_joints(i, bundle):
            return list(bundle.inward(Force.of(row)))
        return self._branches.basis[i].coordinates(Force.of(combination(row, bundle.K)))


def assemble(branches: Branches, meetings: Meetings, size: int) -> list[list[Scalar]]:
    """The Delassus matrix of all rows."""
    L = zeros(size)
    for i in sorted(branches.basis):  # lines 23, 24, where cca(i, j) is link i
        for r, s, x in meetings.at(i):
            L[max(r, s)][min(r, s)] = x  # lines 25, 26: meeting_rows.py
    for i in (0, *sorted(branches.basis)):  # line 27
        for bundle in branches.ends[i]:
            if not bundle.link:
                write(L, bundle.numbers, bundle.Omega)  # line 28
    return mirrored(L)


def inverse_inertia(
    tree: Tree, bundle: Bundle, branches: Branches, *, thin: bool = False
) -> Inverse:
    """Of a branching link: the joints to the ground as its factor if these are few; a factor of its own where a
    free-flyer guarantees that there is one, unless rows with zeros rest on the link; else as it is.
    """
    if thin and sum(len(D.pivots) for _, D in bundle.steps) <= 6:
        return ThinInverse(bundle.steps)
    free = any(tree.iv[i].stop - tree.iv[i].start == 6 for i in tree.graph.support[bundle.link])
    return FactoredInverse(bundle.Omega) if free and not branches.resting(bundle.link) else FullInverse(bundle.Omega)


def has_nested_links(tree: Tree) -> bool:
    """Whether some branching link has another one further inward, so that there is something to move between them."""
    rows = [0] * len(tree.parent)
    for bodies, constraint in zip(tree.constraint_bodies, tree.constraints, strict=True):
        for i in bodies:
            rows[i] += constraint.size
    beyond = [False] * len(rows)
    for i in tree.inward():
        is_branching = rows[i] > 6
        if is_branching and beyond[i]:
            return True
        rows[tree.parent[i]] += min(6, rows[i])
        beyond[tree.parent[i]] |= is_branching or beyond[i]
    return False


def write(L: list[list[Scalar]], numbers: Sequence[int], block: list[list[Scalar]]) -> None:
    for a, r in enumerate(numbers):
        for b, s in enumerate(numbers[: a + 1]):
            L[max(r, s)][min(r, s)] = block[a][b]
