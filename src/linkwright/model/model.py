"""`Model`: an immutable mechanism. Make one with a `ModelBuilder` or `linkwright.load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from ..errors import deprecated, unknown_name
from ..printable import printable
from . import configuration
from .actuators import Actuator, Keyframe
from .actuators.actuator_arrangement import check_actuators, with_actuators, without_actuators
from .body_inertia import Inertia
from .constraints import Constraint
from .contact import USUAL_LAW, ContactLaw, ContactPair, ContactPoint, Shape
from .contact import arrangement as touching
from .contact.untold_pairs import with_told_pairs
from .fingerprints import SECTIONS, content_hash, section_hashes
from .joint import Joint
from .kinematic_graph import KinematicGraph
from .look import Look, check_looks
from .model_checks import check_constraints, check_notes, check_printable
from .not_computed import NotComputed
from .passive import Passive, Tendon
from .pickling import reduced
from .pose import Pose, PoseLike, finite_array
from .simulation_defaults import NOTHING_NAMED, SimulationDefaults

GROUND = "world"
MIMIC = "mimic"  # the word of what is not computed of `mimics`


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body and the joint that carries it. The ground, body 0, has neither joint nor inertia."""

    name: str
    parent: int
    joint: Joint
    """None of the ground alone, which nobody asks for its joint: types would say `Joint | None` everywhere else too."""
    placement: Pose  # of the joint's frame in the parent's frame; the body's frame coincides with it at q = neutral
    inertia: Inertia


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame fixed to a body: a link that was merged, a sensor, a tool."""

    name: str
    body: int
    placement: Pose


@dataclass(frozen=True)
class Mimic:
    """`joint` follows `leader`: q = multiplier * q_leader + offset. Data until `Model.with_mimics_coupled`."""

    joint: str
    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Model:
    """A mechanism: bodies on joints, frames, constraints, shapes, actuators. Immutable; methods return other models.

    name      of the mechanism
    bodies    body 0 is the ground; each comes after the body that carries it
    frames    by name, those that are neither bodies nor joints
    gravity   (3,) in the world, m/s^2
    mimics    joints that follow others, as data
    """

    name: str
    bodies: tuple[Body, ...] = field(repr=False)
    frames: Mapping[str, Frame] = field(repr=False)
    gravity: np.ndarray
    mimics: tuple[Mimic, ...] = ()
    constraints: tuple[Constraint, ...] = field(default=(), repr=False)
    warnings: tuple[str, ...] = field(default=(), repr=False)
    """Remarks: how something was understood. None of them is missing from the motion; that is `not_computed`."""
    drawn: np.ndarray = field(default=None, repr=False)  # type: ignore[arg-type, assignment]  # see __post_init__
    """The configuration q (nq,) that the mechanism is drawn in, where its loops are closed; neutral if nobody says
    otherwise."""
    configurations: Mapping[str, np.ndarray] = field(default_factory=dict, repr=False)
    """Further configurations that the file names: keyframes."""
    motors: tuple[str, ...] = field(default=(), repr=False)
    """Joints that a motor drives, where the file says so."""
    independent: tuple[str, ...] = field(default=(), repr=False)
    """Joints whose coordinates are the independent ones of their loops; where none is named, pivoting chooses."""
    passive: tuple[Passive, ...] = field(default=(), repr=False)
    """What acts of itself beyond single joints' springs: tendons, compensated weight."""
    not_computed: tuple[NotComputed, ...] = field(default=(), repr=False)
    """What its file or its user asks for and nobody computes, although it concerns the motion."""
    shapes: tuple[Shape, ...] = field(default=(), repr=False)
    pairs: tuple[ContactPair, ...] = field(default=(), repr=False)
    """Shapes whose contact is computed."""
    contact_law: ContactLaw = field(default=USUAL_LAW, repr=False)
    simulation: SimulationDefaults = field(default=NOTHING_NAMED, repr=False)
    """Time step and integrator that its file names."""
    actuators: tuple[Actuator, ...] = field(default=(), repr=False)
    """What drives joints at the user's command, in the order of `ctrl`."""
    keyframes: Mapping[str, Keyframe] = field(default_factory=dict, repr=False)
    """States that the file names, with commands and activations."""
    looks: tuple[Look, ...] = field(default=(), repr=False)
    """How bodies are drawn, where the file says so; not part of what a model is: equal models may look different."""

    def __post_init__(self):
        object.__setattr__(self, "frames", MappingProxyType(dict(self.frames)))
        gravity = finite_array(self.gravity, (3,), "gravity")
        gravity.flags.writeable = False
        object.__setattr__(self, "gravity", gravity)
        drawn = self.neutral() if self.drawn is None else finite_array(self.drawn, (self.nq,), "drawn configuration")
        drawn.flags.writeable = False
        object.__setattr__(self, "drawn", drawn)
        check_printable(str(self.name), "a model")
        for joint in self.joints:
            check_printable(joint.name, "a joint")
        check_constraints(self)
        check_notes(self)
        touching.check_contacts(self)
        check_actuators(self)
        if self.looks:
            check_looks(self)

    # Constraints

    def with_constraints(self, *constraints: Constraint) -> Model:
        """This model with further constraints, e.g. `robot.with_constraints(linkwright.weld("left_foot"))`."""
        return replace(self, constraints=(*self.constraints, *constraints))

    def with_independent(self, *joints: str) -> Model:
        """This model with these joints as the independent ones of the loops they are in."""
        for name in joints:
            self.joint_index(name)
        return replace(self, independent=tuple(joints))

    @property
    def has_loops(self) -> bool:
        """Whether some constraint acts on more than one body."""
        return any(len(bodies) > 1 for bodies in self.constraint_bodies)

    @cached_property
    def constraint_bodies(self) -> tuple[tuple[int, ...], ...]:
        """The moving bodies that each constraint acts on."""
        return tuple(constraint.bodies(self) for constraint in self.constraints)

    def with_mimics_coupled(self) -> Model:
        """This model with its mimic joints as constraints: q = multiplier * q_leader + offset holds, and forces act."""
        from .constraints import couple

        couplings = [
            couple(mimic.joint, mimic.leader, [mimic.offset, mimic.multiplier], name=f"{mimic.joint}_mimic")
            for mimic in self.mimics
        ]
        missing = tuple(entry for entry in self.not_computed if entry.word != MIMIC)
        return replace(self, mimics=(), constraints=(*self.constraints, *couplings), not_computed=missing)

    def without_constraints(self) -> Model:
        """The spanning tree alone."""
        return replace(self, constraints=())

    @property
    def nc(self) -> int:
        """Number of constraint rows."""
        return sum(constraint.size for constraint in self.constraints)

    def with_drawn(self, q) -> Model:
        """This model with another configuration q (nq,) as the one it is drawn in; None is neutral."""
        return replace(self, drawn=q)

    @property
    def reference(self) -> np.ndarray:
        """Deprecated: `drawn`, the configuration q (nq,) that the mechanism is drawn in."""
        deprecated("Model.reference", "Model.drawn")
        return self.drawn

    def with_reference(self, q) -> Model:
        """Deprecated: `with_drawn`, another configuration q (nq,) to be drawn in."""
        deprecated("Model.with_reference", "Model.with_drawn")
        return self.with_drawn(q)

    # What is missing

    def with_not_computed(self, *entries: NotComputed) -> Model:
        """This model with further things that are asked for and not computed; verdicts and pages name them."""
        return replace(self, not_computed=(*self.not_computed, *entries))

    @property
    def ignored(self) -> tuple[str, ...]:
        """Of `not_computed`, what `load(..., ignore=...)` left out, word first: "fluid: option 'density' is 1.2"."""
        return tuple(f"{entry.word}: {entry.what}" for entry in self.not_computed if entry.ignored)

    # Contacts

    def with_shapes(self, *shapes: Shape) -> Model:
        """This model with further shapes, e.g. `robot.with_shapes(linkwright.sphere("foot", 0.02))`."""
        return with_told_pairs(replace(self, shapes=(*self.shapes, *shapes)))

    def with_contacts(self, *pairs: ContactPair) -> Model:
        """This model with further contacts, e.g. `robot.with_contacts(linkwright.contact("foot", "floor"))`."""
        return with_told_pairs(touching.with_contacts(self, pairs))

    def on_ground(self, friction: float | None = None, *, condim: int | None = None, at: PoseLike = None) -> Model:
        """This model with the plane z = 0 (of the frame `at` in the world) under all of its shapes."""
        return with_told_pairs(touching.on_ground(self, friction, condim, at))

    def without_contacts(self) -> Model:
        """This model with shapes that do not touch."""
        return replace(self, pairs=()).unwatched()

    def unwatched(self) -> Model:
        """This model without pairs that are watched: no status 6. `linkwright.watch` chooses them."""
        return with_told_pairs(replace(self, contact_law=replace(self.contact_law, watched=())))

    @cached_property
    def contacts(self) -> tuple[ContactPoint, ...]:
        """Candidate points of all pairs, in the order of `contact_force` and the like."""
        return touching.contact_points(self)

    # Actuators

    def with_actuators(self, *actuators: Actuator) -> Model:
        """This model with further actuators, e.g. `robot.with_actuators(linkwright.motor("hip"))`."""
        return with_actuators(self, actuators)

    def without_actuators(self) -> Model:
        """This model with nothing that takes commands."""
        return without_actuators(self)

    @property
    def nu(self) -> int:
        """Number of commands: one per actuator."""
        return len(self.actuators)

    @property
    def na(self) -> int:
        """Number of activations: one per actuator that has a state."""
        return sum(one.activation is not None for one in self.actuators)

    # Sizes and names

    @property
    def nbodies(self) -> int:
        """Number of bodies including the ground."""
        return len(self.bodies)

    @cached_property
    def nq(self) -> int:
        """Number of coordinates: the length of q."""
        return sum(joint.nq for joint in self.joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocities: the length of v, a and tau."""
        return sum(joint.nv for joint in self.joints)

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """Joints in the order of their coordinates; joint k carries body k + 1."""
        return tuple(body.joint for body in self.bodies[1:])

    @cached_property
    def iq(self) -> tuple[slice, ...]:
        """iq[i]: where the coordinates of body i's joint are in q (empty for the ground)."""
        return _slices([0, *(joint.nq for joint in self.joints)])

    @cached_property
    def iv(self) -> tuple[slice, ...]:
        """iv[i]: where the velocities of body i's joint are in v."""
        return _slices([0, *(joint.nv for joint in self.joints)])

    @cached_property
    def graph(self) -> KinematicGraph:
        """Which body carries which."""
        return KinematicGraph([body.parent for body in self.bodies])

    @cached_property
    def _body_index(self) -> dict[str, int]:
        return {body.name: i for i, body in enumerate(self.bodies)}

    @cached_property
    def _joint_index(self) -> dict[str, int]:
        return {joint.name: k + 1 for k, joint in enumerate(self.joints)}

    def body_index(self, name: str) -> int:
        """Where a body is in `bodies`."""
        if name not in self._body_index:
            raise unknown_name("body", name, self._body_index)
        return self._body_index[name]

    def joint_index(self, name: str) -> int:
        """Index of the body that the joint carries."""
        if name not in self._joint_index:
            raise unknown_name("joint", name, self._joint_index)
        return self._joint_index[name]

    def frame(self, name: str) -> Frame:
        """A named frame; every body and every joint is one too."""
        if name in self.frames:
            return self.frames[name]
        for index in (self._body_index, self._joint_index):
            if name in index:
                return Frame(name, index[name], Pose.identity())
        raise unknown_name("frame", name, [*self.frames, *self._body_index, *self._joint_index])

    def body_of(self, name: str) -> int:
        """Index of the body that a named frame is fixed to."""
        if name in self.frames:
            return self.frames[name].body
        return self._body_index[name] if name in self._body_index else self.frame(name).body

    @cached_property
    def tendons(self) -> tuple[Tendon, ...]:
        """Those of `passive`."""
        return tuple(one for one in self.passive if isinstance(one, Tendon))

    # Limits and joint quantities as vectors

    def stacked(self, quantity: str) -> np.ndarray:
        """A joint quantity for all joints in one vector, e.g. `stacked("armature")`, `stacked("lower")`."""
        if not self.joints:
            return np.zeros(0)
        return np.concatenate([getattr(joint, quantity) for joint in self.joints])

    @property
    def mass(self) -> float:
        """Of all bodies, kg."""
        return sum(body.inertia.mass for body in self.bodies)

    # Configurations

    def neutral(self) -> np.ndarray:
        """All joints at zero, quaternions at identity."""
        return configuration.neutral(self)

    def random_configuration(self, rng=None, batch: int | None = None) -> np.ndarray:
        """Uniform within joint limits, (nq,) or (batch, nq); `rng` is a generator or a seed."""
        return configuration.random_configuration(self, rng, batch)

    def integrate(self, q, v) -> np.ndarray:
        """q, (nq,) or (B, nq), moved along v, (nv,) or (B, nv), for unit time."""
        q, v = configuration.as_columns(self, "q", q, self.nq), configuration.as_columns(self, "v", v, self.nv)
        batch = np.broadcast_shapes(q.shape[1:], v.shape[1:])
        return configuration.as_rows(configuration.integrate(self, q, v), batch)

    def difference(self, q0, q1) -> np.ndarray:
        """The v (nv,) that leads from configuration q0 (nq,) to q1 in unit time; or (B, n) each."""
        q0, q1 = configuration.as_columns(self, "q0", q0, self.nq), configuration.as_columns(self, "q1", q1, self.nq)
        batch = np.broadcast_shapes(q0.shape[1:], q1.shape[1:])
        return configuration.as_rows(configuration.difference(self, q0, q1), batch)

    # Identity

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that defines this model; equal content gives equal fingerprints."""
        from .serialization import to_dictionary

        return content_hash(to_dictionary(self))

    def fingerprint_of(self, *sections: str) -> str:
        """A hash of some sections of the model only (`fingerprints.SECTIONS`): what does not read others stays the same
        whatever they hold."""
        for section in sections:
            if section not in SECTIONS:
                raise unknown_name("section of a model", section, SECTIONS)
        if not set(sections) <= set(self._section_hashes):
            from .serialization import content_of

            self._section_hashes.update(section_hashes(content_of(self, sections), sections))
        return content_hash([self._section_hashes[section] for section in sections])

    @cached_property
    def _section_hashes(self) -> dict[str, str]:
        """Of the sections that were asked for."""
        return {}

    def __eq__(self, other) -> bool:
        return isinstance(other, Model) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self):
        return reduced(self)

    def __copy__(self) -> Model:
        return self  # nothing in it can change

    def __deepcopy__(self, memo) -> Model:
        return self

    def __str__(self) -> str:
        kinds = ", ".join(sorted({joint.kind for joint in self.joints})) or "no joints"
        name = printable(self.name)
        return f"{name}: {self.nbodies - 1} bodies, nq = {self.nq}, nv = {self.nv} ({kinds}), {self.mass:.4g} kg"


def _slices(sizes) -> tuple[slice, ...]:
    ends = np.cumsum(sizes).tolist()
    return tuple(slice(end - size, end) for end, size in zip(ends, sizes, strict=True))
