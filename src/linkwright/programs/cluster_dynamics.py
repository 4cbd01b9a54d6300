"""Dynamics in the independent coordinates of a mechanism with loops ([Chignoli2023])."""

from __future__ import annotations

from functools import partial

from ..algorithms.clusters.cluster_aba import cluster_aba
from ..algorithms.clusters.cluster_crba import cluster_crba
from ..algorithms.clusters.cluster_efpa import cluster_efpa
from ..algorithms.clusters.cluster_projection import lagrange, projected_efpa, projected_rnea, projection
from ..algorithms.clusters.cluster_rnea import cluster_rnea
from ..algorithms.delassus.propagators import Posture
from ..algorithms.rows import constraints_at
from ..errors import UnsupportedError
from ..model import Tree
from .cluster_recipe import ClusterRecipe, cluster_recipe
from .cluster_state import ClusterState, Lazy, spanning_acceleration
from .recipe import external_forces, square


def _forward(algorithm, *, reflected: bool = False):
    def evaluate(tree, x, options):
        state = ClusterState(tree, x, options, options["reflected"] if reflected else None)
        ydd, pivots = algorithm(
            state.system, state.q, x["yd"], x["tau_y"], state.embeddings, f_ext=external_forces(tree, x)
        )
        return Lazy(
            ydd=lambda: ydd, a=lambda: spanning_acceleration(state, ydd), q=lambda: state.q,
            residual=lambda: state.residual, status=lambda: state.status(ydd, pivots),
        )  # fmt: skip

    return evaluate


def _inverse(algorithm, *, reflected: bool = False):
    def evaluate(tree, x, options):
        state = ClusterState(tree, x, options, options["reflected"] if reflected else None)
        tau = algorithm(state.system, state.q, x["yd"], x["ydd"], state.embeddings, f_ext=external_forces(tree, x))
        return Lazy(tau_y=lambda: tau, residual=lambda: state.residual, status=lambda: state.status(tau, []))

    return evaluate


def _inertia(tree, x, options):
    state = ClusterState(tree, x, options)
    H = cluster_crba(state.system, state.q, state.embeddings)
    flat = [x for row in H for x in row]
    return Lazy(H=lambda: square(H), residual=lambda: state.residual, status=lambda: state.status(flat, []))


def _operational(algorithm):
    def evaluate(tree, x, options):
        state = ClusterState(tree, x, options)
        rows = end_effector_rows(tree, state)
        matrix = algorithm(state.system, state.q, state.embeddings, rows)
        flat = [x for row in matrix for x in row]
        return Lazy(
            delassus=lambda: square(matrix), residual=lambda: state.residual, status=lambda: state.status(flat, [])
        )

    return evaluate


def end_effector_rows(tree: Tree, state: ClusterState):
    """(body, covector) of every row of the constraints that are not embedded."""
    posture = Posture(tree, state.q)
    every = constraints_at(tree, state.q, posture.X)
    rows = []
    for c, held in enumerate(every):
        if c in state.plan.embedded:
            continue
        terms = held.terms()
        if len(terms) > 1:
            raise UnsupportedError(
                f"constraint {held.constraint.name!r} acts on {len(terms)} bodies at once; the Delassus matrix in "
                f"independent coordinates takes constraints between one frame and the ground"
            )
        rows += [(terms[0][0], row) for row in terms[0][1]] if terms else []
    return rows


_FORWARD_INPUTS, _INVERSE_INPUTS = ("y", "yd", "tau_y"), ("y", "yd", "ydd")
_FORWARD_OUTPUTS, _INVERSE_OUTPUTS = ("ydd", "a", "q", "residual", "status"), ("tau_y", "residual", "status")
_REFLECTED = {"reflected": "diagonal"}


def _forward_recipe(name: str, summary: str, evaluate, options=None, approximation=None) -> ClusterRecipe:
    return cluster_recipe(
        name, summary, _FORWARD_INPUTS, _FORWARD_OUTPUTS, evaluate, optional=("f_ext",), options=options,
        solves="forward_dynamics", approximation=approximation,
    )  # fmt: skip


def _inverse_recipe(name: str, summary: str, evaluate, options=None, approximation=None) -> ClusterRecipe:
    return cluster_recipe(
        name, summary, _INVERSE_INPUTS, _INVERSE_OUTPUTS, evaluate, optional=("f_ext",), options=options,
        solves="inverse_dynamics", approximation=approximation,
    )  # fmt: skip


_of_posture = partial(cluster_recipe, inputs=("y",), contacts=True)
_MATRIX = ("delassus", "residual", "status")

CLUSTERS = (
    _forward_recipe("cluster_aba", "forward dynamics with embedded loops, O(clusters)", _forward(cluster_aba)),
    _inverse_recipe("cluster_rnea", "inverse dynamics with embedded loops", _inverse(cluster_rnea)),
    _of_posture(
        "cluster_crba", "inertia matrix of independent coordinates", outputs=("H", "residual", "status"),
        evaluate=_inertia, solves="inertia_matrix",
    ),
    _of_posture(
        "cluster_efpa", "Delassus matrix with embedded loops", outputs=_MATRIX, evaluate=_operational(cluster_efpa),
        solves="delassus_matrix",
    ),
    _inverse_recipe("projected_rnea", "inverse dynamics of the spanning tree, projected", _inverse(projected_rnea)),
    _forward_recipe("projection", "forward dynamics by projecting the spanning tree's", _forward(projection)),
    _forward_recipe("lagrange", "forward dynamics with multipliers of the loops", _forward(lagrange)),
    _forward_recipe(
        "approximate_aba", "forward dynamics, of rotors only the reflected inertia",
        _forward(cluster_aba, reflected=True), _REFLECTED, "reflected rotors",
    ),
    _inverse_recipe(
        "approximate_rnea", "inverse dynamics, of rotors only the reflected inertia",
        _inverse(cluster_rnea, reflected=True), _REFLECTED, "reflected rotors",
    ),
    _of_posture(
        "projected_efpa", "Delassus matrix of the spanning tree, projected", outputs=_MATRIX,
        evaluate=_operational(projected_efpa), solves="delassus_matrix",
    ),
)  # fmt: skip
