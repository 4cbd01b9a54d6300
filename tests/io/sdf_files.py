"""SDF text written for the tests."""

INERTIAL = (
    "<inertial><pose>0.1 0.02 -0.03 0.1 0.2 0.3</pose><mass>{mass}</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy>"
    "<izz>0.04</izz><ixy>0.001</ixy><ixz>0</ixz><iyz>0.002</iyz></inertia></inertial>"
)


def link(name: str, pose: str, mass: float = 1.0, relative_to: str = "") -> str:
    attribute = f' relative_to="{relative_to}"' if relative_to else ""
    return f'    <link name="{name}"><pose{attribute}>{pose}</pose>{INERTIAL.format(mass=mass)}</link>\n'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "<axis><xyz>0 1 0</xyz></axis>") -> str:
    return (
        f'    <joint name="{name}" type="{kind}">\n      <parent>{parent}</parent>\n      <child>{child}</child>\n'
        f"      {inside}\n    </joint>\n"
    )


def sdf(*parts: str, version: str = "1.9", model: str = "") -> str:
    return f'<sdf version="{version}">\n  <model name="mechanism"{model}>\n{"".join(parts)}  </model>\n</sdf>\n'


FOUR_BAR = sdf(
    link("crank", "0 0 1 0 0 0"),
    link("coupler", "0 0 1.3 0 0.2 0", 2.0),
    link("rocker", "0.8 0 1 0 0 0.5", 1.5),
    joint("drive", "revolute", "world", "crank", "<axis><xyz>0 1 0</xyz>"
          "<limit><lower>-2</lower><upper>2</upper></limit><dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>3</spring_stiffness>"
          "<spring_reference>0.4</spring_reference></dynamics></axis>"),
    joint("elbow", "revolute", "crank", "coupler"),
    joint("swing", "revolute", "world", "rocker", "<axis><xyz expressed_in='__model__'>0 1 0</xyz></axis>"),
    joint("pin", "revolute", "rocker", "coupler", "<pose relative_to='rocker'>0 0 0.4 0 0 -0.5</pose>"
          "<axis><xyz>0 1 0</xyz></axis>"),
)
"""Crank, coupler, rocker; the joint `pin` names a child that `elbow` carries already, and so closes the loop."""
