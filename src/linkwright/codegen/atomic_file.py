"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ..errors import InputError


def write_atomically(path: Path, data: bytes) -> None:
    """Write beside the file, then put it in its place: who reads meanwhile finds the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{path} could not be written: {error.strerror or error}") from None
