"""PV-OSIMr: the Delassus matrix in O(n + m^2), the lowest order there is.

[Sathya2023] Algorithm 3. At most six rows travel through any joint. Where more would, the body is a *branching link*:
the rows end there, and six unit rows, the link's extended motion propagator (EMP), travel on in their place. What the
rows would have met further inward is composed over branching links only, and two constraints meet at their closest
common one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force, dot
from ..parts.articulation import Articulation
from ..rows.constraint_rows import constrained_bodies
from ..rows.passing_rows import add_to_delassus
from .propagators import (
    FactoredInverse,
    FullInverse,
    Posture,
    ThinInverse,
    UnitBasis,
    articulated_joints,
    combination,
    mirrored,
    pass_inward,
    rows_of,
    zeros,
)

Row = list[Scalar]


def pv_osimr(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero."""
    posture = Posture(tree, q)
    joint, _ = articulated_joints(tree, posture)
    return delassus_by_branches(tree, posture, joint, rows_of(tree, posture, active))


def delassus_by_branches(
    tree: Tree, posture: Posture, joint: Sequence[Articulation], rows: Sequence[tuple[int, Force]],
    basis: Callable = lambda link: UnitBasis(),
) -> list[list[Scalar]]:  # fmt: skip
    """K Omega K' of any rows (body, covector), for joints eliminated before.

    `basis(i)` gives the six rows that stand for branching link i.
    """
    paths = Branches(tree, posture, joint, rows, basis)
    L = zeros(len(rows))
    Omega: dict[int, ThinInverse | FactoredInverse | FullInverse] = {}  # the paper's 0_Omega_i
    for bundle in paths.ends[0]:
        if bundle.link:
            Omega[bundle.link] = inverse_inertia(tree, bundle, paths, thin=True)
        else:
            write(L, bundle.numbers, bundle.Omega)
    for i in sorted(paths.basis):
        met: list[Group] = []
        for bundle in paths.ends[i]:
            half = [Omega[i].half(paths.basis[i].coordinates(row)) for row in bundle.K]
            other = [Omega[i].other(h) for h in half]
            for r in range(len(half)):  # line 17
                for s in range(r + 1):
                    bundle.Omega[r][s] = bundle.Omega[r][s] + dot(half[r], other[s])
            if bundle.link:
                Omega[bundle.link] = inverse_inertia(tree, bundle, paths)
            else:
                write(L, bundle.numbers, bundle.Omega)  # line 28
            group = Group(bundle.numbers, half, other, bundle.link)
            if bundle.link and not paths.is_pushed(bundle.link):
                numbers = paths.carried[bundle.link]
                half = [paths.composed_half(i, bundle, r, Omega[i], half) for r in numbers]
                group = Group(numbers, half, [Omega[i].other(h) for h in half])
            for others in met:  # line 25
                for r, s, x in meeting(group, others, paths):
                    L[max(r, s)][min(r, s)] = x
            met.append(group)
    return mirrored(L)


class Bundle:
    """Rows that travel together: those of constraints (`numbers`), or the six of a branching `link`."""

    def __init__(self, K: Sequence[Force], numbers: Sequence[int] = (), link: int = 0):
        self.K = list(K)  # on the body reached so far: the paper's CEMP or, of a branching link, EMP
        self.Omega = zeros(len(K))  # their inverse inertia if that body is held; lower triangle
        self.numbers, self.link = list(numbers), link
        self.steps: list = []  # (K S, D) of the joints passed

    def join(self, other: Bundle) -> Bundle:
        both = Bundle(self.K + other.K, self.numbers + other.numbers)
        for part, start in ((self, 0), (other, len(self.K))):
            for r, row in enumerate(part.Omega, start):
                both.Omega[r][start : start + len(row)] = row
        return both

    def pass_joint(self, joint: Articulation, X) -> None:
        through, self.K = pass_inward(joint, X, self.K)
        add_to_delassus(self.Omega, through)  # lines 13, 15
        self.steps.append((through.KS, joint.D))


class Branches:
    """Backward sweep, lines 3-15, and how rows and accelerations get from one branching link to the next.

    basis     per branching link, the rows that stand for it
    ends      the bundles that end there, and at the ground (0)
    carried   the constraint rows beyond it
    """

    def __init__(self, tree: Tree, posture: Posture, joint, rows: Sequence[tuple[int, Force]], basis: Callable):
        self.basis: dict = {}
        self.ends: dict[int, list[Bundle]] = {i: [] for i in (0, *constrained_bodies(tree))}
        self.carried: dict[int, list[int]] = {}
        self._inner: dict[int, int] = {}  # the paper's A(i)
        self._row: dict[tuple[int, int], Row] = {}
        for r, (body, row) in enumerate(rows):
            self.ends[body].append(Bundle([row], [r]))
        for i in reversed(constrained_bodies(tree)):
            bundle, *others = self.ends[i]
            if sum(len(b.K) for b in self.ends[i]) > 6:
                bundle = self._branch(i, basis(i))
            else:  # up to six rows of several constraints are no more than an EMP, so they travel as they are
                for other in others:
                    bundle = bundle.join(other)
            bundle.pass_joint(joint[i], posture.X[i])
            self.ends[tree.parent[i]].append(bundle)

    def _branch(self, i: int, basis) -> Bundle:
        self.basis[i], self.carried[i], self._inner[i] = basis, [], 0
        for bundle in self.ends[i]:
            self.carried[i] += self.carried[bundle.link] if bundle.link else bundle.numbers
            self._inner[bundle.link] = i
        return Bundle(basis.rows, link=i)

    def resting(self, i: int) -> list[int]:
        """Rows that act on branching link i itself: full of zeros."""
        return [r for bundle in self.ends[i] if not (bundle.link or bundle.steps) for r in bundle.numbers]

    def is_pushed(self, i: int) -> bool:
        """Whether other rows' accelerations are carried out to link i, or link i's rows in to where they meet others.

        As in any chain of matrix products the smaller side moves. A row or acceleration takes 66 operations, and six
        per entry are saved if the zeros of rows that rest on branching links are still there at the end.
        """
        m = len(self.carried[i])
        others = len(self.carried[self._root(i)]) - m
        return 66 * others <= 66 * m + 6 * others * self._resting_beyond(i)

    def _resting_beyond(self, i: int) -> int:
        return len(self.resting(i)) + sum(self._resting_beyond(b.link) for b in self.ends[i] if b.link)

    def _root(self, i: int) -> int:
        return self._root(self._inner[i]) if self._inner[i] else i

    def row(self, i: int, r: int) -> Row:
        """Row r on branching link i in terms of its basis, lines 18-22."""
        if (i, r) not in self._row:
            coordinates = self.basis[i].coordinates
            for bundle in self.ends[i]:
                if r in bundle.numbers:
                    self._row[i, r] = coordinates(bundle.K[bundle.numbers.index(r)])
                elif bundle.link and r in self.carried[bundle.link]:
                    self._row[i, r] = coordinates(Force.of(combination(self.row(bundle.link, r), bundle.K)))
        return self._row[i, r]

    def composed_half(self, i: int, bundle: Bundle, r: int, Omega, half: Sequence[Row]) -> Row:
        """`half` of row r at link i: from the row there, which whatever it meets further inward needs, or directly."""
        return Omega.half(self.row(i, r)) if self._inner[i] else combination(self.row(bundle.link, r), half)

    def push(self, i: int, block: Sequence[Row]) -> dict[int, Row]:
        """From what link i's six rows feel of some forces (6 x c) to what the constraint rows beyond it feel."""
        felt: dict[int, Row] = {}
        for bundle in self.ends[i]:
            if bundle.link and self.is_pushed(bundle.link):
                felt |= self.push(bundle.link, [combination(self.basis[i].coordinates(row), block) for row in bundle.K])
            else:
                numbers = self.carried[bundle.link] if bundle.link else bundle.numbers
                felt |= {r: combination(self.row(i, r), block) for r in numbers}
        return felt


@dataclass(frozen=True)
class Group:
    """Constraint rows `numbers`, or the six rows of a `link`. x' Omega y of two of them is x.half . y.other."""

    numbers: list[int]
    half: list[Row]
    other: list[Row]
    link: int = 0


def meeting(a: Group, b: Group, paths: Branches):
    """(row, row, entry) of all pairs of constraint rows."""
    if (a.link and not b.link) or (a.link == b.link and len(a.half) < len(b.half)):
        a, b = b, a  # `other` may cost, so take it of link rows, where it is there already, or else of fewer rows
    block = [[dot(h, o) for o in b.other] for h in a.half]
    of_a = paths.push(a.link, block) if a.link else dict(zip(a.numbers, block, strict=True))
    for s, column in enumerate(zip(*of_a.values(), strict=True)) if not b.link else ():
        yield from ((r, b.numbers[s], x) for r, x in zip(of_a, column, strict=True))
    if b.link:
        for s, row in paths.push(b.link, [list(column) for column in zip(*of_a.values(), strict=True)]).items():
            yield from ((r, s, x) for r, x in zip(of_a, row, strict=True))


def inverse_inertia(
    tree: Tree, bundle: Bundle, paths: Branches, *, thin: bool = False
) -> ThinInverse | FactoredInverse | FullInverse:
    """Of a branching link: the joints to the ground as its factor if these are few; a factor of its own where a
    free-flyer guarantees that there is one, unless rows with zeros rest on the link; else as it is.
    """
    if thin and sum(len(D.pivots) for _, D in bundle.steps) <= 6:
        return ThinInverse(bundle.steps)
    free = any(tree.iv[i].stop - tree.iv[i].start == 6 for i in tree.graph.support[bundle.link])
    return FactoredInverse(bundle.Omega) if free and not paths.resting(bundle.link) else FullInverse(bundle.Omega)


def write(L: list[list[Scalar]], numbers: Sequence[int], block: list[list[Scalar]]) -> None:
    for a, r in enumerate(numbers):
        for b, s in enumerate(numbers[: a + 1]):
            L[max(r, s)][min(r, s)] = block[a][b]
