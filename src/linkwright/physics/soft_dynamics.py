"""A mechanism under MuJoCo's soft law at one state: its problem, the solution, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Any

import numpy as np

from ..algorithms.contact.candidates import Candidate, candidates
from ..algorithms.contact.contacts import Contacts
from ..algorithms.contact.ends import Ends
from ..algorithms.contact.equalities import soften
from ..algorithms.contact.linearization import law_forces, linearized, unbalanced
from ..algorithms.contact.newton import SoftSolution, newton
from ..algorithms.contact.rows import RowLaw, joint_rows, rolled, tendon_rows
from ..algorithms.contact.sites import JointSite, TendonSite
from ..algorithms.contact.soft_problem import SoftProblem
from ..algorithms.contact.watching import may_meet
from ..algorithms.contact.weights import weights
from ..algorithms.convergence.converge import converge
from ..algorithms.convergence.swept_bodies import SweptBodies
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..algorithms.rows.constraint_rows import largest_residual
from ..algorithms.tree.kinematics import placements
from ..model import Tree
from ..programs.breaking_ties import cheapest_ties
from ..programs.constrained import accuracy_of
from ..programs.penalties import PRIMAL, bearable_stiffness, penalties
from ..programs.precision import Precision
from ..programs.status import STATUS_NOT_MODELLED, graver, status
from ..scalar import Scalar, maximum, solved, where
from ..spatial import Force, sum_of
from .options import JointOptions, SoftLaw
from .pull import pull_on_positions
from .state import ContactReport

# About the error of accelerations, relative to 1 + the largest, at which passes end.
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}
MOST_PASSES = 100
_MANY = (2.5, 3.5, 5.5)  # passes between which samples count as alike
_MOST_FLAGS = 40  # that fit into a number
_MANY_POINTS = 2.0  # per velocity: then what a block touches decides about its time (Go1 6, G1 0.7, a beast 0.2)
_ROUNDINGS = 100.0  # of a number: what sums of slopes leave of zero


class SoftDynamics:
    """Solved from accelerations `start` on. `desired` are accelerations of hard constraints' rows."""

    def __init__(
        self, tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar], dt: Scalar,
        soft_law: SoftLaw, on_joints: JointOptions, precision: Precision, *, start: Sequence[Scalar] | None = None,
        f_ext: Sequence[Force] | None = None, desired: Sequence[Scalar] | None = None, baumgarte: float | None = None,
        active: Sequence[Scalar] | None = None,
    ):  # fmt: skip
        v, law = list(v), tree.model.contact_law
        hard = soft_law.equality == "hard"
        mu = None
        if tree.model.nc:
            wanted = bearable_stiffness(tree.model, PRIMAL.of(counted=False, arithmetic=precision.arithmetic))
            mu = penalties(tree.model, None, wanted).tolist()
        self.tree, self._desired = tree, desired
        self.problem = problem = ConstrainedProblem(
            tree, q, v, tau, f_ext=f_ext, mu=mu, desired=desired if hard else None,
            active=active, baumgarte=baumgarte if hard else None, ties=cheapest_ties(tree.model),
        )  # fmt: skip
        if not hard:
            problem.constraints = soften(problem, v, dt)
        self._poses = placements(tree, q)
        self.candidates = candidates(tree, self._poses)
        self.contacts = Contacts(self.candidates, RowLaw.of(problem, v, dt, soft_law.cone or law.cone))
        which = {"limits": on_joints.limits, "friction": on_joints.friction}
        joints = [JointSite(rows) for rows in joint_rows(problem, v, dt, **which)]
        tendons = [TendonSite(rows) for rows in tendon_rows(problem, v, dt, **which)]
        pairs = list(self.contacts.pairs.values())
        self.soft = SoftProblem(problem, self.contacts.bodies, pairs, tendons, joints, hard)
        tolerance = TOLERANCE[precision.answer] if soft_law.tolerance is None else float(soft_law.tolerance)
        limit = MOST_PASSES if soft_law.iterations is None else soft_law.iterations
        start = [0.0] * tree.nv if start is None else list(start)
        self._precision = precision
        least = float(soft_law.improvement or 0.0) * weights(tree.model).mean_inertia * tree.nv if tree.nv else 0.0
        ends = Ends(tolerance, least, limit, _ROUNDINGS * precision.rounding)
        self.solution = self._solved(lambda: newton(self.soft, start, ends))

    def _solved(self, find: Callable[[], SoftSolution]) -> SoftSolution:
        """The solution; accelerations and multipliers of hard constraints are unknowns of its equations."""
        soft, n = self.soft, self.tree.nv

        def found() -> tuple[list[Scalar], SoftSolution]:
            solution = find()
            held = soft.constraint_forces(solution.a, solution.phi) if soft.hard else []
            return [*solution.a, *(-f for own in held for f in own)], solution

        z, solution = solved(
            found, lambda z: unbalanced(soft, z[:n], z[n:]), lambda sides, transposed: self._again(sides),
            n + (len(self.problem.rows) if soft.hard else 0),
        )  # fmt: skip
        if solution is not None:
            return solution
        a, lam = list(z[:n]), self.problem.split(z[n:]) if soft.hard else []
        x = soft.values(a, rolled(self.problem, a))
        phi = [*law_forces(soft, x), *([-y for y in own] for own in lam)]
        return SoftSolution(a, x, phi, 0.0, True, True)

    def _again(self, sides: Sequence[Scalar]) -> tuple[list[Scalar], Scalar]:
        """The equations at the solution, linearized, with other right-hand sides."""
        n, nc = self.tree.nv, len(self.problem.rows)
        rows = list(sides[n:]) or [0.0] * nc
        graph = linearized(self.soft, self.a, sides[:n], rows)
        if not self.soft.hard or not nc:
            w, _ = graph.accelerate(graph.y, None)
            return w, status(w, graph.pivots)
        accuracy = accuracy_of(self.tree.model, self.problem.mu, self._precision, TOLERANCE[self._precision.answer])
        found = converge(SweptBodies(graph), accuracy, [0.0] * nc)
        return [*found.a, *found.lam], status(found.a, found.pivots, found.converged, found.outcome)

    @property
    def a(self) -> list[Scalar]:
        return self.solution.a

    @property
    def status(self) -> Scalar:
        found = status(self.solution.a, (), self.solution.converged | self._is_pull_alone)
        met = may_meet(self.tree, self._poses)
        return found if met is None else graver(found, met * STATUS_NOT_MODELLED)

    @cached_property
    def _is_pull_alone(self) -> Scalar:
        """Whether what is unmet is what stabilization asks for and cannot get (pull.py)."""
        if self._desired is None or not self.tree.model.nc or not self.soft.hard:
            return False
        return self.solution.settled & (self.residual <= pull_on_positions(self.tree.model, self._desired))

    @property
    def residual(self) -> Scalar:
        """What is left of hard constraints (m/s^2, rad/s^2)."""
        if not self.soft.hard:
            return 0.0
        own = self.solution.x[len(self.solution.x) - len(self.problem.constraints) :]
        return largest_residual([x - e for c, xs in zip(self.problem.constraints, own, strict=True)
                                 for x, e in zip(xs, c.e, strict=True)])  # fmt: skip

    @property
    def unmet(self) -> Scalar:
        """What of it counts: a pull at what cannot be closed leaves itself, which drift tells better."""
        return where(self._is_pull_alone, 0.0, self.residual)

    @property
    def penetration(self) -> list[Scalar]:
        """[the deepest of all contacts (m), the most that one takes of the thinner shape in it]; zero where nothing
        overlaps."""
        deepest: dict[float, Scalar] = {}  # by thickness: equal shapes are divided by theirs together
        for candidate in self.candidates:
            thickness = min(shape.thickness for shape in candidate.shapes)
            deepest[thickness] = maximum(deepest.get(thickness, 0.0), candidate.depth)
        shares = [depth * (1.0 / thickness) for thickness, depth in deepest.items() if thickness > 0.0]
        return [reduce(maximum, all_of, 0.0) for all_of in (deepest.values(), shares)]

    @property
    def effort(self) -> Scalar:
        """Alike for samples that are best computed together: first about as many passes, then, where contacts are much
        of the work, bodies that touch."""
        found = sum_of(where(self.solution.iterations > x, 1.0, 0.0) for x in _MANY)
        points = sum(not candidate.other for candidate in self.candidates)
        told = self.contacts.bodies[-_MOST_FLAGS:] if points > _MANY_POINTS * self.tree.nv else []
        for flag in (site.flag for site in reversed(told)):  # of bodies farthest from the base first
            found = found * 2.0 + flag
        return found

    def touching(self) -> ContactReport:
        """Forces on the first body, [linear; angular] in the contact's frame."""
        points, frames = [], []
        for candidate in self.candidates:
            place, view = candidate.touch.place(), candidate.view
            points.append(list(view.point_in_world(place.point)))
            frames.append([list(view.direction_in_world(d)) for d in (place.normal, place.t1, place.t2)])
        return ContactReport(
            self.contacts.forces(self.solution.x), points, frames, [_gap(candidate) for candidate in self.candidates],
            [where(candidate.touches, 1.0, 0.0) for candidate in self.candidates],
        )  # fmt: skip

    def joint_torques(self) -> tuple[list[Scalar], list[Scalar]]:
        """Of limits, and of dry friction; those of tendons too."""
        limits: list[Scalar] = [0.0] * self.tree.nv
        friction: list[Scalar] = [0.0] * self.tree.nv
        for rows in (site.rows for site in self.soft.joints):
            own = rows.values(self.solution.a)
            limits[rows.k], friction[rows.k] = rows.limit_force(own), rows.friction_force(own)
        for tendon in (site.rows for site in self.soft.tendons):
            own = tendon.values(self.solution.a)
            held, rubbed = tendon.limit_force(own), tendon.friction_force(own)
            for k, ratio in tendon.ratios:
                limits[k], friction[k] = limits[k] + held * ratio, friction[k] + rubbed * ratio
        return limits, friction

    def constraint_forces(self) -> list[Any]:
        """On the first frame of each constraint, [linear; angular] in that frame."""
        return [
            sum_of(row * y for row, y in zip(c.rows, f, strict=True)).to_public()
            for c, f in zip(self.problem.constraints, self._constraint_phi, strict=True)
        ]

    def constraint_rows_forces(self) -> list[Scalar]:
        """Of every row of the constraints."""
        return [f for own in self._constraint_phi for f in own]

    @cached_property
    def _constraint_phi(self) -> list[list[Scalar]]:
        return self.soft.constraint_forces(self.solution.a, self.solution.phi)

    def power(self, v: Sequence[Scalar]) -> Scalar:
        """Of contacts and of constraints, when the mechanism moves with v."""
        moved, total = rolled(self.problem, v), 0.0
        contacts = [*self.soft.bodies, *self.soft.pairs]
        ways = [*(site.values(v, moved) for site in contacts), *(c.moved(moved) for c in self.problem.constraints)]
        forces = [*self.solution.phi[: len(contacts)], *self._constraint_phi]
        for way, f in zip(ways, forces, strict=True):
            total = total + sum_of(x * y for x, y in zip(way, f, strict=True))
        return total


def _gap(candidate: Candidate) -> Scalar:
    """Infinite where the pair has no such point in this pose."""
    touch = candidate.touch
    return touch.gap if touch.possible is None else where(touch.possible, touch.gap, float("inf"))


def contact_shapes(tree: Tree, q: Sequence[Scalar]) -> dict[str, tuple[int, ...]]:
    """Of what is said of contacts, by name."""
    return shapes_of(len(candidates(tree, placements(tree, q))))


def told_of(touching: ContactReport | None) -> dict[str, Any]:
    """By name of the output, as arrays of the right shape also where there are none."""
    shapes = shapes_of(0)
    return {name: getattr(touching, name, None) or np.zeros(shape) for name, shape in shapes.items()}


def shapes_of(count: int) -> dict[str, tuple[int, ...]]:
    """Of what is said of so many contacts, by name."""
    return {
        "contact_force": (count, 6), "contact_point": (count, 3), "contact_frame": (count, 3, 3), "gap": (count,),
        "active": (count,),
    }  # fmt: skip
