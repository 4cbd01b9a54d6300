"""Refusing mechanisms in which some joint moves no inertia: its acceleration would be undetermined."""

from __future__ import annotations

import numpy as np

from ..algorithms.tree.aba import aba_with_pivots
from ..errors import ModelError
from ..model import Model, tree_of

# A pivot this much smaller than the largest one is rounding, not inertia.
_SMALLEST_RELATIVE_PIVOT = 1e-14


def check_solvable(model: Model) -> None:
    q = [np.float64(x) for x in model.random_configuration(0)]
    zeros = [0.0] * model.nv
    with np.errstate(all="ignore"):
        _, pivots = aba_with_pivots(tree_of(model), q, zeros, zeros)
    scale = max((abs(p) for p in pivots if np.isfinite(p)), default=1.0)
    for k in reversed(range(len(pivots))):  # from the tips: a bad pivot spoils those it hangs on
        if not pivots[k] > _SMALLEST_RELATIVE_PIVOT * scale:
            i = next(i for i in range(1, model.nbodies) if model.iv[i].start <= k < model.iv[i].stop)
            body = model.bodies[i]
            raise ModelError(
                f"joint {body.joint.name!r} moves no inertia (its pivot is {float(pivots[k]):.3g}): body {body.name!r} "
                f"and what it carries have no mass that this joint accelerates. Give it an inertia or an armature, or "
                f"lock the joint"
            )
