"""What a trajectory should have kept, by how much it did not, and what that is small against.

Each is measured where the velocities belong. A mechanism that floats falls with all its energy without anything
depending on it: its energy and momentum are compared with those of its motion about the centre of mass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..model import Model

if TYPE_CHECKING:
    from .trajectory import Trajectory

# Below these nothing is said of relative errors: a mechanism that hardly moves, or not at all.
_SMALL_WAY = 1e-4  # of the mechanism's reach: lifting all its mass that far
_SMALL_SPEED = 1e-3  # m/s of all its mass


def reach(model: Model) -> float:
    """The longest way (m) from a joint to the next, or to a frame."""
    ways = [np.linalg.norm(body.placement.translation) for body in model.bodies[1:]]
    ways += [np.linalg.norm(body.inertia.com) for body in model.bodies[1:]]
    return max(1e-3, min(1.0, float(max(ways, default=1.0)))) if ways else 1.0


def slid(tr: Trajectory) -> np.ndarray:
    """How far (m) the sliding joints of each sample have been out at most, or free bodies away."""
    ways = [
        tr.q[..., tr.model.iq[i].start + n]
        for i, joint in enumerate(tr.model.joints, start=1)
        for n in range(joint.moves.leading_lengths)
    ]
    return np.max(np.abs(ways), axis=(0, -1)) if ways else np.zeros(tr.q.shape[:-2])


def floats(model: Model) -> bool:
    """Whether one free-flyer carries everything, and nothing ties it to the world."""
    roots = [body.joint for body in model.bodies[1:] if body.parent == 0]
    if len(roots) != 1 or not roots[0].moves.is_free or roots[0].damping.any() or roots[0].friction.any():
        return False
    return all(c.is_internal(model) for c in model.constraints)


def moves_freely(tr: Trajectory) -> bool:
    """Whether the mechanism floats, and touches nothing."""
    return tr.contact is None and floats(tr.model)


def moving_mass(model: Model) -> float:
    """(kg) Of what can move: `model.mass` has what a file fixes to the ground, too."""
    return sum(body.inertia.mass for body in model.bodies[1:])


def smallest_energy(model: Model) -> float:
    """Energies below this (J) are too small to say anything relative to them."""
    mass = moving_mass(model)
    return mass * (float(np.linalg.norm(model.gravity)) * _SMALL_WAY * reach(model) + 0.5 * _SMALL_SPEED**2)


def energy_scale(tr: Trajectory) -> np.ndarray:
    """(J) per sample: the most that was kinetic, was stored or was done as work; of what floats, apart from falling."""
    done = np.abs(tr.work).sum(axis=-1).max(axis=-1)
    if moves_freely(tr):
        moving = tr.kinetic_energy - _falling(tr)
        exchanged = np.maximum(moving.max(axis=-1), done)
    else:
        stored = np.ptp(tr.potential_energy, axis=-1)
        exchanged = np.maximum.reduce([tr.kinetic_energy.max(axis=-1), stored, done])
    largest = np.maximum(np.abs(tr.energy).max(axis=-1), tr.kinetic_energy.max(axis=-1))
    rounding = 1e-12 * largest * np.sqrt(tr.steps + 1)
    return np.maximum(exchanged, smallest_energy(tr.model) + rounding)


def kept_energy(tr: Trajectory) -> np.ndarray:
    """Energy at each state, which work alone may change. Of what floats and nothing pushes, that of its motion about
    the centre of mass: how fast that falls is a matter of momentum, and beside it a momentum off by a trifle would be
    a great energy."""
    if tr.pushed or not moves_freely(tr):
        return tr.energy
    at = tr.evaluate("center_of_mass", tr.where_velocities_belong[0])
    return tr.energy - _falling(tr) + moving_mass(tr.model) * (at @ tr.model.gravity)


def energy_share(tr: Trajectory) -> np.ndarray:
    """Energy out of nothing, relative to that scale; per sample."""
    kept = kept_energy(tr)
    return np.abs(kept - kept[..., :1] - tr.work.sum(axis=-1)).max(axis=-1) / energy_scale(tr)


def momentum_share(tr: Trajectory) -> np.ndarray | None:
    """Momentum out of nothing relative to that of the motion about the centre of mass; None where something pushes."""
    if tr.pushed or not moves_freely(tr):
        return None
    momentum, mass = _momentum(tr), moving_mass(tr.model)
    when = (tr.t - tr.lag + tr.lag[..., :1])[..., None]
    linear = momentum[..., :3] - momentum[..., :1, :3] - mass * when * tr.model.gravity
    angular = momentum[..., 3:] - momentum[..., :1, 3:]
    moving = np.maximum((tr.kinetic_energy - _falling(tr)).max(axis=-1), 0.5 * mass * _SMALL_SPEED**2)
    speed = np.sqrt(2 * moving / mass)
    rounding = 1e-12 * np.abs(momentum).max(axis=(-2, -1)) * np.sqrt(tr.steps + 1)
    off = [np.abs(x).max(axis=(-2, -1)) for x in (linear, angular)]
    return np.maximum(off[0] / (mass * speed + rounding), off[1] / (mass * speed * _gyration(tr.model) + rounding))


def _momentum(tr: Trajectory) -> np.ndarray:
    return tr.evaluate("centroidal_momentum", *tr.where_velocities_belong)


def _falling(tr: Trajectory) -> np.ndarray:
    """Kinetic energy of the centre of mass."""
    return 0.5 * np.square(_momentum(tr)[..., :3]).sum(axis=-1) / moving_mass(tr.model)


def _gyration(model: Model) -> float:
    """A radius of gyration (m) of the mechanism as drawn; no less than a hundredth of its reach."""
    from ..compilation import reference

    M = np.asarray(reference(model, "crba")(model.drawn))[:6, :6]
    com = np.asarray(reference(model, "center_of_mass")(model.drawn)) - model.drawn[:3]
    spread = np.trace(M[3:, 3:]) / 2 / M[0, 0] - com @ com
    return float(np.sqrt(max(spread, 0.0))) + 0.01 * reach(model)
