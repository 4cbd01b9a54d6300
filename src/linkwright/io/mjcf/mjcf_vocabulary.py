"""Every element and attribute of MJCF, and what becomes of it: read, refused by name, told of, or without effect.

MuJoCo's compiler reads a file before our reader does, so an attribute that nobody looks at afterwards would be lost
without a word. A file with an attribute that MuJoCo takes and this page does not know is refused; a test compares the
page with the schema that MuJoCo prints (tests/io/test_mjcf_vocabulary.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ignoring import Ignoring, advice
from ..text.xml import Element
from ..text.xml_values import shortened
from .mjcf_elements import LIKE_BODY

WITHOUT_EFFECT = {
    "visual": "how MuJoCo's viewer shows it",
    "statistic": "scales of pictures, and of the tolerance at which a solver stops",
    "size": "memory; numbers of users, which MuJoCo itself does not read",
    "sensor": "measuring changes nothing; sensors are not read (linkwright.envs has some of its own)",
    "custom": "numbers and texts of users, which MuJoCo itself does not read",
    "extension": "declares plugins; where one is used it is refused",
    "texture": "looks", "material": "looks", "skin": "looks", "camera": "looks", "light": "looks",
}  # fmt: skip
"""Elements that change no motion, with all that is in them."""

REFUSED = {
    "plugin": "plugins", "flex": "deformable bodies", "flexcomp": "deformable bodies",
    "flexstrain": "deformable bodies", "composite": "bodies made of many",
    "attach": "models of other files", "model": "models of other files",
    "muscle": "actuators", "adhesion": "actuators", "dcmotor": "actuators", "pid": "actuators",
    "orientation": "actuators",
}  # fmt: skip
"""Elements that are refused by name with all that is in them, unless they are ignored."""


@dataclass(frozen=True)
class Attributes:
    """Of one element, as words.

    read     their effect is in the numbers that MuJoCo computes and we take, or we read them ourselves
    told     what they ask for is not computed: the model's list says so where it would matter
    refused  by name where they differ from what changes nothing, unless they are ignored
    idle     without effect on the motion
    """

    read: str = ""
    told: str = ""
    refused: str = ""
    idle: str = ""

    @property
    def known(self) -> set[str]:
        return set(f"{self.read} {self.told} {self.refused} {self.idle}".split())


IDLE = {
    "name": "what it is called", "class": "whose defaults it takes", "group": "what viewers show together",
    "user": "numbers of users, which MuJoCo itself does not read", "rgba": "looks", "material": "looks",
    "castshadow": "looks", "width": "looks of a tendon", "size": "of a site: looks", "type": "of a site: looks",
    "texcoord": "looks", "cranklength": "of slider-cranks, which are refused",
    "lengthrange": "of muscles, which are refused",
    "mode": "of the range of lengths of muscles, which are refused", "time": "what a clock shows",
    "savecanonical": "how a file is written", "savecompiled": "how a file is written",
    "saveinertial": "how a file is written", "passthrough": "how a file is written",
    "conflict": "of models that are attached, which are refused", "texturedir": "looks",
    "usethread": "how fast a file is compiled", "discardvisual": "what only shows is taken out anyway",
    "simple": "how fast MuJoCo factors a mass matrix", "magnetic": "sensors alone feel it",
    "solver": "which method finds the accelerations, not which they are",
    "jacobian": "how fast the accelerations are found, not which they are",
    "ls_iterations": "how the accelerations are found, not which they are",
    "ls_tolerance": "how the accelerations are found, not which they are",
    "ccd_iterations": "how exactly shapes are compared that have no formula",
    "ccd_tolerance": "how exactly shapes are compared that have no formula",
    "sdf_initpoints": "of shapes that plugins make, which are refused",
    "sdf_iterations": "of shapes that plugins make, which are refused",
    "noslip_tolerance": "of noslip_iterations, which are told of", "sleep_tolerance": "of sleeping, which is told of",
    "sleep": "of bodies that may sleep where <flag sleep> lets them, which is told of",
    "warmstart": "how fast the accelerations are found", "sensor": "sensors change nothing",
    "midphase": "how fast contacts are found", "autoreset": "what happens after a state that is not finite",
    "nativeccd": "how shapes are compared that have no formula", "island": "how fast the accelerations are found",
    "multiccd": "how many points shapes touch in that have no formula", "energy": "what is added up beside the motion",
    "fwdinv": "what is compared beside the motion", "invdiscrete": "of inverse dynamics alone",
    "ipc": "of deformable bodies, which are refused", "maxhullvert": "our hulls choose their own corners",
    "smoothnormal": "looks", "normal": "looks",
    "divisor": "of spatial tendons, of which forces are refused, limits told of",
    "sidesite": "of spatial tendons, of which forces are refused, limits told of",
    "geom": "of spatial tendons, of which forces are refused, limits told of",
    "wind": "of a medium, which is refused", "fluidshape": "of a medium, which is refused",
    "fluidcoef": "of a medium, which is refused",
}  # fmt: skip
"""Why an attribute that is called so has no effect on the motion where it is said to have none."""

_PLACE = "pos quat axisangle euler xyaxes zaxis"
_SOFT = "solref solimp"
_LIMITED = "limited range margin solreflimit solimplimit frictionloss solreffriction solimpfriction"
_COMMANDED = "gear ctrllimited ctrlrange forcelimited forcerange joint jointinparent tendon"
_ACTIVE = "actlimited actrange"
_DRIVING = Attributes(
    read=_COMMANDED,
    refused="armature damping delay nsample interp slidersite cranksite site refsite",
    idle="name class group user cranklength lengthrange",
)


def _driving(read: str = "", refused: str = "") -> Attributes:
    return Attributes(f"{_DRIVING.read} {read}", "", f"{_DRIVING.refused} {refused}", _DRIVING.idle)


_TENDON = Attributes(
    read=f"{_LIMITED} springlength stiffness damping",
    refused="armature springyield actuatorfrclimited actuatorfrcrange",
    idle="name class group user",
)
_EQUALITY = Attributes(read=f"active {_SOFT}", idle="name class")


def _equality(read: str) -> Attributes:
    return Attributes(f"{_EQUALITY.read} {read}", idle=_EQUALITY.idle)


ATTRIBUTES: dict[str, Attributes] = {
    "mujoco": Attributes(read="model"),
    "mujoco/compiler": Attributes(
        read="alignfree angle assetdir autolimits balanceinertia boundinertia boundmass coordinate eulerseq fitaabb "
        "fusestatic inertiafromgeom inertiagrouprange meshdir settotalmass strippath",
        idle="conflict discardvisual passthrough savecanonical savecompiled saveinertial texturedir usethread",
    ),
    "compiler/lengthrange": Attributes(
        idle="mode accel interval inttotal maxforce timeconst timestep tolrange useexisting uselimit"
    ),
    "mujoco/option": Attributes(
        read="timestep integrator iterations tolerance gravity cone impratio actuatorgroupdisable o_friction o_margin "
        "o_solimp o_solref",
        told="noslip_iterations",
        refused="density viscosity",
        idle="wind magnetic solver jacobian ls_iterations ls_tolerance ccd_iterations ccd_tolerance sdf_initpoints "
        "sdf_iterations noslip_tolerance sleep_tolerance",
    ),
    "option/flag": Attributes(
        read="constraint equality frictionloss limit contact spring damper gravity clampctrl filterparent actuation "
        "refsafe override",
        told="eulerdamp sleep diagexact speculative",
        idle="warmstart sensor midphase autoreset nativeccd island multiccd energy fwdinv invdiscrete ipc",
    ),
    "default": Attributes(read="class"),
    "body": Attributes(
        read=f"{_PLACE} childclass fuse gravcomp mocap", idle="name user sleep simple"
    ),
    "frame": Attributes(read=f"{_PLACE} childclass scale scaling massscale", idle="name"),
    "replicate": Attributes(read="count offset euler sep childclass"),
    "body/inertial": Attributes(read=f"{_PLACE} mass diaginertia fullinertia"),
    "joint": Attributes(
        read=f"{_LIMITED} type axis pos ref armature damping stiffness springref springdamper actuatorfrclimited "
        "actuatorfrcrange actuatorgravcomp",
        refused="springyield",
        idle="name class group user",
    ),
    "body/freejoint": Attributes(read="align", idle="name group"),
    "geom": Attributes(
        read=f"{_PLACE} {_SOFT} type size fromto mesh mass density shellinertia fitscale contype conaffinity condim "
        "priority solmix friction margin",
        told="gap surfacevel adhesion hfield",
        idle="fluidshape fluidcoef name class group user rgba material castshadow",
    ),
    "site": Attributes(read=f"{_PLACE} fromto mesh", idle="name class group user rgba material size type"),
    "asset/mesh": Attributes(
        read="file content_type vertex face scale refpos refquat inertia params",
        refused="builtin",
        idle="name class material maxhullvert normal texcoord smoothnormal",
    ),
    "default/mesh": Attributes(read="inertia scale", idle="maxhullvert"),
    "asset/hfield": Attributes(told="file content_type nrow ncol size elevation", idle="name"),
    "contact/pair": Attributes(
        read=f"geom1 geom2 condim friction margin solreffriction {_SOFT}", told="gap adhesion", idle="name class"
    ),
    "default/pair": Attributes(read=f"condim friction margin solreffriction {_SOFT}", told="gap adhesion"),
    "contact/exclude": Attributes(read="body1 body2", idle="name"),
    "default/equality": Attributes(read=f"active {_SOFT}"),
    "equality/connect": _equality("body1 body2 anchor site1 site2"),
    "equality/weld": _equality("body1 body2 relpose anchor site1 site2 torquescale"),
    "equality/joint": _equality("joint1 joint2 polycoef"),
    "equality/tendon": _equality("tendon1 tendon2 polycoef"),
    "default/tendon": Attributes(_TENDON.read, "", _TENDON.refused, "group material rgba user width"),
    "tendon/fixed": _TENDON,
    "tendon/spatial": Attributes(_TENDON.read, "", _TENDON.refused, f"{_TENDON.idle} material rgba width"),
    "fixed/joint": Attributes(read="joint coef"),
    "spatial/site": Attributes(read="site"),
    "spatial/geom": Attributes(idle="geom sidesite"),
    "spatial/pulley": Attributes(idle="divisor"),
    "general": _driving(f"{_ACTIVE} actearly biasprm biastype dynprm dyntype gainprm gaintype inheritrange",
                        "body actdim input ffrange velrange"),
    "motor": _driving(),
    "position": _driving("kp kv dampratio timeconst inheritrange"),
    "velocity": _driving("kv"),
    "intvelocity": _driving(f"{_ACTIVE} kp kv dampratio inheritrange"),
    "damper": Attributes(_COMMANDED.replace("ctrllimited ", "") + " kv", "", _DRIVING.refused, _DRIVING.idle),
    "cylinder": _driving("area diameter timeconst bias"),
    "keyframe/key": Attributes(read="qpos qvel act ctrl", told="mpos mquat", refused="plastic", idle="name time"),
}  # fmt: skip
"""By tag, or by "parent/tag" where a tag means several things."""

_ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder")
_SECTIONS = {"asset", "deformable", "contact", "tendon", "equality", "actuator", "keyframe"}  # without attributes
_BOTH = ("joint", "geom", "site", *_ACTUATORS)  # that mean the same in <default> and where they are used


def attributes_of(parent: str, tag: str) -> Attributes | None:
    """What is known of the attributes of an element; None of one that is not known."""
    parent = "body" if parent in LIKE_BODY else parent
    if tag in ("frame", "replicate"):
        return ATTRIBUTES[tag]
    if tag in LIKE_BODY:
        return ATTRIBUTES["body"]
    if parent == "mujoco" and tag in _SECTIONS:
        return Attributes()
    if f"{parent}/{tag}" in ATTRIBUTES:
        return ATTRIBUTES[f"{parent}/{tag}"]
    shared = tag in _BOTH and parent in ("default", "body", "actuator")
    return ATTRIBUTES[tag] if shared or tag in ("mujoco", "default") else None


def is_settled(tag: str) -> bool:
    """Whether an element is refused, or without effect, with whatever is in it."""
    return tag in WITHOUT_EFFECT or tag in REFUSED


def first_unknown(root: Element) -> tuple[Element, str] | None:
    """An element below `root` that is not known, or has an attribute that is not, with a sentence about it."""
    waiting = [(root, "")]
    while waiting:
        element, parent = waiting.pop()
        if is_settled(element.tag) and parent:
            continue
        known = attributes_of(parent, element.tag)
        if known is None:
            return element, f"<{shortened(element.tag)}> in <{shortened(parent)}> is not known here"
        strange = next((name for name in element.attributes if name not in known.known), None)
        if strange is not None:
            return element, f"attribute {shortened(strange)!r} of <{shortened(element.tag)}> is not known here"
        waiting += [(child, element.tag) for child in reversed(element.children)]
    return None


def refuse_unknown(found: tuple[Element, str] | None, ignore: Ignoring) -> None:
    """What MuJoCo has taken and nobody here knows may change the motion."""
    if found is not None and not ignore.takes("unknown", found[1]):
        raise found[0].error(f"{found[1]}; leaving it out could change the motion{advice('unknown')}")
