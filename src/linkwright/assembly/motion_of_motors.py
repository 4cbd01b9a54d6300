"""How a closed mechanism moves when some of its joints are driven, at one batch of poses.

With the motors' velocities given and those of some joints zero, the rest follow from J v = 0: where J_rest has full
column rank, v_rest = -J_rest^+ J_motors v_motors. What cannot be made up for, (1 - J_rest J_rest^+) J_motors, must
vanish on the motors' velocities: more motors than motions have to agree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError, NoConvergence
from ..model import Model
from .checked_arguments import velocity_indices
from .residuals import listing, residuals
from .velocity import RANK_TOLERANCE

_AGREE = 1e-8  # of the rates involved: motors whose velocities miss one another by less do agree


class MotionOfMotors:
    """J (B, nc, nv); `motors` and `held` are joints."""

    def __init__(self, model: Model, J: np.ndarray, motors: Sequence[str], held: Sequence[str] = ()):
        self.model, self.J, self.names = model, J, tuple(motors)
        self.motors = velocity_indices(model, motors)
        self.rest = np.setdiff1d(np.arange(model.nv), [*self.motors, *velocity_indices(model, held)])
        self.scale = np.abs(J).max(axis=(1, 2), initial=0.0)
        self._back = self._left_inverse(J[:, :, self.rest])
        lost = J[:, :, self.motors] - J[:, :, self.rest] @ (self._back @ J[:, :, self.motors])
        self._agreeing = self._projector(lost)

    @property
    def matrix(self) -> np.ndarray:
        """E (B, nv, motors) with v = E v_motors; velocities that do not agree are first made the nearest that do."""
        E = np.zeros((len(self.J), self.model.nv, len(self.motors)))
        E[:, self.motors] = self._agreeing
        E[:, self.rest] = -self._back @ (self.J[:, :, self.motors] @ self._agreeing)
        return E

    def follow(self, rates: np.ndarray, drift: np.ndarray | None = None) -> np.ndarray:
        """x (B, nv) with J x + drift = 0, x = rates at the motors and zero where held. Refuses rates that disagree."""
        x = np.zeros((len(self.J), self.model.nv))
        x[:, self.motors] = rates
        given = np.einsum("bmn,bn->bm", self.J, x) + (0.0 if drift is None else drift)
        x[:, self.rest] = -np.einsum("bnm,bm->bn", self._back, given)
        left = given + np.einsum("bmn,bn->bm", self.J[:, :, self.rest], x[:, self.rest])
        size = np.abs(given).max(axis=1, initial=0.0)
        size = np.maximum(size, self.scale * np.abs(rates).max(axis=1, initial=0.0))
        wrong = np.flatnonzero(np.abs(left).max(axis=1, initial=0.0) > _AGREE * size)
        if len(wrong):
            k = wrong[0]
            found = residuals(self.model, left[k])
            raise NoConvergence(
                f"{self.model.name!r} has more motors than ways to move, and {', '.join(self.names)} do not agree on "
                f"this motion. Left over:\n{listing(self.model, found, _AGREE * size[k])}\nGive values that fit "
                f"together, e.g. those of a motion found with project_velocity.",
                residuals={name: r.largest for name, r in found.items()},
            )  # fmt: skip
        return x

    def _left_inverse(self, J: np.ndarray) -> np.ndarray:
        count = J.shape[2]
        if not count:
            return np.zeros((len(J), 0, J.shape[1]))
        U, values, Vt = np.linalg.svd(J, full_matrices=J.shape[1] < count)
        small = np.zeros((len(J), count), dtype=bool)
        small[:, values.shape[1] :] = True
        small[:, : values.shape[1]] = values <= RANK_TOLERANCE * self.scale[:, None]
        if small.any():
            k = int(np.argmax(small.any(axis=1)))
            raise self._undetermined(np.abs(Vt[k][small[k]]).max(axis=0), int(small[k].sum()))
        return np.swapaxes(Vt, 1, 2) @ (np.swapaxes(U, 1, 2) / values[:, :, None])

    def _undetermined(self, moving: np.ndarray, freedoms: int) -> InputError:
        loose = joints_moving(self.model, self.rest, moving)
        return InputError(
            f"with {', '.join(self.names) or 'no motors'} holding still, {self.model.name!r} still has {freedoms} "
            f"way{'s' * (freedoms > 1)} to move, in joints {', '.join(loose)}: make as many of these motors, or say "
            f"that they stay put with held=[...] (at a singular pose motors lose their grip too: see check_state)"
        )

    def _projector(self, lost: np.ndarray) -> np.ndarray:
        """Onto motor velocities that agree: those that `lost` maps to zero."""
        count = lost.shape[2]
        if not lost.size:
            return np.broadcast_to(np.eye(count), (len(lost), count, count))
        _, values, Vt = np.linalg.svd(lost, full_matrices=False)
        kept = Vt * (values > RANK_TOLERANCE * self.scale[:, None])[:, :, None]
        return np.eye(count) - np.swapaxes(kept, 1, 2) @ kept


def joints_moving(model: Model, velocities: np.ndarray, amounts: np.ndarray) -> list[str]:
    """Joints that own the velocities whose amounts are not negligible."""
    large = set(velocities[amounts > 1e-6 * amounts.max(initial=0.0)].tolist())
    return [j.name for j, iv in zip(model.joints, model.iv[1:], strict=True) if large & set(range(iv.start, iv.stop))]
