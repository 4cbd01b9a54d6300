"""The frames of an SDF: what its names stand for, where each one is in the as-drawn pose and what it is fixed to.

Every model is a scope of names; "a::b" is b in the model a inside. All poses that come out are in the world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import LoadError, unknown_name
from ...model import GROUND, Pose
from ..text.xml import Element
from ..text.xml_values import name_of, shortened, text_flag
from .sdf_parts import FramePart, JointPart, LinkPart, PosePart, read_frame, read_joint, read_link, read_pose
from .sdf_vocabulary import check_vocabulary

MODEL = "__model__"
SEPARATOR = "::"


class Scope:
    """One <model>: its parts by their names, and the models inside it."""

    def __init__(self, element: Element, version: tuple[int, ...], outer: Scope | None, prefix: str, static: bool):
        check_vocabulary(element, "model")
        if element.attributes.get("placement_frame"):
            raise element.error("attribute 'placement_frame' is not understood; give the model a <pose> instead")
        self.element, self.outer, self.prefix = element, outer, prefix
        self.name = name_of(element)
        self.static = static or text_flag(element.only("static"), False)
        self.outermost: Scope = self if outer is None else outer.outermost
        self.self_collide = text_flag(element.only("self_collide"), False)
        self.links: dict[str, LinkPart] = {}
        self.frames: dict[str, FramePart] = {}
        self.joints: dict[str, JointPart] = {}
        self.inside: dict[str, Scope] = {}
        parts: tuple[tuple[dict[str, Any], str, Callable[[Element], Any]], ...] = (
            (self.links, "link", read_link),
            (self.frames, "frame", read_frame),
            (self.joints, "joint", lambda e: read_joint(e, version)),
        )
        for table, tag, read in parts:
            for child in element.named(tag):
                part = read(child)
                self._check_new(part.name, child, table)
                table[part.name] = part
        for child in element.named("model"):
            inner = name_of(child)
            self._check_new(inner, child, self.inside)
            self.inside[inner] = Scope(child, version, self, f"{prefix}{inner}{SEPARATOR}", self.static)
        self._poses: dict[str, Pose] = {}
        self._on: dict[str, str] = {}  # the links that names were found to be fixed to
        self._placing: PosePart = read_pose(element)

    def all(self) -> list[Scope]:
        """This model and those inside, in the order of the file."""
        return [self, *(scope for inner in self.inside.values() for scope in inner.all())]

    def pose(self, name: str, asking: Element) -> Pose:
        """Where a frame, joint, link or model of this scope is in the world, as drawn."""
        scope, local = self._find(name, asking)
        return scope._pose(local, asking)

    def link(self, name: str, asking: Element) -> str:
        """The full name of the link that a frame, joint, link or model is fixed to; the ground for "world"."""
        if name == GROUND and GROUND not in self.links:
            return GROUND
        scope, local = self._find(name, asking)
        passed: dict[tuple[str, str], Scope] = {}  # a chain may be as long as the file: each part of it is walked once
        while local not in scope.links and local not in scope._on:
            if (scope.prefix, local) in passed:
                raise asking.error(f"frame {shortened(name)!r} is attached to itself")
            passed[scope.prefix, local] = scope
            if local == MODEL:
                scope, local = scope._canonical_link(asking)
            elif local in scope.joints:
                scope, local = scope._find(scope.joints[local].child, scope.joints[local].element)
            else:
                frame = scope.frames[local]
                scope, local = scope._find(frame.attached_to or MODEL, frame.element)
        found = scope._on.get(local, scope.prefix + local)
        for (_, way), owner in passed.items():
            owner._on[way] = found
        return found

    def _check_new(self, name: str, element: Element, table: dict) -> None:
        others = (self.links, self.frames, self.joints) if table is self.inside else ()
        if name in table or any(name in other for other in others):
            raise element.error(f"a second <{element.tag}> is named {name!r} in model {self.name!r}")
        if name in (MODEL, GROUND) or SEPARATOR in name:
            raise element.error(f"the name {shortened(name)!r} is reserved by the format")

    def _find(self, name: str, asking: Element) -> tuple[Scope, str]:
        first, _, rest = name.partition(SEPARATOR)
        if rest and first in self.inside:
            return self.inside[first]._find(rest, asking)
        if name in self.inside:
            return self.inside[name], MODEL
        if name == MODEL or name in self.links or name in self.frames or name in self.joints:
            return self, name
        known = [*self.links, *self.frames, *self.joints, *self.inside]
        message = f"no frame named {shortened(name)!r}"
        if sum(map(len, known)) < 20_000:
            message = str(unknown_name("link, joint or frame", shortened(name), known))
        raise asking.error(f"model {self.name!r}: {message}")

    def _canonical_link(self, asking: Element) -> tuple[Scope, str]:
        given = self.element.attributes.get("canonical_link")
        if given:
            return self._find(given, self.element)
        for scope in self.all():
            if scope.links:
                return scope, next(iter(scope.links))
        raise asking.error(f"model {self.name!r} has no links")

    def _pose(self, local: str, asking: Element) -> Pose:
        """Follows the chain of `relative_to` without recursion: it may be as long as the file."""
        chain: list[tuple[Scope, str, Pose]] = []
        on_the_way: set[tuple[str, str]] = set()
        scope: Scope | None = self
        base = Pose.identity()
        while scope is not None:
            if local in scope._poses:
                base = scope._poses[local]
                break
            if (scope.prefix, local) in on_the_way:
                raise asking.error(f"the pose of {shortened(local)!r} is relative to itself, through relative_to")
            on_the_way.add((scope.prefix, local))
            part, (further, next_local) = scope._relative(local)
            chain.append((scope, local, part.pose))
            scope, local = further, next_local
        for owner, name, step in reversed(chain):
            base = owner._poses[name] = base @ step
        return base

    def _relative(self, local: str) -> tuple[PosePart, tuple[Scope | None, str]]:
        """The pose of one name as written, and the frame it is written in."""
        if local == MODEL:
            part = self._placing
            if self.outer is None:
                if part.relative_to not in (None, GROUND):
                    raise part.element.error(f"relative_to={shortened(part.relative_to)!r} has no meaning here")
                return part, (None, "")
            return part, self.outer._find(part.relative_to or MODEL, part.element)
        if local in self.links:
            part, default = self.links[local].pose, MODEL
        elif local in self.joints:
            part, default = self.joints[local].pose, self.joints[local].child
        else:
            frame = self.frames[local]
            part, default = frame.pose, frame.attached_to or MODEL
        return part, self._find(part.relative_to or default, part.element)


def read_models(root: Element) -> tuple[list[Scope], Element | None]:
    """The models of an <sdf>, and its world's <gravity> if there is one."""
    check_vocabulary(root, "sdf")
    version = _version(root)
    worlds = root.named("world")
    if len(worlds) > 1:
        raise worlds[1].error("a second world in one file")
    for world in worlds:
        check_vocabulary(world, "world")
    models = [*root.named("model"), *(model for world in worlds for model in world.named("model"))]
    if not models:
        raise root.error("there is no <model> in the file")
    if len(models) > 1 and not worlds:
        raise models[1].error("a second model; expected one, or a <world> that holds several")
    names = [name_of(model) for model in models]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise models[k].error(f"a second model is named {name!r}")
    prefixes = [f"{name}{SEPARATOR}" if len(models) > 1 else "" for name in names]
    gravity = worlds[0].only("gravity") if worlds else None
    return [Scope(model, version, None, prefix, False) for model, prefix in zip(models, prefixes, strict=True)], gravity


def _version(root: Element) -> tuple[int, ...]:
    text = root.attributes.get("version", "").strip()
    try:
        version = tuple(int(word) for word in text.split("."))
    except ValueError:
        version = ()
    if not version:
        raise LoadError(
            f"attribute 'version' is {shortened(text)!r}; expected e.g. '1.9'", file=root.file, line=root.line,
            element=root.tag,
        )  # fmt: skip
    return version
