"""A trajectory in a few lines that say whether it can be believed.

Every number is judged against what it should be small against (invariants.py), a sample of a batch by itself; what is
not a number is never small. Each complaint says what would help (tests/sim/test_verdict.py follows the advice).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.contact.watching import with_told_pairs
from ..model.contact.untold_pairs import watched_alone
from ..model.not_computed import NotComputed, named
from ..physics import INTEGRATORS
from ..printable import printable
from ..programs.status import STATUS_MEANING, STATUS_NOT_MODELLED
from .advice import Advice, about_status, closer, more_passes, shorter
from .invariants import energy_scale, energy_share, momentum_share, reach, slid
from .meetings import told_of_meeting

if TYPE_CHECKING:
    from .trajectory import Trajectory

LARGEST_DRIFT = 1e-4  # of the mechanism's reach (m), and rad: beyond, constraints count as coming apart
FARTHEST_SHARE = 1e-6  # of how far sliding joints are out: numbers that large have no more digits
LARGEST_ENERGY_ERROR = 0.05  # of the energy exchanged
LARGEST_MOMENTUM_ERROR = 0.05  # of the momentum of the motion about the centre of mass
MOST_PASSING = 0.01  # of the time: a mechanism that is longer in singular poses does not only pass them
MOST_IN_DOUBT = 0.01  # of the time: with digits perhaps lost for longer, small parts may be wrong unseen
LARGEST_RESIDUAL = 1e-3  # of a step's accelerations
LARGEST_PASSED = 0.2  # of a joint's range: soft limits give way by a few percent
LARGEST_DEPTH = 1.0  # of the thickness of the shape that touches: beyond, it is all but swallowed
_MOST_NAMED = 6  # actuators, and things that are not computed


def allowed_drift(tr: Trajectory) -> np.ndarray:
    """(m, rad) per sample, by the size of the mechanism, as far as sliding joints have made it larger; what is drawn
    open may stay so."""
    size = LARGEST_DRIFT * reach(tr.model) + FARTHEST_SHARE * slid(tr)
    return np.maximum(size, 2 * tr.drift[..., 0])


def complaints(trajectory: Trajectory) -> list[str]:
    """What is wrong with it; nothing if it can be believed."""
    tr = trajectory
    if not np.all(tr.finite):
        bad = np.argwhere(~(np.isfinite(tr.q).all(axis=-1) & np.isfinite(tr.v).all(axis=-1)))
        which = f" in {np.sum(~tr.finite)} of {tr.batch} samples" if tr.batch else ""
        return [f"not finite from t = {tr.t[bad[:, -1].min()]:.6g} s on{which}: {shorter(tr)}"]
    found = []
    if tr.steps < tr.planned:
        found.append(f"ended after {tr.steps} of {tr.planned} steps")
    drift, _, residual, code, depth, swallowed, passed, doubtful = (tr.worst[..., k] for k in range(8))
    passing, doubt = (seconds / max(tr.steps * tr.dt, 1e-300) for seconds in (passed, doubtful))
    if tr.model.constraints:
        if not np.all(drift <= allowed_drift(tr)):
            found.append(f"constraints come apart by {np.max(drift):.2g}: {closer(tr)}")
    if tr.model.constraints or tr.contact or tr.watched:
        if not np.all(code == 0):
            codes = np.where(np.isfinite(code), code, 3).astype(int)
            said = int(np.max(codes[codes != 6], initial=0)) or 6  # what is not modelled is the least of it
            advice = told_of_meeting(tr) if said == STATUS_NOT_MODELLED else _after(about_status(tr, said))
            found.append(f"the solver says {STATUS_MEANING.get(said, said)}{advice}")
        elif not np.all(passing <= MOST_PASSING):
            found.append(f"singular poses take {np.max(passing):.1%} of the time{_after(about_status(tr, 2))}")
        elif not np.all(doubt <= MOST_IN_DOUBT):
            helps = _after(about_status(tr, 1))
            found.append(f"the solver may have lost digits for {np.max(doubt):.1%} of the time{helps}")
    if tr.model.constraints:
        if not np.all(residual <= LARGEST_RESIDUAL):
            left = f"the solver leaves {np.max(residual):.2g} of the accelerations that constraints ask for"
            found.append(left + _after(more_passes(tr)))
    beyond = _passed_limits(tr) if tr.limits else None
    if beyond:
        found.append(f"{beyond}: {shorter(tr)}")
    if tr.contact:
        if not np.all(swallowed <= LARGEST_DEPTH):
            found.append(
                f"contacts are up to {np.max(swallowed):.2g} times as deep as the shape in them is thick (the deepest "
                f"{np.max(depth):.2g} m): take a smaller dt, or harder contacts (solref, solimp)"
            )
    if tr.accounts_for_energy:
        share = energy_share(tr)
        if not np.all(share <= LARGEST_ENERGY_ERROR):
            found.append(f"energy is off by {np.max(share):.1%} of what was exchanged: {shorter(tr)}")
        moved = momentum_share(tr)
        if moved is not None and not np.all(moved <= LARGEST_MOMENTUM_ERROR):
            found.append(f"momentum is off by {np.max(moved):.1%} of that of the motion within: {shorter(tr)}")
    return found


def _after(advice: Advice | None) -> str:
    return "" if advice is None else f": {advice}"


def _passed_limits(tr: Trajectory) -> str | None:
    """The joint that was farthest beyond its limit at a recorded state, where that is much of its range."""
    worst, said = LARGEST_PASSED, None
    for joint, places in zip(tr.model.joints, tr.model.iq[1:], strict=True):
        if joint.nq != 1 or not np.isfinite([*joint.lower, *joint.upper]).all():
            continue
        q, low, high = tr.q[..., places.start], float(joint.lower[0]), float(joint.upper[0])
        beyond = np.maximum(np.maximum(low - q, q - high), 0.0)
        passed = float(np.max(beyond - beyond[..., :1]))  # not where it began
        if passed > worst * (high - low) > 0.0:
            worst = passed / (high - low)
            unit = "m" if joint.moves.slides else "rad"
            said = f"joint {joint.name!r} is {passed:.3g} {unit} beyond its limit, {worst:.0%} of its range"
    return said


def missing_from(tr: Trajectory) -> list[NotComputed]:
    """What the model lacks; not pairs that were watched, of which the status tells."""
    every = with_told_pairs(tr.model).not_computed
    return [entry for entry in every if not (tr.watched and watched_alone(entry))]


def verdict(trajectory: Trajectory) -> str:
    """What is wrong with it, or ok; never a bare ok where the model lacks something that its file has."""
    said, missing = "; ".join(complaints(trajectory)) or "ok", missing_from(trajectory)
    return f"{said}; but not computed: {named(missing)}" if missing else said


def _title(integrator: str) -> str:
    """What people call it; one that no table knows by its name."""
    return INTEGRATORS[integrator].title if integrator in INTEGRATORS else integrator


def describe(trajectory: Trajectory) -> str:
    tr = trajectory
    samples = f"{tr.batch} samples, " if tr.batch is not None else ""
    lines = [
        f"{tr.model.name}: {samples}{tr.t[-1]:.6g} s in {tr.steps} steps of {tr.dt * 1e3:.4g} ms "
        f"({_title(tr.integrator)}, {tr.solver}): {verdict(tr)}"
    ]
    lines += [f"  missing   {entry}" for entry in missing_from(tr)[:_MOST_NAMED]]
    if tr.model.constraints:
        drift, residual = (float(np.max(tr.worst[..., k], initial=0.0)) for k in (0, 1))
        lines.append(f"  drift     {drift:.2g} m or rad at most, solver residual {residual:.2g}")
    if tr.contact:
        lines.append(f"  contact   {float(np.max(tr.worst[..., 4], initial=0.0)):.2g} m deep at most")
    if tr.clamped is not None and np.any(tr.clamped):
        counts = np.sum(tr.clamped, axis=tuple(range(np.ndim(tr.clamped) - 1)))
        often = [k for k in np.argsort(-counts)[:_MOST_NAMED] if counts[k]]
        cut = ", ".join(f"{tr.model.actuators[k].name} {counts[k]:.0f}" for k in often)
        lines.append(f"  commands  cut to their range, in how many of {tr.steps * (tr.batch or 1)} steps: {cut}")
    if np.all(tr.finite) and tr.accounts_for_energy:
        parts = zip(tr.work_by, np.moveaxis(tr.work[..., -1, :], -1, 0), strict=True)
        by = ", ".join(f"{name} {np.mean(work):.4g} J" for name, work in parts)
        error = float(np.max(np.abs(tr.energy_error)))
        each = " (mean)" if tr.batch else ""
        lines.append(
            f"  energy    {np.mean(tr.energy[..., 0]):.6g} J -> {np.mean(tr.energy[..., -1]):.6g} J; work{each}: {by}; "
            f"unaccounted {error:.2g} J, beside {float(np.max(energy_scale(tr))):.2g} J exchanged"
        )
        moved = momentum_share(tr)
        if moved is not None:
            lines.append(f"  momentum  kept to {np.max(moved):.2g} of that of the motion within")
    if tr.switched:
        lines.append("  energy    not judged: constraints were switched, and what closing them takes is not booked")
    if tr.seconds:
        real = tr.steps_per_second * tr.dt
        lines.append(f"  speed     {tr.steps_per_second:.3g} steps/s, {real:.3g} times real time")
    return "\n".join(map(printable, lines))
