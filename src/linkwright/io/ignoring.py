"""What a file may say that changes the motion, cannot be taken over, and may be left out by name: `load(ignore=...)`.

What is left out, asked for or not, is kept on the model (`Model.not_computed`), so that nobody believes it was never
there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import InputError, unknown_name
from ..model import NotComputed
from .text.xml import Element
from .text.xml_values import shortened

IGNORABLE = {
    "actuator": "actuators that are not understood: muscles, plugins, those on sites, bodies, spatial tendons",
    "armature": "inertia of tendons, and of free joints, where it means something else",
    "bushing": "Drake's bushings",
    "contact": "geoms that collide, and pairs of them",
    "damping": "dampers that are not linear, or differ by direction of the world; velocity decay",
    "deformable": "flexes and flexcomps, with their bodies where the file writes them as one element",
    "composite": "bodies made by <composite>",
    "equality": "equalities of a kind that is not understood",
    "fluid": "forces of a medium: density, viscosity, added mass",
    "friction": "dry friction of spatial tendons, and of free joints where it differs by direction of the world",
    "gravcomp": "gravity compensation",
    "limit": "limits of spatial tendons and of balls",
    "loop": "closures and couplings in elements that are not read",
    "mimic": "joints that follow others, which are data until `with_mimics_coupled`",
    "option": "what a file asks of MuJoCo's solver and contacts: noslip_iterations, sleep, diagexact, adhesion ...",
    "plugin": "plugins of bodies, geoms and tendons",
    "spring": "springs on balls and free joints, nonlinear ones, those that yield, those on joints that close a loop",
    "tendon": "forces of tendons that are not understood: spatial ones, nonlinear ones",
    "unknown": "attributes and details of a file that are not known here, though another program may know them",
}
"""What each word stands for. Of everything it stands for, only what cannot be taken over is left out; gravity
compensation is taken over unless it is named."""

_NEEDED = {
    "attach": "a model that is attached from another file is part of the mechanism; load the whole with mujoco and "
    "give its MjModel",
    "body": "bodies are what moves",
    "link": "links are what moves",
    "joint": "joints say how bodies move; `linkwright.lock_joints` makes some of them rigid",
    "inertial": "masses and inertias are what moves; write them into the file",
    "inertia": "masses and inertias are what moves; write them into the file",
    "mass": "masses and inertias are what moves; write them into the file",
    "geom": "geoms give bodies their mass where no <inertial> does, and are left out of themselves elsewhere",
    "mesh": "meshes give bodies their mass where no <inertial> does, and are left out of themselves elsewhere",
    "include": "an included file holds a part of the mechanism",
    "gravity": "gravity is not part of what is left out; set <option gravity='0 0 0'>, or dataclasses.replace(model, "
    "gravity=...)",
}  # fmt: skip


class Ignoring:
    """The words that were given, and the list of what a reader has left out, because of them or anyway."""

    def __init__(self, words: str | Iterable[str] = ()):
        given = (words,) if isinstance(words, str | bytes) else words
        try:
            self.words = tuple(given)
        except TypeError:
            raise InputError(f"ignore is {words!r}; expected words such as ('fluid', 'plugin')") from None
        for word in self.words:
            if isinstance(word, str) and word in _NEEDED:
                raise InputError(f"ignore: {word!r} cannot be left out: {_NEEDED[word]}")
            if not isinstance(word, str) or word not in IGNORABLE:
                raise InputError(f"ignore: {unknown_name('thing that can be left out', word, IGNORABLE)}")
        self.left_out: list[NotComputed] = []

    def takes(self, word: str, what: str) -> bool:
        """Whether `what` may be left out; it is noted then."""
        if word not in self.words:
            return False
        self.left_out.append(NotComputed(what, word=word, ignored=True))
        return True

    def leave(self, word: str, what: str, why: str = "", remedy: str = "", *, about: Iterable[str] = ()) -> None:
        """Note `what`, which is left out whether that was asked for or not; an empty `word`: nobody can ask for it."""
        self.left_out.append(NotComputed(what, why, remedy, word, tuple(about), word in self.words))


def leave_out(root: Element, words: Mapping[str, str], ignore: Ignoring) -> None:
    """Take elements out of a tree whose tags are in `words`, each with the word it may be ignored by."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        kept = []
        for child in element.children:
            word = words.get(child.tag)
            name = child.attributes.get("name")
            what = f"<{child.tag}>{'' if name is None else f' {shortened(name)!r}'} on line {child.line}"
            if word is None or not ignore.takes(word, what):
                kept.append(child)
        element.children = kept
        waiting.extend(kept)


def advice(word: str) -> str:
    """The end of a refusal."""
    return f"; to load it without, give ignore=({word!r},)"
