"""Which elements of a URDF are read, which are without effect on the motion, which are told of, and which are refused.

An element that is in none of the lists is refused by name: a reader that ignores what it does not know drops springs
and loops without a word. Attributes and details that are in none of them are told of.
"""

from __future__ import annotations

from ...errors import LoadError, UnsupportedError
from ..ignoring import Ignoring, advice
from ..links.told import UNKNOWN, NotRead, Told, owner_of
from ..text.xml import Element
from ..text.xml_values import shortened

_NO_SHAPE = ("contact", "shapes of that kind are not known")
_SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh")

READ = {
    "robot": {"link", "joint", "frame", "loop", "coupling", "loop_joint", "drake:ball_constraint"},
    "link": {"inertial", "origin"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "joint_properties", "mimic"},
    "inertial": {"origin", "mass", "inertia"},
}

_LOOKS, _SENSORS, _SETTINGS = "looks", "measuring changes nothing", "settings of another program"
_COMMANDS = "how another program commands joints; torques and commands are the user's here"
_PAIRS = "contacts between links are computed where they are asked for"
# Without effect on the motion, and why.
SKIPPED: dict[str, dict[str, str]] = {
    "robot": {
        "material": _LOOKS, "sensor": _SENSORS, "isaac_sim": _SETTINGS, "plugin": _SETTINGS, "version": "a remark",
        "author": "a remark", "license": "a remark", "group": "a remark", "transmission": _COMMANDS,
        "ros2_control": _COMMANDS, "drake:collision_filter_group": _PAIRS, "disable_collisions": _PAIRS,
    },
    "link": {
        "visual": _LOOKS, "material": _LOOKS, "drake:visual": _LOOKS, "sensor": _SENSORS, "surface": _LOOKS,
        "collision_checking": _SETTINGS, "self_collision_checking": _SETTINGS, "self_filter": _SETTINGS,
    },
    "joint": {
        "safety_controller": "what a controller keeps to", "calibration": "what a controller needs", "sensor": _SENSORS,
        "hardwareInterface": _COMMANDS, "actuator": _COMMANDS,
    },
    "inertial": {},
    "gazebo": {
        "material": _LOOKS, "visual": _LOOKS, "sensor": _SENSORS, "plugin": _COMMANDS, "laserRetro": _SENSORS,
        "laser_retro": _SENSORS, "provideFeedback": _SENSORS, "preserveFixedJoint": _SETTINGS,
        "disableFixedJointLumping": _SETTINGS, "implicitSpringDamper": "how Gazebo integrates dampers",
        "selfCollide": _PAIRS, "self_collide": _PAIRS,
    },
    "mujoco": {"compiler": _SETTINGS, "size": _SETTINGS, "visual": _SETTINGS, "statistic": _SETTINGS},
}  # fmt: skip
# Looked at further: collisions become shapes, the others hold what other programs read.
LOOKED_AT = {
    "robot": {"gazebo", "mujoco"}, "link": {"collision", "gazebo", "contact", "kinematic", "gravity"},
    "joint": {"gazebo"}, "inertial": set(),
}  # fmt: skip
_SURFACE = ("contact", "URDF has no surfaces; friction is said where contacts are made")
# Inside of what is looked at, whatever changes the motion: as far as it is known, why it is not computed.
TOLD: dict[str, NotRead] = {
    **dict.fromkeys(
        ("mu", "mu1", "mu2", "kp", "kd", "minDepth", "maxVel", "maxContacts", "fdir1", "contact", "surface",
         "contact_coefficients", "drake:proximity_properties", "verbose", "material"), _SURFACE,
    ),
    "gravity": ("gravcomp", "weight that Gazebo takes off a link is not taken off here"),
    "turnGravityOff": ("gravcomp", "weight that Gazebo takes off a link is not taken off here"),
    "dampingFactor": ("damping", "velocities do not decay of themselves"),
    "springStiffness": ("spring", "URDF has no springs; SDF and MJCF have"),
    "springReference": ("spring", "URDF has no springs; SDF and MJCF have"),
}  # fmt: skip
ATTRIBUTES = {
    "robot": "name version", "link": "name type concave", "joint": "name type independent", "origin": "xyz rpy",
    "parent": "link", "child": "link", "axis": "xyz", "inertial": "name", "mass": "value",
    "inertia": "ixx ixy ixz iyy iyz izz", "limit": "lower upper effort velocity drake:acceleration",
    "dynamics": "damping friction armature", "joint_properties": "damping friction armature",
    "mimic": "joint multiplier offset", "frame": "name link xyz rpy", "collision": "name group", "geometry": "",
    "box": "size", "sphere": "radius", "cylinder": "radius length", "capsule": "radius length",
    "mesh": "filename scale",
}  # fmt: skip
"""Of what is read. `type` and `concave` of links, `group` of collisions are settings of other programs."""

# Elements of dialects that say that a loop closes or that joints are coupled, and that are not read.
LOOPS = {"constraint", "equality", "drake:linear_bushing_rpy"}
# Inside elements that are skipped otherwise: Gazebo and MuJoCo read these as joints and constraints of the robot.
LOOPS_INSIDE = {"gazebo": {"joint", "link"}, "mujoco": {"equality"}}
# Skipped only while they say what is true of every link anyway.
ONLY_WHEN = {"gravity": ("1", "true"), "kinematic": ("0", "false")}


def leave_out_loops(robot: Element, ignore: Ignoring) -> None:
    """Take out what says that a loop closes and is not read, if it is to be ignored."""
    for element in (robot, *robot.children):
        inside = LOOPS_INSIDE.get(element.tag, ())
        element.children = [
            child for child in element.children
            if not (_is_loop(child) if element is robot else child.tag in inside)
            or not ignore.takes("loop", f"<{child.tag[:60]}> in <{element.tag}> on line {child.line}")
        ]  # fmt: skip


def _is_loop(element: Element) -> bool:
    return element.tag not in READ["robot"] and (element.tag in LOOPS or element.tag.endswith("_constraint"))


def check_vocabulary(element: Element, role: str) -> None:
    """Refuse children of `element` (a robot, link, joint or inertial) that would be lost."""
    for child in element:
        if child.tag in READ[role] or (child.tag in LOOKED_AT[role] and child.tag not in ONLY_WHEN):
            _refuse_loops_inside(child)
            continue
        if _is_loop(child):
            raise loop_not_read(child)
        if child.tag not in SKIPPED[role] and child.tag not in LOOKED_AT[role]:
            raise _unknown(child, role)
        if child.tag in ONLY_WHEN and child.text.lower() not in ONLY_WHEN[child.tag]:
            raise child.error(f"is {child.text[:60]!r}; only {ONLY_WHEN[child.tag][0]!r} is understood")


def _refuse_loops_inside(element: Element) -> None:
    for child in element:
        if child.tag in LOOPS_INSIDE.get(element.tag, ()):
            raise loop_not_read(child, f"<{child.tag}> inside <{element.tag}>")


def tell(robot: Element, ignore: Ignoring) -> None:
    """Note in `ignore` what the file asks for beyond what is read and refused."""
    told = Told()
    told.attributes(robot, ATTRIBUTES, owner_of(robot))
    _tell_inside(robot, told, owner_of(robot))
    for part in robot:
        if part.tag not in ("link", "joint", "frame"):
            continue
        owner = owner_of(part)
        told.attributes(part, ATTRIBUTES, owner)
        _tell_inside(part, told, owner)
        for child in part:
            if child.tag == "collision":
                _tell_of_collision(child, told, owner)
            elif child.tag in READ.get(part.tag, ()):
                told.attributes(child, ATTRIBUTES, owner)
                for detail in child:
                    if detail.tag in READ.get(child.tag, ()):
                        told.attributes(detail, ATTRIBUTES, owner)
                    elif child.tag != "inertial":  # there it is refused
                        told.add(f"<{shortened(detail.tag)}> in <{child.tag}>", UNKNOWN, owner)
    told.into(ignore)


def _tell_inside(part: Element, told: Told, owner: str) -> None:
    """Settings of Gazebo, MuJoCo and Bullet, of the robot or of one link or joint."""
    for child in part:
        if child.tag in ("gazebo", "mujoco"):
            whose = repr(shortened(child.attributes["reference"])) if "reference" in child.attributes else owner
            for detail in child:
                if detail.tag not in SKIPPED[child.tag] and detail.tag not in LOOPS_INSIDE[child.tag]:
                    told.add(f"<{shortened(detail.tag)}> in <{child.tag}>", TOLD.get(detail.tag, UNKNOWN), whose)
        elif child.tag == "contact" and len(child.children):
            told.add("<contact>", _SURFACE, owner)


def _tell_of_collision(collision: Element, told: Told, owner: str) -> None:
    told.attributes(collision, ATTRIBUTES, owner)
    for child in collision:
        if child.tag in ("origin", "geometry"):
            told.attributes(child, ATTRIBUTES, owner)
            for shape in child if child.tag == "geometry" else ():
                if shape.tag in _SHAPES:
                    told.attributes(shape, ATTRIBUTES, owner)
                else:
                    told.add(f"collision shape <{shortened(shape.tag)}>", _NO_SHAPE, owner)
        else:
            told.add(f"<{shortened(child.tag)}> in <collision>", TOLD.get(child.tag, UNKNOWN), owner)


def loop_not_read(element: Element, what: str | None = None) -> UnsupportedError:
    where = f"{element.file}, " if element.file is not None else ""
    return UnsupportedError(
        f"{where}line {element.line}: {what or f'<{element.tag}>'} describes a loop closure or a coupling that "
        "cannot be read, and loading the robot without them would change its motion. Remove the "
        f"element to load the tree, and add the closures to the model in code{advice('loop')}"
    )


def _unknown(child: Element, role: str) -> LoadError:
    if child.tag.startswith("xacro:"):
        return child.error("this is a xacro file; run xacro on it first and load the URDF that it writes")
    known = ", ".join(sorted({*READ[role], *SKIPPED[role], *LOOKED_AT[role]}))
    return child.error(
        f"unknown element <{child.tag[:60]}> in <{role}>; skipping it could change the dynamics. Known: {known}"
    )
