"""Peers that are compiled here: compiler, headers, where what was built is kept, and what to say where that fails."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from ...codegen.cache import cache_directory
from ...errors import LinkwrightError


class PeerUnavailable(LinkwrightError, RuntimeError):
    """This machine lacks something the peer is built from; `reason` says what, and how to get it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PeerBuildFailed(PeerUnavailable):
    """Everything was found, but the compiler refused: most likely versions that do not fit together."""


def find_compiler(compiler: str | None) -> list[str]:
    asked = compiler or os.environ.get("CXX")
    for candidate in [asked] if asked else ["clang++", "g++"]:
        command = shlex.split(candidate)
        if shutil.which(command[0]):
            return command
    looked = asked or "clang++, g++"
    raise PeerUnavailable(f"no C++ compiler: looked for {looked} on PATH; install clang or g++, or set CXX")


def directory_with(header: str, directories: list[Path], remedy: str) -> Path:
    for directory in directories:
        if (directory / header).is_file():
            return directory
    looked = ", ".join(map(str, directories))
    raise PeerUnavailable(f"no C++ header {header}: looked in {looked}; get it with: {remedy}")


def run_tool(command: list[str], stdin: str = "") -> str:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True)
    if done.returncode:
        raise PeerBuildFailed(f"{shlex.join(command)} failed; its last words:\n{done.stderr[-2000:]}")
    return done.stdout


def private_directory() -> Path:
    """The cache, if nobody else can put code into it that we would run; if off, one for this process."""
    directory = cache_directory()
    if directory is None:
        directory = Path(tempfile.mkdtemp(prefix="linkwright-"))
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.stat()
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise PermissionError("other users can write to it")
    except OSError as error:
        raise PeerUnavailable(f"cannot use the cache {directory}: {error}; set LINKWRIGHT_CACHE") from error
    return directory
