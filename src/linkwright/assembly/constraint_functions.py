"""The constraints of one model as compiled functions of a batch of configurations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..compilation import compile
from ..model import Model
from ..model.found_once import found_once

# Central differences err by about step^2 and rounding / step; this balances the two.
_STEP = 1e-5


class ConstraintFunctions:
    """Compiled at the first use of each; a call of the reference costs as much as ten thousand of these.

    `error` has the rows of `placed` only: constraints that say where things should be. The others are met anywhere.
    """

    def __init__(self, model: Model):
        self.model = model
        self.placed = replace(model, constraints=tuple(c for c in model.constraints if c.has_position))
        self._frames: dict[tuple[str, str], Callable] = {}

    def error(self, q: np.ndarray) -> np.ndarray:
        """(B, rows of placed constraints)."""
        return self._error(q) if self.placed.nc else np.zeros((len(q), 0))

    def placed_jacobian(self, q: np.ndarray) -> np.ndarray:
        """(B, rows of placed constraints, nv): the derivative of `error` wherever that is zero."""
        return self._placed_jacobian(q) if self.placed.nc else np.zeros((len(q), 0, self.model.nv))

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """(B, nc, nv), of all constraints."""
        return self._jacobian(q) if self.model.nc else np.zeros((len(q), 0, self.model.nv))

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(B, nc): dJ/dt v of all constraints."""
        return self._bias(q, v) if self.model.nc else np.zeros((len(q), 0))

    def inertia(self, q: np.ndarray) -> np.ndarray:
        """(B, nv, nv)."""
        return self._inertia(q)

    def forces(self, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """(B, constraints, 6): the wrench on each constraint's first frame."""
        return self._forces(q, lam) if self.model.nc else np.zeros((len(q), 0, 6))

    def torques(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, f_ext: np.ndarray | None = None) -> np.ndarray:
        """(B, nv): M a + c less external forces, of the tree with its loops cut."""
        return self._torques(q, v, a) if f_ext is None else self._torques(q, v, a, f_ext=f_ext)

    def frame_jacobian(self, frame: str, seen_from: str):
        """Of all joints of the tree: a function of (B, nq)."""
        key = frame, seen_from
        if key not in self._frames:
            self._frames[key] = compile(self.model, "frame_jacobian", frame=frame, seen_from=seen_from)
        return self._frames[key]

    def error_derivative(self, q: np.ndarray) -> np.ndarray:
        """The derivative of `error` wherever it is not zero too, by differences."""
        steps = _STEP * np.concatenate([np.eye(self.model.nv), -np.eye(self.model.nv)])
        around = np.repeat(q, len(steps), axis=0)
        errors = self.error(self.model.integrate(around, np.tile(steps, (len(q), 1))))
        forward, backward = np.moveaxis(errors.reshape(len(q), 2, self.model.nv, -1), 1, 0)
        return np.swapaxes(forward - backward, 1, 2) / (2 * _STEP)

    @cached_property
    def _error(self):
        return compile(self.placed, "constraint_error")

    @cached_property
    def _placed_jacobian(self):
        return compile(self.placed, "constraint_jacobian")

    @cached_property
    def _jacobian(self):
        same = len(self.placed.constraints) == len(self.model.constraints)
        return self._placed_jacobian if same else compile(self.model, "constraint_jacobian")

    @cached_property
    def _bias(self):
        return compile(self.model, "constraint_bias")

    @cached_property
    def _forces(self):
        return compile(self.model, "constraint_forces")

    @cached_property
    def _torques(self):
        return compile(self.model.without_constraints(), "rnea")

    @cached_property
    def _inertia(self):
        return compile(self.model, "crba")


@found_once
def constraint_functions(model: Model) -> ConstraintFunctions:
    """Models of equal content share theirs."""
    return ConstraintFunctions(model)
