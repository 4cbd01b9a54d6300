"""Files that are there whole or not at all: every file that the library writes is written here."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .errors import InputError

_LONGEST_PART = 100  # of a name, in the temporary one: names of files have at most 255 bytes


def write_atomically(path: str | os.PathLike[str], data: bytes | str) -> Path:
    """Write bytes, or text as UTF-8, beside the file and put it in its place; returns the path.

    Who reads meanwhile finds the old one or the new one. Raises InputError, which names the file and the cause, and
    leaves what was there. Devices and pipes are written to directly; of a link the file that it leads to is replaced.
    """
    content = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
    with replacing(path) as temporary:
        with open(temporary, "wb") as file:
            file.write(content)
    return Path(path)


@contextmanager
def replacing(path: str | os.PathLike[str], *, even_if: tuple[type[BaseException], ...] = ()) -> Iterator[Path]:
    """The name of a new file to write, which takes the place of `path` when the block is done.

    A block that raises leaves `path` as it was, and nothing beside it; but for exceptions of `even_if`, after which
    what is written is kept.
    """
    try:
        target = Path(path)
    except TypeError:
        raise InputError(f"{path!r} is no name of a file; expected a text or a path") from None
    temporary: Path | None = None
    try:
        real, status = _found(target)
        if status is not None and not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            yield real  # a device or a pipe: nothing can be put in its place
            return
        _check_replaceable(real, status)
        ending = real.suffix if len(real.suffix) < _LONGEST_PART else ""  # some writers go by it
        temporary = real.with_name(f".{real.stem[:_LONGEST_PART]}.{secrets.token_hex(6)}{ending}")
        with open(temporary, "xb"):
            pass
        try:
            yield temporary
        except even_if:
            _put(temporary, real, status)
            raise
        _put(temporary, real, status)
    except OSError as error:
        raise InputError(f"{target} could not be written: {_cause(error)}{_advice(target)}") from None
    finally:
        if temporary is not None:
            _remove(temporary)


def _found(target: Path) -> tuple[Path, os.stat_result | None]:
    """The file that a name, or a link, leads to, and what is there."""
    try:
        real = Path(os.path.realpath(target))
        return real, real.stat() if real.exists() else None
    except ValueError as error:  # a null character in the name
        raise OSError(str(error)) from None


def _check_replaceable(real: Path, status: os.stat_result | None) -> None:
    if status is None:
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "Is a directory")
    if not os.access(real, os.W_OK):  # its folder would let us, but somebody wants it to stay
        raise PermissionError(13, "Permission denied")


def _put(temporary: Path, real: Path, status: os.stat_result | None) -> None:
    with open(temporary, "rb+") as file:
        os.fsync(file.fileno())
    if status is not None and os.name == "posix":
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
    os.replace(temporary, real)


def _remove(temporary: Path) -> None:
    try:
        temporary.unlink(missing_ok=True)
    except OSError:
        pass  # its folder is gone, or no longer ours


def _cause(error: Exception) -> Any:
    """In a line: programs that write films put their whole log into an error."""
    told = getattr(error, "strerror", None) or str(error).strip()
    return told.splitlines()[-1] if told else type(error).__name__


def _advice(target: Path) -> str:
    try:
        found = target.absolute().parent.is_dir()
    except (OSError, ValueError):
        found = True
    return "" if found else f"; there is no folder {str(target.parent)!r}, make it first"
