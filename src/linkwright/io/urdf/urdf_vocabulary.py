"""Which elements of a URDF are read, which carry no dynamics and may be skipped, and which must not be skipped.

An element that is in none of the lists is refused by name: a reader that ignores what it does not know drops springs
and loops without a word.
"""

from __future__ import annotations

from ...errors import LoadError, UnsupportedError
from ..ignoring import Ignoring, advice
from ..text.xml import Element

READ = {
    "robot": {"link", "joint", "frame", "loop", "coupling", "loop_joint", "drake:ball_constraint"},
    "link": {"inertial", "origin"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "joint_properties", "mimic"},
    "inertial": {"origin", "mass", "inertia"},
}

# Looks, contact surfaces, sensors, controllers and other programs' settings.
SKIPPED = {
    "robot": {
        "material", "gazebo", "transmission", "sensor", "ros2_control", "mujoco", "drake:collision_filter_group",
        "isaac_sim", "plugin", "version", "author", "license", "group", "disable_collisions",
    },
    "link": {
        "visual", "collision", "material", "sensor", "gazebo", "contact", "surface", "collision_checking",
        "self_collision_checking", "self_filter", "kinematic", "gravity", "drake:visual",
    },
    "joint": {"safety_controller", "calibration", "gazebo", "sensor", "hardwareInterface", "actuator"},
    "inertial": set(),
}  # fmt: skip

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
        if child.tag in READ[role]:
            continue
        if _is_loop(child):
            raise loop_not_read(child)
        if child.tag not in SKIPPED[role]:
            raise _unknown(child, role)
        if child.tag in ONLY_WHEN and child.text.lower() not in ONLY_WHEN[child.tag]:
            raise child.error(f"is {child.text[:60]!r}; only {ONLY_WHEN[child.tag][0]!r} is understood")
        for grandchild in child:
            if grandchild.tag in LOOPS_INSIDE.get(child.tag, ()):
                raise loop_not_read(grandchild, f"<{grandchild.tag}> inside <{child.tag}>")


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
    known = ", ".join(sorted(READ[role] | SKIPPED[role]))
    return child.error(
        f"unknown element <{child.tag[:60]}> in <{role}>; skipping it could change the dynamics. Known: {known}"
    )
