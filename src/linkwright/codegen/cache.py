"""Compiled functions on disk, and notes of what was found out on the way to them.

One file each, named after a key over everything that shapes its code. What is read back is machine code that
will be executed, so the directory must belong to this user and be writeable by nobody else, and a file must carry the
magic bytes, its own key and a checksum of its contents. Nor may others be able to put another directory in its place:
folders above it belong to this user or to root, and those that anyone may write to keep what is not theirs from being
renamed (as /tmp does). Anything else is compiled afresh and overwritten; links, pipes
and devices are neither followed nor waited for. A directory that cannot be used is reported once, and otherwise
ignored: the cache saves time, nothing depends on it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import stat
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import CodegenError
from ..trace import Op, Program, Repeat
from ..trace.ops import DefinedOp
from .image import Image
from .target import Target

_log = logging.getLogger("linkwright")
DIRECTORY_VARIABLE = "LINKWRIGHT_CACHE"  # a directory, or "off"
LARGEST_TOTAL = 512 * 2**20  # bytes; beyond, the files unused for longest are removed
_MAGIC = b"linkwright cache 1\n"
_SUFFIX = ".lwc"
_ABANDONED_SECONDS = 3600.0  # a temporary file this old was left by a process that was killed
# How to open an entry; where a system lacks one of these, it has no such links or pipes.
_PLAIN_FILES_ONLY = sum({getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")})
_SOURCES = ("codegen", "trace")  # folders of this package whose code decides what is generated


def cache_directory() -> Path | None:
    """Where files go, or None if the cache is switched off."""
    chosen = os.environ.get(DIRECTORY_VARIABLE)
    if chosen is not None:
        return None if chosen.strip().lower() in ("", "off") else Path(chosen).expanduser()
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home
        return None
    if sys.platform == "darwin":
        base = home / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "linkwright"


def make_key(content: str, *, lanes: int, dtype: str, target: Target, arithmetic: str | None = None) -> str:
    """The key of a function whose program is identified by `content`."""
    numbers = f"{dtype} computed in {arithmetic or dtype}"
    return _digest("\0".join((content, str(lanes), numbers, target.identity(), source_hash())).encode())


def program_content(program: Program) -> str:
    """A text that identifies the program: two programs with the same text are the same."""
    arrays = repr((program.name, program.inputs, program.outputs))
    for loop in program.loops:
        passes = f"{loop.limit}" if isinstance(loop, Repeat) else f"at most {loop.limit}"
        arrays += f"\n{passes} times, {loop.expected}:\n{program_content(loop.body)}\n"
    texts = {op: _op_content(op) for op in {node[0] for node in program.nodes}}
    return arrays + "\n".join([",".join((texts[op], *map(str, rest))) for op, *rest in program.nodes])


def _op_content(op: Op | DefinedOp) -> str:
    if not isinstance(op, DefinedOp):
        return str(int(op))
    from .defined_lowering import defined_content  # what generates code is imported by those who need it

    return defined_content(op)


@cache
def source_hash() -> str:
    """Changes whenever a file that decides what is generated changes."""
    package = Path(__file__).parent.parent
    files = generating_files()
    return _digest(b"\0".join(f.relative_to(package).as_posix().encode() + b"\0" + f.read_bytes() for f in files))


def generating_files() -> list[Path]:
    """The files that decide what is generated, however deep they lie in their folders."""
    package = Path(__file__).parent.parent
    return sorted(file for folder in _SOURCES for file in (package / folder).rglob("*.py"))


def load_cached(key: str) -> Image | None:
    """The function stored under `key`, if there is one and it is intact."""
    payload = _load(key)
    try:
        return None if payload is None else Image.from_bytes(payload)
    except CodegenError:
        return None


def store(key: str, image: Image) -> None:
    _store(key, image.to_bytes())


def load_note(key: str) -> Any:
    """Plain data stored under `key`, so that it need not be found out again; None if there is none."""
    payload = _load(key)
    try:
        return None if payload is None else json.loads(payload)
    except ValueError:
        return None


def store_note(key: str, data: Any) -> None:
    _store(key, json.dumps(data).encode())


def _load(key: str) -> bytes | None:
    """What is stored under `key`, if it is intact."""
    directory = cache_directory()
    if directory is None:
        return None
    try:
        data = _read_private(directory, directory / (key + _SUFFIX))
    except FileNotFoundError:
        return None
    except _NotAFile as error:
        _warn_about_entry(error.filename)
        return None
    except OSError as error:
        _warn_once(directory, error)
        return None
    head = _header(key, data[len(_header(key, b"")) :])
    return data[len(head) :] if data.startswith(head) else None


def _read_private(directory: Path, path: Path) -> bytes:
    _check_private(directory)
    _check_parents(directory)
    with _open_file(path) as file:
        _check_private(path, os.fstat(file.fileno()))
        data = file.read()
        with contextlib.suppress(OSError):  # a read-only directory
            # for the order of removal
            os.utime(file.fileno() if os.utime in os.supports_fd else path)
    return data


class _NotAFile(OSError):
    """Something that is no plain file where one was expected."""


def _open_file(path: Path) -> BinaryIO:
    """Open a plain file, and nothing else: links lead elsewhere, and reading a pipe would wait for a writer."""
    try:
        handle = os.open(path, os.O_RDONLY | _PLAIN_FILES_ONLY)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise _NotAFile(error.errno, "not a file", str(path)) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _NotAFile(errno.EINVAL, "not a file", str(path))
    return open(handle, "rb")


def _store(key: str, payload: bytes) -> None:
    directory = cache_directory()
    if directory is None:
        return
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_private(directory)
        _check_parents(directory)
        _remove_oldest(directory, LARGEST_TOTAL - len(payload))
        handle, temporary = tempfile.mkstemp(prefix=".writing-", dir=directory)
        try:
            with open(handle, "wb") as file:
                file.write(_header(key, payload))
                file.write(payload)
            os.replace(temporary, directory / (key + _SUFFIX))
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        _warn_once(directory, error)


def _header(key: str, payload: bytes) -> bytes:
    return _MAGIC + key.encode() + b"\n" + _digest(key.encode() + payload).encode() + b"\n"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _check_private(path: Path, status: os.stat_result | None = None) -> None:
    """Raise unless `path` belongs to this user and nobody else can write to it."""
    status = os.stat(path) if status is None else status
    if os.name != "posix":
        return  # a Windows user's LOCALAPPDATA is private by default
    if status.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{path} is writeable by other users")


def _check_parents(directory: Path) -> None:
    """Raise if another user could put a directory of their own in the place of `directory`, or of one above it."""
    if os.name != "posix":
        return
    named, real = directory.absolute(), Path(os.path.realpath(directory))
    trusted = (0, os.geteuid(), os.stat(real.anchor).st_uid)  # in a container root may go by another number
    for folder in dict.fromkeys((*named.parents, *real.parents)):  # links on the way stand in the former
        status = os.stat(folder)
        if status.st_uid not in trusted:
            raise PermissionError(f"{folder}, above it, belongs to another user")
        if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
            raise PermissionError(f"{folder}, above it, is writeable by everybody")


def _remove_oldest(directory: Path, allowed: int) -> None:
    """Delete abandoned temporary files and, oldest first, what exceeds `allowed` bytes."""
    entries = []
    for entry in os.scandir(directory):
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue  # another process removed it
        if entry.name.endswith(_SUFFIX):
            entries.append((status.st_mtime, status.st_size, entry.path))
        elif entry.name.startswith(".writing-") and time.time() - status.st_mtime > _ABANDONED_SECONDS:
            Path(entry.path).unlink(missing_ok=True)
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= allowed:
            break
        Path(path).unlink(missing_ok=True)
        total -= size


@cache
def _warn_about(directory: Path, reason: str) -> None:
    _log.warning(
        "the cache of compiled functions in %s is not used: %s (set %s to another directory, or to 'off')",
        directory, reason, DIRECTORY_VARIABLE,
    )  # fmt: skip


@cache
def _warn_about_entry(path: str) -> None:
    _log.warning("%s is a link, or no file; it is ignored, and the function compiled again", path)


def _warn_once(directory: Path, error: OSError) -> None:
    _warn_about(directory, error.strerror or str(error))
