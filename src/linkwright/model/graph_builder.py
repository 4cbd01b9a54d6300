"""`GraphBuilder`: a mechanism as it is drawn, with loops, in any order; the spanning tree is found for you."""

from __future__ import annotations

from collections.abc import Iterable

from ..call_errors import names_arguments
from ..errors import ModelError, unknown_name
from .body_inertia import Inertia
from .builder import EARTH_GRAVITY
from .constraints import Constraint
from .constraints.closing_joint import closing_kinds
from .drawn_tree import DrawnTree
from .joint import FIXED, Joint
from .mechanism_drawing import Drawing, DrawnBody, DrawnJoint
from .model import GROUND, Model
from .pose import Pose, PoseLike, finite_array
from .spanning_tree import Edge, centre, components, grow


@names_arguments
class GraphBuilder:
    """Add bodies and joints as they are drawn, then `build()`.

    Each body has a pose in the world as drawn; where none is given, its frame is the world's, so that a whole mechanism
    may be described in the coordinates of its drawing. A joint is at zero where its frames on the two bodies coincide.
    `gravity` (3,) is in the world's axes, m/s^2.
    """

    def __init__(self, name: str = "mechanism", gravity=EARTH_GRAVITY):
        self._drawing = Drawing(str(name), finite_array(gravity, (3,), "gravity"))

    def add_body(self, name: str, inertia: Inertia | None = None, *, pose: PoseLike = None) -> str:
        """A body drawn at `pose` in the world; its inertia is given in its own frame. Returns the name."""
        self._check_new(name, "body")
        if inertia is not None and not isinstance(inertia, Inertia):
            raise ModelError(f"inertia of body {name!r} is {inertia!r}; expected a linkwright.Inertia")
        self._drawing.bodies[name] = DrawnBody(Pose.of(pose), inertia or Inertia.zero())
        return name

    def add_frame(self, name: str, body: str = GROUND, placement: PoseLike = None) -> str:
        """Name a frame fixed to a body, in the body's drawn frame."""
        self._check_new(name, "frame")
        self._find(body, f"body of frame {name!r}")
        self._drawing.frames[name] = (body, Pose.of(placement))
        return name

    def add_joint(
        self,
        joint: Joint,
        first: str,
        second: str,
        *,
        at: PoseLike = None,
        on_first: PoseLike = None,
        on_second: PoseLike = None,
        actuated: bool = False,
    ) -> str:
        """Let `second` move relative to `first` by `joint`. Its frame, in which the joint's axis is given, is either

        at                    where it is in the world, as drawn, or
        on_first, on_second   on the bodies, in their own frames; if one is left out it is where the other is, as drawn.

        A free-flyer needs neither: its coordinates are the pose of `second` in `first`. Actuated joints are not cut
        unless you say so. Returns the name.
        """
        if not isinstance(joint, Joint):
            raise ModelError(f"{joint!r} is not a joint; expected e.g. linkwright.revolute('knee', axis='y')")
        if joint.name in self._drawing.joints:
            raise ModelError(f"two joints are named {joint.name!r}; names must be unique")
        for body in (first, second):
            self._find(body, f"joint {joint.name!r}")
        if first == second:
            raise ModelError(f"joint {joint.name!r} is between {first!r} and itself")
        frames = self._joint_frames(joint, first, second, at, on_first, on_second)
        self._drawing.joints[joint.name] = DrawnJoint(joint, first, second, frames, bool(actuated))
        return joint.name

    def add_constraint(self, *constraints: Constraint) -> None:
        """Rods, gears and other closures that are not joints; they name bodies and frames of the built model."""
        self._drawing.constraints += constraints

    def build(
        self, cut: str | Iterable[str] | None = None, *, root: str | Iterable[str] = (), allow_loss: bool = False
    ) -> Model:
        """A model whose tree is the spanning tree of the graph, and in which every cut joint is a loop closure.

        cut         joints to cut; where loops are left, or by default, spanning_tree.py chooses
        root        bodies that get a free-flyer, for mechanisms that do not touch the ground. By default the body of
                    each such mechanism from which no other is far
        allow_loss  cut joints have no coordinate, so that their springs, damping, armature and friction are lost. That
                    is refused, or with True noted in `model.not_computed` as the loss of limits always is

        In the model a body's frame sits at the joint that carries it. Where it was drawn elsewhere, the drawn frame is
        named "<body>_drawn". A closure is named after its joint; its frames are "<joint>_on_<body>". `model.drawn`
        is the configuration as drawn: joints at zero, free bodies where they are.
        """
        cuts = self._cuts(cut)
        edges = [self._edge(drawn) for name, drawn in self._drawing.joints.items() if name not in cuts]
        depth: dict[str, int] = {}
        carried = {child: (edge.name, parent) for edge, parent, child in grow(GROUND, edges, depth)}
        bases = self._bases([root] if isinstance(root, str) else list(root), edges, depth, cuts)
        for base in bases:
            carried |= {child: (edge.name, parent) for edge, parent, child in grow(base, edges, depth)}
        return DrawnTree(self._drawing, carried, bases, allow_loss=allow_loss).model()

    def exchangeable(self, model: Model) -> dict[str, tuple[str, ...]]:
        """Of a model that was built here: every cut joint, and the joints of its loop that could be cut instead."""
        found = {}
        for constraint, (one, *others) in zip(model.constraints, model.constraint_bodies, strict=True):
            if constraint.name in self._drawing.joints:
                way = set(_ways(model, one)).symmetric_difference(_ways(model, others[0] if others else 0))
                names = (joint.name for joint in model.joints if joint.name in way)
                found[constraint.name] = tuple(n for n in names if self._is_free_to_cut(n))
        return found

    def _is_free_to_cut(self, name: str) -> bool:
        return name in self._drawing.joints and not self._edge(self._drawing.joints[name]).needed

    # Checks

    def _check_new(self, name: str, kind: str) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a {kind}'s name is {name!r}; expected a non-empty string")
        if name in self._drawing.bodies or name in self._drawing.frames:
            raise ModelError(f"{kind} {name!r} is there already; names of bodies and frames must be unique")

    def _find(self, body: str, what: str) -> DrawnBody:
        if body not in self._drawing.bodies:
            raise ModelError(f"{what}: {unknown_name('body', body, self._drawing.bodies)}")
        return self._drawing.bodies[body]

    def _joint_frames(self, joint: Joint, first: str, second: str, at, on_first, on_second) -> dict[str, Pose]:
        if at is not None and not (on_first is None and on_second is None):
            raise ModelError(f"joint {joint.name!r} was given both at= and a frame on a body; give one or the other")
        pose1, pose2 = self._drawing.bodies[first].pose, self._drawing.bodies[second].pose
        if at is None and on_first is None and on_second is None:
            if not joint.moves.is_free:
                raise ModelError(f"joint {joint.name!r} has no place; give at=<pose in the world> or on_first=...")
            return {first: Pose.identity(), second: Pose.identity()}
        if on_first is not None and on_second is not None:
            return {first: Pose.of(on_first), second: Pose.of(on_second)}
        if on_first is not None:
            place = pose1 @ Pose.of(on_first)
        else:
            place = pose2 @ Pose.of(on_second) if on_second is not None else Pose.of(at)
        return {first: pose1.inverse() @ place, second: pose2.inverse() @ place}

    def _cuts(self, cut) -> list[str]:
        cuts = [cut] if isinstance(cut, str) else list(cut or ())
        for name in cuts:
            if name not in self._drawing.joints:
                raise ModelError(f"cut: {unknown_name('joint', name, self._drawing.joints)}")
        return cuts

    def _edge(self, drawn: DrawnJoint) -> Edge:
        joint = drawn.joint
        needed = drawn.actuated or joint.kind == FIXED or not _can_be_cut(joint) or bool(drawn.needs_coordinate)
        return Edge(joint.name, drawn.first, drawn.second, needed, joint.nv)

    def _bases(self, roots: list[str], edges, depth, cuts: list[str]) -> list[str]:
        """The body of each mechanism that the ground does not carry which gets a free-flyer."""
        for name in roots:
            self._find(name, "root")
            if name in depth:
                raise ModelError(f"root: {name!r} is connected to the ground, which carries it")
        loose = [body for body in self._drawing.bodies if body not in depth]
        everything = components(self._drawing.bodies, [self._edge(drawn) for drawn in self._drawing.joints.values()])
        bases = []
        for group in components(loose, [edge for edge in edges if edge.first not in depth]):
            whole = next(g for g in everything if group[0] in g)
            if len(whole) > len(group):
                raise ModelError(
                    f"cutting {_listed(cuts)} leaves {_listed(group)} connected to nothing else; a cut joint must be "
                    f"part of a loop that other joints keep together"
                )
            chosen = [name for name in roots if name in group]
            if len(chosen) > 1:
                raise ModelError(f"roots {_listed(chosen)} hang together; name one of them")
            bases.append(chosen[0] if chosen else centre(group, edges))
        return bases


def _ways(model: Model, body: int) -> list[str]:
    """Names of the joints between a body and the ground."""
    names = []
    while body:
        names.append(model.bodies[body].joint.name)
        body = model.bodies[body].parent
    return names


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _can_be_cut(joint: Joint) -> bool:
    """Whether rows can take its place; of a joint that holds nothing there are none."""
    return joint.nv == 6 or joint.kind in closing_kinds()
