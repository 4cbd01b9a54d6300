"""Bytes out of files that strangers name."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ...errors import LoadError
from .xml import MAX_BYTES


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
