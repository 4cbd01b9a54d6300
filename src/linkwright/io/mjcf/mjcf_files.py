"""The XML of an MJCF model with its includes in place. Files outside the model's folder are not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from ..text.reading import read_bytes
from ..text.xml import MAX_ELEMENTS, Element, parse_xml
from ..text.xml_values import required, shortened

_MAX_DEPTH = 20  # of files that include files


class Folder:
    """The folder of the main file: what it may refer to. None for a text without a file, which may refer to nothing."""

    def __init__(self, path: Path | None):
        self.path = None if path is None else path.resolve()

    def find(self, name: str, asking: Element, *beside: str) -> Path:
        """A file of that name in the folder, or in one of the folders inside it that are given."""
        if self.path is None:
            raise asking.error(f"refers to the file {shortened(name)!r}; a text has no folder, load it from a file")
        left = False
        for place in beside or ("",):
            try:
                path = (self.path / place / name).resolve()
                inside, there = path.is_relative_to(self.path), path.is_file()
            except (OSError, ValueError, RuntimeError):
                raise asking.error(f"{shortened(name)!r} is not the name of a file") from None
            if inside and there:
                return path
            left = left or not inside
        if left:
            raise asking.error(
                f"refers to {shortened(name)!r}, which is outside the folder of the model; only files inside are "
                "read. Load the file with mujoco and give its MjModel to linkwright.load"
            )
        raise asking.error(f"refers to {shortened(name)!r}, which is not there")

    def beside(self, element: Element) -> str | None:
        """The folder of the file that an element is written in, if it was included: relative to the main file's."""
        if self.path is None or not isinstance(element.file, Path):
            return None
        there = element.file.resolve().parent
        return str(there.relative_to(self.path)) if there != self.path else None


def with_includes(root: Element, folder: Folder) -> Element:
    """Replace every <include> below `root`, in place, by what its file holds. A file may be included once."""
    _Includes(folder).expand(root, "")
    return root


class _Includes:
    def __init__(self, folder: Folder):
        self.folder, self.count = folder, 0
        self.seen: set[Any] = set()

    def expand(self, root: Element, beside: str, depth: int = 0) -> None:
        """`beside` is the folder of the file that `root` is of, relative to the model's."""
        if depth > _MAX_DEPTH:
            raise root.error(f"includes are nested more than {_MAX_DEPTH} deep")
        waiting = [root]
        while waiting:
            element = waiting.pop()
            children = []
            for child in element.children:
                self.count += 1
                if self.count > MAX_ELEMENTS:
                    raise child.error(f"more than {MAX_ELEMENTS} elements with what is included")
                if child.tag == "include":
                    included, there = self._read(child, beside)
                    self.expand(included, there, depth + 1)
                    children += included.children
                else:
                    children.append(child)
                    waiting.append(child)
            element.children = children

    def _read(self, include: Element, beside: str) -> tuple[Element, str]:
        """The root of an included file, and the folder it is in."""
        name = required(include, "file")
        path = self.folder.find(name, include, "", beside)
        if path in self.seen:
            raise include.error(f"{shortened(name)!r} is included a second time")
        self.seen.add(path)
        return parse_xml(read_bytes(path), path), str(path.parent.relative_to(cast(Path, self.folder.path)))
