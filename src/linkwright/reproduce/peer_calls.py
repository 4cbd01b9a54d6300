"""Other libraries on one system and its states, each as calls that a clock can time in turns with ours.

Pinocchio's C++ has a clock of its own, inside; the others are called as a user would call them (library_calls.py).
Whatever a library cannot hold or lacks becomes a note, never an error: the others are measured all the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bench.loop_systems import pinocchio_constraints
from ..bench.peers.pinocchio_cpp import PinocchioCpp
from ..errors import LinkwrightError, UnsupportedError
from ..io import pinocchio_model
from ..model import Model
from .clocks import Call
from .library_calls import MU, OTHERS, States, in_pinocchio, undamped

CONVERGED = 1e-8  # of the largest acceleration: with the fewest iterations that come so near, a peer has converged
_MOST_ITERATIONS = 20
_ROWS = 16  # states that a peer is timed on
_LONGEST_CALL = 0.5  # seconds: a group of contenders has not many
# What libraries raise for models that they do not take.
_REFUSALS = (LinkwrightError, ImportError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True)
class PeerEntry:
    """One of Pinocchio's C++ algorithms with so many iterations; None: until it has converged."""

    algorithm: str
    iterations: int | None = 3


@dataclass
class PeerResults:
    """Calls to time, what their answers are off by, iterations until converged, and what is missing."""

    calls: dict[str, Call]
    samples: dict[str, int]
    errors: dict[str, float]
    iterations: dict[str, int]
    notes: list[str]


def peer_calls(
    model: Model, states: States, checked: States, expected: np.ndarray | None, *, library: PinocchioCpp | None,
    entries: Mapping[str, PeerEntry], others: Sequence[str],
) -> PeerResults:  # fmt: skip
    """`checked`: states whose accelerations are `expected`; `others`: names of OTHERS that are installed."""
    found = PeerResults({}, {}, {}, {}, [])
    if library is not None and entries:
        _pinocchio_cpp(found, library, model, entries, states, checked, expected)
    for name in others:
        try:
            for label, (call, samples, solve) in OTHERS[name](model, states):
                call()  # compiles, where a library does
                begin = time.perf_counter()
                call()
                if time.perf_counter() - begin > _LONGEST_CALL:
                    found.notes.append(f"{label}: a call takes {time.perf_counter() - begin:.1g} s; it is not timed")
                    continue
                found.calls[label], found.samples[label] = call, samples
                if expected is not None:
                    found.errors[label] = relative_error(solve(*checked), expected)
        except _REFUSALS as error:
            found.notes.append(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
    return found


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def _pinocchio_cpp(
    found: PeerResults, library: PinocchioCpp, model: Model, entries: Mapping[str, PeerEntry], states: States,
    checked: States, expected: np.ndarray | None,
) -> None:  # fmt: skip
    other = pinocchio_model(model.without_constraints())
    constraints = pinocchio_constraints(model, other)
    if isinstance(constraints, str):
        found.notes.append(f"Pinocchio has no constraint like {constraints!r}")
        return
    tree, there = library.model(other), in_pinocchio(model, [x[:_ROWS] for x in states])
    few = undamped(model, checked)
    for name, entry in entries.items():
        is_tree = entry.algorithm == "aba"
        try:
            count = entry.iterations or _iterations(tree, constraints, entry.algorithm, few, expected)
            target = tree if is_tree else tree.constrained(constraints, mu=MU, iterations=count)
            answer = target.time(entry.algorithm, *few, repeats=1)[1]
        except LinkwrightError as error:  # e.g. points and welds together, of which some of its solvers take one kind
            found.notes.append(f"{name}: {error}")
            continue
        if not is_tree and expected is not None:
            found.errors[name], found.iterations[name] = relative_error(answer, expected), count
        found.calls[name] = _own_clock(target, entry.algorithm, there)


def _iterations(tree: Any, constraints: Any, algorithm: str, few: States, expected: np.ndarray | None) -> int:
    if expected is None:
        raise UnsupportedError("nobody knows the right answer, so it cannot be told when it has converged")
    for count in range(1, _MOST_ITERATIONS + 1):
        answer = tree.constrained(constraints, mu=MU, iterations=count).time(algorithm, *few, repeats=1)[1]
        if relative_error(answer, expected) < CONVERGED:
            return count
    raise UnsupportedError(f"not within {CONVERGED:.0e} after {_MOST_ITERATIONS} iterations")


def _own_clock(target: Any, algorithm: str, there: States) -> Call:
    return lambda: target.time(algorithm, *there, repeats=1)[0]
