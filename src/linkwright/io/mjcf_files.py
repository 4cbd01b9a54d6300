"""The XML of an MJCF model with its includes in place. Files outside the model's folder are not read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import LoadError
from .xml import MAX_BYTES, MAX_ELEMENTS, Element, parse_xml
from .xml_values import required, shortened


def read_bytes(path: Path) -> bytes:
    """The content of a regular file of reasonable size."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # before opening: a pipe would block
            raise LoadError("is not a regular file", file=path)
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise LoadError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=path) from None
    if len(data) > MAX_BYTES:
        raise LoadError(f"is larger than {MAX_BYTES} bytes, the most that is read", file=path)
    return data


class Folder:
    """The folder of the main file: what it may refer to. None for a text without a file, which may refer to nothing."""

    def __init__(self, path: Path | None):
        self.path = None if path is None else path.resolve()

    def find(self, name: str, asking: Element, *beside: str) -> Path:
        """A file of that name in the folder, or in one of the folders inside it that are given."""
        if self.path is None:
            raise asking.error(f"refers to the file {shortened(name)!r}; a text has no folder, load it from a file")
        tried = []
        for place in beside or ("",):
            try:
                path = (self.path / place / name).resolve()
                inside, there = path.is_relative_to(self.path), path.is_file()
            except (OSError, ValueError, RuntimeError):
                raise asking.error(f"{shortened(name)!r} is not the name of a file") from None
            if not inside:
                raise asking.error(
                    f"refers to {shortened(name)!r}, which is outside the folder of the model; only files inside are "
                    "read. Load the file with mujoco and give its MjModel to linkwright.load"
                )
            if there:
                return path
            tried.append(path)
        raise asking.error(f"refers to {shortened(name)!r}, which is not there")


def with_includes(root: Element, folder: Folder) -> Element:
    """Replace every <include> below `root`, in place, by what its file holds. A file may be included once."""
    _Includes(folder).expand(root, "")
    return root


class _Includes:
    def __init__(self, folder: Folder):
        self.folder, self.seen, self.count = folder, set(), 0

    def expand(self, element: Element, beside: str) -> None:
        """`beside` is the folder of the file that `element` is from, relative to the model's."""
        waiting = [(element, beside)]
        while waiting:
            parent, where = waiting.pop()
            children = []
            for child in parent.children:
                self.count += 1
                if self.count > MAX_ELEMENTS:
                    raise child.error(f"more than {MAX_ELEMENTS} elements with what is included")
                if child.tag == "include":
                    inserted, there = self._read(child, where)
                    children += inserted
                    waiting += [(one, there) for one in inserted]
                    self.count += len(inserted)
                else:
                    children.append(child)
                    waiting.append((child, where))
            parent.children = children

    def _read(self, include: Element, where: str) -> tuple[list[Element], str]:
        name = required(include, "file")
        path = self.folder.find(name, include, "", where)
        if path in self.seen:
            raise include.error(f"{shortened(name)!r} is included a second time")
        self.seen.add(path)
        root = parse_xml(read_bytes(path), path)
        inserted = root.children
        for child in inserted:
            if child.tag == "include":  # MuJoCo puts them in place too; here they are wrapped to be expanded in turn
                break
        else:
            return inserted, str(path.parent.relative_to(self.folder.path))
        holder = Element("include", {}, root.file, root.line)
        holder.children = inserted
        there = str(path.parent.relative_to(self.folder.path))
        self.expand(holder, there)
        return holder.children, there
