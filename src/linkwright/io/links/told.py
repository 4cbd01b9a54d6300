"""What files of links and joints say beyond what is read: gathered by what it is, each told once with its owners."""

from __future__ import annotations

from collections.abc import Mapping

from ..ignoring import Ignoring
from ..text.xml import Element
from ..text.xml_values import shortened

_SHOWN = 6  # owners by name

NotRead = tuple[str, str]
"""The word of `load(ignore=...)` for it, and why it is not computed."""


class Told:
    """Entries to be: what -> the links, joints or lines that have it."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, NotRead], list[str]] = {}

    def add(self, what: str, why: NotRead, owner: str) -> None:
        self._found.setdefault((what, why), []).append(owner)

    def attributes(self, element: Element, known: Mapping[str, str], owner: str) -> None:
        """Those that the format does not have for an element; prefixes declare what other programs read."""
        for name in element.attributes:
            harmless = name == "name" or name.startswith("xmlns")
            if not harmless and name not in known.get(element.tag, "").split():
                self.add(f"attribute {shortened(name)!r} of <{shortened(element.tag)}>", UNKNOWN, owner)

    def into(self, ignore: Ignoring) -> None:
        for (what, (word, why)), owners in self._found.items():
            names = list(dict.fromkeys(owners))
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            ignore.leave(word, f"{what} of {', '.join(names[:_SHOWN])}{more}", why)


UNKNOWN = ("unknown", "the format does not define it, or it is not known here")


def owner_of(element: Element) -> str:
    """A link or joint by name, anything else by its line."""
    name = element.attributes.get("name") or element.attributes.get("reference")
    return repr(shortened(name)) if name else f"line {element.line}"
