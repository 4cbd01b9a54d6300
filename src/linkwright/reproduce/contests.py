"""Solvers of one constrained system side by side: operations, errors, and times in turns with peers.

Errors are relative to the dense referee, at states whose velocities violate no constraint (elsewhere conventions for
J-dot v differ). A program too large to compile in the time at hand is counted, and not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..bench.constrained_times import consistent_velocities
from ..bench.loop_systems import pinocchio_constraints
from ..bench.peers.mujoco_peer import MujocoPeer
from ..compilation import compile as compile_algorithm
from ..errors import LinkwrightError
from ..io.pinocchio.pinocchio_model import pinocchio_model, to_pinocchio
from ..model import Model
from ..referee import solve_kkt
from .clocks import Call
from .item import Values
from .run import Run

BATCH = 256
CHECKED = 3  # states whose answers are compared with the referee's
_PEER_ROWS = 16


@dataclass(frozen=True)
class Contestant:
    """One of our solvers. `tree`: it solves the mechanism without its constraints."""

    algorithm: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tree: bool = False
    error: bool = True


@dataclass(frozen=True)
class PeerEntry:
    """One of Pinocchio's, with so many iterations."""

    algorithm: str
    iterations: int = 3


def contest(
    run: Run,
    model: Model,
    entries: Mapping[str, Contestant],
    peers: Mapping[str, PeerEntry] | None = None,
    *,
    mujoco: bool = False,
) -> Values:
    """Sizes, and by entry operations, errors and times; `untimed` were too large, `notes` say what is missing."""
    subject = {name: model.without_constraints() if e.tree else model for name, e in entries.items()}
    operations = {
        name: run.operations(subject[name], e.algorithm, outputs="a", **e.options) for name, e in entries.items()
    }
    found: Values = {
        "dof": model.nv,
        "rows": model.nc,
        "operations": operations,
        "errors": {},
        "times": {},
        "untimed": [],
        "notes": [],
    }
    if not run.times:
        return found
    largest = run.pick(250_000, 40_000, 8_000)
    found["untimed"] = [name for name, count in operations.items() if count > largest]
    rng = np.random.default_rng(0)
    q = model.random_configuration(rng, BATCH)
    v, tau = rng.normal(size=(2, BATCH, model.nv))
    one = [np.ascontiguousarray(x[0]) for x in (q, v, tau)]
    closed = consistent_states(model, (q[:CHECKED], v[:CHECKED], tau[:CHECKED]))
    expected = referee(model, closed)
    contenders: dict[str, Call] = {}
    samples: dict[str, int] = {}
    for name, e in entries.items():
        if name in found["untimed"]:
            continue
        run.progress(f"{model.name}: compiling {name}")
        f = compile_algorithm(subject[name], e.algorithm, outputs="a", **e.options)
        out = np.empty((BATCH, model.nv))
        contenders[f"{name}, single"] = partial(called, f, one, {})
        contenders[f"{name}, batched"] = partial(called, f, (q, v, tau), {"out": out})
        samples[f"{name}, batched"] = BATCH
        if e.error and not e.tree and expected is not None:
            found["errors"][name] = _error(f(*closed), expected)
    if peers:
        contenders.update(_pinocchio(run, model, peers, (q, v, tau), found["notes"]))
    run.progress(f"{model.name}: measuring")
    found.update(run.measured(contenders, samples))
    if mujoco:
        try:
            seconds, _ = MujocoPeer(model).time(*(x[:4] for x in (q, v, tau)), repeats=run.pick(20, 5, 1))
            found["times"]["MuJoCo mj_forward"] = {"best": seconds * 1e6}
        except LinkwrightError as error:
            found["notes"].append(f"MuJoCo: {error}")
    return found


def consistent_states(model: Model, states):
    q, v, tau = states
    return (q, consistent_velocities(model, q, v), tau) if model.nc else states


def referee(model: Model, states) -> np.ndarray | None:
    try:
        return np.array([solve_kkt(model, *state).a for state in zip(*states, strict=True)])
    except LinkwrightError:
        return None


def _pinocchio(run: Run, model: Model, peers: Mapping[str, PeerEntry], states, notes: list[str]) -> dict[str, Call]:
    library = run.peers.pinocchio
    if library is None:
        notes.append(run.peers.about[0])
        return {}
    other = pinocchio_model(model.without_constraints())
    constraints = pinocchio_constraints(model, other)
    if isinstance(constraints, str):
        notes.append(f"Pinocchio has no constraint like {constraints!r}")
        return {}
    run.progress(f"{model.name}: setting up Pinocchio")
    tree = library.model(other)
    rows = [x[:_PEER_ROWS] for x in states]
    there = (to_pinocchio(model, rows[0]), *rows[1:])

    def timed(target) -> Callable[[str], Call]:
        return lambda algorithm: lambda: target.time(algorithm, *there, repeats=1)[0]

    calls: dict[str, Call] = {}
    for name, e in peers.items():
        target = tree if e.algorithm == "aba" else tree.constrained(constraints, mu=1e5, iterations=e.iterations)
        call = timed(target)(e.algorithm)
        try:
            call()
        except LinkwrightError as error:  # e.g. points and welds together, of which some of its solvers take one kind
            notes.append(f"{name}: {error}")
        else:
            calls[name] = call
    return calls


def _error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def called(f: Callable, arrays: Sequence[np.ndarray], named: Mapping[str, np.ndarray]) -> None:
    """Returns no seconds of its own, and so is timed from outside."""
    f(*arrays, **named)
