"""Random constrained mechanisms and states, the solvers under test, and the ladder of [Sathya2024] fig. 4b."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from linkwright import weld
from linkwright.algorithms.constrained.constrained_aba import constrained_aba
from linkwright.algorithms.constrained.constrained_ltl import ltl, prox_ltl, prox_ltls
from linkwright.algorithms.constrained.pv import prox_pv, pv
from linkwright.algorithms.constrained.pv_base import pv_auto
from linkwright.algorithms.constrained.pv_early import pv_early
from linkwright.algorithms.convergence.proximal import Iterations, iterate
from linkwright.algorithms.rows.constrained_problem import ConstrainedProblem, Solution
from linkwright.model import GROUND, Inertia, Joint, Model, ModelBuilder, Pose, Tree
from linkwright.model.constraints import Constraint
from linkwright.referee import DenseDynamics, KKTSolution, solve_kkt
from linkwright.robots.random import random_tree
from linkwright.robots.random_constraints import random_ground_constraint
from linkwright.spatial import Force

HARD = {"pv": pv, "pv_auto": pv_auto, "ltl": ltl, "pv_early": pv_early}
PROXIMAL = {"constrained_aba": constrained_aba, "prox_pv": prox_pv, "prox_ltl": prox_ltl, "prox_ltls": prox_ltls}
STIFFNESS = 1e5  # mu times the diagonal of the Delassus matrix
ITERATIONS = 5


def iterated(name: str, problem: ConstrainedProblem, count: int = ITERATIONS) -> Solution:
    """The papers' iterations of a proximal solver, from zero."""
    start = [0.0] * len(problem.rows)
    return iterate(PROXIMAL[name](problem, start), Iterations(count), start)


@dataclass(frozen=True, eq=False)
class Case:
    """A constrained mechanism at one state. What is not given is zero."""

    model: Model
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    desired: np.ndarray
    f_ext: np.ndarray | None = None
    active: tuple[float, ...] | None = None
    cheap_frames: bool = True

    @cached_property
    def tree(self) -> Tree:
        return Tree(self.model, choose_cheap_frames=self.cheap_frames)

    @cached_property
    def jacobian(self) -> np.ndarray:
        return DenseDynamics(self.model, self.q, self.v).constraint_rows()[0].astype(float)

    @cached_property
    def delassus(self) -> np.ndarray:
        dynamics = DenseDynamics(self.model, self.q, self.v)
        return delassus(dynamics, dynamics.constraint_rows()[0])

    @cached_property
    def exact(self) -> KKTSolution:
        return self.referee("double")

    def referee(self, precision: str) -> KKTSolution:
        return solve_kkt(
            self.model, self.q, self.v, self.tau, desired=self.desired, f_ext=self.f_ext, precision=precision
        )

    def problem(self, mu: np.ndarray | None = None) -> ConstrainedProblem:
        f_ext = None
        if self.f_ext is not None:
            f_ext = [self.tree.force_from_user(i, Force.from_public(row)) for i, row in enumerate(self.f_ext.tolist())]
        return ConstrainedProblem(
            self.tree, self.q.tolist(), self.v.tolist(), self.tau.tolist(), f_ext=f_ext,
            desired=self.desired.tolist(), active=self.active, mu=None if mu is None else mu.tolist(),
        )  # fmt: skip

    @cached_property
    def penalties(self) -> np.ndarray:
        """mu per row; a row that nothing can move gets the usual one."""
        diagonal = np.diag(self.delassus)
        usual = np.median(diagonal[diagonal > 0]) if np.any(diagonal > 0) else 1.0
        return STIFFNESS / np.maximum(diagonal, 1e-3 * usual)

    def solve(self, name: str, mu: np.ndarray | None = None) -> Solution:
        with np.errstate(all="ignore"):
            if name in HARD:
                return HARD[name](self.problem())
            return iterated(name, self.problem(self.penalties if mu is None else mu))

    def with_constraints(self, *constraints: Constraint, desired: np.ndarray | None = None) -> Case:
        """With other constraints than it has; desired accelerations zero unless given."""
        model = self.model.without_constraints().with_constraints(*constraints)
        return replace(self, model=model, desired=np.zeros(model.nc) if desired is None else np.asarray(desired))


def random_case(seed: int) -> Case:
    """3 to 12 bodies on joints of every kind, up to three constraints of every kind, none dependent on the others."""
    rng = np.random.default_rng([7, seed])
    model = random_tree(
        seed, 3 + seed % 10, branching=(0.2, 0.5, 0.8)[seed % 3], floating_base=seed % 2 == 0, frames=4,
        armature=seed % 4 == 1, damping=seed % 5 == 1, springs=seed % 5 == 2,
    )  # fmt: skip
    f_ext = rng.normal(size=(model.nbodies, 6)) if seed % 3 == 1 else None
    q, v, tau = model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    case = Case(model, q, v, tau, np.zeros(0), f_ext, cheap_frames=seed % 3 == 0)
    dynamics, kept, wanted = DenseDynamics(model, q, v), [], 1 + int(rng.integers(3))
    for k in range(30):
        candidate = random_ground_constraint(rng, model, f"constraint_{k}")
        if independent(delassus(dynamics, dynamics.constraint_rows([*kept, candidate])[0])):
            kept.append(candidate)
        if k >= wanted and kept:
            break
    case = case.with_constraints(*kept)
    return replace(case, desired=rng.normal(size=case.model.nc))


# Independent constraints: the Delassus matrix with a unit diagonal has no eigenvalue below this.
SMALLEST_EIGENVALUE = 1e-6


def delassus(dynamics: DenseDynamics, J: np.ndarray) -> np.ndarray:
    J = J.astype(float)
    return J @ np.linalg.solve(dynamics.M.astype(float), J.T)


def independent(matrix: np.ndarray) -> bool:
    return np.all(np.diag(matrix) > 1e-9) and scaled_eigenvalues(matrix)[0] > SMALLEST_EIGENVALUE


def scaled_eigenvalues(matrix: np.ndarray) -> np.ndarray:
    """Of a Delassus matrix scaled to a unit diagonal, from the smallest."""
    scale = 1 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    return np.linalg.eigvalsh(matrix * np.outer(scale, scale))


def remaining(case: Case) -> float:
    """What proximal iterations leave of the multipliers' error: each divides it by 1 + mu times an eigenvalue."""
    values = scaled_eigenvalues(case.delassus)
    return (1 + STIFFNESS * values[values > 1e-9 * values[-1]][0]) ** -ITERATIONS


def error(a, exact: np.ndarray) -> float:
    """The largest, relative to the largest entry or to 1."""
    a = np.asarray(a, dtype=float)
    if not np.all(np.isfinite(a)):
        return np.inf
    return float(np.abs(a - exact).max(initial=0.0) / max(1.0, np.abs(exact).max(initial=0.0)))


def ladder(rungs: int, *, rung: int = 7, segment: int = 3) -> Model:
    """[Sathya2024] fig. 4b: rungs of 7 links, their ends on one side joined by segments of 3, on the other welded."""
    builder = ModelBuilder(f"ladder_{rungs}")
    length = 0.3
    link = Inertia.box(1.0, (length, 0.05, 0.05), (length / 2, 0, 0))

    def run(name: str, count: int, parent: str, roll_pitch: tuple[float, float]) -> str:
        at = 0.0 if parent == GROUND else length
        for k in range(1, count + 1):
            turned = (*roll_pitch, 0.0) if k == 1 else (np.pi / 2, 0.0, 0.0)
            parent = builder.add_body(
                f"{name}_{k}", Joint(name=f"{name}_{k}_joint", kind="revolute", axis="z", second_axis="y"),
                parent=parent, placement=Pose.from_rpy((at, 0, 0), turned), inertia=link,
            )  # fmt: skip
            at = length
        return parent

    end = GROUND
    for r in range(1, rungs + 1):
        end = run(f"side_{r}", segment, end, (np.pi / 2, 0.0))
        tip = run(f"rung_{r}", rung, end, (0.0, np.pi / 2))
        builder.add_frame(f"tip_{r}", tip, (length, 0, 0))
    return builder.build().with_constraints(*(weld(f"tip_{r}") for r in range(1, rungs + 1)))
