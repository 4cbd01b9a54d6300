"""What a simulation gives back: states over time, and the books it kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..algorithms.parts.integration import stepped_back
from ..algorithms.parts.straight_motion import StraightMotion
from ..algorithms.rows.constraint_state import constraint_state
from ..compilation import compile, reference
from ..errors import unknown_name
from ..model import Model, tree_of
from ..model.parameters import parameter_shapes
from ..programs.choice import solver_of
from .invariants import energy_scale
from .verdict import describe

_FEW = 2000  # states up to which evaluating on numbers is quicker than compiling


class StepCounts(NamedTuple):
    """How a simulation got on: numbers of one robot, or (B,).

    taken, rejected   steps, and parts of steps where the scheme divides them; those taken by a scheme that does not
                      tell of its parts are its steps
    shortest          seconds
    """

    taken: np.ndarray
    rejected: np.ndarray
    shortest: np.ndarray

    def __str__(self) -> str:
        taken, rejected = int(np.sum(self.taken)), int(np.sum(self.rejected))
        samples = f" of {np.size(self.taken)} samples" if np.ndim(self.taken) else ""
        shortest = np.min(self.shortest)
        return f"{taken} steps and parts{samples} taken, {rejected} rejected, the shortest {shortest:.3g} s"


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States at times `t`, the start first: q (T, nq), v (T, nv), or with the batch in front, (B, T, n).

    work     (T, 5) joules since the start: by controls; by dampers and friction (negative); by limits; by `f_ext`; by
             contacts (and soft constraints)
    lag      (T,) seconds: by how much velocities are older than positions (semi-implicit Euler)
    worst    of any step, also of those between records: largest drift, solver residual, the same relative to the step's
             accelerations, solver status, depth of a contact (m), the same relative to the thinner of its shapes; last,
             the seconds spent passing singular poses, and those with digits perhaps lost, which residual and status
             leave out
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
    lag: np.ndarray
    worst: np.ndarray
    lam: np.ndarray = field(repr=False)
    outputs: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    steps: int = 0
    seconds: float = 0.0
    """What computing the steps took, compiling aside."""
    planned: int = 0
    """Steps that were asked for."""
    baumgarte: float | str | None = "auto"
    projection: bool = False
    pushed: bool = False
    """Whether forces from outside act on a floating base, so that momentum need not be kept."""
    parameters: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    """Parameters of the model given with the simulation, if they stay the same for all steps."""
    parameters_stay: bool = True
    contact: str | None = None
    """The law of contacts."""
    coordinates: str = "spanning"
    act: np.ndarray | None = field(default=None, repr=False)
    """Activations of actuators at the end."""
    clamped: np.ndarray | None = field(default=None, repr=False)
    """(nu,) or (B, nu): in how many steps each command was cut to its range; None without commands."""
    watched: bool = False
    """Whether the status told of contacts that are not computed."""
    memory: np.ndarray | None = field(default=None, repr=False)
    """What schemes with an estimate of their error remember at the end; None of others."""
    limits: bool = True
    """Whether joints had limits."""
    holding: np.ndarray | None = field(default=None, repr=False)
    """(T, constraints) or (B, T, constraints): 1 for constraints that held in the step that led to a state; None where
    all did."""
    switched: bool = False
    """Whether constraints were switched during the run, also between records."""
    work_by: ClassVar[tuple[str, ...]] = ("controls", "dampers", "limits", "outside", "contacts")

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.outputs:
            raise unknown_name("recorded output", name, self.outputs)
        return self.outputs[name]

    @property
    def report(self) -> StepCounts:
        """Steps taken, with the parts of steps, and rejected, and the shortest; per sample if there is a batch."""
        if self.memory is None:
            whole = np.full(self.q.shape[:-2], float(self.steps))
            return StepCounts(whole, np.zeros_like(whole), np.full_like(whole, self.dt))
        return StepCounts(*np.moveaxis(self.memory[..., -len(StepCounts._fields) :], -1, 0))

    @property
    def solver(self) -> str:
        """The name of the forward dynamics used."""
        if self.contact:
            return "contact_dynamics"
        if self.coordinates == "independent":
            return "cluster_aba"
        return self.solver_asked_for or solver_of(self.model, self.iterations)

    @property
    def batch(self) -> int | None:
        """Number of samples; None where there is one alone."""
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
        """Largest position error of any constraint row at each state (m, rad), of constraints that hold there; zero
        without constraints."""
        flat = self.q.reshape(-1, self.model.nq)
        zeros = [np.zeros(len(flat))] * self.model.nv
        with np.errstate(all="ignore"):
            rows = constraint_state(tree_of(self.model), list(flat.T), zeros).error
        holds: list[Any] = [1.0 for _ in rows]
        if self.holding is not None:
            by_constraint = self.holding.reshape(len(flat), -1).T
            holds = [on for on, c in zip(by_constraint, self.model.constraints, strict=True) for _ in range(c.size)]
        errors = [x * on for x, on in zip(rows, holds, strict=True) if x is not None]
        largest = np.max([np.broadcast_to(np.abs(x), len(flat)) for x in errors], axis=0) if errors else zeros[0][:0]
        return (largest if errors else np.zeros(len(flat))).reshape(self.q.shape[:-1])

    @cached_property
    def where_velocities_belong(self) -> tuple[np.ndarray, np.ndarray]:
        """States at the times of the velocities: with Euler half a step back. Their energy is right to second order,
        while that of q and v taken together would be to first."""
        if not self.lag.any():
            return self.q, self.v
        q, v = self.q.reshape(-1, self.model.nq), self.v.reshape(-1, self.model.nv)
        with np.errstate(all="ignore"):
            state = stepped_back(self._straight, list(q.T), list(v.T), self.lag.ravel())
        shapes = self.q.shape, self.v.shape
        then, rates = (np.stack(x, axis=-1).reshape(shape) for x, shape in zip(state, shapes, strict=True))
        return then, rates

    @property
    def _straight(self) -> StraightMotion:
        given = self._parameters_of_states().get("inertias")
        inertias = None if given is None else list(np.moveaxis(given, 0, -1))
        return StraightMotion(self.model, inertias, centred=self.contact is None)

    def _parameters_of_states(self) -> dict[str, np.ndarray]:
        """Parameters given with the simulation, one row per state of all samples."""
        shapes, count = parameter_shapes(self.model, tuple(self.parameters)), self.q.shape[-2]
        rows = {}
        for name, array in self.parameters.items():
            inner = shapes[name]
            per_sample = array[:, None] if array.ndim > len(inner) else array
            lead = (*self.q.shape[:-2], count)
            rows[name] = np.broadcast_to(per_sample, (*lead, *inner)).reshape(math.prod(lead), *inner)
        return rows

    @cached_property
    def kinetic_energy(self) -> np.ndarray:
        """J, (T,) or (B, T)."""
        return self.evaluate("kinetic_energy", *self.where_velocities_belong)

    @cached_property
    def potential_energy(self) -> np.ndarray:
        """Of weight and springs."""
        return self.evaluate("potential_energy", self.where_velocities_belong[0])

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential together: J, (T,) or (B, T)."""
        return self.kinetic_energy + self.potential_energy

    @property
    def energy_error(self) -> np.ndarray:
        """Energy less what it was at the start and the work done since: zero but for the integrator's errors."""
        return self.energy - self.energy[..., :1] - self.work.sum(axis=-1)

    @property
    def energy_exchanged(self) -> np.ndarray | float:
        """A scale for that error: the most that was kinetic, was stored or was done as work; of a mechanism that floats
        apart from its falling."""
        return energy_scale(self)

    def evaluate(self, name: str, *arrays: np.ndarray) -> np.ndarray:
        """A program of the library at given states, with the parameters of the simulation."""
        flat = [np.ascontiguousarray(x.reshape(-1, x.shape[-1])) for x in arrays]
        given = {key: np.ascontiguousarray(x) for key, x in self._parameters_of_states().items()}
        function = (reference if len(flat[0]) <= _FEW else compile)(self.model, name, parameters=tuple(given))
        with np.errstate(all="ignore"):
            result = function(*flat, **given)
        return result.reshape(*arrays[0].shape[:-1], *result.shape[1:])

    @property
    def accounts_for_energy(self) -> bool:
        """Whether energy should be kept: not where parameters change from step to step, nor where constraints are
        switched on, which takes what moved against them."""
        return self.parameters_stay and not self.switched

    def __str__(self) -> str:
        return describe(self)
