"""MJCF text written for the tests."""

INERTIAL = '<inertial pos="0.05 0.01 -0.1" mass="1.3" fullinertia="0.02 0.03 0.025 0.001 0.002 -0.001"/>'


def mjcf(bodies: str, rest: str = "", head: str = "") -> str:
    return (
        f'<mujoco model="mechanism">\n<compiler angle="radian"/>\n{head}\n<worldbody>\n{bodies}\n</worldbody>\n'
        f"{rest}\n</mujoco>\n"
    )


EVERY_JOINT = mjcf(
    f"""<body name="float" pos="0.1 0.2 1" quat="0.9 0.1 0.2 0.3">
  <freejoint name="free"/>{INERTIAL}
  <site name="on float" pos="0.1 0 0" euler="0.1 0.2 0.3"/>
  <body name="arm" pos="0.3 0 0" euler="0.3 0.1 0">
    <joint name="hinge" type="hinge" axis="0.6 0 0.8" pos="0.1 0.2 0.3" ref="0.4" stiffness="3" springref="0.1"
           damping="0.2" armature="0.05" range="-1 2" frictionloss="0.3" actuatorfrcrange="-7 7"/>
    {INERTIAL}
    <body name="ball" pos="0 0 0.4"><joint name="ball joint" type="ball" pos="0 0.1 0" damping="0.3"/>{INERTIAL}</body>
    <body name="cart" pos="0 0.4 0" quat="1 1 0 0">
      <joint name="slide" type="slide" axis="0 0.8 0.6" pos="0.3 0.3 0.3" ref="-0.2" stiffness="40"/>{INERTIAL}
      <body name="merged" pos="0.1 0.1 0.1" euler="0.2 0 0">{INERTIAL}
        <body name="many" pos="0.2 0 0.1">
          <joint name="a" type="hinge" axis="1 0 0" pos="0 0.1 0" ref="0.3"/>
          <joint name="b" type="hinge" axis="0 1 0" pos="0.1 0 0"/>
          <joint name="c" type="slide" axis="0 0.6 0.8" ref="0.1"/>
          <joint name="d" type="hinge" axis="0 0 1" armature="0.1"/>
          {INERTIAL}
          <site name="tip" pos="0 0 0.3" quat="1 0.5 0 0"/>
        </body>
      </body>
    </body>
  </body>
</body>""",
    rest='<keyframe><key name="home" qpos="1 2 3 0.5 0.5 0.5 0.5 0.1 1 0 0 0 0.2 0.3 0.4 0.5 0.6"/></keyframe>',
    head='<option gravity="0.5 -0.3 -9"/>',
)
"""All kinds of joints, refs, anchors away from the body, several joints on a body, a body without joints."""

_BARS = f"""<body name="crank" pos="0 0 1">
  <joint name="drive" axis="0 1 0" ref="0.2" damping="0.1"/>{INERTIAL}
  <body name="coupler" pos="0 0 0.3" euler="0 0.5 0">
    <joint name="elbow" axis="0 1 0" ref="-0.3"/>{INERTIAL}
    <site name="coupler end" pos="0.8 0 0.1" euler="0.2 0 0.1"/>
  </body>
</body>
<body name="rocker" pos="0.7 0 1" euler="0 0 0.4">
  <joint name="swing" type="ball"/>{INERTIAL}
  <body name="tip" pos="0 0 0.5"><joint name="wrist" axis="0 0 1" pos="0.1 0 0"/>
    <joint name="nod" axis="1 0 0" ref="0.5"/>{INERTIAL}
    <site name="rocker end" pos="0 0.1 0.2"/></body>
</body>
<body name="box" pos="0 2 0"><freejoint name="fly"/>{INERTIAL}<site name="on box" pos="0.1 0.2 0.3"/></body>
<body name="plate" pos="0 2.4 0.3" euler="0.1 0.2 0.3"><freejoint name="fly too"/>{INERTIAL}
  <site name="on plate" pos="0.3 -0.2 0" euler="1 0.3 0.2"/></body>
"""

EQUALITIES = {
    "connect": '<connect name="e" body1="coupler" body2="tip" anchor="0.5 0.1 0.2"/>',
    "connect to the world": '<connect name="e" body1="tip" anchor="0.05 0.1 0.2"/>',
    "connect from the world": '<connect name="e" body1="world" body2="tip" anchor="0.7 0.1 1.2"/>',
    "connect sites": '<connect name="e" site1="coupler end" site2="rocker end"/>',
    "weld": '<weld name="e" body1="box" body2="plate"/>',
    "weld anchor": '<weld name="e" body1="box" body2="plate" anchor="0.1 0.2 0.3" torquescale="2.5"/>',
    "weld relpose": '<weld name="e" body1="plate" body2="box" relpose="0.1 0.2 0.3 0.8 0.2 0.4 0.4"/>',
    "weld relpose and anchor": '<weld name="e" body1="box" body2="plate" anchor="0.3 0 0.1" '
    'relpose="0.1 0.2 0.3 0.8 0.2 0.4 0.4"/>',
    "weld to the world": '<weld name="e" body1="box" anchor="0.1 0 0"/>',
    "weld without torque": '<weld name="e" body1="box" body2="plate" anchor="0.1 0 0" torquescale="0"/>',
    "weld sites": '<weld name="e" site1="on box" site2="on plate"/>',
    "two": '<weld name="e" body1="coupler" body2="box"/><connect body1="plate" body2="box" anchor="0 0 0"/>',
}  # fmt: skip

COUPLINGS = {
    "joint": '<joint name="e" joint1="drive" joint2="elbow" polycoef="0.1 -2 0.3 0.2 -0.1"/>',
    "joint alone": '<joint name="e" joint1="elbow" polycoef="0.25"/>',
    "tendon": '<tendon name="e" tendon1="first" tendon2="second" polycoef="0.05 1.5 0 0 0"/>',
    "tendon alone": '<tendon name="e" tendon1="first" polycoef="0.05"/>',
    "tendon polynomial": '<tendon name="e" tendon1="third" tendon2="fourth" polycoef="0.05 1.5 0.2 -0.1 0.3"/>',
    "rod": '<tendon name="e" tendon1="rod" polycoef="0.01"/>',
}  # fmt: skip

_TENDONS = """<tendon>
  <fixed name="first"><joint joint="drive" coef="1.5"/><joint joint="nod" coef="-0.5"/></fixed>
  <fixed name="second"><joint joint="elbow" coef="2"/><joint joint="drive" coef="0.3"/></fixed>
  <fixed name="third"><joint joint="drive" coef="2"/></fixed>
  <fixed name="fourth"><joint joint="nod" coef="-3"/></fixed>
  <spatial name="rod"><site site="coupler end"/><site site="rocker end"/></spatial>
</tendon>"""


def with_equality(text: str) -> str:
    return mjcf(_BARS, f"{_TENDONS}\n<equality>\n{text}\n</equality>")
