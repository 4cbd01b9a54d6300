"""`linkwright.rollout`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError, RolloutError, RolloutInterrupted, unknown_name
from ..io import load
from ..model import Model
from ..physics.options import defaults, of_callers
from ..programs.request import sources_hash
from ..sim.duration import chosen_steps, refuse_a_time
from ..sim.prepared import Prepared, prepare
from .chunk import chunk_size
from .chunk_files import FORMATS, ChunkStore, InMemory, digest, opened
from .executors import run, runner_of
from .progress import progress_bar
from .rolled_out import RolledOut, cut

_OPTIONS: dict[str, Any] = {name: value for name, value in defaults().items() if name in of_callers()}


@names_arguments
def rollout(
    robot: Model | str | Path,
    q0: Any,
    v0: Any = None,
    ctrl: Any = None,
    *,
    steps: int | None = None,
    seconds: float | None = None,
    control: Any = None,
    dt: float | None = None,
    act0: Any = None,
    f_ext: Any = None,
    active: Any = None,
    parameters: Any = None,
    record: int = 1,
    outputs: str | Sequence[str] = (),
    start: str = "check",
    into: str | Path | None = None,
    format: str = "npy",
    chunk: int | None = None,
    executor: Any = None,
    threads: int | str = "all",
    progress: bool = True,
    **options: Any,
) -> RolledOut:
    """Simulate many samples of a robot: q0 (B, nq), v0 (B, nv), commands of its actuators ctrl (B, T, nu).

    ctrl, control, act0, f_ext, active, parameters, dt, record, outputs, start   as of `simulate`; control takes no
                 function, which would run in Python for every step
    steps        T; by default as many as `ctrl` or `control` has rows for
    seconds      instead of steps: of its time, as many steps of dt as come nearest
    into         a folder to write finished chunks to; called again with the same arguments, a rollout goes on from
                 what is there. `open_rollout(folder)` reads it. None keeps everything in memory
    format       of files in that folder: "npy", or "zarr" (extra `zarr`)
    chunk        samples that are computed and written together; follows from their size by default
    executor     who computes chunks: None, this process; "ray" (extra `ray`), the cluster that Ray is connected to,
                 or one on this machine; or an Executor of `concurrent.futures`
    threads      of this process; workers take one each
    progress     a bar in the terminal for what takes longer than two seconds
    options      further ones of `simulate`: integrator, contact, solver, ...

    A sample that diverges is flagged with its step, and the others go on. Every sample has the same bits, whoever
    computes it. Ctrl-C raises `RolloutInterrupted`, a disk that is full or a cluster that goes away `RolloutError`;
    both hold the finished chunks in `result`.
    """
    for name in options:
        if name not in _OPTIONS:
            raise unknown_name("option of rollout", name, _OPTIONS)
    if callable(control) or callable(ctrl):
        raise InputError("control or ctrl is a function; rollouts take arrays or PD gains, simulate takes functions")
    runner_of(executor)  # refuses what is none
    robot = robot if isinstance(robot, Model) else load(robot)
    refuse_a_time(robot, q0)
    if seconds is not None:
        steps = chosen_steps("rollout", steps, seconds, robot.simulation.chosen_dt(dt))
    prepared = prepare(
        robot, q0, v0, dt=dt, steps=_steps(steps, ctrl, control), control=control, ctrl=ctrl, act0=act0, f_ext=f_ext,
        active=active, parameters=parameters, record=record, outputs=outputs, start=start,
        options={**_OPTIONS, **options},
    )  # fmt: skip
    samples = prepared.samples
    if samples is None:
        raise InputError("rollout takes batches: q0 of shape (B, nq); for one sample there is simulate")
    size = chunk_size(prepared) if chunk is None else _positive("chunk", chunk)
    if format not in FORMATS:
        raise unknown_name("format", format, FORMATS)
    parts = tuple(cut(samples, size))
    store: ChunkStore = InMemory()
    if into is not None:
        store = opened(Path(into), _description(prepared, samples, size, format), parts, format)
    begin = time.perf_counter()
    found = RolledOut(prepared.dt, prepared.steps, prepared.every, samples, parts, store)
    try:
        _roll_out(prepared, parts, store, executor, threads, progress)
    except KeyboardInterrupt:
        raise RolloutInterrupted(_how_far(found, "interrupted", into), found) from None
    except RolloutError as error:
        raise RolloutError(_how_far(found, str(error), into), found) from error.__cause__
    return replace(found, seconds=time.perf_counter() - begin)


def _roll_out(prepared: Prepared, parts, store: ChunkStore, executor, threads, progress: bool) -> None:
    done = store.finished()
    left = [(number, prepared.part(part)) for number, part in enumerate(parts) if number not in done]
    with progress_bar("chunks", len(parts), len(done), progress) as advance:
        results = run(executor, left, threads)
        while True:
            try:
                number, arrays = next(results)
            except StopIteration:
                return
            except (InputError, MemoryError):
                raise
            except Exception as error:  # whatever an executor or a cluster raises when it goes away
                raise RolloutError(f"{type(error).__name__}: {error}") from error
            try:
                store.put(number, arrays)
            except (InputError, OSError) as error:  # a disk that is full
                raise RolloutError(f"chunk {number}: {error}") from error
            advance()


def _steps(steps: int | None, ctrl: Any, control: Any) -> int:
    if steps is not None:
        return _positive("steps", steps)
    rows = {np.shape(x)[-2] for x in (ctrl, control) if isinstance(x, np.ndarray | list) and np.ndim(x) > 1}
    if len(rows) != 1:
        raise InputError(
            "steps was not given, nor seconds, and neither ctrl nor control has rows for each step; pass steps=T"
        )
    return int(rows.pop())


def _positive(name: str, value: Any) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name} is {value!r}; expected a positive whole number")
    return int(value)


def _how_far(found: RolledOut, why: str, into: Any) -> str:
    done = int(found.finished.sum())
    kept = f"in {str(into)!r}; the same call goes on from there" if into is not None else "in this error's `result`"
    return f"{why}: {done} of {found.samples} samples are finished, {kept}"


def _description(prepared: Prepared, samples: int, size: int, form: str) -> dict[str, Any]:
    """What a folder holds: enough to read it, and to tell whether it is of the same rollout."""
    arrays = {**prepared.control.inputs, **prepared.given.arrays}
    return {
        "robot": prepared.model.name, "dt": prepared.dt, "steps": prepared.steps, "every": prepared.every,
        "samples": samples, "chunk": size, "format": form, "outputs": list(prepared.kept),
        "model": prepared.model.fingerprint, "options": digest(sorted(prepared.options.items(), key=str)),
        "start": digest(prepared.q, prepared.v, prepared.act),
        "inputs": digest(*(x for name in sorted(arrays) for x in (name, arrays[name]))),
        "sources": sources_hash(),
    }  # fmt: skip
