"""What <default> classes say, for what must be known before MuJoCo has resolved them."""

from __future__ import annotations

from collections.abc import Collection

from ..text.xml import Element


class Defaults:
    """Of some attributes of one kind of element; a class has what the one around it has, unless it says otherwise."""

    def __init__(self, root: Element, tag: str, asked: Collection[str]):
        self._tag, self._asked = tag, asked
        self._classes: dict[str | None, dict[str, str]] = {None: {}}
        for top in root.named("default"):
            self._read(top, {})

    def _read(self, element: Element, around: dict[str, str]) -> None:
        waiting = [(element, around, True)]
        while waiting:
            one, inherited, is_top = waiting.pop()
            own = dict(inherited)
            for said in one.named(self._tag):
                own |= self._own(said)
            if is_top:
                self._classes[None] = own
            if "class" in one.attributes:
                self._classes[one.attributes["class"]] = own
            waiting.extend((child, own, False) for child in one.named("default"))

    def _own(self, element: Element) -> dict[str, str]:
        return {name: element.attributes[name] for name in self._asked if name in element.attributes}

    def of(self, element: Element, childclass: str | None = None) -> dict[str, str]:
        """The attributes of an element that stands where `childclass` holds."""
        name = element.attributes.get("class", childclass)
        return {**self._classes.get(name, self._classes[None]), **self._own(element)}
