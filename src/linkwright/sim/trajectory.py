"""What a simulation gives back: states over time, and the books it kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..algorithms.constraint_state import constraint_state
from ..algorithms.integration import half_step_back
from ..algorithms.straight_motion import StraightMotion
from ..compilation import compile, reference
from ..errors import unknown_name
from ..model import Model, tree_of
from ..programs.solver_choice import cheapest_solver
from .verdict import describe

_FEW = 2000  # states up to which evaluating on numbers is quicker than compiling


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States at times `t`, the start first: q (T, nq), v (T, nv), or with the batch in front, (B, T, n).

    work     (T, 3) joules since the start: by controls; by dampers and friction (negative); by limits
    worst    largest drift and largest solver residual of any step, also of steps between those recorded
    outputs  what else was asked for, one row per state but the first: `trajectory["a"]`
    lam      multipliers of the last step

    With semi-implicit Euler velocities are half a step older than positions: J v is J-dot v dt/2, not zero; energies
    are taken where the velocities belong.
    """

    model: Model
    dt: float
    integrator: str
    solver_asked_for: str | None
    iterations: int | None
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    work: np.ndarray
    worst: np.ndarray
    lam: np.ndarray = field(repr=False)
    outputs: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    steps: int = 0
    seconds: float = 0.0
    """What computing the steps took, compiling aside."""

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.outputs:
            raise unknown_name("recorded output", name, self.outputs)
        return self.outputs[name]

    @property
    def solver(self) -> str:
        """The name of the forward dynamics used."""
        return self.solver_asked_for or cheapest_solver(self.model, self.iterations)

    @property
    def batch(self) -> int | None:
        return len(self.q) if self.q.ndim == 3 else None

    @property
    def final(self) -> tuple[np.ndarray, np.ndarray]:
        """The last q and v, to go on from."""
        return self.q[..., -1, :], self.v[..., -1, :]

    @property
    def steps_per_second(self) -> float:
        """Steps computed per second of computing, over all samples."""
        return self.steps * (self.batch or 1) / max(self.seconds, 1e-9)

    @property
    def finite(self) -> np.ndarray | np.bool_:
        """Whether all of it is finite; per sample if there is a batch."""
        return np.isfinite(self.q).all(axis=(-2, -1)) & np.isfinite(self.v).all(axis=(-2, -1))

    @cached_property
    def drift(self) -> np.ndarray:
        """Largest position error of any constraint row at each state (m, rad); zero without constraints."""
        flat = self.q.reshape(-1, self.model.nq)
        zeros = [np.zeros(len(flat))] * self.model.nv
        with np.errstate(all="ignore"):
            errors = [x for x in constraint_state(tree_of(self.model), list(flat.T), zeros).error if x is not None]
        largest = np.max([np.broadcast_to(np.abs(x), len(flat)) for x in errors], axis=0) if errors else zeros[0][:0]
        return (largest if errors else np.zeros(len(flat))).reshape(self.q.shape[:-1])

    @cached_property
    def _where_velocities_belong(self) -> tuple[np.ndarray, np.ndarray]:
        """States at the times of the velocities: with Euler half a step back. Their energy is right to second order,
        while that of q and v taken together would be to first."""
        if self.integrator == "rk4":
            return self.q, self.v
        q, v = self.q.reshape(-1, self.model.nq), self.v.reshape(-1, self.model.nv)
        with np.errstate(all="ignore"):
            state = half_step_back(StraightMotion(self.model), list(q.T), list(v.T), self.dt)
        shapes = self.q.shape, self.v.shape
        return tuple(np.stack(x, axis=-1).reshape(shape) for x, shape in zip(state, shapes, strict=True))

    @cached_property
    def kinetic_energy(self) -> np.ndarray:
        return self._evaluate("kinetic_energy", *self._where_velocities_belong)

    @cached_property
    def potential_energy(self) -> np.ndarray:
        """Of weight and springs."""
        return self._evaluate("potential_energy", self._where_velocities_belong[0])

    @property
    def energy(self) -> np.ndarray:
        return self.kinetic_energy + self.potential_energy

    @property
    def energy_error(self) -> np.ndarray:
        """Energy less what it was at the start and the work done since: zero but for the integrator's errors."""
        return self.energy - self.energy[..., :1] - self.work.sum(axis=-1)

    @property
    def energy_exchanged(self) -> np.ndarray | float:
        """A scale for that error: the most that was kinetic, was stored or was done as work."""
        stored = np.ptp(self.potential_energy, axis=-1)
        done = np.abs(self.work).sum(axis=-1).max(axis=-1)
        return np.maximum.reduce([self.kinetic_energy.max(axis=-1), stored, done])

    def _evaluate(self, name: str, *arrays: np.ndarray) -> np.ndarray:
        flat = [np.ascontiguousarray(x.reshape(-1, x.shape[-1])) for x in arrays]
        function = (reference if len(flat[0]) <= _FEW else compile)(self.model, name)
        return function(*flat).reshape(arrays[0].shape[:-1])

    def __str__(self) -> str:
        return describe(self)
