"""URDF text of simple models, written by the tests so that reading can be checked without any file."""

from __future__ import annotations

from linkwright.model import GROUND, Model


def write_urdf(model: Model) -> str:
    """For models of revolute joints whose placements do not rotate, on a free-flyer or on the ground."""
    lines = [f'<?xml version="1.0"?>\n<robot name="{model.name}">']
    root = model.bodies[1].name if model.joints[0].kind == "free_flyer" else GROUND
    for body in model.bodies:
        if body.name == GROUND != root:
            continue
        lines += [f'  <link name="{body.name}">', *_inertial(body.inertia), "  </link>"]
    for body in model.bodies[1:]:
        if body.name == root:
            continue
        joint = body.joint
        lines += [
            f'  <joint name="{joint.name}" type="revolute">',
            f'    <origin xyz="{_row(body.placement.translation)}" rpy="0 0 0"/>',
            f'    <parent link="{model.bodies[body.parent].name}"/>',
            f'    <child link="{body.name}"/>',
            f'    <axis xyz="{_row(joint.axis)}"/>',
            f'    <limit lower="{_row(joint.lower)}" upper="{_row(joint.upper)}" effort="{_row(joint.effort_limit)}"/>',
            "  </joint>",
        ]
    for frame in model.frames.values():
        lines += [
            f'  <link name="{frame.name}"/>',
            f'  <joint name="{frame.name}_joint" type="fixed">',
            f'    <origin xyz="{_row(frame.placement.translation)}"/>',
            f'    <parent link="{model.bodies[frame.body].name}"/>',
            f'    <child link="{frame.name}"/>',
            "  </joint>",
        ]
    return "\n".join([*lines, "</robot>", ""])


def _inertial(inertia) -> list[str]:
    t = inertia.tensor
    moments = " ".join(
        f'i{"xyz"[a]}{"xyz"[b]}="{float(t[a, b])!r}"' for a, b in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    )
    return [
        "    <inertial>",
        f'      <origin xyz="{_row(inertia.com)}"/>',
        f'      <mass value="{inertia.mass!r}"/>',
        f"      <inertia {moments}/>",
        "    </inertial>",
    ]


def _row(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)


PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0 0 -0.5" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <origin xyz="0 0 1"/>
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
</robot>
"""
"""Two links, one joint, everything a joint can carry. Tests change one thing in it."""
