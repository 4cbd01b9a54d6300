"""`--video`: what commands that film a simulation have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import typer

import linkwright as lw

from ..viewer.video import checked_video

VIDEO = typer.Option("", "--video", help="Write a film to this file (.mp4, .gif); needs the extra `view`, no display.")


def check_video(path: str) -> None:
    """Before anything is computed."""
    if path:
        checked_video(path)


def recorded_for_pictures(model: lw.Model) -> tuple[str, ...]:
    """Outputs that arrows of contact forces are drawn from."""
    return lw.viewer.CONTACT_RECORD if model.pairs else ()


def forces_drawn(trajectory: lw.Trajectory) -> tuple[np.ndarray, np.ndarray] | None:
    recorded = all(name in trajectory.outputs for name in lw.viewer.CONTACT_RECORD)
    return lw.viewer.contact_arrows(trajectory) if recorded else None


def film(trajectory: lw.Trajectory, path: str, traces: Sequence[str] = ()) -> None:
    """With arrows of contact forces, where the simulation recorded them."""
    forces = forces_drawn(trajectory)
    lw.viewer.write_video(trajectory.model, trajectory.q, trajectory.t, path, traces=traces, forces=forces)
