"""A URDF whose loop the file cannot say: read it, close it in Python, solve its dynamics."""

import numpy as np

import linkwright as lw


def link(name, length):
    return f"""<link name="{name}"><inertial><origin xyz="{length / 2} 0 0"/><mass value="{length}"/>
      <inertia ixx="1e-4" iyy="{length**3 / 12}" izz="{length**3 / 12}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def joint(name, parent, child, x, z=0.0):
    return f"""<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="{x} 0 {z}"/><axis xyz="0 1 0"/></joint>"""


# A parallelogram, drawn flat: two arms of 0.3 m that hang on the base 0.2 m apart, and a bar of 0.2 m between them.
urdf = f"""<robot name="parallelogram"><link name="base"/>
  {link("left", 0.3)} {link("right", 0.3)} {link("bar", 0.2)}
  {joint("left_joint", "base", "left", 0)} {joint("right_joint", "base", "right", 0.2)}
  {joint("bar_joint", "left", "bar", 0.3)}
  <link name="bar_end"/><joint name="bar_tip" type="fixed"><parent link="bar"/><child link="bar_end"/>
    <origin xyz="0.2 0 0"/></joint>
  <link name="right_end"/><joint name="right_tip" type="fixed"><parent link="right"/><child link="right_end"/>
    <origin xyz="0.3 0 0"/></joint>
</robot>"""
robot = lw.load(urdf).with_constraints(lw.close_with("revolute", "bar_end", "right_end", axis="y", name="pin"))
print(robot)

# Both arms 1 rad below the horizontal: the bar stays level, and falls without turning.
angles = {"left_joint": 1.0, "right_joint": 1.0, "bar_joint": -1.0}
q = np.zeros(robot.nq)
for name, angle in angles.items():
    q[robot.iq[robot.joint_index(name)]] = angle
print(lw.mobility(robot, q))

solution = lw.compile(robot, "lcaba")(q, np.zeros(robot.nv), np.zeros(robot.nv))
for name in angles:
    print(f"acceleration of {name:12}{solution.a[robot.iv[robot.joint_index(name)]][0]:10.6f} rad/s^2")

# By hand: weight of two arms (at half their length) and the bar, on the inertia of all three; I of an arm is m l^2/3.
arm, bar, length = 0.3, 0.2, 0.3
expected = 9.81 * np.cos(1.0) * length * (arm + bar) / (2 * arm * length**2 / 3 + bar * length**2)
print(f"by hand                     {expected:10.6f} rad/s^2")
