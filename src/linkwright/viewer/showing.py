"""`linkwright.show`: a simulation as an animation in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..call_errors import names_arguments
from ..errors import InputError
from .animation import animation_page
from .arrows import CONTACT_RECORD, contact_arrows

if TYPE_CHECKING:
    from ..sim import Trajectory


@dataclass(frozen=True)
class Shown:
    """What a notebook shows inline: the self-contained page of `write_html` in a frame of its own.

    page     its text
    height   pixels
    """

    page: str = field(repr=False)
    height: int

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" width="100%" height="{self.height}" '
            f'style="border: 0" sandbox="allow-scripts"></iframe>'
        )


@names_arguments
def show(trajectory: Trajectory, *, height: int = 480, **options: Any) -> Shown:
    """An animation of a simulation of one sample, to be the last expression of a notebook's cell.

    height    of the frame, in pixels
    options   of `write_html`: title, floor, traces, forces. Forces of contacts are drawn where the simulation recorded
              them (outputs contact_force, contact_point, contact_frame)
    """
    if trajectory.batch is not None:
        raise InputError(f"this simulation holds {trajectory.batch} samples; show one: simulate(robot, q0[k], ...)")
    if not isinstance(height, int) or isinstance(height, bool) or height < 1:
        raise InputError(f"height is {height!r}; expected a positive number of pixels")
    if "forces" not in options and all(name in trajectory.outputs for name in CONTACT_RECORD):
        options["forces"] = contact_arrows(trajectory)
    return Shown(animation_page(trajectory.model, trajectory.q, trajectory.t, **options), height)
