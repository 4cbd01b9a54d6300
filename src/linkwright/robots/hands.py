"""A five-fingered hand in the manner of the Shadow hand, and the humanoid that has two of them."""

from __future__ import annotations

from ..model import Model, ModelBuilder
from .humanoid import assemble
from .limbs import Segment, Triple, add_limb

WRIST = (
    #       name            axis  at                mass  com               size                lower upper effort
    Segment("knuckles_tilt", "x", (0.0, 0.0, -0.15), 0.10, (0.0, 0.0, -0.01), (0.04, 0.03, 0.03), -0.5, 0.2, 10.0),
    Segment("knuckles",     "y", (0.0, 0.0, -0.03), 0.30, (0.0, 0.0, -0.04), (0.08, 0.02, 0.09), -0.7, 0.5, 10.0),
)  # fmt: skip


def _finger(name: str, at: Triple, *, arched: bool = False) -> tuple[Segment, ...]:
    """Knuckle, proximal, middle and distal joint; the little finger also folds the palm."""
    knuckle = Segment(f"{name}_knuckle", "x", (0, 0, 0) if arched else at, 0.01, (0, 0, 0), (0.01, 0.01, 0.01),
                      -0.35, 0.35, 2.0)  # fmt: skip
    arch = Segment(f"{name}_arch", "z", at, 0.03, (0, 0, -0.02), (0.01, 0.01, 0.04), 0.0, 0.7, 2.0)
    bend = ((0.045, 0.030, 0.0), (0.025, 0.018, -0.045), (0.026, 0.012, -0.025))  # length, mass, where it begins
    phalanges = tuple(
        Segment(f"{name}_{part}", "y", (0, 0, begin), mass, (0, 0, -length / 2), (0.018, 0.018, length), 0.0, 1.57, 2.0)
        for part, (length, mass, begin) in zip(("proximal", "middle", "distal"), bend, strict=True)
    )
    return (arch, knuckle, *phalanges) if arched else (knuckle, *phalanges)


FINGERS = {
    "first": _finger("first", (0.033, 0.0, -0.095)),
    "middle": _finger("middle", (0.011, 0.0, -0.099)),
    "ring": _finger("ring", (-0.011, 0.0, -0.095)),
    "little": _finger("little", (-0.033, 0.0, -0.020), arched=True),
    "thumb": (
        Segment("thumb_base",     "z", (0.034, 0.01, -0.029), 0.01, (0, 0, 0), (0.015, 0.015, 0.015), -1.0, 1.0, 2.0),
        Segment("thumb_proximal", "x", (0.0, 0.0, 0.0),  0.040, (0.019, 0, 0), (0.038, 0.02, 0.02), 0.0, 1.2, 2.0),
        Segment("thumb_hub",      "y", (0.038, 0.0, 0.0), 0.005, (0, 0, 0), (0.01, 0.01, 0.01), -0.2, 0.2, 2.0),
        Segment("thumb_middle",   "z", (0.0, 0.0, 0.0),  0.020, (0.016, 0, 0), (0.032, 0.018, 0.018), -0.7, 0.7, 2.0),
        Segment("thumb_distal",   "y", (0.032, 0.0, 0.0), 0.016, (0.013, 0, 0), (0.026, 0.015, 0.015), 0.0, 1.57, 2.0),
    ),
}  # fmt: skip
TIP = {name: (0.026, 0.0, 0.0) if name == "thumb" else (0.0, 0.0, -0.026) for name in FINGERS}


def humanoid_with_hands(*, floating_base: bool = True) -> Model:
    """The humanoid with a five-fingered hand of 24 joints on either palm: 84 degrees of freedom.

    Frames "left_first_tip", ... "right_thumb_tip" besides the humanoid's own.
    """
    return assemble("humanoid_with_hands", floating_base, add_hand)


def add_hand(builder: ModelBuilder, side: str, right: bool) -> None:
    knuckles = add_limb(builder, f"{side}_", WRIST, f"{side}_palm", right=right)
    for name, segments in FINGERS.items():
        last = add_limb(builder, f"{side}_", segments, knuckles, right=right)
        builder.add_frame(f"{side}_{name}_tip", last, TIP[name])
