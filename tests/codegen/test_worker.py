"""Code generation in worker processes, and what happens when they fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from programs import chain

import linkwright
from linkwright.codegen import compile_program, objectfile
from linkwright.codegen.target import host_target
from linkwright.errors import CodegenError

GOOD = "define i32 @f() {\nret i32 1\n}\n"
ARGUMENTS = np.linspace(0, 1, 5), np.ones(4), np.zeros(4)


@pytest.fixture
def no_idle_workers():
    objectfile._idle.close()
    yield
    objectfile._idle.close()


@pytest.fixture
def worker(no_idle_workers):
    worker = objectfile.Worker(host_target())
    yield worker
    worker.close()


def test_objects_come_back_in_order():
    modules = [f"define i32 @f{k}() {{\nret i32 {k}\n}}\n" for k in range(6)]
    objects = objectfile.generate_objects(iter(modules), host_target(), 10)
    for k, data in enumerate(objects):
        assert f"f{k}".encode() in data


def test_worker_and_this_process_agree_in_substance(worker):
    assert len(worker.compile(GOOD)) == len(objectfile.generate_here(GOOD, host_target()))


@pytest.mark.parametrize("bad", ["this is no IR", "define i32 @f() {\nret i64 1\n}\n"])
def test_bad_code_is_reported_and_the_worker_lives_on(worker, bad):
    with pytest.raises(CodegenError, match="LLVM refused"):
        worker.compile(bad)
    assert worker.compile(GOOD)
    with pytest.raises(CodegenError, match="LLVM refused"):
        objectfile.generate_here(bad, host_target())


def test_killed_idle_worker_is_replaced(no_idle_workers):
    objectfile.generate_objects([GOOD], host_target(), 1)
    for idle in objectfile._idle._workers:
        idle._process.kill()
        idle._process.wait()
    assert objectfile.generate_objects([GOOD], host_target(), 1)


def test_worker_that_cannot_start(no_idle_workers, monkeypatch, caplog):
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    function = compile_program(chain(), cache=False)
    assert function(*ARGUMENTS).shape == (4,)
    assert "generating code in this process" in caplog.text


@pytest.mark.parametrize("executable", ["", None])
def test_no_known_interpreter(no_idle_workers, monkeypatch, executable):
    """Embedded in an application, sys.executable may be empty."""
    monkeypatch.setattr(sys, "executable", executable)
    assert compile_program(chain(), cache=False)(*ARGUMENTS).shape == (4,)


def test_executable_that_is_no_python(no_idle_workers, monkeypatch, tmp_path):
    """A frozen application: its executable starts, but speaks another language."""
    if os.name != "posix":
        pytest.skip("needs a shell script")
    script = tmp_path / "application"
    script.write_text("#!/bin/sh\necho no python here >&2\nexit 3\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    assert compile_program(chain(), cache=False)(*ARGUMENTS).shape == (4,)


SILENT = {
    "sleeps": "sleep 600",
    "sleeps and ignores signals": "trap '' TERM HUP INT; sleep 600",
    "talks without end": "while :; do echo no python here; done",
    "greets by half": "printf '\\021\\000\\000\\000\\000\\000\\000\\000linkw'; sleep 600",
    "a child that holds its output": "sleep 600 & exit 0",
    "echoes": "cat",
    "closes its output": "exec 1>&-; sleep 600",
    "a long message": "printf '\\377\\377\\000\\000\\000\\000\\000\\000'; sleep 600",
}


@pytest.mark.parametrize("what", SILENT)
def test_executable_that_does_not_answer(no_idle_workers, monkeypatch, tmp_path, what, caplog):
    """An application that embeds Python: it starts, and does something else for ever."""
    if os.name != "posix":
        pytest.skip("needs a shell script")
    script = tmp_path / "application"
    script.write_text(f"#!/bin/sh\n{SILENT[what].replace('sleep 600', 'sleep 20')}\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(objectfile, "GREETING_SECONDS", 0.3)
    begin = time.monotonic()
    assert compile_program(chain(), cache=False)(*ARGUMENTS).shape == (4,)
    assert "generating code in this process" in caplog.text and time.monotonic() - begin < 15
    if str(script) in objectfile._no_interpreters:
        monkeypatch.setattr(objectfile, "GREETING_SECONDS", 1e6)  # it is not asked again
        assert compile_program(chain("again"), cache=False)(*ARGUMENTS).shape == (4,)


def test_a_frozen_application_is_not_started_again(no_idle_workers, monkeypatch, tmp_path):
    """It would open another window of itself."""
    started = tmp_path / "started"
    script = tmp_path / "application"
    script.write_text(f"#!/bin/sh\ntouch {started}\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert compile_program(chain(), cache=False)(*ARGUMENTS).shape == (4,)
    assert not started.exists()


def end_workers_by(monkeypatch, sent):
    original = objectfile.Worker.compile

    def compile_and_die(self, ir):
        self._greet()
        self._process.send_signal(sent)
        return original(self, ir)

    monkeypatch.setattr(objectfile.Worker, "compile", compile_and_die)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_crash_is_an_error_here_not_a_crash(no_idle_workers, monkeypatch):
    end_workers_by(monkeypatch, signal.SIGSEGV)
    with pytest.raises(CodegenError, match=r"LLVM failed .* code -11"):
        objectfile.generate_objects([GOOD], host_target(), 1)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_at_work(no_idle_workers, monkeypatch, caplog):
    """By the system, for lack of memory, or by somebody else: try here."""
    end_workers_by(monkeypatch, signal.SIGKILL)
    assert objectfile.generate_objects([GOOD], host_target(), 1)
    assert "code -9" in caplog.text


def test_nothing_in_the_current_directory_is_imported(tmp_path, monkeypatch):
    for name in ("struct.py", "threading.py", "llvmlite.py", "runpy.py", "numpy.py"):
        (tmp_path / name).write_text("raise SystemExit('shadowed')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    worker = objectfile.Worker(host_target())
    try:
        assert worker.compile(GOOD)
    finally:
        worker.close()


def test_options_of_this_process_are_untouched():
    """The scheduler options are for the worker: a user's numba must not get them."""
    paths = [str(Path(linkwright.__file__).parent.parent), str(Path(__file__).parent)]
    code = (
        f"import sys; sys.path[:0] = {paths!r}\n"
        "import llvmlite.binding as llvm\n"
        "llvm.set_option = lambda *a: sys.exit('an option was set')\n"
        "from programs import chain\n"
        "from linkwright.codegen import compile_program\n"
        "compile_program(chain(), cache=False)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert not result.stdout and not result.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_a_fork():
    compile_program(chain(), cache=False)
    child = os.fork()
    if child == 0:
        try:
            ok = compile_program(chain("child"), cache=False)(*ARGUMENTS).shape == (4,)
        except BaseException:
            ok = False
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert compile_program(chain("parent"), cache=False)(*ARGUMENTS).shape == (4,)
