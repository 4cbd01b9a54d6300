"""A trajectory as a figure: joints, energy and drift over time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, MissingExtraError
from ..printable import printable
from .figure_file import write_figure
from .trajectory import Trajectory

_MOST_CURVES = 12  # more in one picture cannot be told apart


def plot(trajectory: Trajectory, path: str | Path) -> None:
    """Write a figure (.png, .svg, .pdf) of one simulation."""
    if trajectory.batch is not None:
        raise InputError("a figure shows one simulation, not a batch; simulate one sample")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "drawing a trajectory") from None
    tr = trajectory
    figure = Figure(figsize=(8, 9), layout="constrained")
    FigureCanvasAgg(figure)
    rows = figure.subplots(3 if tr.model.constraints else 2, sharex=True)
    shown = _liveliest(tr)
    for k in shown:
        rows[0].plot(tr.t, tr.v[:, k], lw=1, label=_velocity_names(tr)[k])
    rows[0].set_ylabel("velocity (rad/s, m/s)")
    _taken_literally(rows[0].legend(fontsize="x-small", ncols=2, loc="upper right").get_texts())
    _taken_literally([rows[0].set_title(str(tr).splitlines()[0], fontsize="small", wrap=True)])
    for values, name in (
        (tr.kinetic_energy, "kinetic"), (tr.potential_energy - tr.potential_energy[0], "potential, from the start"),
        (tr.work.sum(axis=-1), "work done since the start"), (tr.energy_error, "unaccounted"),
    ):  # fmt: skip
        rows[1].plot(tr.t, values, lw=1, label=name)
    rows[1].set_ylabel("energy (J)")
    rows[1].legend(fontsize="x-small", loc="upper right")
    if tr.model.constraints:
        rows[2].semilogy(tr.t, np.maximum(tr.drift, 1e-17), lw=1)
        rows[2].set_ylabel("drift (m, rad)")
    rows[-1].set_xlabel("time (s)")
    for row in rows:
        row.grid(alpha=0.3)
    write_figure(figure, path, dpi=120)


def _liveliest(tr: Trajectory) -> list[int]:
    """The velocities that vary most, in the order of the joints."""
    return sorted(np.argsort(-np.ptp(tr.v, axis=0), kind="stable")[:_MOST_CURVES].tolist())


def _taken_literally(texts: Iterable[Any]) -> None:
    """Names hold no formulas, whatever dollars they have."""
    for text in texts:
        text.set_parse_math(False)


def _velocity_names(tr: Trajectory) -> list[str]:
    names = []
    for joint in tr.model.joints:
        names += [joint.name] if joint.nv == 1 else [f"{joint.name}[{k}]" for k in range(joint.nv)]
    return [f" {name}" if name.startswith("_") else name for name in map(printable, names)]  # "_": not in legends
