"""Object files for LLVM modules: by worker processes in parallel, or in this process if there can be none."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, cast

import llvmlite

from ..errors import CodegenError
from . import worker
from .target import Target

_log = logging.getLogger("linkwright")
LARGEST_POOL = 8
_NODES_PER_WORKER = 3000  # starting another worker takes as long as compiling about so many
GREETING_SECONDS = 30.0  # starting takes one, importing from a slow disk several; who takes longer is no worker
_STDERR_TAIL = 2000  # characters of a dead worker's last words put into an error message


class WorkerDied(Exception):
    """A worker that was at work ended without an answer."""

    def __init__(self, last_words: str, code: int):
        super().__init__(last_words)
        self.killed = code in (-signal.SIGKILL, -signal.SIGTERM) if os.name == "posix" else code == 1


class NoWorker(Exception):
    """No worker could be started."""


_no_interpreters: set[str] = set()
"""Executables that were started and did not greet in time: asked once, not for every function."""


class Worker:
    """One process that turns IR into object files for one target."""

    def __init__(self, target: Target):
        self.target = target
        self._greeted = False
        # -I -S: neither the current directory, nor PYTHONPATH, nor site-packages can shadow what the worker imports;
        # the folder of the llvmlite in use here is the only one added.
        start = "import sys, runpy; sys.path.append(sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"
        folder = str(Path(llvmlite.__file__).parent.parent)
        if not sys.executable:
            raise NoWorker("Python does not know its own executable")
        if getattr(sys, "frozen", False):  # by PyInstaller and its kin: another window of the application would open
            raise NoWorker(f"{sys.executable!r} is a frozen application and no Python interpreter")
        if sys.executable in _no_interpreters:
            raise NoWorker(f"{sys.executable!r} did not answer as a Python interpreter does")
        command = [sys.executable, "-I", "-S", "-c", start, folder, str(Path(worker.__file__))]
        self._stderr = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr
            )
        except (OSError, ValueError) as error:
            raise NoWorker(f"could not start {sys.executable!r}: {error}") from error
        self._requests, self._replies = cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout)

    def compile(self, ir: str) -> bytes:
        if not self._greeted:
            self._greet()
        try:
            worker.write_message(self._requests, ir.encode())
            reply = worker.read_message(self._replies)
        except OSError:
            reply = None
        if not reply:
            raise WorkerDied(self._last_words(), self._process.returncode)
        if reply[:1] == b"e":
            raise CodegenError(f"LLVM refused the generated code: {reply[1:].decode()}")
        return reply[1:]

    def _greet(self) -> None:
        """Wait until the process has started; only then is it worth talking to."""
        try:
            if self._has_greeted():
                description = "\n".join((self.target.triple, self.target.cpu, self.target.features))
                worker.write_message(self._requests, description.encode())
                self._greeted = True
        except OSError:
            pass
        if not self._greeted:
            raise NoWorker(self._last_words())

    def _has_greeted(self) -> bool:
        """Whether the first bytes are the greeting, all of them there in time."""
        if os.name != "posix":  # pipes that cannot be waited for: a thread waits, and is left alone if nothing comes
            found: list[bytes | None] = []
            reader = threading.Thread(target=lambda: found.append(worker.read_message(self._replies)), daemon=True)
            reader.start()
            reader.join(GREETING_SECONDS)
            self._is_silent(not found)
            return found == [worker.GREETING]
        expected, got, end = worker.framed(worker.GREETING), b"", time.monotonic() + GREETING_SECONDS
        pipe = self._replies.fileno()
        while expected.startswith(got) and len(got) < len(expected):
            ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
            self._is_silent(not ready)
            part = os.read(pipe, len(expected) - len(got)) if ready else b""
            if not part:
                return False
            got += part
        return got == expected

    def _is_silent(self, so: bool) -> None:
        if so:
            _no_interpreters.add(sys.executable)
            raise NoWorker(
                f"{sys.executable!r} was started and did not answer as a Python interpreter does for "
                f"{GREETING_SECONDS:g} s; {self._last_words()}"
            )

    def _last_words(self) -> str:
        self._process.kill()
        self._process.wait()
        self._stderr.seek(0)
        text = self._stderr.read().decode(errors="replace")
        self.close()
        return f"worker process ended with code {self._process.returncode}: {text[-_STDERR_TAIL:] or '(no output)'}"

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._requests, self._replies, self._stderr):
            with contextlib.suppress(OSError):  # unsent data of a dead process
                stream.close()


class _IdleWorkers:
    """Workers between two compilations; starting one takes as long as compiling a thousand operations."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: list[Worker] = []

    def take(self, target: Target) -> Worker | None:
        with self._lock:
            for candidate in self._workers:
                if candidate.target == target:
                    self._workers.remove(candidate)
                    return candidate
        return None

    def put(self, unemployed: Worker) -> None:
        with self._lock:
            self._workers.append(unemployed)

    def forget(self) -> None:
        """In a forked child: the workers belong to the parent."""
        self._lock = threading.Lock()
        self._workers = []

    def close(self) -> None:
        with self._lock:
            while self._workers:
                self._workers.pop().close()


_idle = _IdleWorkers()
atexit.register(_idle.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.forget)


def generate_objects(modules: Iterable[str], target: Target, size: int) -> list[bytes]:
    """One object file per module of a program of `size` nodes.

    Workers start, and compile what is there, while (further) modules are still being written.
    """
    jobs = min(LARGEST_POOL, os.cpu_count() or 1)
    with ThreadPoolExecutor(jobs, thread_name_prefix="linkwright-codegen") as pool:
        for _ in range(min(jobs, 1 + size // _NODES_PER_WORKER)):
            pool.submit(_start_ahead, target)
        results = [pool.submit(_generate, ir, target) for ir in modules]
        return [result.result() for result in results]


def _start_ahead(target: Target) -> None:
    with contextlib.suppress(NoWorker):  # reported when a worker is needed
        _idle.put(_idle.take(target) or Worker(target))


def _generate(ir: str, target: Target) -> bytes:
    try:
        idle = _idle.take(target)
        if idle is not None:
            with contextlib.suppress(WorkerDied):  # it may have ended itself, or been killed, since it was last used
                return _compile_with(idle, ir)
        return _compile_with(Worker(target), ir)
    except NoWorker as error:
        _log.warning("generating code in this process, which takes twice as long: %s", error)
        return generate_here(ir, target)
    except WorkerDied as error:
        if not error.killed:  # LLVM crashed, and would take this process with it
            raise CodegenError(f"LLVM failed on the generated code: {error}") from error
        _log.warning("generating code in this process: %s", error)
        return generate_here(ir, target)


def _compile_with(chosen: Worker, ir: str) -> bytes:
    code = chosen.compile(ir)
    _idle.put(chosen)
    return code


_here = threading.Lock()


def generate_here(ir: str, target: Target) -> bytes:
    """Without the scheduler options, which would change the whole process."""
    with _here:
        worker.initialize()
        machine = worker.target_machine(target.triple, target.cpu, target.features)
        try:
            return worker.generate_object(machine, ir)
        except RuntimeError as error:
            raise CodegenError(f"LLVM refused the generated code: {error}") from error
