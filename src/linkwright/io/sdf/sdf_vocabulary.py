"""Which elements of an SDF are read, which carry no dynamics and may be skipped, and which must not be skipped."""

from __future__ import annotations

from ...errors import LoadError
from ..ignoring import advice
from ..text.xml import Element

READ = {
    "sdf": {"model", "world"},
    "world": {"model", "gravity"},
    "model": {"link", "joint", "frame", "model", "pose", "static", "drake:ball_constraint"},
    "link": {"inertial", "pose", "gravity", "kinematic", "enable_wind", "velocity_decay"},
    "inertial": {"pose", "mass", "inertia"},
    "joint": {
        "parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch", "gearbox_ratio",
        "gearbox_reference_body", "drake:rotor_inertia", "drake:gear_ratio",
    },
    "axis": {"xyz", "limit", "dynamics", "mimic", "use_parent_model_frame"},
    "limit": {"lower", "upper", "effort", "velocity"},
    "dynamics": {"damping", "friction", "spring_stiffness", "spring_reference"},
}  # fmt: skip

# Looks, contact surfaces, sensors, and the settings of one simulator.
SKIPPED = {
    "sdf": set(),
    "world": {
        "light", "physics", "scene", "gui", "atmosphere", "magnetic_field", "spherical_coordinates", "plugin", "audio",
        "wind", "state", "road", "population", "frame",
    },
    "model": {"self_collide", "allow_auto_disable", "enable_wind", "plugin", "gripper"},
    "link": {
        "visual", "collision", "sensor", "light", "projector", "audio_sink", "audio_source", "battery", "self_collide",
        "must_be_base_link", "particle_emitter", "plugin",
    },
    "inertial": set(),
    "joint": {"physics", "sensor", "plugin"},
    "axis": {"initial_position"},
    "limit": {"stiffness", "dissipation"},
    "dynamics": set(),
}  # fmt: skip

_WHY_NOT = {
    "include": "other files are not read; replace the <include> by the model it names",
    "joint": "joints of a world between models are not read yet; move both links into one model",
    "drake:linear_bushing_rpy": "bushings are not read yet",
    "fluid_added_mass": "fluids are not part of the dynamics here",
    "density": "inertias are not computed from shapes here; write <mass> and <inertia>",
    "experimental_params": "they are not understood",
    "actor": "actors move by animation, not by dynamics",
}


# What `load(..., ignore=...)` leaves out, and the word for it.
IGNORED_BY = {
    "velocity_decay": "damping", "fluid_added_mass": "fluid", "enable_wind": "fluid", "plugin": "plugin",
    "drake:linear_bushing_rpy": "bushing",
}  # fmt: skip


def check_vocabulary(element: Element, role: str) -> None:
    """Refuse children of `element` that would be lost."""
    for child in element:
        if child.tag not in READ[role] and child.tag not in SKIPPED[role]:
            raise _unknown(child, role)


def _unknown(child: Element, role: str) -> LoadError:
    reason = _WHY_NOT.get(child.tag)
    if reason is None:
        reason = f"skipping it could change the dynamics. Known: {', '.join(sorted(READ[role] | SKIPPED[role]))}"
    hint = advice(IGNORED_BY[child.tag]) if child.tag in IGNORED_BY else ""
    return child.error(f"<{child.tag[:60]}> in <{role}> is not understood: {reason}{hint}")
