"""One place that everything which simulates asks for the compiled step of a robot: it is compiled once per process.

`simulate`, `Simulator`, rollouts, environments and the live page ask for the same outputs in the same order, whatever
else they are about, so that on one robot with the same options they share one program, in whatever order they come.
Outputs that were asked for besides make another program: what a program computes must not depend on who came before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen import CompiledFunction
from ..compilation import compile
from ..errors import InputError
from ..model import Model
from ..physics import Integrator, StepOptions
from ..physics.state import at_rest, state_names

_REMEMBERED = 32  # steps that a process keeps compiled; beyond, those asked for longest ago are forgotten
_MEMORY = ("lam", "lead", "warm")  # from which the next solution starts


@dataclass(frozen=True)
class Session:
    """The step of one robot with certain options, however many samples, steps and drivers there are.

    options      of the program `step`, by name
    outputs      what is wanted of every step besides the state
    parameters   numbers of the model that are inputs of the step, in their order; f_ext: whether external forces are
    """

    model: Model
    options: Mapping[str, Any]
    outputs: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    f_ext: bool = False

    def compiled(self, lanes: int | str = "auto", threads: int | str = 1, cache: bool = True) -> CompiledFunction:
        """The step. For another number of threads the same code is loaded again, and nothing compiled."""
        key = (self.model, hashable(self.options), self.program_outputs, self.parameters, self.f_ext, lanes)
        make = lambda: compile(  # noqa: E731
            self.model, "step", outputs=self.program_outputs, parameters=self.parameters, f_ext=self.f_ext, lanes=lanes,
            threads=threads, cache=cache, repeat=True, **self.options,
        )  # fmt: skip
        return _steps.function(key, threads, make)

    @property
    def state(self) -> tuple[str, ...]:
        """What a step gives and the next one takes, in the order of both."""
        return state_names(StepOptions.of(self.options).groups)

    @property
    def effort(self) -> str | None:
        """The output that says what a step took, if that differs from sample to sample."""
        return "effort" if self.options["contact"] else None

    @property
    def program_outputs(self) -> tuple[str, ...]:
        """The state, the status, and what else is told: alike for everybody who wants the same."""
        told = (self.effort,) if self.effort else ()
        return tuple(dict.fromkeys((*self.state, "status", *told, *sorted(self.outputs))))

    @property
    def memory(self) -> tuple[str, ...]:
        """What of the state the next solution starts from."""
        return tuple(name for name in _MEMORY if name in self.state)

    @property
    def integrator(self) -> Integrator:
        """How the step is taken."""
        return StepOptions.of(self.options).integrator

    def first_state(self, lead: tuple[int, ...], dt: float, **given: np.ndarray) -> dict[str, np.ndarray]:
        """Arrays of a state that nothing has happened to yet, (*lead, n): those `given`, else zeros."""
        arrays = {name: given.get(name, rest) for name, rest in at_rest(self.model).items() if name in self.state}
        found = {name: np.array(np.broadcast_to(x, (*lead, x.shape[-1])), order="C") for name, x in arrays.items()
                 if name != "lag"}  # fmt: skip
        return {name: found.get(name, np.full(lead, self.integrator.first_lag(dt))) for name in arrays}

    def with_first_solutions(
        self, step: CompiledFunction, inputs: Mapping[str, np.ndarray], count: int
    ) -> tuple[dict[str, np.ndarray], Any]:
        """(`inputs` with multipliers and accelerations to start from, the last result): of as many steps that are taken
        back again. A state that has only one acceleration has that as its last, and none before."""
        found, result = dict(inputs), None
        for _ in range(count):
            result = step(**found)
            found |= {name: np.asarray(result[name]) for name in self.memory}
        if "lead" in self.memory:
            only = np.zeros_like(found["lead"])
            only[..., : self.model.nv] = found["lead"][..., : self.model.nv]
            found["lead"] = only
        return found, result


def hashable(options: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Options as a key of what was compiled, in whatever order they came; refuses what penalties cannot be."""
    mu = options["mu"]
    values = mu.values() if isinstance(mu, dict) else (mu,)
    if not all(isinstance(x, int | float | None) for x in values):
        raise InputError(f"mu is {mu!r}; expected a positive number, or numbers by constraint name")
    return tuple(sorted({**options, "mu": tuple(mu.items()) if isinstance(mu, dict) else mu}.items()))


class _Steps:
    """What this process has compiled."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, dict[int | str, CompiledFunction]] = OrderedDict()
        self._under_way: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def function(self, key: Hashable, threads: int | str, make: Callable[[], CompiledFunction]) -> CompiledFunction:
        """The one for `key`; who asks while another thread makes it waits for that one."""
        with self._lock:
            alone = self._under_way.setdefault(key, threading.Lock())
        with alone:
            with self._lock:
                by_threads = self._found.setdefault(key, {})
                self._found.move_to_end(key)
            if threads not in by_threads:
                others: Sequence[CompiledFunction] = list(by_threads.values())
                by_threads[threads] = others[0].on_threads(threads) if others else make()
        with self._lock:
            while len(self._found) > _REMEMBERED:
                forgotten, _ = self._found.popitem(last=False)
                self._under_way.pop(forgotten, None)
        return by_threads[threads]

    def forget(self) -> None:
        """Everything, as in a new process."""
        with self._lock:
            self._found.clear()
            self._under_way.clear()


_steps = _Steps()
forget = _steps.forget
