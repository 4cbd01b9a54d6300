"""Random MJCF models with actuators of every kind that is understood, and MuJoCo's own step beside ours."""

from __future__ import annotations

import numpy as np

BODY = '<geom type="capsule" size="0.03" fromto="0 0 0 0.1 0.02 0.25" mass="{mass}" contype="0" conaffinity="0"/>'


def random_mjcf(seed: int, integrator: str = "Euler", *, turning: bool = True) -> str:
    """A tree of hinges, slides, a ball and perhaps a free body. `turning`: some actuators act on turning velocities."""
    rng = np.random.default_rng(seed)
    joints: list[tuple[str, str]] = []

    def number(low: float = -1.0, high: float = 1.0) -> str:
        return f"{rng.uniform(low, high):.6f}"

    def joint(kind: str) -> str:
        name = f"j{len(joints)}"
        joints.append((name, kind))
        if kind == "free":
            return f'<freejoint name="{name}"/>'
        axis = " ".join(number() for _ in range(3))
        own = f'damping="{number(0.1, 0.6)}" armature="{number(0.02, 0.1)}"'
        if kind in ("hinge", "slide"):
            own += f' axis="{axis}" ref="{number(-0.3, 0.3)}" stiffness="{number(0, 3)}"'
            if turning and rng.random() < 0.3:
                own += ' actuatorfrcrange="-{0} {0}"'.format(number(0.5, 2))
        return f'<joint name="{name}" type="{kind}" {own}/>'

    def body(depth: int, kinds: list[str]) -> str:
        if not kinds:
            return ""
        first, rest = kinds[0], kinds[1:]
        half = len(rest) // 2 if rng.random() < 0.5 else len(rest)
        turn = " ".join(number() for _ in range(4))
        return (
            f'<body pos="{number()} {number()} {number(0.2, 0.5)}" quat="{turn}">{joint(first)}'
            f"{BODY.format(mass=number(0.5, 2))}{body(depth + 1, rest[:half])}{body(depth + 1, rest[half:])}</body>"
        )

    kinds = [str(kind) for kind in rng.permutation(["hinge", "hinge", "slide", "hinge", "ball", "slide"])]
    tree = body(0, (["free"] if rng.random() < 0.4 else []) + kinds)
    scalar = [name for name, kind in joints if kind in ("hinge", "slide")]
    tendons = "".join(
        f'<fixed name="t{k}">'
        + "".join(f'<joint joint="{j}" coef="{number()}"/>' for j in rng.choice(scalar, 3, replace=False))
        + "</fixed>"
        for k in range(2)
    )
    actuators = [_actuator(rng, k, number, joints, scalar, turning) for k in range(9)]
    return f"""<mujoco><option timestep="0.002" integrator="{integrator}"><flag contact="disable"/></option>
    <default><default class="weak"><motor ctrlrange="-0.3 0.4" gear="2"/></default></default>
    <worldbody>{tree}</worldbody><tendon>{tendons}</tendon>
    <actuator>{"".join(actuators)}<motor class="weak" joint="{scalar[0]}"/>
    <position joint="{scalar[1]}" kp="20" dampratio="1" timeconst="0.05"/></actuator></mujoco>"""


def _actuator(rng, k: int, number, joints, scalar, turning: bool) -> str:
    name, kind = joints[int(rng.integers(len(joints)))]
    if not turning:
        name, kind = str(rng.choice(scalar)), "hinge"
    gear = " ".join(number(-2, 2) for _ in range({"ball": 3, "free": 6}.get(kind, 1)))
    where = "jointinparent" if rng.random() < 0.3 else "joint"
    on = f'{where}="{name}" gear="{gear}"'
    if rng.random() < 0.35:
        on = f'tendon="t{k % 2}" gear="{number(-2, 2)}"'
    ranges = f' ctrlrange="{number(-1, -0.2)} {number(0.2, 1)}"' if rng.random() < 0.5 else ""
    if rng.random() < 0.4:
        ranges += f' forcerange="{number(-1.5, -0.3)} {number(0.3, 1.5)}"'
    kinds = ["general", "position", "velocity", "damper", "intvelocity", "cylinder", "motor"]
    own = rng.choice(kinds, p=[0.4] + [0.1] * 6)
    if own == "motor":
        return f"<motor {on}{ranges}/>"
    if own == "position":
        return f'<position {on}{ranges} kp="{number(1, 9)}" kv="{number(0, 1)}"/>'
    if own == "velocity":
        return f'<velocity {on}{ranges} kv="{number(0.1, 1)}"/>'
    if own == "damper":
        return f'<damper {on} kv="{number(0.1, 1)}" ctrlrange="0 {number(0.5, 2)}"/>'
    if own == "intvelocity":
        return f'<intvelocity {on}{ranges} kp="{number(1, 9)}" kv="0.1" actrange="-0.5 0.6"/>'
    if own == "cylinder":
        return f'<cylinder {on}{ranges} area="{number(0.5, 2)}" timeconst="{number(0.05, 0.3)}" bias="0 -0.5 -0.1"/>'
    dynamics = rng.choice(["none", "integrator", "filter", "filterexact"])
    rest = f'dyntype="{dynamics}" dynprm="{number(0.02, 0.4)}"'
    if dynamics != "none":
        rest += f' actearly="{"true" if rng.random() < 0.5 else "false"}"'
        rest += ' actlimited="true" actrange="-0.4 0.5"' if rng.random() < 0.5 else ""
    gain, bias = rng.choice(["fixed", "affine"]), rng.choice(["none", "affine"])
    return (
        f'<general {on}{ranges} {rest} gaintype="{gain}"'
        f' gainprm="{number(-2, 2)} {number(-0.5, 0.5)} {number(-0.3, 0.3)}"'
        f' biastype="{bias}" biasprm="{number()} {number(-3, 0)} {number(-0.4, 0.1)}"/>'
    )
