"""Programs in the independent coordinates of a mechanism with loops ([Chignoli2023])."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.cluster_aba import cluster_aba
from ..algorithms.cluster_crba import cluster_crba
from ..algorithms.cluster_efpa import cluster_efpa
from ..algorithms.cluster_projection import lagrange, projected_efpa, projected_rnea, projection
from ..algorithms.cluster_rnea import cluster_rnea
from ..algorithms.clustered_tree import ClusteredTree
from ..algorithms.embedding import Embedding
from ..algorithms.jacobians import frame_jacobian
from ..algorithms.loops.plan import ClusterPlan
from ..algorithms.loops.resolution import Resolution
from ..errors import InputError, UnsupportedError
from ..model import Model, Tree
from ..model.parameters import parameter_shapes
from ..scalar import Scalar, maximum
from .recipe import SHAPES, Recipe, external_forces, square
from .status import status

# A pose counts as solved when no constraint is off by more than this (metres or radians).
POSITION_TOLERANCE = 1e-9

_COORDINATES = ("independent", "spanning")
_REFLECTIONS = ("diagonal", "block", "none")
_OPTIONS = {"coordinates": "independent", "independent": None, "clusters": (), "loops": None, "newton": (8, 4),
            "guess": None, "pose": None}  # fmt: skip


@functools.lru_cache(maxsize=64)
def _plan(model: Model, loops, independent, clusters, pose) -> ClusterPlan:
    return ClusterPlan(model, loops=loops, independent=independent, clusters=clusters, pose=pose)


def plan_of(model: Model, options: Mapping[str, Any]) -> ClusterPlan:
    """How the loops of a model are embedded, found once per model and request."""
    chosen = options["independent"]
    names = model.independent if chosen is None else (chosen,) if isinstance(chosen, str) else tuple(chosen)
    loops = options["loops"]
    loops = loops if loops is None or isinstance(loops, str) else tuple(loops)
    by_hand = options["clusters"]
    if isinstance(by_hand, str):
        raise InputError(f"clusters is {by_hand!r}; expected lists of joint names, as in [['hip', 'hip_rotor'], ...]")
    groups = tuple((g,) if isinstance(g, str) else tuple(g) for g in by_hand)
    pose = None if options["pose"] is None else tuple(np.asarray(options["pose"], dtype=float).ravel().tolist())
    return _plan(model, loops, names, groups, pose)


@dataclass(frozen=True)
class ClusterRecipe(Recipe):
    """A recipe whose inputs are sized by the independent coordinates, which options may change."""

    def input_shapes(self, model, parameters, f_ext, options):
        plan = plan_of(model, options)
        ny = sum(map(len, plan.independent))
        spanning = options["coordinates"] == "spanning"
        sizes: dict[str, Callable[[], tuple[int, ...]]] = {
            "y": lambda: (len(plan.coordinates),), "yd": lambda: (ny,), "ydd": lambda: (ny,), "tau_y": lambda: (ny,),
            "guess": lambda: (model.nq,), "q": lambda: (model.nq,),
        }  # fmt: skip
        names = ["q" if name == "y" and spanning else name for name in self.inputs]
        names += ["f_ext"] if f_ext else []
        names += ["guess"] if options["guess"] == "input" else []
        shapes = {name: sizes[name]() if name in sizes else SHAPES[name](model) for name in names}
        return {**shapes, **parameter_shapes(model, parameters)}


class ClusterState:
    """A mechanism with its loops resolved at one state."""

    def __init__(self, tree: Tree, x: Mapping[str, Any], options: Mapping[str, Any], reflection: str | None = None):
        self.plan = plan_of(tree.model, options)
        guess = list(x["guess"]) if "guess" in x else None
        self.system: ClusteredTree
        self.resolutions: list[Resolution]
        newton = options["newton"] if guess is None else (0, options["newton"][1])
        self.system, self.resolutions = self.plan.on(tree, newton=newton, start=guess, reflection=reflection)
        self.left: list[Scalar] = []
        if "q" in x and options["coordinates"] == "spanning":
            self.q = list(x["q"])
        else:
            self.q = [0.0] * tree.nq
            for n, value in zip(self.plan.coordinates, x["y"], strict=True):
                self.q[n] = value
            for resolution in self.resolutions[1:]:
                self.left += resolution.solve_positions(self.q)
        yd = x.get("yd")
        self.embeddings: list[Embedding] = [
            resolution.embedding(self.q, None if yd is None else self.system.pick(k, yd))
            for k, resolution in enumerate(self.resolutions)
        ]

    @property
    def residual(self) -> Scalar:
        """By how much the loops are not closed."""
        largest: Scalar = 0.0
        for error in self.left:
            largest = maximum(abs(error), largest)
        return largest

    def status(self, values, pivots) -> Scalar:
        """As everywhere; singular too where other coordinates should be independent."""
        margins = [margin for resolution in self.resolutions for margin in resolution.margins(self.q)]
        return status(values, [*pivots, *margins], self.residual <= POSITION_TOLERANCE if self.left else None)


def _forward(algorithm, *, reflected: bool = False):
    def evaluate(tree, x, options):
        state = ClusterState(tree, x, options, options["reflected"] if reflected else None)
        ydd, pivots = algorithm(
            state.system, state.q, x["yd"], x["tau_y"], state.embeddings, f_ext=external_forces(tree, x)
        )
        return _Lazy(
            ydd=lambda: ydd, a=lambda: _spanning_acceleration(state, ydd), q=lambda: state.q,
            residual=lambda: state.residual, status=lambda: state.status(ydd, pivots),
        )  # fmt: skip

    return evaluate


def _inverse(algorithm, *, reflected: bool = False):
    def evaluate(tree, x, options):
        state = ClusterState(tree, x, options, options["reflected"] if reflected else None)
        tau = algorithm(state.system, state.q, x["yd"], x["ydd"], state.embeddings, f_ext=external_forces(tree, x))
        return _Lazy(tau_y=lambda: tau, residual=lambda: state.residual)

    return evaluate


class _Lazy(dict):
    """Outputs that are worked out when they are asked for."""

    def __init__(self, **parts: Callable[[], Any]):
        super().__init__()
        self._parts = parts

    def __missing__(self, name: str):
        return self._parts[name]()


def _inertia(tree, x, options):
    state = ClusterState(tree, x, options)
    H = cluster_crba(state.system, state.q, state.embeddings)
    return _Lazy(H=lambda: square(H), residual=lambda: state.residual)


def _operational(algorithm):
    def evaluate(tree, x, options):
        state = ClusterState(tree, x, options)
        rows = end_effector_rows(tree, state)
        matrix = algorithm(state.system, state.q, state.embeddings, rows)
        return _Lazy(delassus=lambda: square(matrix), residual=lambda: state.residual)

    return evaluate


def end_effector_rows(tree: Tree, state: ClusterState):
    """(body, covector) of every row of the constraints that are not embedded."""
    from ..algorithms.closures import closures
    from ..algorithms.propagators import Posture

    posture = Posture(tree, state.q)
    every = closures(tree, state.q, posture.X)
    chosen = [closure for c, closure in enumerate(every) if c not in state.plan.embedded]
    return [(body, row) for closure in chosen for body, K in closure.terms() for row in K]


def _spanning_acceleration(state: ClusterState, ydd) -> list[Scalar]:
    biases = state.system.biases(state.embeddings)
    return [x + g for x, g in zip(state.system.spread(state.embeddings, ydd), biases, strict=True)]


def _spanning_position(tree, x, options):
    state = ClusterState(tree, x, options)
    return _Lazy(q=lambda: state.q, residual=lambda: state.residual)


def _spanning_velocity(tree, x, options):
    state = ClusterState(tree, x, options)
    return {"v": state.system.spread(state.embeddings, x["yd"]), "q": state.q}


def _spanning_acceleration_program(tree, x, options):
    state = ClusterState(tree, x, options)
    return {"a": _spanning_acceleration(state, x["ydd"])}


def _independent_torque(tree, x, options):
    state = ClusterState(tree, x, options)
    return {"tau_y": state.system.gathered(state.embeddings, x["tau"])}


def _independent_position(tree, x, options):
    plan = plan_of(tree.model, options)
    return {"y": [x["q"][n] for n in plan.coordinates]}


def _independent_velocity(tree, x, options):
    plan = plan_of(tree.model, options)
    return {"yd": [x["v"][n] for n in sorted(n for own in plan.independent for n in own)]}


def _loop_jacobians(tree, x, options):
    """G, g, K and k over the whole mechanism."""
    state = ClusterState(tree, x, options)
    system = state.system
    unit = [[1.0 if r == c else 0.0 for c in range(system.ny)] for r in range(system.ny)]
    columns = [system.spread(state.embeddings, row) for row in unit]
    K, k = [], []
    for c in system.graph.outward():
        for row, right in zip(state.embeddings[c].K, state.embeddings[c].k, strict=True):
            full: list[Scalar] = [0.0] * tree.nv
            for n, entry in zip(system.velocities_of(c), row, strict=True):
                full[n] = entry
            K.append(full)
            k.append(right)
    return {
        "G": [[column[r] for column in columns] for r in range(tree.nv)],
        "g": system.biases(state.embeddings),
        "K": K or np.zeros((0, tree.nv)),
        "k": k,
    }


def _cluster_frame_jacobian(tree, x, options):
    state = ClusterState(tree, x, options)
    if not isinstance(options["frame"], str):
        raise InputError(f"frame is {options['frame']!r}; expected the name of one frame: compile(..., frame='tool')")
    J = frame_jacobian(tree, options["frame"], state.q, reference=options["reference"])
    return {"J": [state.system.gathered(state.embeddings, row) for row in J]}


def _integrate_independent(tree, x, options):
    """y moved along yd for unit time, joint by joint."""
    plan, model = plan_of(tree.model, options), tree.model
    velocities = sorted(n for own in plan.independent for n in own)
    y = dict(zip(plan.coordinates, x["y"], strict=True))
    yd = dict(zip(velocities, x["yd"], strict=True))
    for i in range(1, model.nbodies):
        coordinates, rates = range(*model.iq[i].indices(model.nq)), range(*model.iv[i].indices(model.nv))
        if all(n in yd for n in rates):
            moved = tree.joint[i].integrate([y[n] for n in coordinates], [yd[n] for n in rates])
            y.update(zip(coordinates, moved, strict=True))
        else:
            y.update({c: y[c] + yd[n] for c, n in zip(coordinates, rates, strict=False) if n in yd})
    return {"y": [y[n] for n in plan.coordinates]}


def _check_options(needs_no_contacts: bool):
    def check(model: Model, options: Mapping[str, Any]) -> None:
        if options["coordinates"] not in _COORDINATES:
            raise InputError(f"coordinates is {options['coordinates']!r}; expected one of {', '.join(_COORDINATES)}")
        if options["guess"] not in (None, "input"):
            raise InputError(f"guess is {options['guess']!r}; expected 'input', to give one with each call, or None")
        if options.get("reflected", "diagonal") not in _REFLECTIONS:
            raise InputError(f"reflected is {options['reflected']!r}; expected one of {', '.join(_REFLECTIONS)}")
        newton = options["newton"]
        if not isinstance(newton, tuple | list) or len(newton) != 2 or not all(
            isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 50 for n in newton
        ):  # fmt: skip
            raise InputError(f"newton is {newton!r}; expected (steps of continuation, steps at the end), each 0 to 50")
        plan = plan_of(model, options)
        if needs_no_contacts:
            outside = [c.name for n, c in enumerate(model.constraints) if n not in plan.embedded]
            if outside:
                raise UnsupportedError(
                    f"constraints {outside} hold frames on the ground and are not embedded; embed them too with "
                    f"loops={outside}, or leave them out: 'lcaba' takes loops and contacts together"
                )

    return check


def _recipe(
    name, summary, inputs, outputs, evaluate, *, optional=(), options=None, contacts=False, default=1
) -> ClusterRecipe:
    """The first `default` outputs are those given when none are named."""
    return ClusterRecipe(
        name, summary, inputs, outputs, evaluate, optional, outputs[:default], {**_OPTIONS, **(options or {})},
        check_options=_check_options(not contacts),
    )  # fmt: skip


_FORWARD_INPUTS, _INVERSE_INPUTS = ("y", "yd", "tau_y"), ("y", "yd", "ydd")
_FORWARD_OUTPUTS, _INVERSE_OUTPUTS = ("ydd", "a", "q", "residual", "status"), ("tau_y", "residual")
_REFLECTED = {"reflected": "diagonal"}


def _forward_recipe(name: str, summary: str, evaluate, options=None) -> ClusterRecipe:
    return _recipe(
        name, summary, _FORWARD_INPUTS, _FORWARD_OUTPUTS, evaluate, optional=("f_ext",), options=options
    )


def _inverse_recipe(name: str, summary: str, evaluate, options=None) -> ClusterRecipe:
    return _recipe(
        name, summary, _INVERSE_INPUTS, _INVERSE_OUTPUTS, evaluate, optional=("f_ext",), options=options
    )


CLUSTERS = (
    _forward_recipe("cluster_aba", "forward dynamics with embedded loops, O(clusters)", _forward(cluster_aba)),
    _inverse_recipe("cluster_rnea", "inverse dynamics with embedded loops", _inverse(cluster_rnea)),
    _recipe("cluster_crba", "inertia matrix of independent coordinates", ("y",), ("H", "residual"), _inertia,
            contacts=True),
    _recipe("cluster_efpa", "Delassus matrix with embedded loops", ("y",), ("delassus", "residual"),
            _operational(cluster_efpa), contacts=True),
    _inverse_recipe("projected_rnea", "inverse dynamics of the spanning tree, projected", _inverse(projected_rnea)),
    _forward_recipe("projection", "forward dynamics by projecting the spanning tree's", _forward(projection)),
    _forward_recipe("lagrange", "forward dynamics with multipliers of the loops", _forward(lagrange)),
    _forward_recipe("approximate_aba", "forward dynamics, of rotors only the reflected inertia",
                    _forward(cluster_aba, reflected=True), _REFLECTED),
    _inverse_recipe("approximate_rnea", "inverse dynamics, of rotors only the reflected inertia",
                    _inverse(cluster_rnea, reflected=True), _REFLECTED),
    _recipe("projected_efpa", "Delassus matrix of the spanning tree, projected", ("y",), ("delassus", "residual"),
            _operational(projected_efpa), contacts=True),
    _recipe("spanning_position", "q of independent coordinates", ("y",), ("q", "residual"), _spanning_position,
            contacts=True, default=2),
    _recipe("spanning_velocity", "v of independent velocities", ("y", "yd"), ("v", "q"), _spanning_velocity,
            contacts=True),
    _recipe("spanning_acceleration", "a of independent accelerations", _INVERSE_INPUTS, ("a",),
            _spanning_acceleration_program, contacts=True),
    _recipe("independent_position", "y of a configuration", ("q",), ("y",), _independent_position, contacts=True),
    _recipe("independent_velocity", "yd of velocities", ("v",), ("yd",), _independent_velocity, contacts=True),
    _recipe("independent_torque", "tau_y of joint torques, G' tau", ("y", "tau"), ("tau_y",), _independent_torque,
            contacts=True),
    _recipe("integrate_independent", "y moved along yd for unit time", ("y", "yd"), ("y",), _integrate_independent,
            contacts=True),
    _recipe("loop_jacobians", "G and g, K and k of all loops", ("y", "yd"), ("G", "g", "K", "k"), _loop_jacobians,
            contacts=True, default=4),
    _recipe("cluster_frame_jacobian", "J with frame velocity = J yd", ("y",), ("J",), _cluster_frame_jacobian,
            options={"frame": None, "reference": "local"}, contacts=True),
)  # fmt: skip
