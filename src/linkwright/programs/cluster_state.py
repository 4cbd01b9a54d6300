"""A mechanism with loops at one state, for the programs in independent coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..algorithms.clusters.clustered_tree import ClusteredTree
from ..algorithms.clusters.embedding import Embedding
from ..algorithms.clusters.resolving.cluster_plan import ClusterPlan
from ..algorithms.clusters.resolving.resolution import Resolution
from ..algorithms.rows.row_scales import rank_tolerance
from ..errors import InputError, UnsupportedError
from ..model import Model, Tree
from ..model.found_once import found_once
from ..scalar import Scalar, maximum, where
from .status import STATUS_NOT_CONVERGED, STATUS_OK, STATUS_OTHER_BRANCH, status

# A pose counts as solved, and one that is given as closed, when no row is off by more than this (metres or radians).
# Poses that are given come out of integrations. Rows that follow from others may be off by the rank tolerance, for so
# far a file's digits may contradict themselves.
SOLVED = {"float64": 1e-9, "float32": 1e-4}
CLOSED = {"float64": 1e-6, "float32": 1e-3}


@found_once
def _plan(model: Model, loops, independent, clusters, pose) -> ClusterPlan:
    """At the pose given, or as drawn; or else at a configuration of the model where more of its motors have a grip."""

    def at(q) -> ClusterPlan:
        return ClusterPlan(model, loops=loops, independent=independent, clusters=clusters, pose=q)

    plan = at(pose)
    if pose is None and independent is None and not model.independent:
        for q in model.configurations.values():
            if not plan.idle_motors:
                break
            plan = min(plan, at(q), key=lambda p: p.idle_motors)
    return plan


def plan_of(model: Model, options: Mapping[str, Any]) -> ClusterPlan:
    """How the loops of a model are embedded, found once per model and request."""
    chosen = options["independent"]
    names = None if chosen is None else (chosen,) if isinstance(chosen, str) else tuple(chosen)
    loops = options["loops"]
    loops = loops if loops is None or isinstance(loops, str) else tuple(loops)
    by_hand = options["clusters"]
    if isinstance(by_hand, str):
        raise InputError(f"clusters is {by_hand!r}; expected lists of joint names, as in [['hip', 'hip_rotor'], ...]")
    groups = tuple((g,) if isinstance(g, str) else tuple(g) for g in by_hand)
    pose = None if options["pose"] is None else tuple(np.asarray(options["pose"], dtype=float).ravel().tolist())
    return _plan(model, loops, names, groups, pose)


def independent_places(model: Model, options: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """(coordinates, velocities) of the spanning tree that y and yd hold."""
    plan = plan_of(model, options)
    if plan.partly_free:
        names = ", ".join(model.joints[i - 1].name for i in plan.partly_free)
        raise UnsupportedError(
            f"y holds joints of which only some velocities are independent ({names}), so it has no tangent space of "
            f"its own; differentiate with coordinates='spanning', or choose others with independent="
        )
    return list(plan.coordinates), sorted(n for own in plan.independent for n in own)


class ClusterState:
    """A mechanism with its loops resolved at one state."""

    def __init__(self, tree: Tree, x: Mapping[str, Any], options: Mapping[str, Any], reflection: str | None = None):
        self.plan = plan_of(tree.model, options)
        guess = list(x["guess"]) if "guess" in x else None
        self.system: ClusteredTree
        self.resolutions: list[Resolution]
        newton = options["newton"]
        if newton is not None and guess is not None:
            newton = (0, newton[1])
        self.system, self.resolutions = self.plan.on(
            tree, newton=newton, start=guess, reflection=reflection, precision=options.get("precision", "float64")
        )
        self._given = "q" in x and options["coordinates"] == "spanning"
        self._tolerance = (CLOSED if self._given else SOLVED)[options.get("precision", "float64")]
        if self._given:
            self.q = list(x["q"])
        else:
            self.q = [0.0] * tree.nq
            for n, value in zip(self.plan.coordinates, x["y"], strict=True):
                self.q[n] = value
            for resolution in self.resolutions[1:]:
                resolution.solve_positions(self.q)
        yd = x.get("yd")
        self.embeddings: list[Embedding] = [
            resolution.embedding(self.q, None if yd is None else self.system.pick(k, yd))
            for k, resolution in enumerate(self.resolutions)
        ]

    def _errors(self, *, solved: bool = False) -> list[Scalar]:
        """What is left of every constraint that is not met by formula."""
        return [x for r in self.resolutions[1:] for x in r.errors(self.q, given=self._given, solved=solved)]

    @property
    def residual(self) -> Scalar:
        """By how much the loops are not closed."""
        return _largest(self._errors())

    def status(self, values, pivots) -> Scalar:
        """As everywhere; singular too where other coordinates should be independent."""
        margins = [margin for resolution in self.resolutions for margin in resolution.margins(self.q)]
        outcome: Scalar = STATUS_OK
        for side in () if self._given else (x for resolution in self.resolutions for x in resolution.branches(self.q)):
            outcome = where(side > 0.0, outcome, STATUS_OTHER_BRANCH)
        code = status([], [*pivots, *margins], outcome=outcome)
        for errors, tolerance in (
            (self._errors(), max(self._tolerance, rank_tolerance(self.plan.model))),
            (self._errors(solved=True), self._tolerance),
        ):
            if errors:  # what is said of a pose that is open means nothing
                code = where(_largest(errors) <= tolerance, code, STATUS_NOT_CONVERGED)
        return status(values, [], outcome=code)


def _largest(values) -> Scalar:
    largest: Scalar = 0.0
    for x in values:
        largest = maximum(abs(x), largest)
    return largest


class Lazy(dict):
    """Outputs that are worked out when they are asked for."""

    def __init__(self, **parts: Callable[[], Any]):
        super().__init__()
        self._parts = parts

    def __missing__(self, name: str):
        return self._parts[name]()


def spanning_acceleration(state: ClusterState, ydd) -> list[Scalar]:
    biases = state.system.biases(state.embeddings)
    return [x + g for x, g in zip(state.system.spread(state.embeddings, ydd), biases, strict=True)]
