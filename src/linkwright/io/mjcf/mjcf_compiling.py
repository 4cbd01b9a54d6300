"""A tree of MJCF elements handed to MuJoCo's compiler: line by line, so that its messages can be traced back."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from xml.sax.saxutils import quoteattr

from ...errors import LoadError, MissingExtraError
from ..text.xml import Element

_ONE_AT_A_TIME = threading.Lock()  # who takes MuJoCo's warnings is known to the whole process


def import_mujoco(purpose: str) -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError("mujoco", "io", purpose) from None
    return mujoco


def compiled(tree: Element, assets: Mapping[str, bytes], told: list[str], root: Element) -> Any:
    """The `mujoco.MjModel` of a tree. Warnings go into `told`; errors say where in `root`'s file they come from."""
    mujoco = import_mujoco("reading MJCF")
    lines: list[str] = []
    sources: list[Element] = []
    _write(tree, lines, sources)
    try:
        with _warnings_into(mujoco, told):
            return mujoco.MjModel.from_xml_string("\n".join(lines), dict(assets))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise _traced(str(error), sources, root) from None


@contextmanager
def _warnings_into(mujoco: Any, told: list[str]) -> Iterator[None]:
    """MuJoCo prints its warnings and writes them to a file in the current folder, unless someone else takes them."""
    with _ONE_AT_A_TIME:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda text: told.append(f"MuJoCo: {' '.join(str(text).split())[:300]}"))
        try:
            yield
        finally:
            mujoco.set_mju_user_warning(before)


def _write(element: Element, lines: list[str], sources: list[Element]) -> None:
    """One line for each start tag; an end tag stands at the end of the last line inside."""
    stack: list[tuple[Element, bool]] = [(element, False)]
    while stack:
        one, closing = stack.pop()
        if closing:
            lines[-1] += f"</{one.tag}>"
            continue
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in one.attributes.items())
        lines.append(f"<{one.tag}{attributes}>")
        sources.append(one)
        stack.append((one, True))
        stack.extend((child, False) for child in reversed(one.children))


def _traced(message: str, sources: list[Element], root: Element) -> LoadError:
    """MuJoCo's message with the line of the file in place of the line of what it was given."""
    text = " ".join(message.split())[:600]
    found = re.search(r"line (\d+)", text)
    if not found or not 1 <= int(found[1]) <= len(sources):
        return LoadError(f"MuJoCo refuses the model: {text}", file=root.file, line=root.line, element=root.tag)
    return sources[int(found[1]) - 1].error(f"MuJoCo refuses it: {re.sub(r'[, ]*line [0-9]+', '', text)}")
