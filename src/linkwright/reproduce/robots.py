"""The papers' robots: from a file that the user gives, from a wheel, or a stand-in that is named as such."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InputError, LinkwrightError, unknown_name
from ..io import load
from ..model import Model
from ..robots import mit_humanoid_leg
from ..robots import robots as known_robots
from .mechanisms import five_fingered_hand

KINDS = ("feet", "hands", "tips")
Frames = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Source:
    """A name for `load`, and the frames that constraints go to."""

    name: str
    frames: Frames = field(default_factory=dict)
    stand_in: str = ""  # what it is, if it is not the paper's robot
    build: Callable[[], Model] | None = None  # what `load` does not know


@dataclass(frozen=True)
class Role:
    """A robot of a paper. `files` are frame names to look for in a file that the user gives."""

    title: str
    sources: tuple[Source, ...]
    files: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    floating: bool = True


@dataclass(frozen=True)
class Robot:
    model: Model
    title: str
    origin: str  # "file atlas.urdf", "example-robot-data", "stand-in: ..."
    frames: Frames

    @property
    def is_stand_in(self) -> bool:
        return self.origin.startswith("stand-in")


_QUADRUPED = {"feet": ("FL_foot", "FR_foot", "RL_foot", "RR_foot")}
_HUMANOID = {"feet": ("left_foot", "right_foot"), "hands": ("left_hand", "right_hand")}
_TIPS = tuple(f"{finger}_tip" for finger in ("first", "middle", "ring", "little", "thumb"))
_OUR_QUADRUPED = Source("quadruped", _QUADRUPED, "our quadruped, 18 degrees of freedom")

ROLES: dict[str, Role] = {
    "iiwa": Role(
        "KUKA iiwa",
        (
            Source("xarm7", {"hands": ("link7",)}, "xArm 7, an arm of seven joints"),
            Source("chain:7", {"hands": ("tip",)}, "a chain of seven links"),
        ),
        {"hands": (("iiwa_link_ee",), ("attachment_site",), ("iiwa_link_7",), ("link7",), ("lbr_link_ee",))},
        False,
    ),
    "go1": Role(
        "Unitree Go1",
        (Source("go1", _QUADRUPED), _OUR_QUADRUPED),
        {"feet": (_QUADRUPED["feet"], ("FL", "FR", "RL", "RR"))},
    ),
    "solo": Role(
        "Solo",
        (Source("solo12", {"feet": ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")}), _OUR_QUADRUPED),
        {"feet": (("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"),)},
    ),
    "talos": Role(
        "Talos",
        (
            Source(
                "talos",
                {"feet": ("left_sole_link", "right_sole_link"), "hands": ("arm_left_7_link", "arm_right_7_link")},
            ),
            Source("humanoid", _HUMANOID, "our humanoid, 36 degrees of freedom"),
        ),
        {
            "feet": (("left_sole_link", "right_sole_link"), ("leg_left_6_link", "leg_right_6_link")),
            "hands": (("arm_left_7_link", "arm_right_7_link"),),
        },
    ),
    "atlas": Role(
        "Atlas",
        (Source("humanoid", _HUMANOID, "our humanoid, 36 degrees of freedom"),),
        {"feet": (("l_foot", "r_foot"),), "hands": (("l_hand", "r_hand"),)},
    ),
    "shadow_hand": Role(
        "Shadow hand",
        (Source("five_fingered_hand", {"tips": _TIPS}, "our five-fingered hand, 24 joints", five_fingered_hand),),
        {
            "tips": (
                ("fftip", "mftip", "rftip", "lftip", "thtip"),
                ("rh_ffdistal", "rh_mfdistal", "rh_rfdistal", "rh_lfdistal", "rh_thdistal"),
            )
        },
        False,
    ),
    "digit": Role(
        "Digit",
        (Source("digit_like", {}, "a biped in the manner of Digit"),),
        {"feet": (("left_foot", "right_foot"), ("foot_left", "foot_right"), ("foot", "foot_left"))},
    ),
    "mini_cheetah": Role("MIT Mini Cheetah", (Source("mini_cheetah", {}),)),
    "mit_humanoid": Role("MIT Humanoid", (Source("mit_humanoid", {}),)),
    "mit_humanoid_leg": Role(
        "one leg of the MIT Humanoid",
        (Source("mit_humanoid_leg", {"tips": ("foot_link",)}, build=mit_humanoid_leg),),
        {"tips": (("ankle_link",), ("foot_link",))},
        False,
    ),
    "tello": Role("Tello", (Source("tello", {}, "a humanoid in the manner of Tello"),)),
    "jvrc1": Role("JVRC-1 with rotors", (Source("rotor_humanoid", {}, "our humanoid with a rotor on every joint"),)),
}


@dataclass(frozen=True)
class RobotFile:
    """`NAME=FILE` with perhaps `,feet=a+b,hands=c,tips=...` behind it."""

    role: str
    path: Path
    frames: Frames

    @classmethod
    def parse(cls, text: str) -> RobotFile:
        name, equals, rest = text.partition("=")
        if not equals or not rest:
            raise InputError(f"--robot {text!r}; expected NAME=FILE, with a name of: {', '.join(ROLES)}")
        if name not in ROLES:
            raise unknown_name("robot", name, ROLES)
        file, *options = rest.split(",")
        frames = {}
        for option in options:
            kind, _, names = option.partition("=")
            if kind not in KINDS or not names:
                raise InputError(f"--robot {name}: {option!r}; expected {', '.join(f'{k}=FRAME+FRAME' for k in KINDS)}")
            frames[kind] = tuple(names.split("+"))
        if not Path(file).is_file():
            raise InputError(f"--robot {name}: there is no file {file}")
        return cls(name, Path(file), frames)

    def digest(self) -> str:
        content = self.path.read_bytes() + repr(sorted(self.frames.items())).encode()
        return hashlib.sha256(content).hexdigest()[:16]


class Robots:
    def __init__(self, given: tuple[RobotFile, ...] = ()):
        self.given = {g.role: g for g in given}
        self.used: dict[str, str] = {}  # role -> where its model came from
        self._known: dict[str, Robot] = {}

    def get(self, role: str) -> Robot:
        if role not in self._known:
            self._known[role] = self._file(role) if role in self.given else self._packaged(role)
        robot = self._known[role]
        self.used[role] = f"{robot.title}: {robot.origin}"
        return robot

    def _packaged(self, role: str) -> Robot:
        available = {robot.name: robot for robot in known_robots()}
        for source in ROLES[role].sources:
            known = available.get(source.name.partition(":")[0])
            if known is not None and not known.available:
                continue
            model = load(source.name) if source.build is None else source.build()
            origin = f"stand-in: {source.stand_in}" if source.stand_in else getattr(known, "source", "built in")
            return Robot(model, ROLES[role].title, origin, source.frames)
        raise InputError(f"no model of {ROLES[role].title}: give one with --robot {role}=FILE")

    def _file(self, role: str) -> Robot:
        given, known = self.given[role], ROLES[role]
        model = _loaded(given.path, known.floating)
        frames = dict(given.frames)
        names = {*model.frames, *(body.name for body in model.bodies)}
        for kind, candidates in known.files.items():
            if kind in frames:
                continue
            found = next((c for c in candidates if names.issuperset(c)), None)
            if found is None:
                looked = "; ".join(", ".join(c) for c in candidates)
                raise InputError(
                    f"--robot {role}={given.path}: no {kind} among its frames (looked for {looked}); name them with "
                    f"--robot {role}={given.path},{kind}=FRAME+FRAME"
                )
            frames[kind] = found
        return Robot(model, known.title, f"file {given.path.name}", frames)


def _loaded(path: Path, floating: bool) -> Model:
    """Legged robots float, whatever the file's default; those that say themselves what moves are believed."""
    if not floating:
        return load(path)
    try:
        model = load(path)
        if any(body.joint is not None and body.joint.moves.is_free for body in model.bodies):
            return model
        return load(path, floating_base=True)
    except LinkwrightError:
        return load(path)
