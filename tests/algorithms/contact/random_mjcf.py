"""Random MJCF models that touch a floor and each other, and what MuJoCo says of them."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

import linkwright as lw
from linkwright.io.mujoco.mujoco_state import MujocoCoordinates

_SHAPES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
_WITH_OTHERS = ("sphere", "capsule")


def numbers(values) -> str:
    return " ".join(f"{float(x):.9g}" for x in np.ravel(values))


class RandomModel:
    """Trees and loops with all shapes, condims, softness of both kinds, limits, dry friction, margins, tendons."""

    def __init__(self, seed: int):
        self.seed, self.rng = seed, np.random.default_rng(seed)
        self.count, self.named, self.joints, self.bodies, self.geoms = 0, 0, [], [], []

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def softness(self, suffix: str = "", rng: np.random.Generator | None = None) -> str:
        rng, text = rng or self.rng, ""
        if rng.random() < 0.6:
            solref = [rng.uniform(0.002, 0.05), rng.uniform(0.5, 1.5)]
            if rng.random() < 0.3:
                solref = [-rng.uniform(100, 3000), -rng.uniform(1, 60)]
            text += f' solref{suffix}="{numbers(solref)}"'
        if rng.random() < 0.6:
            low, high = sorted(rng.uniform(0.3, 0.99, 2))
            if rng.random() < 0.2:  # beyond what MuJoCo allows, which is said after mixing
                high = 1.0 - 10.0 ** rng.uniform(-6, -3)
            power = rng.choice([1, 2, 3, 2.5])
            solimp = [low, high, rng.uniform(0.0005, 0.02), rng.uniform(0.2, 0.8), power]
            text += f' solimp{suffix}="{numbers(solimp)}"'
        return text

    def surface(self) -> str:
        rng = self.rng
        text = f' friction="{numbers([rng.uniform(0.1, 1.5), rng.uniform(0.001, 0.05), rng.uniform(0.0005, 0.02)])}"'
        text += f' condim="{rng.choice([1, 3, 3, 4, 6])}"' + self.softness()
        if self.chance(0.3):
            text += f' margin="{rng.uniform(0, 0.03):.4g}" gap="{rng.uniform(0, 0.01):.4g}"'
        if self.chance(0.2):
            text += f' priority="{rng.integers(0, 2)}"'
        if self.chance(0.3):
            text += f' solmix="{rng.uniform(0.2, 2):.4g}"'
        return text

    def geom(self, body: str) -> str:
        kind = str(self.rng.choice([*_SHAPES]))
        name = f"{body}_g{len(self.geoms)}"
        self.geoms.append((name, kind, body))
        return self.shape(name, kind)

    def shape(self, name: str, kind: str) -> str:
        rng = self.rng
        size = rng.uniform(0.04, 0.12, _SHAPES[kind])
        place = f'pos="{numbers(rng.uniform(-0.1, 0.1, 3))}" quat="{numbers(rng.normal(size=4))}"'
        masks = 'contype="0" conaffinity="1"'  # planes only, and pairs that are listed
        return f'<geom name="{name}" type="{kind}" size="{numbers(size)}" {place} {masks}{self.surface()}/>'

    def joint(self, kind: str) -> str:
        rng = self.rng
        if kind == "free":
            return "<freejoint/>"
        self.named += 1
        name = f"j{self.named}"
        text = f'<joint name="{name}" type="{kind}"'
        if self.chance(0.3):
            text += f' damping="{rng.uniform(0, 0.3):.4g}"'
        if self.chance(0.3):
            text += f' armature="{rng.uniform(0, 0.05):.4g}"'
        if self.chance(0.4):
            text += f' frictionloss="{rng.uniform(0.05, 1):.4g}"' + self.softness(suffix="friction")
        if kind != "ball":
            self.joints.append(name)
            text += f' axis="{numbers(rng.normal(size=3))}" pos="{numbers(rng.uniform(-0.05, 0.05, 3))}"'
            if self.chance(0.2):
                text += f' stiffness="{rng.uniform(0.5, 5):.4g}" springref="{rng.uniform(-0.3, 0.3):.4g}"'
            if self.chance(0.5):
                bounds = sorted(rng.uniform(-0.6, 0.6, 2)) if kind == "hinge" else sorted(rng.uniform(-0.15, 0.15, 2))
                text += f' limited="true" range="{numbers(bounds)}"' + self.softness(suffix="limit")
                if self.chance(0.4):
                    text += f' margin="{rng.uniform(0, 0.1):.4g}"'
        return text + "/>"

    def body(self, depth: int) -> str:
        rng, name = self.rng, f"b{self.count}"
        self.count += 1
        self.bodies.append(name)
        if depth == 0:
            kinds = ["free"] if self.chance(0.7) else ["slide", "hinge"]
        else:
            kinds = [str(rng.choice(["hinge", "hinge", "slide", "ball"]))]
            kinds += ["hinge"] if kinds[0] != "ball" and self.chance(0.15) else []
        where = rng.uniform(-0.2, 0.2, 3)
        where[2] += 0.25 * (depth == 0)
        place = f'pos="{numbers(where)}" quat="{numbers(rng.normal(size=4))}"'
        text = f'<body name="{name}" {place}>' + "".join(self.joint(kind) for kind in kinds)
        text += "".join(self.geom(name) for _ in range(rng.integers(1, 3)))
        for _ in range(rng.integers(0, 3) if depth < 3 and self.count < 7 else 0):
            text += self.body(depth + 1)
        return text + "</body>"

    def equalities(self) -> str:
        rng, text = self.rng, ""
        if len(self.bodies) > 2 and self.chance(0.6):
            for kind in rng.choice(["connect", "weld"], size=rng.integers(1, 3)):
                one, two = rng.choice(self.bodies, 2, replace=False)
                two = "" if self.chance(0.2) else f'body2="{two}"'
                own = f'anchor="{numbers(rng.uniform(-0.1, 0.1, 3))}"'
                if kind == "weld" and self.chance(0.5):
                    own += f' torquescale="{rng.uniform(0.3, 2):.4g}"'
                text += f'<{kind} body1="{one}" {two} {own}{self.softness()}/>'
        if len(self.joints) > 1 and self.chance(0.5):
            one, two = rng.choice(self.joints, 2, replace=False)
            text += (
                f'<joint joint1="{one}" joint2="{two}" polycoef="{numbers(rng.uniform(-1, 1, 5))}"{self.softness()}/>'
            )
        return f"<equality>{text}</equality>"

    def tendons(self) -> str:
        """From numbers of their own, so that a seed is the model that it was before."""
        rng, text = np.random.default_rng([self.seed, 3]), ""
        for t in range(rng.integers(0, 3) if self.joints else 0):
            wound = rng.choice(self.joints, min(len(self.joints), rng.integers(1, 5)), replace=False)
            joints = "".join(f'<joint joint="{joint}" coef="{rng.uniform(-2, 2):.4g}"/>' for joint in wound)
            own = ""
            if rng.random() < 0.4:
                rests = numbers(sorted(rng.uniform(-1, 1, 2)))
                own += f' stiffness="{rng.uniform(0.5, 20):.4g}" springlength="{rests}"'
            if rng.random() < 0.4:
                own += f' damping="{rng.uniform(0, 0.3):.4g}"'
            if rng.random() < 0.4:
                own += f' frictionloss="{rng.uniform(0.05, 1):.4g}"' + self.softness("friction", rng)
            if rng.random() < 0.7:
                own += f' limited="true" range="{numbers(sorted(rng.uniform(-0.6, 0.6, 2)))}"'
                own += self.softness("limit", rng)
                if rng.random() < 0.4:
                    own += f' margin="{rng.uniform(0, 0.3):.4g}"'
            text += f'<fixed name="t{t}"{own}>{joints}</fixed>'
        return f"<tendon>{text}</tendon>"

    def pairs(self) -> str:
        text = ""
        for i, (one, kind, body) in enumerate(self.geoms):
            for two, other, its in self.geoms[:i]:
                if _are_computed(kind, other) and body != its and self.chance(0.4):
                    text += self.pair(one, two)
        return text

    def pair(self, one: str, two: str) -> str:
        text = f'<pair geom1="{one}" geom2="{two}" condim="{self.rng.choice([1, 3, 4, 6])}"'
        text += f' friction="{numbers(self.rng.uniform(0.2, 1, 5))}"{self.softness()}'
        text += f' margin="{self.rng.uniform(0, 0.05):.3g}"'
        if self.chance(0.3):
            text += ' solreffriction="0.03 0.9"'
        return text + "/>"

    def obstacles(self) -> tuple[str, str]:
        """(Shapes that stand, their pairs): a wall, and what is listed with all that moves. Numbers of their own."""
        self.rng = rng = np.random.default_rng([self.seed, 4])
        geoms, pairs = "", ""
        if self.chance(0.5):
            turn = numbers([0, rng.uniform(50, 100), rng.uniform(-180, 180)])
            geoms += f'<geom name="wall" type="plane" size="5 5 .1" pos="0 0 -0.1" euler="{turn}"'
            geoms += f' contype="1" conaffinity="0"{self.surface()}/>'
        for k, kind in enumerate(rng.choice([*_WITH_OTHERS, "box"], size=rng.integers(0, 3))):
            geoms += self.shape(f"stands{k}", kind)
            pairs += "".join(
                self.pair(name, f"stands{k}") for name, other, _ in self.geoms if _are_computed(kind, other)
            )
        return geoms, pairs

    def text(self, *, obstacles: bool = False) -> str:
        rng = self.rng
        option = f'timestep="{rng.choice([0.001, 0.002, 0.01])}" cone="{rng.choice(["elliptic", "pyramidal"])}"'
        option += f' impratio="{rng.choice([1, 1, 3.7, 100])}"'
        flags = 'island="disable"' + (' refsafe="disable"' if self.chance(0.2) else "")
        tilt = f'euler="{numbers(rng.uniform(-15, 15, 3))}"' if self.chance(0.5) else ""
        floor = f'<geom name="floor" type="plane" size="5 5 .1" {tilt} contype="1" conaffinity="0"{self.surface()}/>'
        trees = "".join(self.body(0) for _ in range(1 + self.chance(0.3)))
        rest, pairs, tendons = self.equalities(), self.pairs(), self.tendons()
        standing, listed = self.obstacles() if obstacles else ("", "")
        return (
            f"<mujoco><option {option}><flag {flags}/></option><worldbody>{floor}{standing}{trees}</worldbody>"
            f"{rest}<contact>{pairs}{listed}</contact>{tendons}</mujoco>"
        )


def _are_computed(one: str, two: str) -> bool:
    """Whether contact of such shapes is."""
    return {one, two} <= {*_WITH_OTHERS, "box"} and {one, two} != {"box"}


def run_to_the_end(source) -> None:
    """Let MuJoCo's solver stop only where rounding does."""
    source.opt.tolerance, source.opt.ls_tolerance = 0.0, 1e-14
    source.opt.iterations, source.opt.ls_iterations = 300, 300
    source.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE


@dataclass
class Answers:
    """States of a model, and what MuJoCo's solver, run to the end, says of them."""

    model: lw.Model
    dt: float
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    a: np.ndarray
    contacts: list[list[tuple[str, str, np.ndarray, np.ndarray]]]  # names, point, force

    @classmethod
    def of(cls, seed: int, states: int, *, obstacles: bool = False) -> Answers:
        text = RandomModel(seed).text(obstacles=obstacles)
        source = mujoco.MjModel.from_xml_string(text)
        run_to_the_end(source)
        data, rng = mujoco.MjData(source), np.random.default_rng([seed, 1])
        model = lw.load(text)
        coordinates = MujocoCoordinates(model)
        q, v, tau, a, contacts = [], [], [], [], []
        for _ in range(states):
            mujoco.mj_resetData(source, data)
            data.qpos[:] = source.qpos0
            mujoco.mj_integratePos(source, data.qpos, rng.normal(size=source.nv) * 0.25, 1.0)
            data.qvel[:] = rng.normal(size=source.nv) * rng.choice([0.0, 0.3, 1.0, 10.0])
            data.qfrc_applied[:] = rng.normal(size=source.nv) * 0.5
            mujoco.mj_forward(source, data)
            q.append(coordinates.from_qpos(data.qpos.copy()))
            v.append(coordinates.from_qvel(q[-1], data.qvel.copy()))
            tau.append(coordinates.from_force(q[-1], data.qfrc_applied.copy()))
            a.append(coordinates.from_qacc(q[-1], v[-1], data.qacc.copy()))
            contacts.append([_contact(source, data, k) for k in range(data.ncon)])
        return cls(model, source.opt.timestep, *map(np.array, (q, v, tau, a)), contacts)


def _contact(source, data, k: int):
    contact, force = data.contact[k], np.zeros(6)
    mujoco.mj_contactForce(source, data, k, force)
    names = (source.geom(int(contact.geom[1])).name, source.geom(int(contact.geom[0])).name)
    return (*names, np.array(contact.pos), force)
