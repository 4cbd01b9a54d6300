"""A humanoid with a rotor on every joint, of the size of [Chignoli2023]'s modified JVRC-1 (38 degrees of freedom)."""

from __future__ import annotations

from ..model import Model, ModelBuilder
from ..model.joint import fixed, free_flyer
from .geared import with_rotors
from .humanoid import ARM, GRIP, HEAD, LEG, PELVIS, SOLE, SPINE, STANDING_HEIGHT
from .limbs import Segment, add_limb

GEAR, ROTOR = 6.0, {"mass": 0.07, "across": 2e-5, "along": 5e-5}
LEAN = Segment("spine_lean", "x", (0.0, 0.0, 0.05), 1.0, (0.0, 0.0, 0.01), (0.12, 0.14, 0.05), -0.4, 0.4, 150.0)
TILT = Segment("head_tilt", "x", (0.0, 0.0, 0.03), 0.3, (0.0, 0.0, 0.01), (0.06, 0.06, 0.03), -0.4, 0.4, 20.0)


def rotor_humanoid(*, floating_base: bool = True) -> Model:
    """Our humanoid with one more joint in spine and neck each, 32 joints in all, and 32 rotors geared 6 to 1.

    Frames "left_foot", "right_foot", "left_hand", "right_hand". Gear and rotors are the paper's figures.
    """
    builder = ModelBuilder("rotor_humanoid")
    if floating_base:
        builder.add_body("pelvis", free_flyer("root_joint"), inertia=PELVIS)
    else:
        builder.add_body("pelvis", fixed("root_joint"), placement=(0, 0, STANDING_HEIGHT), inertia=PELVIS)
    for side, right in (("left", False), ("right", True)):
        builder.add_frame(f"{side}_foot", add_limb(builder, f"{side}_", LEG, "pelvis", right=right), SOLE)
    torso = add_limb(builder, "", (SPINE[0], LEAN, SPINE[1]), "pelvis", right=False)
    add_limb(builder, "", (HEAD[0], TILT, HEAD[1]), torso, right=False)
    for side, right in (("left", False), ("right", True)):
        builder.add_frame(f"{side}_hand", add_limb(builder, f"{side}_", ARM, torso, right=right), GRIP)
    model = with_rotors(builder.build(), GEAR, **ROTOR)
    return type(model)("rotor_humanoid", model.bodies, model.frames, model.gravity, constraints=model.constraints)
