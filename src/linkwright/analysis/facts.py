"""What there is to know about a mechanism before computing with it: its loops, its freedom, whether it is closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algorithms.constrained.elimination_order import elimination_order
from ..assembly import project_configuration
from ..call_errors import names_arguments
from ..compilation import reference
from ..errors import InputError, LinkwrightError, NoConvergence, deprecated
from ..model import Model, tree_of
from ..model.loops import Loops, loops
from ..printable import printable
from ..programs import RECIPES
from ..programs.breaking_ties import cheapest_ties
from ..programs.cluster_state import plan_of
from .mobility_at_pose import Mobility, mobility

# A constraint whose error is below this (metres, radians) at a pose is met there.
CLOSED = 1e-6
_A_LITTLE = 0.05  # radians or metres by which each joint is moved to look whether a pose is special


@dataclass(frozen=True)
class ConstraintCheck:
    """How far a constraint is from being met at the pose; None where it does not say where things should be."""

    name: str
    error: float | None

    @property
    def closed(self) -> bool:
        return self.error is None or self.error < CLOSED


@dataclass(frozen=True)
class ClusterFacts:
    """Bodies that loops tie together, the constraints embedded in them, and the joints that are independent."""

    bodies: tuple[str, ...]
    constraints: tuple[str, ...]
    independent: tuple[str, ...]


@dataclass(frozen=True)
class Inspection:
    """Facts about a model at a pose.

    nearby       mobility at a closed pose a little way off, None if none was found
    checks       how far each constraint is from being met at the pose
    cuts         by name of constraint, what speaks for closing the loop there
    elimination  links in LCABA's order with their neighbours, by name
    clusters     of several bodies, as cluster algorithms see them; or why there are none
    """

    model: Model
    q: np.ndarray
    loops: Loops
    mobility: Mobility
    nearby: Mobility | None
    checks: tuple[ConstraintCheck, ...]
    cuts: dict[str, str]
    elimination: tuple[tuple[str, tuple[str, ...]], ...]
    clusters: tuple[ClusterFacts, ...] | str

    @property
    def closures(self) -> tuple[ConstraintCheck, ...]:
        """Deprecated: `checks`."""
        deprecated("Inspection.closures", "Inspection.checks")
        return self.checks

    @property
    def closed(self) -> bool:
        """Whether the pose meets every constraint."""
        return all(check.closed for check in self.checks)

    @property
    def singular(self) -> bool:
        """Whether the constraints have a lower rank at the pose than nearby."""
        return self.nearby is not None and self.nearby.rank > self.mobility.rank

    def __str__(self) -> str:
        lines = [str(self.model), str(self.mobility)]
        if self.singular and self.nearby is not None:
            lines.append(f"a special pose: nearby the rank is {self.nearby.rank}, the mobility {self.nearby.mobility}")
        if self.checks:
            worst = max(self.checks, key=lambda check: check.error or 0.0)
            opened = f"the pose is open: {printable(worst.name)} is off by {worst.error:.2g}"
            lines.append("the pose is closed" if self.closed else opened)
            lines.append(str(self.loops))
            lines += [printable(f"{name}: {reason}") for name, reason in self.cuts.items()]
            most = max((len(neighbours) for _, neighbours in self.elimination), default=0)
            lines.append(f"LCABA's links have at most {most} neighbours when they are eliminated")
        return "\n".join(lines)


@names_arguments
def inspect(model: Model, q=None) -> Inspection:
    """Loops, mobility, redundancy, closedness and elimination order of a model, at q (nq,) or as drawn."""
    if not isinstance(model, Model):
        raise InputError(f"cannot inspect a {type(model).__name__}; expected a Model (see linkwright.load)")
    report = mobility(model, q)
    found = loops(model)
    names = [body.name for body in model.bodies]
    order = elimination_order(tree_of(model), ties=cheapest_ties(model))
    return Inspection(
        model,
        report.q,
        found,
        report,
        _nearby(model, report.q) if model.constraints else None,
        constraint_checks(model, report.q),
        {loop.constraint: c.cut(model, loop) for c, loop in zip(model.constraints, found, strict=True)},
        tuple((names[i], tuple(names[j] for j in neighbours)) for i, neighbours in order),
        clusters_of(model),
    )


def clusters_of(model: Model) -> tuple[ClusterFacts, ...] | str:
    """The clusters that hold more than one body; a sentence where the loops cannot be embedded."""
    pairs = zip(model.constraints, model.constraint_bodies, strict=True)
    nowhere = [c.name for c, bodies in pairs if len(bodies) > 1 and not c.has_position]
    if nowhere:
        return f"constraints {nowhere} do not say where things should be"
    try:
        plan = plan_of(model, RECIPES["cluster_aba"].options)
    except LinkwrightError as error:
        return str(error)
    joint_of = [joint.name for joint in model.joints for _ in range(joint.nv)]
    return tuple(
        ClusterFacts(
            tuple(model.bodies[i].name for i in cluster.bodies),
            tuple(model.constraints[c].name for c in cluster.constraints),
            tuple(dict.fromkeys(joint_of[n] for n in independent)),
        )
        for cluster, independent in zip(plan.graph.clusters, plan.independent, strict=True)
        if len(cluster.bodies) > 1
    )


def constraint_checks(model: Model, q) -> tuple[ConstraintCheck, ...]:
    """The largest error among the rows of each constraint at q."""
    placed = model.without_constraints().with_constraints(*(c for c in model.constraints if c.has_position))
    errors = np.abs(reference(placed, "constraint_error")(q)) if placed.constraints else np.zeros(0)
    largest, start = {}, 0
    for c in placed.constraints:
        largest[c.name] = float(errors[start : start + c.size].max())
        start += c.size
    return tuple(ConstraintCheck(c.name, largest.get(c.name)) for c in model.constraints)


def _nearby(model: Model, q: np.ndarray) -> Mobility | None:
    """Mobility at a pose near q that is closed, or as good as."""
    moved = model.integrate(q, _A_LITTLE * np.random.default_rng(0).uniform(-1, 1, size=model.nv))
    try:
        return mobility(model, project_configuration(model, moved))
    except NoConvergence:
        return None
