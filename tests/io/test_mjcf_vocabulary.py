"""No element and no attribute that MuJoCo knows is dropped without a word."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")

from mjcf_files import INERTIAL  # noqa: E402

import linkwright as lw  # noqa: E402
from linkwright.errors import LinkwrightError, LoadError  # noqa: E402
from linkwright.io import MujocoCoordinates  # noqa: E402
from linkwright.io.mjcf import mjcf_vocabulary  # noqa: E402
from linkwright.io.mjcf.mjcf_vocabulary import ATTRIBUTES, IDLE, Attributes, attributes_of, is_settled  # noqa: E402


def schema() -> list[tuple[str, str, str]]:
    """(parent, tag, attribute) of everything that MuJoCo takes; an attribute "" for each element itself."""
    row = r'padding-left:(\d+)"[^>]*class="el">(.*?)</td>\s*<td class="ty">.*?</td>\s*<td class="at">(.*?)</td>'
    found, above = [], []
    for pad, tag, attributes in re.findall(row, mujoco.mj_printSchema(True, True)):
        depth = (int(pad) - 5) // 15
        tag = tag.replace("(world)", "")
        above[depth:] = [tag]
        words = [] if "<" in attributes else attributes.split()
        settled = any(is_settled(name) for name in above[1:])
        found += [(above[depth - 1] if depth else "", tag, word) for word in ("", *words) if not settled]
    return found


def test_the_schema_is_read():
    known = schema()
    assert ("option", "flag", "eulerdamp") in known and ("body", "geom", "gap") in known and len(known) > 400


def test_every_attribute_is_read_or_refused_or_named():
    unknown = [entry for entry in schema() if (own := attributes_of(*entry[:2])) is None or
               (entry[2] and entry[2] not in own.known)]  # fmt: skip
    assert not unknown


def test_nothing_is_said_of_what_is_not_there():
    there = {(parent, tag, word) for parent, tag, word in schema()}
    tags = {tag for _, tag, _ in there}
    invented = []
    for path, own in ATTRIBUTES.items():
        parent, _, tag = path.rpartition("/")
        if tag in ("frame", "replicate"):  # MuJoCo's schema leaves them out
            continue
        assert tag in tags, path
        places = {entry for entry in there if parent in ("", entry[0])}
        invented += [(path, word) for word in own.known if not any(entry[1:] == (tag, word) for entry in places)]
    assert not invented


def test_each_is_one_thing_and_what_is_idle_has_a_reason():
    for path, own in ATTRIBUTES.items():
        words = f"{own.read} {own.told} {own.refused} {own.idle}".split()
        assert len(words) == len(set(words)), path
        if path != "compiler/lengthrange":
            assert set(own.idle.split()) <= set(IDLE), path


def test_what_a_newer_mujoco_knows_is_refused_until_it_is_ignored(monkeypatch):
    """An attribute that MuJoCo takes and this version of the library does not know."""
    body = ATTRIBUTES["body"]
    less = Attributes(body.read.replace("gravcomp", ""), body.told, body.refused, body.idle)
    monkeypatch.setitem(mjcf_vocabulary.ATTRIBUTES, "body", less)
    text = '<mujoco><worldbody>\n<body gravcomp="1"><joint/><geom size="1"/></body></worldbody></mujoco>'
    with pytest.raises(LoadError, match=re.escape("'gravcomp' of <body> is not known here")) as refusal:
        lw.load(text)
    assert refusal.value.line == 2 and "ignore=('unknown',)" in str(refusal.value)
    assert lw.load(text, ignore="unknown").ignored[0].startswith("unknown: attribute 'gravcomp'")


BALL = (
    '<body name="b" pos="0 0 1"><freejoint/><geom name="g" size=".1" {}/></body>'
    '<geom name="f" type="plane" size="1 1 1"/>'
)


def scene(geom: str = "", head: str = "", tail: str = "") -> str:
    return f"<mujoco>{head}<worldbody>{BALL.format(geom)}</worldbody>{tail}</mujoco>"


def flag(name: str) -> str:
    return scene(head=f'<option><flag {name}="enable"/></option>')


MOCAP = '<mujoco><worldbody><body name="m" mocap="true"/><body><joint/><geom size="1"/></body></worldbody>{}</mujoco>'
FIELD = '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>'
# (element, attribute) that is told of: a file that asks for it, and what the list then says
TOLD = {
    ("mujoco/option", "noslip_iterations"): (scene(head='<option noslip_iterations="5"/>'), "noslip_iterations = 5"),
    **{("option/flag", name): (flag(name), f"<flag {name}>")
       for name in ("sleep", "diagexact", "speculative")},
    ("geom", "gap"): (scene('gap="-.1"'), "negative gap of geom 'g'"),
    ("geom", "surfacevel"): (scene('surfacevel="1 0 0"'), "velocity of the surface of geom 'g'"),
    ("geom", "adhesion"): (scene('adhesion="1"'), "adhesion of geom 'g'"),
    ("geom", "hfield"): (
        scene(head=FIELD).replace('type="plane" size="1 1 1"', 'type="hfield" hfield="h"'), "'f'"
    ),
    ("contact/pair", "gap"): (
        scene(tail='<contact><pair geom1="g" geom2="f" gap="-.1"/></contact>'), "negative gap of the pair of"
    ),
    ("contact/pair", "adhesion"): (
        scene(tail='<contact><pair geom1="g" geom2="f" adhesion="1"/></contact>'), "adhesion of 1 listed pair"
    ),
    ("keyframe/key", "mpos"): (MOCAP.format('<keyframe><key name="k" mpos="1 0 0"/></keyframe>'), "keyframe 'k'"),
    ("keyframe/key", "mquat"): (MOCAP.format('<keyframe><key name="k" mquat="0 1 0 0"/></keyframe>'), "keyframe 'k'"),
}  # fmt: skip


def test_whatever_is_told_has_a_case():
    told = {(path, word) for path, own in ATTRIBUTES.items() for word in own.told.split()}
    same = {("default/pair", "gap"), ("default/pair", "adhesion"), ("option/flag", "eulerdamp")}
    same |= {("asset/hfield", word) for word in ATTRIBUTES["asset/hfield"].told.split()}
    assert told == set(TOLD) | same


@pytest.mark.parametrize("case", TOLD, ids="-".join)
def test_what_is_told(case):
    text, said = TOLD[case]
    with pytest.warns(lw.LinkwrightWarning, match=re.escape(said)):
        model = lw.load(text)
    [entry] = [entry for entry in model.not_computed if said in entry.what]
    assert entry.why and entry.word
    quiet = (entry.word,) if entry.word == "option" else ()
    with warnings.catch_warnings():
        warnings.simplefilter("error" if quiet else "ignore")
        found = lw.load(text, ignore=quiet) if quiet else lw.load(text)
    assert [one.what for one in found.not_computed] == [one.what for one in model.not_computed]


def test_what_changes_nothing_is_not_told():
    for text in (scene('gap=".1"'), scene(), MOCAP.format('<keyframe><key name="k" mpos="0 0 0"/></keyframe>'),
                 scene(head='<option noslip_iterations="5"><flag constraint="disable"/></option>'),
                 scene(head='<option noslip_iterations="5"><flag contact="disable"/></option>').replace(
                     "<freejoint/>", "<joint/>")):  # fmt: skip
        assert not [x for x in lw.load(text).not_computed if x.word == "option" and "noslip" not in x.what]
    assert not lw.load(scene(head='<option noslip_iterations="5"><flag constraint="disable"/></option>')).not_computed


def driven(attributes: str, kind: str = "general", tail: str = "") -> str:
    arm = (
        f'<body name="arm"><joint name="j" axis="0 1 0"/>{INERTIAL}<site name="s"/></body><site name="r" pos="1 0 0"/>'
    )
    return f"<mujoco><worldbody>{arm}</worldbody>{tail}<actuator><{kind} {attributes}/></actuator></mujoco>"


def with_tendon(attributes: str, *, pulled: bool = False) -> str:
    tendon = f'<tendon><fixed name="t" {attributes}><joint joint="j" coef="1"/></fixed></tendon>'
    return driven('tendon="t"' if pulled else 'joint="j"', "motor", tail=tendon)


CRANK = 'slidersite="s" cranksite="r" cranklength="3"'
# (element, attribute) that is refused: a file that has it
REFUSED = {
    ("mujoco/option", "density"): scene(head='<option density="1"/>'),
    ("mujoco/option", "viscosity"): scene(head='<option viscosity="1"/>'),
    ("joint", "springyield"): scene().replace("<freejoint/>", '<joint stiffness="1" springyield="1"/>'),
    ("asset/mesh", "builtin"): '<mujoco><asset><mesh name="m" builtin="sphere" params="2"/></asset><worldbody><body>'
                               '<joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
    ("tendon/fixed", "armature"): with_tendon('armature="1"'),
    ("tendon/fixed", "springyield"): with_tendon('stiffness="1" springyield="1"'),
    ("tendon/fixed", "actuatorfrclimited"): with_tendon(
        'actuatorfrclimited="true" actuatorfrcrange="-1 1"', pulled=True
    ),
    ("tendon/fixed", "actuatorfrcrange"): with_tendon('actuatorfrcrange="-1 1"', pulled=True),
    **{("general", word): driven(text) for word, text in {
        "armature": 'joint="j" armature="1"', "damping": 'joint="j" damping="1"',
        "delay": 'joint="j" delay=".02" nsample="4"', "nsample": 'joint="j" delay=".02" nsample="4"',
        "interp": 'joint="j" delay=".02" nsample="4" interp="linear"', "slidersite": CRANK, "cranksite": CRANK,
        "site": 'site="s"', "refsite": 'site="s" refsite="r"', "body": 'body="arm"',
        "actdim": 'joint="j" actdim="2" dyntype="user"',
    }.items()},
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids="-".join)
def test_what_is_refused(case):
    mujoco.MjModel.from_xml_string(REFUSED[case])  # which takes it
    with pytest.raises(LinkwrightError, match=r"ignore=|built in"):
        lw.load(REFUSED[case])


def test_whatever_is_refused_has_a_case():
    refused = {(path, word) for path, own in ATTRIBUTES.items() for word in own.refused.split()}
    actuators = {path for path, own in ATTRIBUTES.items() if "slidersite" in own.refused}
    same = {(path, word) for path, word in refused if path in actuators and ("general", word) in REFUSED}
    same |= {(path, word) for path, word in refused if path.endswith(("/spatial", "/tendon"))}  # as of fixed ones
    same |= {("keyframe/key", "plastic")}  # of springs that yield, which are refused
    same |= {("general", word) for word in ("input", "ffrange", "velrange")}  # of pid, whose gaintype is refused
    assert refused == set(REFUSED) | same


BOUND = (
    '<mujoco><option>{}</option><worldbody><geom type="plane" size="1 1 1"/><body name="a" pos="0 0 .3" gravcomp=".5">'
    f'<joint name="j" axis="0 1 0" range="-20 -10" frictionloss=".3" stiffness="2" damping=".3"/>{INERTIAL}'
    '<geom type="capsule" size=".05 .3"/><body name="b" pos="0 0 .3">'
    f'<joint name="k" axis="0 1 0" limited="true" range="1 2"/>{INERTIAL}</body></body></worldbody>'
    '<tendon><fixed name="t" limited="true" range="1 2" frictionloss=".2" stiffness="1" damping=".2">'
    '<joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed></tendon>'
    '<equality><joint joint1="k" joint2="j"/></equality><actuator><motor joint="j" ctrlrange="-.1 .1"/></actuator>'
    "</mujoco>"
)
FLAGS = ("constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl",
         "filterparent", "actuation", "refsafe", "warmstart", "sensor", "midphase", "autoreset", "nativeccd", "island",
         "multiccd")  # fmt: skip


def differs(text: str, seed: int) -> float:
    """Of accelerations from MuJoCo's, relative."""
    source, model, rng = mujoco.MjModel.from_xml_string(text), lw.load(text), np.random.default_rng(seed)
    source.opt.solver, source.opt.tolerance, source.opt.iterations = 2, 0.0, 200
    data, coordinates = mujoco.MjData(source), MujocoCoordinates(model)
    step = lw.reference(
        model, "step", outputs=("q", "v"), integrator="euler", contact="soft", equality="soft", tolerance=1e-13,
        actuators="input" if model.nu else None, velocity_limits=False,
    )  # fmt: skip
    worst = 0.0
    for _ in range(2):
        q, v = model.integrate(model.drawn, 0.5 * rng.normal(size=model.nv)), rng.normal(size=model.nv)
        u, h = rng.normal(size=source.nu), source.opt.timestep
        mujoco.mj_resetData(source, data)
        data.qpos[:], data.qvel[:] = coordinates.to_qpos(q), coordinates.to_qvel(q, v)
        data.ctrl[:] = u
        mujoco.mj_step(source, data)
        found = step(q, v, np.zeros(model.nv), h, *((u, np.zeros(0)) if model.nu else ()))
        worst = max(
            worst, np.abs(coordinates.to_qvel(found.q, found.v) - data.qvel).max() / (1 + np.abs(data.qvel).max())
        )
    return worst


def flags(chosen) -> str:
    return BOUND.format("<flag " + " ".join(f'{name}="disable"' for name in chosen) + "/>")


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_that_is_off_is_followed(name):
    assert differs(flags([name]), 1) < 1e-8


def test_weight_is_compensated_only_while_something_acts_of_itself():
    for chosen in (["spring"], ["damper"], ["spring", "damper"]):
        passive = [one for one in lw.load(flags(chosen)).passive if one.kind == "gravity_compensation"]
        assert bool(passive) == (len(chosen) < 2)


def random_flags(seed: int) -> str:
    rng = np.random.default_rng(seed)
    return flags([name for name in FLAGS if rng.random() < 0.3])


@pytest.mark.parametrize("seed", range(8))
def test_several_flags_are_followed(seed):
    assert differs(random_flags(seed), seed) < 1e-8


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 500))
def test_many_flags_are_followed(seed):
    assert differs(random_flags(seed), seed) < 1e-8


OVERRIDING = [
    "",
    'o_margin=".3"',
    'o_solref=".01 .7"',
    'o_solimp=".5 .8 .01 .3 3"',
    'o_friction=".3 .6 .01 .02 .03"',
    'o_margin=".2" o_solref="-300 -20" o_friction=".2 .2 .01 .02 .02"',
]


@pytest.mark.parametrize("option", OVERRIDING)
def test_contacts_are_overridden(option):
    head = f'<option {option} cone="elliptic"><flag override="enable"/></option>'
    low = 'condim="6" friction=".1 .2 .3" solref=".03 .4" margin=".1"'
    listed = (
        '<contact><pair geom1="g" geom2="f" condim="4" friction=".3 .4 .1 .1 .1" solreffriction=".05 .5"/></contact>'
    )
    for tail in ("", listed):
        text = scene(low, head, tail).replace('pos="0 0 1"', 'pos="0 0 .1"')
        assert not lw.load(text).not_computed
        for seed in range(3):
            assert differs(text, seed) < 1e-8


def test_sensors_are_told_and_must_measure_something():
    text = scene(tail='<sensor>\n<{}/><clock name="c"/></sensor>')
    assert any(
        "2 sensors are not read" in told
        for told in lw.load(text.format('framepos objtype="body" objname="b"')).warnings
    )
    for sensor in (
        'jointpos joint="none"',
        'touch site="none"',
        'actuatorfrc actuator="none"',
        'distance geom1="g" geom2="x"',
    ):
        with pytest.raises(LoadError, match="which is not there") as refusal:
            lw.load(text.format(sensor))
        assert refusal.value.line == 2
        with pytest.raises(ValueError, match="Error"):
            mujoco.MjModel.from_xml_string(text.format(sensor))
