"""Random MJCF models with equalities in every form in which a file may write them."""

from __future__ import annotations

import numpy as np

KINDS = ("connect", "weld", "joint", "tendon")


def numbers(values) -> str:
    return " ".join(f"{float(x):.9g}" for x in np.ravel(values))


class RandomEqualities:
    """Two trees of hinges, slides, balls and a free body with sites, in frames and under defaults; tendons; and of each
    kind of equality that is asked for some, by bodies, sites, joints or tendons, soft in all ways, some not active."""

    def __init__(self, seed: int, kinds: tuple[str, ...] = KINDS):
        self.rng, self.kinds = np.random.default_rng(seed), kinds
        self.bodies, self.sites, self.joints = ["world"], ["ground"], []
        self.tendons = []

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pose(self, reach: float) -> str:
        rng = self.rng
        turn = rng.choice(["quat", "euler", "axisangle", "xyaxes", "zaxis", ""])
        count = {"quat": 4, "euler": 3, "axisangle": 4, "xyaxes": 6, "zaxis": 3}.get(str(turn), 0)
        values = numbers(rng.normal(size=count) * (40.0 if turn == "euler" else 1.0))
        return f'pos="{numbers(rng.uniform(-reach, reach, 3))}"' + (f' {turn}="{values}"' if count else "")

    def body(self, depth: int) -> str:
        rng, name = self.rng, f"b{len(self.bodies)}"
        self.bodies.append(name)
        self.sites.append(f"s{name}")
        text = f'<body name="{name}" {self.pose(0.4)}{self._class()}>' + "".join(self._joints(depth))
        mass, moments = rng.uniform(0.5, 2), rng.uniform(0.02, 0.03, 3)
        text += f'<inertial {self.pose(0.1)} mass="{mass:.6g}" diaginertia="{numbers(moments)}"/>'
        text += f'<site name="s{name}" {self.pose(0.2)}/>'
        for _ in range(rng.integers(1, 3) if depth < 2 else 0):
            inner = self.body(depth + 1)
            text += f"<frame {self.pose(0.1)}{self._class()}>{inner}</frame>" if self.chance(0.3) else inner
        return text + "</body>"

    def _class(self) -> str:
        return ' childclass="slow"' if self.chance(0.3) else ""

    def _joints(self, depth: int) -> list[str]:
        rng = self.rng
        if depth == 0 and self.chance(0.4):
            return ["<freejoint/>"]
        if self.chance(0.2):
            return [f'<joint type="ball" pos="{numbers(rng.uniform(-0.1, 0.1, 3))}"/>']
        found = []
        for _ in range(1 + self.chance(0.2)):
            name = f"j{len(self.joints)}"
            self.joints.append(name)
            kind = rng.choice(["hinge", "hinge", "slide"])
            ref = rng.uniform(-30, 30) if kind == "hinge" else rng.uniform(-0.2, 0.2)
            place = f'axis="{numbers(rng.normal(size=3))}" pos="{numbers(rng.uniform(-0.1, 0.1, 3))}"'
            found.append(f'<joint name="{name}" type="{kind}" {place} ref="{ref:.6g}"/>')
        return found

    def _tendons(self) -> str:
        rng, text = self.rng, ""
        for count in (1, 1, 2, 3) if self.joints else ():
            name = f"t{len(self.tendons)}"
            chosen = rng.choice(self.joints, min(count, len(self.joints)), replace=False)
            self.tendons.append((name, len(chosen)))
            parts = "".join(f'<joint joint="{one}" coef="{rng.uniform(-2, 2):.6g}"/>' for one in chosen)
            text += f'<fixed name="{name}">{parts}</fixed>'
        one, two = rng.choice(len(self.sites), 2, replace=False)
        ends = "".join(f'<site site="{self.sites[k]}"/>' for k in (one, two))
        return f'<tendon>{text}<spatial name="rod">{ends}</spatial></tendon>'

    def _softness(self) -> str:
        rng = self.rng
        text = ' class="soft"' if self.chance(0.2) else ""
        if self.chance(0.5):
            hard = [rng.uniform(0.005, 0.05), rng.uniform(0.5, 1.5)]
            text += f' solref="{numbers([-rng.uniform(100, 3000), -rng.uniform(1, 60)] if self.chance(0.3) else hard)}"'
        if self.chance(0.5):
            low, high = np.sort(rng.uniform(0.3, 0.99, 2))
            power = rng.choice([1, 2, 3])
            text += f' solimp="{numbers([low, high, rng.uniform(0.001, 0.1), rng.uniform(0.2, 0.8), power])}"'
        return text + (' active="false"' if self.chance(0.1) else "")

    def _ends(self) -> tuple[str, bool]:
        """Who is held, and whether by sites."""
        rng = self.rng
        if self.chance(0.35):
            one, two = rng.choice(self.sites, 2, replace=False)
            return f'site1="{one}" site2="{two}"', True
        one, two = rng.choice(self.bodies, 2, replace=False)
        if one != "world" and self.chance(0.25):
            return f'body1="{one}"', False
        return f'body1="{one}" body2="{two}"', False

    def _equality(self, kind: str) -> str:
        rng, own = self.rng, ""
        if kind == "joint":
            if len(self.joints) < 2:
                return ""
            one, two = rng.choice(self.joints, 2, replace=False)
            own = f'joint1="{one}"' + (f' joint2="{two}"' if self.chance(0.8) else "")
            own += self._polynomial(5)
        elif kind == "tendon":
            simple = [name for name, count in self.tendons if count == 1]
            every = [name for name, _ in self.tendons]
            if self.chance(0.3) or len(every) < 2:
                own = f'tendon1="rod" polycoef="{rng.uniform(-0.02, 0.02):.6g} 0 0 0 0"'
            elif self.chance(0.4):
                one, two = rng.choice(simple, 2, replace=False)
                own = f'tendon1="{one}" tendon2="{two}"' + self._polynomial(5)
            else:
                one, two = rng.choice(every, 2, replace=False)
                own = f'tendon1="{one}"' + (f' tendon2="{two}"' if self.chance(0.7) else "") + self._polynomial(2)
        else:
            own, sites = self._ends()
            if kind == "connect" and not sites:
                own += f' anchor="{numbers(rng.uniform(-0.2, 0.2, 3))}"'
            if kind == "weld" and not sites:
                if self.chance(0.4):
                    own += f' anchor="{numbers(rng.uniform(-0.2, 0.2, 3))}"'
                if self.chance(0.4):
                    own += f' relpose="{numbers([*rng.uniform(-0.3, 0.3, 3), *rng.normal(size=4)])}"'
            if kind == "weld" and self.chance(0.5):
                own += f' torquescale="{0 if self.chance(0.2) else rng.uniform(0.3, 2):.6g}"'
        return f"<{kind} {own}{self._softness()}/>"

    def _polynomial(self, count: int) -> str:
        given = self.rng.uniform(-1, 1, count)
        return f' polycoef="{numbers([*given, *[0.0] * (5 - count)])}"' if self.chance(0.9) else ""

    def text(self) -> str:
        trees = "".join(self.body(0) for _ in range(2))
        tendons = self._tendons()
        kinds = [*self.kinds, *self.rng.choice(self.kinds, self.rng.integers(0, 2))]
        equalities = "".join(self._equality(str(kind)) for kind in kinds)
        return (
            '<mujoco><option timestep="0.002"><flag contact="disable"/></option><default><equality solref="0.03 0.9"/>'
            '<joint damping="0.1"/><default class="slow"><joint damping="0.7" armature="0.02"/></default>'
            '<default class="soft"><equality solref="-300 -20" solimp="0.8 0.9 0.02"/></default></default>'
            f'<worldbody><site name="ground" {self.pose(0.5)}/>{trees}</worldbody>{tendons}'
            f"<equality>{equalities}</equality></mujoco>"
        )
