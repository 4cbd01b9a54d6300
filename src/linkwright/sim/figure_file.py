"""A matplotlib figure as a file, whole or not at all."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from ..atomic_file import write_atomically
from ..errors import InputError


def write_figure(figure: Any, path: str | os.PathLike[str], **options: Any) -> Path:
    """In the format that the name's ending says, .png, .svg or .pdf; `options` are those of `savefig`."""
    kind = os.path.splitext(os.fspath(path))[1].lstrip(".").lower()
    drawn = io.BytesIO()
    try:
        figure.savefig(drawn, format=kind or "png", **options)
    except ValueError as error:  # an ending that matplotlib does not know
        raise InputError(f"cannot write a figure to {str(path)!r}: {error}") from None
    return write_atomically(path, drawn.getvalue())
