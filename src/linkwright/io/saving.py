"""Models into files."""

from __future__ import annotations

import os
from pathlib import Path

from ..atomic_file import write_atomically
from ..call_errors import names_arguments
from ..errors import InputError, LoadError
from ..model import Model
from .formats import FORMATS


@names_arguments
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
    try:
        return write_atomically(path, text)
    except InputError as error:
        raise LoadError(f"cannot write the model: {error}", file=path) from None


def _listed(endings) -> str:
    *others, last = [ending for ending in endings if ending not in ("", ".json")]
    return f"{', '.join(others)} or {last}"
