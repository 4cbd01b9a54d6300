"""`Tree`: a mechanism as the algorithms see it, in frames chosen for computing.

Numbers may be floats or traced values (see parameters.py), so an algorithm never knows which of them are constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..scalar import Scalar
from ..spatial import Force, RigidInertia, Symmetric, Transform, Vector
from .body_inertia import Inertia
from .constraints import Constraint
from .contact import Shape
from .found_once import found_once
from .framing import choose_frames
from .joints import JointMotion
from .kinematic_graph import KinematicGraph
from .lumping import lump_inertias
from .model import Model
from .parameters import Parameters
from .pose import ROUNDING, Pose
from .rotation_steps import constant_transform


class Tree:
    """Everything is indexed by body; body 0 is the ground and carries the others.

    joint      how the body moves relative to its parent (`JointMotion`, aligned with coordinate axes)
    Xtree      from the parent's frame to the joint's frame
    inertia    of each body
    lumped     equivalent inertias for joint-space dynamics (lumping.py)
    armature   rotor inertia per velocity of the body's joint
    iq, iv     where the joint's coordinates and velocities are

    Constraints, with the bodies that each acts on, are the model's own; `Constraint.at` puts them in these frames.
    """

    def __init__(
        self, model: Model, parameters: Mapping[str, Sequence] | None = None, *, choose_cheap_frames: bool = True
    ):
        values = Parameters(model, parameters or {})
        self._values, self.parameters = values, tuple(values)
        """Names of the numbers that are inputs of the call and not constants."""
        self.model = model
        self.graph: KinematicGraph = model.graph
        self.parent = model.graph.parent
        self.iq, self.iv = model.iq, model.iv
        self.nq, self.nv = model.nq, model.nv

        frames, axes = choose_frames(model, refine=choose_cheap_frames and "placements" not in values)
        self._frames = frames
        self._frame_transforms: dict[tuple[str, Pose | None], tuple[int, Transform]] = {}
        self.joint: tuple[JointMotion, ...] = (
            None,  # type: ignore[arg-type]  # the ground's, which no sweep asks for
            *(body.joint.motion(k) for body, k in zip(model.bodies[1:], axes[1:], strict=True)),
        )  # fmt: skip
        self.Xtree = (Transform(), *(self._placement(i, values) for i in range(1, model.nbodies)))
        self.body_frame = tuple(constant_transform(frame.inverse().snapped(ROUNDING)) for frame in frames)
        """body_frame[i]: from the frame of computation of body i to the frame the user knows."""
        self.inertia = tuple(self._inertia(i, values) for i in range(model.nbodies))
        known = not {"placements", "masses", "inertias"} & set(values)
        self.lumped = (
            lump_inertias(self.parent, self.joint, self.Xtree, self.inertia) if known else self.inertia
        )
        self.gravity = Vector(*values.vector("gravity"))
        self.armature = tuple(values.vector("armatures")[iv] for iv in self.iv)
        self.constraints = model.constraints
        self.constraint_bodies = model.constraint_bodies
        self._constraint_values = values.of_constraints
        self.friction = values.vector("frictions")
        self._stiffness, self._damping = values.vector("springs"), values.vector("dampings")
        self._rest = values.vector("spring_references")
        self.tendons = values.rows("tendons")
        """(stiffness, damping, dry friction) of each."""
        self.actuator_gains = values.rows("actuator_gains")
        """(gain, bias) of each, six numbers."""

    def outward(self) -> range:
        """Bodies from the ground to the tips."""
        return range(1, len(self.parent))

    def inward(self) -> range:
        """Bodies from the tips to the ground."""
        return range(len(self.parent) - 1, 0, -1)

    def joint_passive_torques(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """What the joints' own springs and dampers exert on them (all of what acts: passive_torques.py)."""
        torques = [-(d * rate) for d, rate in zip(self._damping, v, strict=True)]
        for k, stiffness, stretch in self._springs(q):
            torques[k] = torques[k] - stiffness * stretch
        return torques

    def spring_energy(self, q: Sequence[Scalar]) -> Scalar:
        energy: Scalar = 0.0
        for _, stiffness, stretch in self._springs(q):
            energy = energy + stiffness * (stretch * stretch) * 0.5
        return energy

    def _springs(self, q: Sequence[Scalar]) -> Iterator[tuple[int, Scalar, Scalar]]:
        """(velocity index, stiffness, stretch) of every direction that may have a spring."""
        for i in self.outward():
            joint, iq, iv = self.model.bodies[i].joint, self.iq[i], self.iv[i]
            if joint.may_have_springs:
                for k, coordinate in enumerate(q[iq]):
                    yield iv.start + k, self._stiffness[iv.start + k], coordinate - self._rest[iq.start + k]

    def frame_transform(self, name: str, offset: Pose | None = None) -> tuple[int, Transform]:
        """(body, from its frame of computation to the named frame, or to one at `offset` from it); kept, because every
        evaluation asks for it."""
        known, key = self._frame_transforms, (name, offset)
        if key not in known:
            frame = self.model.frame(name)
            placement = frame.placement if offset is None else frame.placement @ offset
            placement = (self._frames[frame.body].inverse() @ placement).snapped(ROUNDING)
            known[key] = frame.body, constant_transform(placement)
        return known[key]

    def shape_transform(self, shape: Shape) -> tuple[int, Transform]:
        """(body, from its frame of computation to a shape on it)."""
        given = self._values.shape_placement(shape.name)
        if given is None:
            return self.frame_transform(shape.on, shape.placement)
        body = self.model.frame(shape.on).body
        return body, constant_transform(self._frames[body].inverse().snapped(ROUNDING)).then(given)

    def contact_friction(self, pair: int) -> list[Scalar] | None:
        """Of the five directions of a pair, as given with the call; None: its own."""
        return self._values.contact_friction(pair)

    def constraint_frame(self, constraint: Constraint, k: int) -> tuple[int, Transform]:
        """(body, from its frame of computation to the k-th frame of a constraint)."""
        name, offset = constraint.placed_frames[k]
        given = self._constraint_values.placement(constraint, k)
        if given is None:
            return self.frame_transform(name, offset)
        body = self.model.frame(name).body
        return body, constant_transform(self._frames[body].inverse().snapped(ROUNDING)).then(given)

    def constraint_lengths(self, constraint: Constraint) -> Sequence[Scalar]:
        """Of a rod: as given with the call, or its own."""
        given = self._constraint_values.lengths(constraint)
        return constraint.changeable_lengths if given is None else given

    def gear_ratios(self, constraint: Constraint) -> list[Scalar] | None:
        """Of a gear, as given with the call; None: its own."""
        return self._constraint_values.ratios(constraint)

    def constraint_matrix(self, constraint: Constraint, k: int, K: np.ndarray) -> list[Force]:
        """Rows of the k-th K of a constraint: as given with the call, or its own."""
        given = self._constraint_values.rows(constraint, k)
        return [Force.from_public(row) for row in K.tolist()] if given is None else given

    def inertia_for_user(self, i: int) -> RigidInertia:
        """Of body i in the frame that the user knows."""
        values = self._values
        given = {"masses", "inertias"} & set(values)
        return values.inertia(i) if given else rigid_inertia(self.model.bodies[i].inertia)

    def force_from_user(self, i: int, f: Force) -> Force:
        """A force given in the frame the user knows, in the frame of computation."""
        return self.body_frame[i].T @ f

    def _placement(self, i: int, values: Parameters) -> Transform:
        outer, inner = self._frames[self.parent[i]].inverse(), self._frames[i]
        if "placements" in values:
            return constant_transform(outer).then(values.placement(i)).then(constant_transform(inner))
        return constant_transform((outer @ self.model.bodies[i].placement @ inner).snapped(ROUNDING))

    def _inertia(self, i: int, values: Parameters) -> RigidInertia:
        frame = self._frames[i]
        if "masses" in values or "inertias" in values:
            if i == 0:
                return RigidInertia.zero()
            return constant_transform(frame.inverse()).congruence(values.inertia(i))
        return rigid_inertia(self.model.bodies[i].inertia.moved(frame.inverse()))


@found_once
def tree_of(model: Model) -> Tree:
    """The tree of a model whose numbers are all constants, kept: choosing frames takes longer than most evaluations."""
    return Tree(model)


def rigid_inertia(inertia: Inertia) -> RigidInertia:
    """The ten numbers of an inertia in the form the algorithms use."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = (float(x) for x in inertia.dynamic_parameters)
    return RigidInertia(m, Vector(hx, hy, hz), Symmetric(xx, xy, xz, yy, yz, zz))
