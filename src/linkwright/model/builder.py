"""`ModelBuilder`: put a mechanism together body by body; everything is checked as it comes in."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ..call_errors import names_arguments
from ..errors import ModelError, unknown_name
from .body_inertia import Inertia
from .constraints import Constraint
from .joint import FIXED, Joint
from .model import GROUND, Body, Frame, Mimic, Model
from .model_checks import check_printable
from .not_computed import NotComputed
from .passive import Passive
from .pose import Pose, PoseLike, finite_array

EARTH_GRAVITY = (0.0, 0.0, -9.81)


@names_arguments
class ModelBuilder:
    """Add bodies from the ground up, then `build()`.

    A body on a fixed joint is merged into its parent at once: its mass is added there and its name becomes a frame.
    `gravity` (3,) is in the world's axes, m/s^2.
    """

    def __init__(self, name: str = "robot", gravity=EARTH_GRAVITY):
        self.name = str(name)
        self.gravity = finite_array(gravity, (3,), "gravity")
        ground = Body(GROUND, 0, None, Pose.identity(), Inertia.zero())  # type: ignore[arg-type]  # see Body.joint
        self._bodies: list[Body] = [ground]
        self._frames: dict[str, Frame] = {}
        self._where: dict[str, tuple[int, Pose]] = {GROUND: (0, Pose.identity())}  # body or frame name -> location
        self._joint_names: set[str] = set()
        self._mimics: list[Mimic] = []
        self._constraints: list[Constraint] = []
        self._independent: tuple[str, ...] = ()
        self._passive: list[Passive] = []
        self._not_computed: list[NotComputed] = []
        self._warnings: list[str] = []
        self._kept: dict[str, Any] = {}  # of the model that this builder continues: contacts, actuators, ...

    @classmethod
    def from_model(cls, model: Model) -> ModelBuilder:
        """A builder that continues where `model` stands."""
        builder = cls(model.name, model.gravity)
        for body in model.bodies[1:]:
            builder.add_body(
                body.name, body.joint, parent=model.bodies[body.parent].name, placement=body.placement,
                inertia=body.inertia,
            )  # fmt: skip
        builder.add_inertia(GROUND, model.bodies[0].inertia)
        for frame in model.frames.values():
            builder.add_frame(frame.name, model.bodies[frame.body].name, frame.placement)
        builder._mimics, builder._constraints = list(model.mimics), list(model.constraints)
        builder._independent = model.independent
        builder._passive, builder._not_computed = list(model.passive), list(model.not_computed)
        kept = ("shapes", "pairs", "contact_law", "actuators", "simulation")
        builder._kept = {name: getattr(model, name) for name in kept}
        return builder

    def add_body(
        self,
        name: str,
        joint: Joint,
        *,
        parent: str = GROUND,
        placement: PoseLike = None,
        inertia: Inertia | None = None,
    ) -> str:
        """Hang body `name` on `parent` (a body or a frame) by `joint`, whose frame sits at `placement` on the parent.

        Returns the name, to be used as the parent of further bodies.
        """
        self._check_new(name, "body")
        if not isinstance(joint, Joint):
            raise ModelError(f"body {name!r} was given {joint!r} as its joint; expected e.g. linkwright.revolute(...)")
        if joint.name in self._joint_names:
            raise ModelError(f"two joints are named {joint.name!r}; names must be unique")
        carrier, offset = self._locate(parent, f"parent of body {name!r}")
        where = (offset @ Pose.of(placement)).snapped()
        inertia = Inertia.zero() if inertia is None else inertia
        self._joint_names.add(joint.name)
        if joint.kind == FIXED:
            self._merge(name, carrier, where, inertia)
            if joint.name not in self._where:  # the joint's own name is a frame too, unless the link has that name
                self._register_frame(joint.name, carrier, where)
        else:
            self._where[name] = (len(self._bodies), Pose.identity())
            self._bodies.append(Body(name, carrier, joint, where, inertia))
        return name

    def add_frame(self, name: str, body: str = GROUND, placement: PoseLike = None) -> str:
        """Name a frame fixed to `body` (or to another frame)."""
        self._check_new(name, "frame")
        carrier, offset = self._locate(body, f"body of frame {name!r}")
        self._register_frame(name, carrier, (offset @ Pose.of(placement)).snapped())
        return name

    def add_inertia(self, body: str, inertia: Inertia, placement: PoseLike = None) -> None:
        """Add mass to a body that is there already."""
        carrier, offset = self._locate(body, "body to add mass to")
        moved = inertia.moved(offset @ Pose.of(placement))
        self._bodies[carrier] = replace(self._bodies[carrier], inertia=self._bodies[carrier].inertia + moved)

    def add_mimic(self, joint: str, leader: str, multiplier: float = 1.0, offset: float = 0.0) -> None:
        """Note that `joint` follows `leader`; kept as data (see `Mimic`)."""
        if not (math.isfinite(multiplier) and math.isfinite(offset)):
            raise ModelError(f"mimic of {joint!r} has multiplier {multiplier} and offset {offset}; must be finite")
        self._mimics.append(Mimic(joint, leader, float(multiplier), float(offset)))

    def add_passive(self, *elements: Passive) -> None:
        """What acts of itself: `Tendon`, `GravityCompensation`."""
        self._passive += elements

    def add_not_computed(self, *entries: NotComputed) -> None:
        """Note what is asked for and the model leaves out, although it concerns the motion."""
        self._not_computed += entries

    def build(self) -> Model:
        """The mechanism so far, checked."""
        for mimic in self._mimics:
            for name in (mimic.joint, mimic.leader):
                if name not in self._joint_names:
                    raise ModelError(f"mimic: {unknown_name('joint', name, self._joint_names)}")
            if mimic.joint == mimic.leader:
                raise ModelError(f"joint {mimic.joint!r} is said to mimic itself")
        warnings = list(self._warnings)
        for body in self._bodies[1:]:
            problem = body.inertia.implausibility()
            if problem:
                warnings.append(f"body {body.name!r} {problem}")
        return Model(
            self.name,
            tuple(self._bodies),
            self._frames,
            self.gravity,
            mimics=tuple(self._mimics),
            constraints=tuple(self._constraints),
            independent=self._independent,
            passive=tuple(self._passive),
            not_computed=tuple(self._not_computed),
            warnings=tuple(warnings),
            **self._kept,
        )

    def has_name(self, name: str) -> bool:
        """Whether a body or frame of that name is there."""
        return name in self._where

    def body_of(self, name: str) -> int:
        """Index of the body that a body or frame of that name belongs to."""
        return self._locate(name, "body")[0]

    def carrier(self, name: str) -> str:
        """The body that a body or frame belongs to; a body merged into its parent belongs to that."""
        return self._bodies[self._locate(name, "carrier")[0]].name

    def add_warnings(self, *warnings: str) -> None:
        """What the built model should say about how it came to be."""
        self._warnings += warnings

    def _check_new(self, name: str, kind: str) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a {kind}'s name is {name!r}; expected a non-empty string")
        check_printable(name, f"a {kind}")
        if name in self._where:
            raise ModelError(f"{kind} {name!r} is there already; names of bodies and frames must be unique")

    def _locate(self, name: str, what: str) -> tuple[int, Pose]:
        if name not in self._where:
            raise ModelError(f"{what}: {unknown_name('body or frame', name, self._where)}")
        return self._where[name]

    def _merge(self, name: str, carrier: int, where: Pose, inertia: Inertia) -> None:
        merged = self._bodies[carrier].inertia + inertia.moved(where)
        self._bodies[carrier] = replace(self._bodies[carrier], inertia=merged)
        self._register_frame(name, carrier, where)

    def _register_frame(self, name: str, carrier: int, where: Pose) -> None:
        self._where[name] = (carrier, where)
        self._frames[name] = Frame(name, carrier, where)
