"""Random MJCF files full of flags, options and attributes: MuJoCo's own step, where nothing is said to be missing."""

from __future__ import annotations

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

import linkwright as lw  # noqa: E402
from linkwright.io import MujocoCoordinates  # noqa: E402

FLAGS = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl",
    "filterparent", "actuation", "refsafe", "warmstart", "sensor", "midphase", "autoreset", "nativeccd", "island",
)  # fmt: skip
HARMLESS = ("energy", "fwdinv", "invdiscrete")
GEOMS = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "box": 3, "cylinder": 2}


class Writer:
    """A file of some bodies on a floor, with whatever MJCF has for them."""

    def __init__(self, seed: int):
        self.rng, self.count, self.scalars = np.random.default_rng(seed), 0, []
        self.bodies = "".join(self.body(int(self.rng.integers(1, 4))) for _ in range(2))

    def maybe(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def some(self, count: int, low: float = -1.0, high: float = 1.0) -> str:
        return " ".join(f"{x:.6g}" for x in self.rng.uniform(low, high, count))

    def one_of(self, *words: str) -> str:
        return str(self.rng.choice(words))

    def attributes(self, **chances: tuple[float, str]) -> str:
        return " ".join(f'{name}="{text}"' for name, (share, text) in chances.items() if self.maybe(share))

    def softness(self, ending: str = "") -> str:
        solref = self.one_of(f"{self.rng.uniform(0.002, 0.05):.4g} {self.rng.uniform(0.3, 1.5):.4g}", "-400 -30")
        start = self.rng.uniform(0.3, 0.9)
        solimp = f"{start:.4g} {self.rng.uniform(start, 0.99):.4g} {self.rng.uniform(1e-3, 0.05):.4g}"
        return self.attributes(**{f"solref{ending}": (0.4, solref), f"solimp{ending}": (0.4, solimp)})

    def joint(self, first: bool) -> str:
        self.count += 1
        name = f"j{self.count}"
        kind = (
            self.one_of("hinge", "slide", "ball", "free") if first else self.one_of("hinge", "slide", "hinge", "ball")
        )
        if kind == "free":
            damping = f"{self.rng.uniform(0, 1):.4g}"
            return f'<joint name="{name}" type="free" {self.attributes(damping=(0.3, damping))}/>'
        own = self.attributes(
            armature=(0.4, self.some(1, 0.01, 0.3)), damping=(0.4, self.some(1, 0, 1)),
            frictionloss=(0.3, self.some(1, 0, 0.5)), pos=(0.5, self.some(3, -0.1, 0.1)),
        )  # fmt: skip
        if kind == "ball":
            return f'<joint name="{name}" type="ball" {own}/>'
        self.scalars.append(name)
        more = self.attributes(
            stiffness=(0.4, self.some(1, 0, 5)), springref=(0.3, self.some(1)), ref=(0.3, self.some(1)),
            range=(0.4, f"{self.rng.uniform(-1, -0.1):.4g} {self.rng.uniform(0.1, 1):.4g}"), margin=(0.2, "0.1"),
            actuatorgravcomp=(0.0, "true"),
        )  # fmt: skip
        own = f"{own} {more} {self.softness('limit')} {self.softness('friction')}"
        return f'<joint name="{name}" type="{kind}" axis="{self.some(3)}" {own}/>'

    def geom(self) -> str:
        kind = self.one_of(*GEOMS)
        own = self.attributes(
            condim=(0.5, self.one_of("1", "3", "4", "6")), friction=(0.5, self.some(3, 0.01, 1)), priority=(0.3, "1"),
            solmix=(0.3, "2"), margin=(0.3, "0.02"), gap=(0.2, "0.01"), group=(0.2, "3"), rgba=(0.2, "1 0 0 1"),
        )  # fmt: skip
        place = f'pos="{self.some(3, -0.1, 0.1)}" euler="{self.some(3)}"'
        size = self.some(GEOMS[kind], 0.05, 0.2)
        return f'<geom type="{kind}" size="{size}" contype="0" {place} {own} {self.softness()}/>'

    def body(self, depth: int, first: bool = True) -> str:
        inside = self.body(depth - 1, False) if depth > 1 else ""
        own = self.attributes(gravcomp=(0.3, self.some(1, 0, 1.5)), euler=(0.5, self.some(3)))
        inertial = (
            f'<inertial pos="{self.some(3, -0.1, 0.1)}" mass="{self.some(1, 0.5, 2)}" diaginertia="0.02 0.03 0.04"/>'
        )
        place = (
            f'pos="{self.some(2)} {self.rng.uniform(0.1, 0.4):.4g}"' if first else f'pos="{self.some(3, -0.3, 0.3)}"'
        )
        joints = "".join(self.joint(first and k == 0) for k in range(1))
        return f"<body {place} {own}>{joints}{inertial}{self.geom()}{inside}</body>"

    def couplings(self) -> str:
        if len(self.scalars) < 2:
            return ""
        one, two = self.scalars[:2]
        tendon = self.attributes(
            stiffness=(0.5, "3"), damping=(0.5, "0.3"), frictionloss=(0.3, "0.2"), springlength=(0.3, "-0.1 0.2")
        )
        limits = self.attributes(limited=(0.5, "true"))
        equality = f'<joint joint1="{one}" joint2="{two}" polycoef="{self.some(3)}" {self.softness()}/>'
        return (
            f'<tendon><fixed name="t" range="-0.3 0.3" {tendon} {limits}><joint joint="{one}" coef="1.5"/>'
            f'<joint joint="{two}" coef="-2"/></fixed></tendon>' + f"<equality>{equality}</equality>" * self.maybe(0.4)
            + f'<actuator><motor joint="{one}" ctrlrange="-1 1"/><position tendon="t" kp="3" kv="0.2"/></actuator>'
        )  # fmt: skip

    def text(self) -> str:
        off = [name for name in FLAGS if self.maybe(0.1)]
        flags = " ".join(
            [*(f'{name}="disable"' for name in off), *(f'{n}="enable"' for n in HARMLESS if self.maybe(0.2))]
        )
        option = self.attributes(
            cone=(0.5, "elliptic"), impratio=(0.3, "5"), timestep=(0.4, "0.003"), gravity=(0.3, self.some(3, -9, 9)),
            solver=(0.3, "CG"), jacobian=(0.3, "sparse"), ls_iterations=(0.3, "20"), wind=(0.3, "1 2 3"),
            noslip_tolerance=(0.2, "1e-3"),
            magnetic=(0.2, "1 0 0"), ccd_iterations=(0.2, "10"),
        )  # fmt: skip
        floor = '<geom type="plane" size="1 1 1" conaffinity="0"/>'
        ends = '<visual><global fovy="30"/></visual><statistic extent="3"/><size njmax="500"/>'
        ends += '<custom><text name="a" data="b"/></custom>'
        return (
            f"<mujoco><option {option}><flag {flags}/></option>{ends}<worldbody>{floor}{self.bodies}</worldbody>"
            f'{self.couplings()}<sensor><clock name="c"/></sensor></mujoco>'
        )  # fmt: skip


def difference(text: str, seed: int) -> float:
    """Of velocities after a step from MuJoCo's, relative, in some states near the ground."""
    source, model, rng = mujoco.MjModel.from_xml_string(text), lw.load(text), np.random.default_rng(seed)
    assert not model.not_computed
    source.opt.solver, source.opt.tolerance, source.opt.iterations, source.opt.ls_iterations = 2, 0.0, 300, 100
    data, coordinates = mujoco.MjData(source), MujocoCoordinates(model)
    step = lw.reference(
        model, "step", outputs=("q", "v", "status"), integrator="euler", contact="soft", equality="soft",
        tolerance=1e-14, iterations=200, actuators="input" if model.nu else None, velocity_limits=False,
    )  # fmt: skip
    worst = 0.0
    for _ in range(3):
        q, v = model.integrate(model.drawn, 0.3 * rng.normal(size=model.nv)), 0.3 * rng.normal(size=model.nv)
        u, h = rng.normal(size=source.nu), source.opt.timestep
        mujoco.mj_resetData(source, data)
        data.qpos[:], data.qvel[:], data.ctrl[:] = coordinates.to_qpos(q), coordinates.to_qvel(q, v), u
        mujoco.mj_step(source, data)
        found = step(q, v, np.zeros(model.nv), h, *((u, np.zeros(0)) if model.nu else ()))
        assert int(found.status) == 0
        theirs = data.qvel
        worst = max(worst, np.abs(coordinates.to_qvel(found.q, found.v) - theirs).max() / (1 + np.abs(theirs).max()))
    return worst


@pytest.mark.parametrize("seed", range(8))
def test_random_files_move_as_in_mujoco(seed):
    assert difference(Writer(seed).text(), seed) < 1e-9


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_random_files_move_as_in_mujoco(seed):
    assert difference(Writer(seed).text(), seed) < 1e-9


def test_the_files_have_all_sorts():
    texts = [Writer(seed).text() for seed in range(60)]
    for word in (
        *FLAGS,
        *HARMLESS,
        *GEOMS,
        "gravcomp",
        "frictionloss",
        "tendon",
        "equality",
        'type="free"',
        'type="ball"',
    ):
        assert any(word in text for text in texts), word
