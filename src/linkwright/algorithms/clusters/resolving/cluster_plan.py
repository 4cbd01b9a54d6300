"""Planning: which coordinates of each cluster are independent, and in which steps the others follow.

Everything here happens on numbers, once per model. The plan is then carried out on any tree of the model, also one
whose masses and placements are inputs of the call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ....errors import InputError
from ....model import Model, Tree
from ....model.clusters import ClusterGraph, bodies_by_hand
from ....model.constraint_parameters import RATIOS
from ..clustered_tree import ClusteredTree
from ..rotors import find_rotors
from .closed_form import FormulaStep, LinearStep
from .dyad import DyadStep
from .implicit_loops import EmbeddedLoop, ImplicitStep
from .independent_choice import choose_independent
from .involvement import NumericRows, involved_bodies
from .motion_samples import sampled_paths
from .resolution import Resolution
from .resolving_step import ResolvingStep
from .scaled_rows import ScaledRows


@dataclass(frozen=True)
class StepPlan:
    """How some unknown velocities of a cluster are found: from one constraint by formula, or from several together.

    solved   the step on plain numbers, its order of elimination chosen; None for formulas
    """

    constraints: tuple[int, ...]
    unknown: tuple[int, ...]
    solved: ImplicitStep | None = None


class ClusterPlan:
    """graph        of clusters
    independent  velocities per cluster
    steps        per cluster
    drawn        a configuration that meets all constraints, from which positions are found
    """

    def __init__(
        self, model: Model, *, loops=None, independent: Sequence[str] | None = None, clusters=(), pose=None
    ):
        """`pose`: where to start closing the loops from, and choosing pivots at; the model's drawn one if None."""
        self.model = model
        self.embedded = _embedded(model, loops)
        involved = {c: involved_bodies(model, model.constraints[c]) for c in self.embedded}
        self._roots = {c: root for c, (_, root) in involved.items()}
        ties = [(c, bodies) for c, (bodies, _) in involved.items()]
        self.graph = ClusterGraph(model, [*ties, *bodies_by_hand(model, clusters)])
        named = {model.joint_index(name) for name in (model.independent if independent is None else independent)}
        tree = Tree(model, choose_cheap_frames=False)
        self.drawn = np.array(model.drawn if pose is None else pose, dtype=float)
        if self.drawn.shape != (model.nq,):
            raise InputError(f"pose has shape {self.drawn.shape}; expected ({model.nq},), a configuration q")
        scaled = ScaledRows(model, self.drawn)
        chosen: list[tuple[int, ...]] = []
        steps: list[tuple[StepPlan, ...]] = []
        for cluster in self.graph.clusters:
            velocities = [n for i in cluster.bodies for n in range(model.iv[i].start, model.iv[i].stop)]
            if not cluster.constraints:
                chosen.append(tuple(velocities))
                steps.append(())
                continue
            rows = NumericRows(tree, cluster.bodies, cluster.constraints)
            self.drawn, own = choose_independent(model, cluster, rows, self.drawn, named, scaled)
            chosen.append(own)
            strength = scaled.weakest(rows, rows(self.drawn)[0])
            steps.append(self._planned_steps(tree, cluster, own, strength))
        for i in sorted(named if independent is not None else ()):  # a file may declare all of its joints
            if not self.graph.clusters[self.graph.of_body[i]].constraints:
                raise InputError(
                    f"joint {model.bodies[i].joint.name!r} was named independent, but no loop involves it: its "
                    f"coordinates are independent anyway"
                )
        self.independent, self.steps = tuple(chosen), tuple(steps)

    def _planned_steps(
        self, tree: Tree, cluster, independent: Sequence[int], strength: float
    ) -> tuple[StepPlan, ...]:  # fmt: skip
        """`strength`: the weakest scaled singular value of the cluster's rows."""
        model = self.model
        known = set(independent)
        left = list(cluster.constraints)
        plans: list[StepPlan] = []
        progress = True
        while progress:
            progress = False
            for c in list(left):
                plan = self._by_formula(c, known) or self._as_dyad(tree, cluster, c, known)
                if plan is not None:
                    plans.append(plan)
                    known |= set(plan.unknown)
                    left.remove(c)
                    progress = True
        unknown = [
            n for i in cluster.bodies for n in range(model.iv[i].start, model.iv[i].stop) if n not in known
        ]
        for constraints, velocities in self._components(left, unknown):
            step = self._implicit(ImplicitStep, tree, cluster, constraints, velocities)
            at = [float(x) for x in self.drawn]
            if step.choose_pivots(at) < len(velocities):
                raise InputError(
                    f"the independent joints {self._names(independent)} do not determine {self._names(velocities)}; "
                    f"choose others in this cluster ({', '.join(self._joint_names(cluster.bodies))}), or none"
                )
            plans.append(StepPlan(constraints, velocities, step))
        for plan in plans:
            if plan.solved is not None:
                plan.solved.usual_strength = strength
        if any(isinstance(plan.solved, DyadStep) and plan.solved.winds for plan in plans):
            self._watch_motion(tree, cluster, independent, plans)
        return tuple(plans)

    def _by_formula(self, c: int, known: set[int]) -> StepPlan | None:
        """How a constraint gives some velocities from known ones by a formula; None if it cannot."""
        model, constraint = self.model, self.model.constraints[c]
        velocity = {name: model.iv[model.joint_index(name)].start for name in constraint.tied_joints}
        given = constraint.given({name for name, n in velocity.items() if n in known})
        return StepPlan((c,), tuple(velocity[name] for name in given)) if given else None

    def _as_dyad(self, tree: Tree, cluster, c: int, known: set[int]) -> StepPlan | None:
        """How a pin gives two joints of a planar loop; None if it does not, or not where the loop is drawn."""
        unknown = DyadStep.serves(self.model, c, known)
        if not unknown:
            return None
        step = self._implicit(DyadStep, tree, cluster, (c,), unknown)
        at = [float(x) for x in self.drawn]
        if step.choose_pivots(at) < 2:
            return None
        step.draw(at)
        return StepPlan((c,), unknown, step)

    def _watch_motion(self, tree: Tree, cluster, independent: Sequence[int], plans: Sequence[StepPlan]) -> None:
        """Have dyads see how far directions turn, as long as everything before them is known in closed form."""
        paths, reached = sampled_paths(self.model, self.drawn, independent)
        for plan in plans:
            if plan.solved is None:
                self._step(tree, cluster, plan, None, None, "float64").solve_positions(paths)
            elif isinstance(plan.solved, DyadStep):
                plan.solved.watch(paths, reached)
                beyond = ~(plan.solved.reaches(paths) >= 0) | np.zeros(reached.shape, dtype=bool)
                reached = reached & ~np.logical_or.accumulate(beyond, axis=1)
                reached[:, 0] = True  # as drawn
                for n, x in plan.solved.found(paths).items():
                    paths[n] = x
            else:
                break

    def _components(self, constraints: Sequence[int], unknown: Sequence[int]):
        """Constraints that share unknowns are solved together."""
        velocities = {}
        for c in constraints:
            bodies = involved_bodies(self.model, self.model.constraints[c])[0]
            velocities[c] = {n for i in bodies for n in range(self.model.iv[i].start, self.model.iv[i].stop)}
        groups: list[tuple[list[int], set[int]]] = []
        for c in constraints:
            own = velocities[c] & set(unknown)
            if not own:
                continue  # follows from the others
            touching = [g for g in groups if g[1] & own]
            merged = ([x for g in touching for x in g[0]] + [c], own.union(*(g[1] for g in touching)))
            groups = [g for g in groups if g not in touching] + [merged]
        return [(tuple(sorted(cs)), tuple(sorted(vs))) for cs, vs in groups]

    # Carrying it out

    def on(
        self, tree: Tree, *, newton: tuple[int, int] | None = None, start=None, reflection: str | None = None,
        precision: str = "float64",
    ) -> tuple[ClusteredTree, list[Resolution]]:  # fmt: skip
        """The clusters of a tree, and how their loops are resolved.

        newton   steps of Newton's method on the way and at the end; None: until the pose is found
        start    a configuration whose branch is followed; None: that of `drawn`
        """
        model = self.model
        on_frames = {
            i for c in range(len(model.constraints)) if not model.constraints[c].tied_joints
            for i in model.constraints[c].bodies(model)
        }  # fmt: skip
        candidates = [
            i for cluster in self.graph.clusters if cluster.constraints for i in cluster.bodies if i not in on_frames
        ]
        system = ClusteredTree(tree, self.graph, self.independent, find_rotors(tree, candidates), reflection)
        resolutions = []
        for k, cluster in enumerate(self.graph.clusters):
            steps = [self._step(tree, cluster, plan, newton, start, precision) for plan in self.steps[k]]
            resolutions.append(Resolution(system.velocities_of(k), self.independent[k], steps))
        return system, resolutions

    def _step(self, tree: Tree, cluster, plan: StepPlan, newton, start, precision: str) -> ResolvingStep:
        if plan.solved is not None:
            # a matrix is solved for once, so ratios must not be inputs; nor pieces of a dyad, which are measured once
            if RATIOS not in tree.parameters and all(tree.constraints[c].is_linear for c in plan.constraints):
                return LinearStep(tree, [tree.constraints[c] for c in plan.constraints], plan.unknown)
            measured = isinstance(plan.solved, DyadStep) and "placements" not in tree.parameters
            kind = DyadStep if measured else ImplicitStep
            step = self._implicit(kind, tree, cluster, plan.constraints, plan.unknown)
            step.order, step.involved = plan.solved.order, plan.solved.involved
            step.usual_pivots, step.usual_orientation = plan.solved.usual_pivots, plan.solved.usual_orientation
            step.usual_strength = plan.solved.usual_strength
            step.start = [float(x) for x in self.drawn] if start is None else start
            step.follows_start = start is not None
            step.starts_open = start is not None or bool({"placements", RATIOS} & set(tree.parameters))
            step.newton, step.precision = newton, precision
            if measured:
                step.as_drawn(plan.solved)
            return step
        return FormulaStep(tree, tree.constraints[plan.constraints[0]], plan.unknown)

    def _implicit(self, kind, tree: Tree, cluster, constraints: Sequence[int], unknown: Sequence[int]):
        return kind(tree, cluster.bodies, [EmbeddedLoop(c, self._roots[c]) for c in constraints], unknown)

    # Coordinates

    @cached_property
    def coordinates(self) -> list[int]:
        """Of each entry of y: which entry of q it is. Of velocities that are no rates of coordinates, whole joints."""
        model, result = self.model, []
        for velocities in self.independent:
            for i in sorted({self._body_of(n) for n in velocities}):
                if model.joints[i - 1].motion().velocity_is_rate:
                    own = [n for n in velocities if self._body_of(n) == i]
                    result += [model.iq[i].start + n - model.iv[i].start for n in own]
                else:
                    result += range(model.iq[i].start, model.iq[i].stop)
        return sorted(result)

    @cached_property
    def idle_motors(self) -> int:
        """Motors in clusters that other joints than motors are independent in."""
        count = 0
        for cluster, own in zip(self.graph.clusters, self.independent, strict=True):
            free = {self.model.joints[self._body_of(n) - 1].name for n in own}
            inside = {self.model.joints[i - 1].name for i in cluster.bodies if i} & set(self.model.motors)
            count += min(len(inside - free), len(free - set(self.model.motors)))
        return count

    @cached_property
    def partly_free(self) -> list[int]:
        """Bodies on joints whose velocities are no rates, and only some of them independent: a rod between two balls,
        that may spin. Their coordinates are in y, and what the loops say of them is corrected.
        """
        model, free = self.model, {n for own in self.independent for n in own}
        result = []
        for i in range(1, model.nbodies):
            own = set(range(model.iv[i].start, model.iv[i].stop))
            if not model.joints[i - 1].motion().velocity_is_rate and own & free and not own <= free:
                result.append(i)
        return result

    def _body_of(self, velocity: int) -> int:
        model = self.model
        return next(i for i in range(1, model.nbodies) if model.iv[i].start <= velocity < model.iv[i].stop)

    def _names(self, velocities: Sequence[int]) -> list[str]:
        return self._joint_names(dict.fromkeys(self._body_of(n) for n in velocities))

    def _joint_names(self, bodies) -> list[str]:
        return [self.model.bodies[i].joint.name for i in bodies]


def _embedded(model: Model, loops) -> list[int]:
    """Which constraints are embedded: those named, or all between joints and between bodies that move."""
    anyway = [c for c, constraint in enumerate(model.constraints) if constraint.is_internal(model)]
    if loops is None:
        return anyway
    names: Mapping[str, int] = {constraint.name: c for c, constraint in enumerate(model.constraints)}
    listed = (loops,) if isinstance(loops, str) else tuple(loops)
    for name in listed:
        if name not in names:
            raise InputError(f"loops names {name!r}; the constraints are {', '.join(names) or '(none)'}")
        if not model.constraints[names[name]].has_position:
            raise InputError(f"constraint {name!r} does not say where things should be, so it cannot be embedded")
    return sorted({*anyway, *(names[name] for name in listed)})
