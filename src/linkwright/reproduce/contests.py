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
from ..compilation import compile as compile_algorithm
from ..errors import LinkwrightError
from ..model import Model
from ..model.editing import depth_first
from ..referee import solve_kkt
from .clocks import Call
from .item import Values
from .peer_calls import PeerEntry, peer_calls, relative_error
from .run import Run

BATCH = 256
CHECKED = 3  # states whose answers are compared with the referee's


@dataclass(frozen=True)
class Contestant:
    """One of our solvers. `tree`: it solves the mechanism without its constraints."""

    algorithm: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tree: bool = False
    error: bool = True


def contest(
    run: Run,
    model: Model,
    entries: Mapping[str, Contestant],
    peers: Mapping[str, PeerEntry] | None = None,
    *,
    others: bool = True,
) -> Values:
    """Sizes, and by entry operations, errors and times; `untimed` were too large, `notes` say what is missing.

    `peers`: entries of Pinocchio's C++; `others`: all other libraries that are here as well.
    """
    model = depth_first(model)  # as other libraries number joints, so that vectors are those of all
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
        "iterations": {},
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
            found["errors"][name] = relative_error(f(*closed), expected)
    run.progress(f"{model.name}: setting up other libraries")
    if peers and run.peers.pinocchio is None:
        found["notes"].append(run.peers.about[0])
    beside = peer_calls(
        model, (q, v, tau), closed, expected, library=run.peers.pinocchio, entries=peers or {},
        others=run.peers.others if others else (),
    )  # fmt: skip
    found["notes"] += beside.notes
    found["errors"] |= beside.errors
    found["iterations"] |= beside.iterations
    run.progress(f"{model.name}: measuring")
    found.update(run.measured(contenders | beside.calls, samples | beside.samples))
    return found


def consistent_states(model: Model, states):
    q, v, tau = states
    return (q, consistent_velocities(model, q, v), tau) if model.nc else states


def referee(model: Model, states) -> np.ndarray | None:
    try:
        return np.array([solve_kkt(model, *state).a for state in zip(*states, strict=True)])
    except LinkwrightError:
        return None


def called(f: Callable, arrays: Sequence[np.ndarray], named: Mapping[str, np.ndarray]) -> None:
    """Returns no seconds of its own, and so is timed from outside."""
    f(*arrays, **named)
