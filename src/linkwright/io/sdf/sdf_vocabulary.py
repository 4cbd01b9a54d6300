"""Which elements of an SDF are read, which are without effect on the motion, which are told of, and which are refused.

An element that is in none of the lists is refused by name. Attributes and details that are in none of them are told of.
"""

from __future__ import annotations

from ...errors import LoadError
from ..ignoring import Ignoring, advice
from ..links.told import UNKNOWN, NotRead, Told, owner_of
from ..text.xml import Element
from ..text.xml_values import shortened, text_flag, text_number

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

_LOOKS, _SENSORS, _SETTINGS = "looks", "measuring changes nothing", "how one simulator computes"
_PLUGIN = "what a plugin does is the user's here; remarks name those of models"
_WIND = "acts where <enable_wind> is, which is refused or told of"
_PAIRS = "contacts between links are computed where they are asked for"
# Without effect on the motion, and why.
SKIPPED: dict[str, dict[str, str]] = {
    "sdf": {},
    "world": {
        "light": _LOOKS, "scene": _LOOKS, "gui": _LOOKS, "road": _LOOKS, "physics": _SETTINGS, "atmosphere": _WIND,
        "wind": _WIND, "magnetic_field": _SENSORS, "spherical_coordinates": _SENSORS, "plugin": _PLUGIN,
        "audio": _LOOKS, "frame": "frames of a world, which no model of it may name here",
    },
    "model": {
        "self_collide": _PAIRS, "allow_auto_disable": "how one simulator saves time with what rests", "plugin": _PLUGIN,
        "gripper": "what a controller does is the user's here; a remark names it",
    },
    "link": {
        "visual": _LOOKS, "light": _LOOKS, "projector": _LOOKS, "particle_emitter": _LOOKS, "sensor": _SENSORS,
        "audio_sink": _LOOKS, "audio_source": _LOOKS, "battery": "what drives nothing of itself", "plugin": _PLUGIN,
        "self_collide": _PAIRS, "must_be_base_link": _SETTINGS,
    },
    "inertial": {},
    "joint": {"sensor": _SENSORS, "plugin": _PLUGIN},
    "axis": {},
    "limit": {},
    "dynamics": {},
    "collision": {"laser_retro": _SENSORS, "visual": _LOOKS},
}  # fmt: skip
_SURFACE = ("contact", "of surfaces the friction <ode><mu> is read")
_STIFF = ("limit", "how stiff limits are follows from the time step")
# Told of wherever they stand, and why they are not computed.
TOLD: dict[str, dict[str, NotRead]] = {
    "world": {
        "state": ("unknown", "models start where they are drawn"),
        "population": ("unknown", "the models that it makes are not made"),
    },
    "model": {"enable_wind": ("fluid", "nothing of wind is computed")},
    "link": {},
    "joint": {"physics": ("option", "how one simulator holds a joint is not how it is held here")},
    "axis": {"initial_position": ("unknown", "joints are drawn at zero; Model.with_drawn draws them elsewhere")},
    "limit": {"stiffness": _STIFF, "dissipation": _STIFF},
    "collision": {"max_contacts": _SURFACE, "density": ("unknown", "inertias are not computed from shapes here")},
}  # fmt: skip
_SHAPES = ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane", "mesh")
_NO_SHAPE = ("contact", "shapes of that kind have no contact here")
_FRICTION = ("surface", "friction", "ode", "mu")
ATTRIBUTES = {
    "sdf": "version", "world": "name", "model": "name canonical_link placement_frame", "link": "name",
    "joint": "name type", "frame": "name attached_to", "pose": "relative_to frame rotation_format degrees",
    "inertial": "auto", "xyz": "expressed_in", "mimic": "joint axis", "collision": "name", "geometry": "",
    "drake:ball_constraint": "name",
}  # fmt: skip
"""Of what is read; whatever else is read has none."""

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
        if not any(child.tag in known.get(role, ()) for known in (READ, SKIPPED, TOLD)) and child.tag != "collision":
            raise _unknown(child, role)


def tell(root: Element, ignore: Ignoring) -> None:
    """Note in `ignore` what the file asks for beyond what is read and refused."""
    told = Told()
    waiting: list[tuple[Element, str]] = [(root, "the file")]
    while waiting:
        element, owner = waiting.pop()
        role = "axis" if element.tag == "axis2" else element.tag
        owner = owner_of(element) if role in ("link", "joint", "model") else owner
        told.attributes(element, ATTRIBUTES, owner)
        for child in element:
            if child.tag == "collision":
                _tell_of_collision(child, told, owner)
            elif child.tag in TOLD.get(role, ()):
                if not _is_usual(child):
                    told.add(f"<{child.tag}>", TOLD[role][child.tag], owner)
            elif child.tag in READ.get(role, ()):
                waiting.append((child, owner))
            elif role == "world" and child.tag == "physics" and child.named("gravity"):  # of SDF 1.4 and before
                told.add("<gravity> in <physics>", ("unknown", "gravity is that of <world><gravity>"), owner)
    told.into(ignore)


def _is_usual(element: Element) -> bool:
    """Whether it says what holds anyway."""
    if element.tag == "physics":
        return all(part.tag == "provide_feedback" for kind in element for part in kind)
    if element.tag == "enable_wind":
        return not text_flag(element, False)
    return element.tag == "initial_position" and not text_number(element, 0.0)


def _tell_of_collision(collision: Element, told: Told, owner: str) -> None:
    told.attributes(collision, ATTRIBUTES, owner)
    for child in collision:
        if child.tag == "geometry":
            for shape in child:
                if shape.tag not in _SHAPES and shape.tag != "empty":
                    told.add(f"collision shape <{shortened(shape.tag)}>", _NO_SHAPE, owner)
        elif child.tag == "surface":
            _tell_of_surface(child, told, owner)
        elif child.tag in TOLD["collision"]:
            told.add(f"<{child.tag}> in <collision>", TOLD["collision"][child.tag], owner)
        elif child.tag != "pose" and child.tag not in SKIPPED["collision"]:
            told.add(f"<{shortened(child.tag)}> in <collision>", UNKNOWN, owner)


def _tell_of_surface(surface: Element, told: Told, owner: str) -> None:
    """All of it but the one number that is read, and what repeats that number."""
    waiting: list[tuple[Element, tuple[str, ...]]] = [(surface, ("surface",))]
    while waiting:
        element, path = waiting.pop()
        for child in element:
            here = (*path, child.tag)
            if here == _FRICTION or (here == (*_FRICTION[:-1], "mu2") and _repeats(element)):
                continue
            if child.children:
                waiting.append((child, here))
            elif child.text:
                told.add(f"<{'><'.join(map(shortened, here[1:]))}> of surfaces", _SURFACE, owner)


def _repeats(ode: Element) -> bool:
    """Whether friction is the same in both directions."""
    return len({text_number(part) for part in ode if part.tag in ("mu", "mu2")}) == 1


def _unknown(child: Element, role: str) -> LoadError:
    reason = _WHY_NOT.get(child.tag)
    if reason is None:
        reason = f"skipping it could change the dynamics. Known: {', '.join(sorted({*READ[role], *SKIPPED[role]}))}"
    hint = advice(IGNORED_BY[child.tag]) if child.tag in IGNORED_BY else ""
    return child.error(f"<{child.tag[:60]}> in <{role}> is not understood: {reason}{hint}")
