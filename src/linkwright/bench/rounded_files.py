"""Robot files as a printer of few digits would have written them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from ..errors import InputError

_TEXTS = {".xml", ".urdf", ".sdf", ".mjcf", ".yaml"}
_NUMBER = re.compile(r"(?<![\w.#])[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?(?![\w.])")
_LARGEST_FOLDER = 2**28  # bytes


def rounded_copy(path: Path, digits: int, folder: Path) -> Path:
    """A copy of the file, and of what lies beside it, in `folder`, all numbers with a point rounded to `digits`
    significant digits."""
    if not path.is_file():
        raise InputError(f"{str(path)!r} is not a file; numbers of files can be rounded, not those of built-in robots")
    beside = path.resolve().parent
    size = sum(x.stat().st_size for x in beside.rglob("*") if x.is_file())
    if size > _LARGEST_FOLDER:
        raise InputError(f"the folder of {str(path)!r} holds {size / 2**20:.0f} MB; too much to copy")
    for source in beside.rglob("*"):
        target = folder / source.relative_to(beside)
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix in _TEXTS:
            target.write_text(rounded(source.read_text(errors="replace"), digits))
        else:
            shutil.copyfile(source, target)
    return folder / path.name


def rounded(text: str, digits: int) -> str:
    """The text with its numbers rounded; versions and whole numbers stay."""
    return _NUMBER.sub(lambda number: f"{float(number[0]):.{digits}g}", text)
