"""Models into files."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ..errors import InputError, LoadError
from ..model import Model
from .formats import FORMATS


def save(model: Model, path: str | os.PathLike[str]) -> Path:
    """Write `model` to `path`: as MJCF if the name ends in .xml or .mjcf, as JSON, which holds all of it, in .json
    or has no ending; other endings are refused.

    MJCF cannot say everything; what would change the motion is refused by name (`UnsupportedError`). Either the whole
    file appears or, if writing fails, nothing changes.
    """
    path = Path(path)
    if not path.name:
        raise LoadError(f"cannot write the model: {str(path)!r} is not the name of a file")
    writers = {ending: known.write for known in FORMATS if known.write for ending in known.endings}
    write = writers.get(path.suffix.lower())
    if write is None:
        raise InputError(
            f"cannot write the model to {path.name!r}: no format that is written has names that end in "
            f"{path.suffix!r}; expected .json, which holds all of it, or {_listed(writers)}"
        )
    text = write(model)
    # beside the target, because renaming is atomic within one file system; not by `tempfile`, which hides files from
    # other users
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}")
    try:
        try:
            with open(temporary, "x", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)  # nothing is there any more if all went well
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise LoadError(f"cannot write the model: {getattr(error, 'strerror', None) or error}", file=path) from None
    return path


def _listed(endings) -> str:
    *others, last = [ending for ending in endings if ending not in ("", ".json")]
    return f"{', '.join(others)} or {last}"
