"""A mechanism simulated in its independent coordinates: `step` with `coordinates="independent"`.

State and torques stay those of the spanning tree, so that nothing else needs to know. Accelerations are C-ABA's
([Chignoli2023]); a step moves all joints, then the dependent ones are found from the independent ones, on the branch of
the step's start (docs/clusters.md). So loops are closed to rounding, whatever the step, and nothing is pulled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..algorithms.clusters.cluster_aba import cluster_aba
from ..algorithms.rows.constraint_state import ConstraintState
from ..model import Model, Tree
from ..programs.cluster_recipe import OPTIONS as CLUSTER_OPTIONS
from ..programs.cluster_recipe import check_embeds_all
from ..programs.cluster_state import ClusterState, plan_of, spanning_acceleration
from ..programs.status import STATUS_OTHER_BRANCH, STATUS_SINGULAR
from ..scalar import Scalar, negated, where
from .options import StepOptions
from .quantities import Scalars
from .simulated_mechanism import Dynamics, SimulatedMechanism


class EmbeddedMechanism(SimulatedMechanism):
    """Its loops are embedded, those to the ground too."""

    def __init__(self, tree: Tree, values: Mapping[str, Any], options: StepOptions):
        super().__init__(tree, values, options)
        self.cluster_options = {**cluster_options(self.model), "precision": options.purpose.precision.answer}
        plan = plan_of(self.model, self.cluster_options)
        self.coordinates, self.rates = plan.coordinates, sorted(n for own in plan.independent for n in own)

    def solve(
        self, tree: Tree, q: Scalars, v: Scalars, tau: Scalars, desired: Scalars, lam: Scalars | None,
        outside: Mapping[str, Any] | None = None,
    ) -> Dynamics:  # fmt: skip
        """At a closed pose; of v the independent entries count."""
        yd = [v[n] for n in self.rates]
        state = ClusterState(tree, {"q": q, "yd": yd}, {**self.cluster_options, "coordinates": "spanning"})
        tau_y = state.system.gathered(state.embeddings, tau)
        ydd, pivots = cluster_aba(state.system, q, yd, tau_y, state.embeddings, f_ext=self.external_forces)
        unknown = np.nan  # what the loops transmit is not found
        return Dynamics(
            spanning_acceleration(state, ydd), [0.0] * self.model.nc, [[unknown] * 6 for _ in self.model.constraints],
            0.0, state.status(ydd, pivots),
        )  # fmt: skip

    def within_reason(self, tree: Tree, q: Scalars, v: Scalars, tau: Scalars, a: Scalars) -> list[Scalar]:
        return list(a)

    def desired(self, state: ConstraintState, lag: Scalar | None, part: Scalar | None = None) -> list[Scalar]:
        """Nothing comes apart."""
        return [0.0] * len(state.velocity)

    def closed(
        self, start: Scalars, before: Scalars, q: Scalars, v: Scalars, lag: Scalar
    ) -> tuple[list[Scalar], list[Scalar], Scalar]:
        """(q, v, status) of the independent entries of q and v, on the branch of the closed pose `start`; velocities
        are those of `lag` seconds before: G yd less what G has turned by since. Where the branch ends, or is lost, the
        mechanism stays where it was, with the velocities `before`."""
        y, yd = [q[n] for n in self.coordinates], [v[n] for n in self.rates]
        given = {"y": y, "yd": yd, "guess": start}
        state = ClusterState(self.tree, given, {**self.cluster_options, "guess": "input"})
        now, turned = state.system.spread(state.embeddings, yd), state.system.biases(state.embeddings)
        then = [x - lag * g for x, g in zip(now, turned, strict=True)]
        code = state.status([*state.q, *then], [])
        lost = negated((code < 0.5) | ((code > STATUS_SINGULAR - 0.5) & (code < STATUS_SINGULAR + 0.5)))
        q, v = ([where(lost, x, y) for x, y in zip(*pair, strict=True)] for pair in ((start, state.q), (before, then)))
        return q, v, where(lost, STATUS_OTHER_BRANCH, code)


def cluster_options(model: Model) -> dict[str, Any]:
    """Every constraint that says where things should be is a loop, those to the ground too."""
    return {**CLUSTER_OPTIONS, "loops": tuple(c.name for c in model.constraints if c.has_position)}


def check_embedding(model: Model, options: Mapping[str, Any]) -> None:
    """Raises where loops cannot be embedded; takes as long as planning."""
    if options["coordinates"] == "independent":
        check_embeds_all(model, cluster_options(model))
