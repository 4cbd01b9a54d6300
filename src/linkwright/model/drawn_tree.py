"""From a drawing and a choice of tree to a model: bodies at their joints, cut joints as closures."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from .builder import ModelBuilder
from .constraints import Constraint, close_with
from .joint import FIXED, Joint, free_flyer
from .mechanism_drawing import Drawing, DrawnJoint
from .model import GROUND, Model
from .not_computed import NotComputed
from .pose import Pose
from .reversal import reversed_joint

_FREE = 6  # degrees of freedom of a joint that holds nothing
_LIMITS = {"lower": -np.inf, "upper": np.inf, "velocity_limit": np.inf, "effort_limit": np.inf}


class DrawnTree:
    """A model being put together along a chosen tree."""

    def __init__(self, drawing: Drawing, carried: dict[str, tuple[str, str]], bases: list[str], *, allow_loss: bool):
        self.drawing, self.carried, self.allow_loss = drawing, carried, allow_loss
        self.warnings: list[str] = []
        self.builder = ModelBuilder(drawing.name, drawing.gravity)
        self.builder.add_inertia(GROUND, drawing.bodies[GROUND].inertia)
        self.origin: dict[str, Pose] = {GROUND: Pose.identity()}  # of the model's frame of a body in its drawn frame
        for base in bases:
            name = "root_joint" if len(bases) == 1 else f"{base}_root_joint"
            self._place(base, free_flyer(name), GROUND, Pose.identity(), Pose.identity())
        for body in self._outward(bases):
            name, parent = carried[body]
            drawn = drawing.joints[name]
            joint = drawn.joint if drawn.first == parent else reversed_joint(drawn.joint)
            self._place(body, joint, parent, drawn.on[parent], drawn.on[body])

    def model(self) -> Model:
        for name, (body, placement) in self.drawing.frames.items():
            self.builder.add_frame(name, body, self.origin[body].inverse() @ placement)
        in_tree = {name for name, _ in self.carried.values()}
        closures = [self._close(drawn) for name, drawn in self.drawing.joints.items() if name not in in_tree]
        self.builder.add_warnings(*self.warnings)
        kept = [closure for closure in closures if closure is not None]
        built = self.builder.build().with_constraints(*kept, *self.drawing.constraints)
        return built.with_drawn(self._as_drawn(built))

    def _as_drawn(self, model: Model) -> np.ndarray:
        """Joints at zero, and free bodies where they are."""
        q = model.neutral()
        for i, body in enumerate(model.bodies[1:], start=1):
            if body.joint.moves.is_free:
                name, parent = self.carried.get(body.name, (None, GROUND))
                on = self.drawing.joints[name].on if name else {body.name: Pose.identity(), parent: Pose.identity()}
                at, there = (self.drawing.bodies[b].pose @ on[b] for b in (parent, body.name))
                pose = at.inverse() @ there
                q[model.iq[i]] = [*pose.translation, *pose.quaternion]
        return q

    def _outward(self, bases: list[str]) -> list[str]:
        """Bodies depth first, siblings in the order in which they were added: limbs stay together."""
        children: dict[str, list[str]] = {}
        for body in self.drawing.bodies:
            if body in self.carried:
                children.setdefault(self.carried[body][1], []).append(body)
        order, stack = [], [*reversed(bases), GROUND]
        while stack:
            body = stack.pop()
            if body in self.carried:
                order.append(body)
            stack += reversed(children.get(body, ()))
        return order

    def _place(self, body: str, joint: Joint, parent: str, on_parent: Pose, on_body: Pose) -> None:
        placement = self.origin[parent].inverse() @ on_parent
        if joint.kind == FIXED:  # the body becomes a frame, which may as well be the drawn one
            placement, on_body = placement @ on_body.inverse(), Pose.identity()
        on_body = on_body.snapped()
        inertia = self.drawing.bodies[body].inertia.moved(on_body.inverse())
        self.builder.add_body(body, joint, parent=parent, placement=placement, inertia=inertia)
        self.origin[body] = on_body
        if not on_body.is_close(Pose.identity()):
            self.builder.add_frame(f"{body}_drawn", body, on_body.inverse())

    def _close(self, drawn: DrawnJoint) -> Constraint | None:
        joint = drawn.joint
        if joint.nv == _FREE:
            self.warnings.append(f"joint {joint.name!r} is free and holds nothing; it was left out")
            return None
        self._note_losses(drawn)
        first, second = drawn.first, drawn.second
        if self.builder.carrier(first) == self.builder.carrier(second):
            raise ModelError(
                f"joint {joint.name!r} is between {first!r} and {second!r}, which fixed joints hold together already"
            )
        if self.builder.carrier(second) == GROUND:  # the frame that moves comes first in a closure
            first, second, joint = second, first, reversed_joint(joint)
        frames = {body: f"{joint.name}_on_{body}" for body in (first, second)}
        for body, frame in frames.items():
            self.builder.add_frame(frame, body, self.origin[body].inverse() @ drawn.on[body])
        plain = Joint(name=joint.name, kind=joint.kind, axis=joint.axis, second_axis=joint.second_axis)
        return close_with(plain, frames[second], frames[first])

    def _note_losses(self, drawn: DrawnJoint) -> None:
        joint, lost = drawn.joint, drawn.needs_coordinate
        if lost and not self.allow_loss:
            raise ModelError(
                f"joint {joint.name!r} is cut, and a cut joint has no coordinate for its {', '.join(lost)} to act on; "
                f"cut another joint of the loop, or accept the loss with build(allow_loss=True)"
            )
        limits = [name for name, none in _LIMITS.items() if np.any(getattr(joint, name) != none)]
        if lost or limits:
            what = f"{', '.join([*lost, *limits])} of joint {joint.name!r}"
            why, remedy = "it is cut, and has no coordinate for them to act on", "cut another joint of the loop"
            self.builder.add_not_computed(NotComputed(what, why, remedy))
