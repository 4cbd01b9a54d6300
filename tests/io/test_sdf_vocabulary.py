"""What an SDF says beyond what is read is told of, refused, or known to be without effect."""

import warnings

import pytest
from sdf_files import FOUR_BAR

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.io.sdf.sdf_vocabulary import READ, SKIPPED, TOLD

LINK = '<link name="crank">'
SHAPE = "<collision name='c'><geometry>{}</geometry>{}</collision>"


def in_link(text: str) -> str:
    return FOUR_BAR.replace(LINK, LINK + text)


def ball(more: str) -> str:
    return in_link(SHAPE.format("<sphere><radius>0.1</radius></sphere>", more))


def surface(text: str) -> str:
    return ball(f"<surface>{text}</surface>")


def in_axis(text: str) -> str:
    return FOUR_BAR.replace("<axis>", f"<axis>{text}", 1)


def in_world(text: str) -> str:
    inside = FOUR_BAR[FOUR_BAR.index("<model") : FOUR_BAR.index("</sdf>")]
    return f"<sdf version='1.9'><world name='w'>{text}{inside}</world></sdf>"


# What a file says, a word of what is told of it, and the word that silences the warning.
CASES = {
    "an attribute": (FOUR_BAR.replace(LINK, '<link name="crank" soft="1">'), "'soft' of <link> of 'crank'", "unknown"),
    "where a joint starts": (in_axis("<initial_position>0.3</initial_position>"), "<initial_position>", "unknown"),
    "how stiff limits are": (
        FOUR_BAR.replace("<limit>", "<limit><stiffness>30</stiffness>", 1),
        "<stiffness>",
        "limit",
    ),
    "how a joint is held": (
        FOUR_BAR.replace("</joint>", "<physics><ode><cfm_damping>1</cfm_damping></ode></physics></joint>", 1),
        "<physics>",
        "option",
    ),
    "wind": (FOUR_BAR.replace("</model>", "<enable_wind>true</enable_wind></model>"), "<enable_wind>", "fluid"),
    "a state": (in_world("<state world_name='w'/>"), "<state>", "unknown"),
    "a population": (in_world("<population name='p'/>"), "<population>", "unknown"),
    "gravity where it was": (
        in_world("<physics><gravity>0 0 -1</gravity></physics>"),
        "<gravity> in <physics>",
        "unknown",
    ),
    "bouncing": (
        surface("<bounce><restitution_coefficient>1</restitution_coefficient></bounce>"),
        "<restitution_coefficient>",
        "contact",
    ),
    "another friction across": (
        surface("<friction><ode><mu>1</mu><mu2>0.2</mu2></ode></friction>"),
        "<friction><ode><mu2>",
        "contact",
    ),
    "torsion": (
        surface("<friction><torsional><coefficient>1</coefficient></torsional></friction>"),
        "<coefficient>",
        "contact",
    ),
    "points of contact": (ball("<max_contacts>3</max_contacts>"), "<max_contacts>", "contact"),
    "a landscape": (
        in_link(SHAPE.format("<heightmap><uri>h.png</uri></heightmap>", "")),
        "<heightmap> of 'crank'",
        "contact",
    ),
    "something in a collision": (ball("<odd/>"), "<odd> in <collision>", "unknown"),
    "a shape that makes no sense": (in_link(SHAPE.format("<sphere/>", "")), "'crank'", "contact"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_told(name):
    text, said, word = CASES[name]
    with pytest.warns(lw.LinkwrightWarning):
        model = lw.load(text)
    [entry] = [entry for entry in model.not_computed if said in entry.what]
    assert entry.why and entry.word == word
    assert len(model.not_computed) == 1 + len(lw.load(ball("") if "<collision" in text else FOUR_BAR).not_computed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if word != "contact" and "<collision" not in text:
            assert len(lw.load(text, ignore=word).ignored) == 1


HELD = "<physics><ode><provide_feedback>1</provide_feedback></ode></physics></joint>"
USUAL = [
    ball("<laser_retro>1</laser_retro>"),
    surface("<bounce/>"),
    surface("<friction><ode><mu>0.3</mu></ode></friction>"),
    surface("<friction><ode><mu>0.3</mu><mu2>0.3</mu2></ode></friction>"),
    in_axis("<initial_position>0</initial_position>"),
    in_world("<physics/>"),
    FOUR_BAR.replace("</model>", "<enable_wind>false</enable_wind></model>"),
    FOUR_BAR.replace("</joint>", HELD, 1),
]


@pytest.mark.parametrize("text", USUAL)
def test_what_says_what_holds_anyway_is_not_told(text):
    plain = ball("") if "<collision" in text else FOUR_BAR
    assert len(lw.load(text).not_computed) == len(lw.load(plain).not_computed)


@pytest.mark.parametrize("role", ["world", "model", "link", "joint"])
def test_what_is_without_effect_is_not_told(role):
    parts = "".join(f"<{tag}/>" for tag in SKIPPED[role] if tag not in ("frame", "self_collide"))
    text = in_world(parts) if role == "world" else FOUR_BAR.replace(f"</{role}>", f"{parts}</{role}>", 1)
    assert not lw.load(text).not_computed and all(SKIPPED[role].values())


def test_every_element_is_one_thing():
    for role in {*READ, *SKIPPED, *TOLD}:
        kinds = [set(known.get(role, ())) for known in (READ, SKIPPED, TOLD)]
        assert sum(map(len, kinds)) == len(set.union(*kinds)), role


@pytest.mark.parametrize("role", ["model", "link", "joint", "axis", "inertial"])
def test_what_is_not_known_is_refused(role):
    with pytest.raises(LinkwrightError, match="is not understood"):
        lw.load(FOUR_BAR.replace(f"</{role}>", f"<stiff/></{role}>", 1))
