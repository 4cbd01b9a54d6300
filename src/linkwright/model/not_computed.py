"""What a model's file, or its user, asks for and the library does not compute, although it concerns the motion.

`Model.warnings` are remarks: how something was understood, without effect on the motion beyond what the file says.
Whatever is missing from the motion is an entry of `Model.not_computed`, and nowhere else: loading warns of it, verdicts
of simulations name it, and pages show it.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from ..errors import InputError, LinkwrightWarning, ModelError, level_outside
from ..printable import printable

if TYPE_CHECKING:
    from .model import Model

_NAMED = 6  # of a list, in one sentence


@dataclass(frozen=True)
class NotComputed:
    """One thing that is missing from the motion of a model.

    what     names it: "limits of spatial tendon 'string_1'"
    why      "lengths of spatial tendons are not computed"; empty where `what` says all
    remedy   what the user can do: "load(..., meshes=True) takes the hulls of meshes"; empty where nothing helps
    word     that `load(ignore=...)` takes for it, so that nothing warns of it; empty where there is none
    about    names of the joints, shapes or tendons that it is about. What is only about joints that are locked is
             dropped with them
    ignored  whether the user has asked to leave it out: then nothing warns of it, but it stays in the list
    """

    what: str
    why: str = ""
    remedy: str = ""
    word: str = ""
    about: tuple[str, ...] = ()
    ignored: bool = False

    def __post_init__(self):
        for name in ("what", "why", "remedy", "word"):
            if not isinstance(getattr(self, name), str):
                raise InputError(f"NotComputed: {name} is {getattr(self, name)!r}; expected a text")
        if not self.what:
            raise InputError("NotComputed: what is empty; expected the name of what is not computed")
        about = self.about
        if isinstance(about, str) or not all(isinstance(name, str) for name in about):
            raise InputError(f"NotComputed: about is {about!r}; expected names, ('foot', 'floor')")
        object.__setattr__(self, "about", tuple(about))
        for name in ("what", "why", "remedy"):  # sentences, which quote names
            object.__setattr__(self, name, printable(getattr(self, name)))
        if not isinstance(self.ignored, bool):
            raise InputError(f"NotComputed: ignored is {self.ignored!r}; expected True or False")

    def __str__(self) -> str:
        return self.what + (f": {self.why}" if self.why else "") + (f" ({self.remedy})" if self.remedy else "")

    def renamed(self, prefix: str, whose: str) -> NotComputed:
        """As part of another model, where names have this prefix; `whose` is the name of the model it comes from."""
        return replace(self, what=f"{whose}: {self.what}", about=tuple(prefix + name for name in self.about))

    def to_dictionary(self) -> dict[str, Any]:
        """As JSON files have it: without what is empty."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(x) if name == "about" else x for name, x in content.items() if x}


def read_not_computed(data: Any) -> NotComputed:
    """Inverse of `to_dictionary`."""
    known = [field.name for field in fields(NotComputed)]
    if not isinstance(data, Mapping) or not set(data) <= set(known):
        raise ModelError(f"an entry of not_computed is {str(data)[:200]}; expected an object with {', '.join(known)}")
    if not isinstance(data.get("about", []), list):
        raise ModelError(f"about of an entry of not_computed is {data['about']!r}; expected a list of names")
    return NotComputed(**{**data, "about": tuple(data.get("about", ()))})


def checked(entries: Iterable[NotComputed]) -> tuple[NotComputed, ...]:
    """Each once, in their order."""
    found = tuple(dict.fromkeys(entries))
    for entry in found:
        if not isinstance(entry, NotComputed):
            raise InputError(f"not_computed has {entry!r}; expected linkwright.NotComputed(what=...)")
    return found


def kept_after_locking(entries: Iterable[NotComputed], locked: Collection[str]) -> tuple[NotComputed, ...]:
    """Those that are not only about joints that are locked now."""
    return tuple(entry for entry in entries if not entry.about or not set(entry.about) <= set(locked))


def silenced(entries: Iterable[NotComputed], words: Collection[str]) -> tuple[NotComputed, ...]:
    """With those that these words of `load(ignore=...)` stand for marked as ignored."""
    return tuple(replace(entry, ignored=True) if entry.word in words else entry for entry in entries)


def named(entries: Iterable[NotComputed]) -> str:
    """What is missing, in one phrase: the first few by name."""
    every = list(entries)
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return ", ".join(entry.what for entry in every[:_NAMED]) + more


def warn(model: Model) -> Model:
    """`model`, after one Python warning about what it lacks, at the line outside of the library that asked for it."""
    missing = [entry for entry in model.not_computed if not entry.ignored]
    if not missing:
        return model
    lines = [f"{printable(model.name)}: not computed, although it concerns the motion (model.not_computed):"]
    lines += [f"  {entry}" for entry in missing[:_NAMED]]
    if len(missing) > _NAMED:
        lines.append(f"  ... and {len(missing) - _NAMED} more")
    # that of contacts would leave out those that are computed, too
    words = list(dict.fromkeys(entry.word for entry in missing if entry.word not in ("", "contact")))
    if words:
        listed = ", ".join(map(repr, words))
        lines.append(f"  ignore=({listed},) leaves it out without this warning; the list keeps it")
    warnings.warn("\n".join(lines), LinkwrightWarning, stacklevel=level_outside())
    return model
