"""Pictures in the documents that are drawn from the record."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..bench import compile_time, loop_scaling
from ..errors import MissingExtraError
from .sections import Section


def _drawn(plot: Callable[[Sequence[Any], str], None], results: Sequence[Any]) -> bytes:
    """An SVG that is the same for the same results: no day in it, no random names."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing the pictures of the documents") from None
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context({"svg.hashsalt": "linkwright"}):
        path = Path(folder) / "picture.svg"
        plot(results, str(path))
        return re.sub(rb"\s*<dc:date>.*?</dc:date>", b"", path.read_bytes())


def _compile_time(section: Section) -> bytes:
    return _drawn(compile_time.plot, [compile_time.CompileTime(**row) for row in section.results])


def _loop_scaling(section: Section) -> bytes:
    return _drawn(loop_scaling.plot, [loop_scaling.ScalingPoint(**row) for row in section.results])


PICTURES: dict[str, tuple[str, Callable[[Section], bytes]]] = {
    "compile-time.svg": ("compile", _compile_time),
    "loop-scaling.svg": ("loop-scaling", _loop_scaling),
}
"""File in docs -> (section it is drawn from, what draws it)."""
