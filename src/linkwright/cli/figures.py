"""Whether a figure can be drawn, asked before hours of measuring for it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from ..errors import InputError, MissingExtraError

_ENDINGS = (".svg", ".png", ".pdf")


def check_figure(file: str) -> None:
    """Raise if no figure can be written to `file`; nothing is asked for if it is empty."""
    if not file:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "drawing the figure")
    path = Path(file)
    if path.suffix.lower() not in _ENDINGS:
        raise InputError(f"the figure's file is {file!r}; expected a name that ends in {', '.join(_ENDINGS)}")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the figure's file is {file!r}; its folder {str(path.parent)!r} is not there")
