"""[Chignoli2023] Fig. 14: what neglecting or approximating the rotors costs in the MIT Humanoid's ankle torque.

All joints of one leg follow A sin(2 pi w t); the torque of the ankle is computed exactly and by the approximations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import compile as compile_algorithm
from ..model import Model
from ..programs import RECIPES
from ..programs.cluster_state import plan_of
from ..robots import mit_humanoid_leg

AMPLITUDE, FREQUENCY = 0.5, 1.5  # radians, turns per second
FOOT = "foot_link"
VARIANTS = {"block": "block", "diagonal": "diagonal", "unconstrained": "none"}


@dataclass(frozen=True)
class TorqueError:
    """Root mean square error of the ankle's torque, in N m and in percent of the largest exact torque."""

    variant: str
    rms: float
    percent: float


def measure(
    samples: int = 2000, leg: Model | None = None, foot: str = FOOT
) -> tuple[float, list[TorqueError], dict[str, np.ndarray]]:
    """(largest exact torque, error of each variant, torques over time by variant) over two periods."""
    model = mit_humanoid_leg() if leg is None else leg
    plan = plan_of(model, RECIPES["cluster_rnea"].options)
    ny = sum(map(len, plan.independent))
    ankle = sorted(n for own in plan.independent for n in own).index(model.iv[model.body_index(foot)].start)
    t = np.linspace(0.0, 2.0 / FREQUENCY, samples, endpoint=False)
    phase, rate = 2 * np.pi * FREQUENCY * t, 2 * np.pi * FREQUENCY
    y, yd, ydd = (
        np.tile(wave[:, None], (1, ny))
        for wave in (AMPLITUDE * np.sin(phase), AMPLITUDE * rate * np.cos(phase), -AMPLITUDE * rate**2 * np.sin(phase))
    )
    torques = {"time": t, "exact": compile_algorithm(model, "cluster_rnea")(y, yd, ydd)[:, ankle]}
    largest = float(np.abs(torques["exact"]).max())
    errors = []
    for variant, kept in VARIANTS.items():
        torques[variant] = compile_algorithm(model, "approximate_rnea", reflected=kept)(y, yd, ydd)[:, ankle]
        rms = float(np.sqrt(np.mean((torques[variant] - torques["exact"]) ** 2)))
        errors.append(TorqueError(variant, rms, 100 * rms / largest))
    return largest, errors, torques
