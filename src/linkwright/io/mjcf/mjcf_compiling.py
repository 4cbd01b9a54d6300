"""A tree of MJCF elements handed to MuJoCo's compiler: line by line, so that its messages can be traced back.

This is the only door through which text of a file reaches MuJoCo. MuJoCo puts tags, names and values into its messages
as formats of C's printf, so that a name like "%s%n" reads and writes memory that is not its own; and its messages are
single lines. Text with percent signs or control characters is therefore refused before MuJoCo sees it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from xml.sax.saxutils import quoteattr

from ...errors import LoadError, MissingExtraError
from ..text.xml import Element
from ..text.xml_values import shortened

NEEDED_MESH = "; a mass, or a contact with meshes=True, is computed from it: mend the mesh, or write an <inertial>"
_ORDERS = re.compile("[%\\x00-\\x1f\\x7f-\\x9f]")
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
        _check_harmless(one)
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in one.attributes.items())
        lines.append(f"<{one.tag}{attributes}>")
        sources.append(one)
        stack.append((one, True))
        stack.extend((child, False) for child in reversed(one.children))


def _check_harmless(element: Element) -> None:
    for what, text in (("its tag", element.tag), *(pair for pair in element.attributes.items())):
        for part in (what, text):
            if not is_harmless(part):
                told = "its tag" if part is element.tag else f"attribute {shortened(what)!r}"
                raise element.error(
                    f"{told} has {shortened(part)!r}; percent signs and control characters are refused in MJCF, "
                    f"because MuJoCo, which compiles it, takes them for orders: use other names"
                )


def is_harmless(text: str) -> bool:
    """Whether MuJoCo may be given a text: printf and terminals find no orders in it."""
    return not _ORDERS.search(text)


def _traced(message: str, sources: list[Element], root: Element) -> LoadError:
    """MuJoCo's message with the line of the file in place of the line of what it was given."""
    text = " ".join(message.split())[:600]
    found = re.search(r"line (\d+)", text)
    if not found or not 1 <= int(found[1]) <= len(sources):
        return LoadError(f"MuJoCo refuses the model: {text}", file=root.file, line=root.line, element=root.tag)
    element = sources[int(found[1]) - 1]
    error = element.error(f"MuJoCo refuses it: {re.sub(r'[, ]*line [0-9]+', '', text)}")
    return error.with_advice(NEEDED_MESH) if element.tag == "mesh" else error
