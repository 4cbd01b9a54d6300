"""SDF graphs: poses, joints, loops, and what is refused."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from sdf_files import FOUR_BAR, joint, link, sdf

import linkwright as lw
from linkwright.errors import LinkwrightError, LoadError
from linkwright.io.sdf.sdf_reader import read_sdf
from linkwright.model import Pose
from linkwright.robots.catalog import find_robot


def poses_of(model, q, names):
    kinematics = lw.reference(model, "forward_kinematics", frames=list(names))
    rotations, positions = kinematics(q)
    return {name: Pose(R, p) for name, R, p in zip(names, np.asarray(rotations), np.asarray(positions), strict=True)}


def gap(model, q, name) -> float:
    """How far the two frames of a closure are apart, in the directions that it holds."""
    closure = next(c for c in model.constraints if c.name == name)
    poses = poses_of(model, q, [closure.frame, closure.other])
    between = poses[closure.other].inverse() @ poses[closure.frame]
    return float(np.abs(between.translation).max())


def test_four_bar_is_read_as_drawn():
    model = read_sdf(FOUR_BAR)
    assert [j.name for j in model.joints] == ["drive", "elbow", "swing"]
    assert [c.name for c in model.constraints] == ["pin"] and model.constraints[0].size == 5 and model.has_loops
    drive = model.joints[0]
    assert (drive.damping, drive.friction, drive.stiffness, drive.spring_reference) == (0.1, 0.2, 3.0, 0.4)
    assert (drive.lower, drive.upper) == (-2, 2)
    drawn = {"crank": [0, 0, 1, 0, 0, 0], "coupler": [0, 0, 1.3, 0, 0.2, 0], "rocker": [0.8, 0, 1, 0, 0, 0.5]}
    poses = poses_of(model, model.neutral(), drawn)
    for name, numbers in drawn.items():
        assert poses[name].is_close(Pose.from_rpy(numbers[:3], numbers[3:]), 1e-12)
    assert gap(model, model.neutral(), "pin") < 1e-12
    assert gap(model, [0.1, 0, 0], "pin") > 1e-3


def test_an_axis_is_where_its_joint_is():
    """The rocker turns about the world's y axis although its own frame is turned."""
    model = read_sdf(FOUR_BAR)
    turned = poses_of(model, [0, 0, 0.3], ["rocker"])["rocker"]
    assert turned.is_close(Pose.from_rpy([0.8, 0, 1], [0, 0.3, 0]) @ Pose.from_rpy([0, 0, 0], [0, 0, 0.5]), 1e-12)


def test_frames_that_are_not_at_their_joint():
    pose = "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose><axis><xyz>0 0 1</xyz></axis>"
    model = read_sdf(sdf(link("arm", "1 2 3 0.3 0.2 0.1", 2.5), joint("hinge", "revolute", "world", "arm", pose)))
    arm, on_arm = Pose.from_rpy([1, 2, 3], [0.3, 0.2, 0.1]), Pose.from_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    assert model.bodies[1].name == "hinge" and model.frame("arm").body == 1
    assert poses_of(model, [0.0], ["arm"])["arm"].is_close(arm, 1e-12)
    turn = Pose.from_rpy([0, 0, 0], [0, 0, 0.7])
    expected = arm @ on_arm @ turn @ on_arm.inverse()
    assert poses_of(model, [0.7], ["arm"])["arm"].is_close(expected, 1e-12)
    inertia = model.bodies[1].inertia.moved(on_arm)  # back in the link's frame
    assert model.mass == 2.5 and np.allclose(inertia.com, [0.1, 0.02, -0.03], atol=1e-12)


@pytest.mark.parametrize("text", ["<pose>0.3 0.2 0.1 0 0 0</pose>", ""])
def test_a_slider_needs_no_body_of_its_own(text):
    inside = f"{text}<axis><xyz>0 0 1</xyz></axis>"
    model = read_sdf(sdf(link("cart", "1 2 3 0.3 0.2 0.1"), joint("rail", "prismatic", "world", "cart", inside)))
    assert model.bodies[1].name == "cart"
    moved = Pose.from_rpy([1, 2, 3], [0.3, 0.2, 0.1]) @ Pose.of((0, 0, 0.5))
    assert poses_of(model, [0.5], ["cart"])["cart"].is_close(moved, 1e-12)


def test_poses_relative_to_each_other():
    text = sdf(
        "<pose>0 0 5 0 0 0</pose>",
        link("base", "1 0 0 0 0 0"),
        link("a", "0 1 0 0 0 90", relative_to="base").replace("<pose ", '<pose degrees="true" '),
        '<frame name="mark" attached_to="a"><pose relative_to="b">0 0 1 0 0 0</pose></frame>',
        '<frame name="on_mark" attached_to="mark"><pose>1 0 0 0 0 0</pose></frame>',
        link("b", "0 0 0 0 0.7071067811865476 0 0.7071067811865476", relative_to="a").replace(
            "<pose ", '<pose rotation_format="quat_xyzw" '
        ),
        joint("j", "fixed", "base", "a"),
        joint("k", "revolute", "mark", "b"),
    )
    model = read_sdf(text)
    q = model.drawn
    poses = poses_of(model, q, ["base", "a", "b", "mark", "on_mark", "j"])
    a = Pose.from_rpy([1, 1, 5], [0, 0, np.pi / 2])
    b = a @ Pose.from_rpy([0, 0, 0], [0, np.pi / 2, 0])
    expected = {"base": Pose.of((1, 0, 5)), "a": a, "b": b, "mark": b @ Pose.of((0, 0, 1)), "j": a}
    expected["on_mark"] = expected["mark"] @ Pose.of((1, 0, 0))
    for name, pose in expected.items():
        assert poses[name].is_close(pose, 1e-12), name
    assert model.frame("mark").body == model.frame("on_mark").body == model.body_index("base")
    assert model.bodies[model.body_index("b")].parent == model.body_index("base")


def test_axes_in_the_models_frame():
    turned = link("arm", "0 0 0 1.5707963267948966 0 0")
    old = joint("hinge", "revolute", "world", "arm", "<axis><xyz>0 0 1</xyz></axis>")
    flag = "<axis><xyz>0 0 1</xyz><use_parent_model_frame>true</use_parent_model_frame></axis>"
    for text in (
        sdf(turned, old, version="1.4"),
        sdf(turned, joint("hinge", "revolute", "world", "arm", flag), version="1.5"),
    ):
        assert np.allclose(read_sdf(text).joints[0].axis, [0, 1, 0], atol=1e-9)
    assert np.allclose(read_sdf(sdf(turned, old, version="1.5")).joints[0].axis, [0, 0, 1])


def test_every_kind_of_joint():
    axes = "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower></limit></axis><axis2><xyz>0 1 0</xyz></axis2>"
    text = sdf(
        link("a", "0 0 0 0 0 0"), link("b", "1 0 0 0 0 0"), link("c", "2 0 0 0 0 0"), link("d", "3 0 0 0 0 0"),
        link("e", "4 0 0 0 0 0"),
        joint("u", "universal", "world", "a", axes),
        joint("s", "ball", "a", "b", "<axis><xyz>0 0 1</xyz><dynamics><damping>0.5</damping></dynamics></axis>"),
        joint("h", "screw", "b", "c", "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.2</screw_thread_pitch>"),
        joint("h2", "screw", "c", "d", "<axis><xyz>0 0 1</xyz></axis><thread_pitch>-4</thread_pitch>"),
        joint("c", "continuous", "d", "e"),
    )  # fmt: skip
    model = read_sdf(text)
    assert [j.kind for j in model.joints] == ["universal", "spherical", "helical", "helical", "continuous"]
    universal, ball, screw, old_screw, _ = model.joints
    assert universal.lower.tolist() == [-1, -np.inf] and ball.damping.tolist() == [0.5] * 3
    assert screw.pitch == pytest.approx(0.2 / (2 * np.pi)) and old_screw.pitch == 0.25


def test_links_that_nothing_carries_hang_on_reversed_joints():
    """Two links are parents only: one is the base, the other is reached through a joint from its child."""
    text = sdf(
        link("base", "0 0 0 0 0 0"), link("rod", "1 0 0 0 0 0.3"), link("tip", "2 0 0 0 0.1 0"),
        joint("one", "revolute", "base", "tip"),
        joint("two", "revolute", "rod", "tip", "<pose>-1 0 0 0 0 0</pose><axis><xyz>0 0.6 0.8</xyz></axis>"),
    )  # fmt: skip
    model = read_sdf(text)
    assert [j.name for j in model.joints] == ["root_joint", "one", "two"] and not model.constraints
    assert any("'two' carries its parent 'rod'" in warning for warning in model.warnings)
    q = model.drawn.copy()
    rod, tip = Pose.from_rpy([1, 0, 0], [0, 0, 0.3]), Pose.from_rpy([2, 0, 0], [0, 0.1, 0])
    assert poses_of(model, q, ["rod"])["rod"].is_close(rod, 1e-12)
    q[-1] = 0.4
    at = Pose.of((-1, 0, 0))
    axis = np.array([0, 0.6, 0.8])
    S = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = Pose(np.eye(3) + np.sin(0.4) * S + (1 - np.cos(0.4)) * S @ S, np.zeros(3))
    poses = poses_of(model, q, ["rod", "tip"])
    # the file's own meaning: the tip's joint frame, seen from the rod's, is turned by q
    before = rod.inverse() @ tip @ at
    after = poses["rod"].inverse() @ poses["tip"] @ at
    assert after.is_close(before @ turn, 1e-12)


@pytest.mark.parametrize("to_world", [False, True])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "universal", "ball", "fixed"])
def test_a_closing_joint_allows_what_it_allows_as_a_tree_joint(kind, to_world):
    """`b` moves freely by four joints of its own; the joint `u` then closes a loop. Without them it carries `b`."""
    axes = "<axis><xyz>0.6 0 0.8</xyz></axis>" + ("<axis2><xyz>0 1 0</xyz></axis2>" if kind == "universal" else "")
    a = link("a", "0.1 0.2 0.3 0.3 0.2 0.1") + joint("at a", "ball", "world", "a")
    b = link("b", "0.5 -0.2 0.4 -0.2 0.5 0.3")
    ends = ("b", "world") if to_world else ("a", "b")
    axes = axes if kind not in ("ball", "fixed") else ""
    u = joint("u", kind, *ends, "<pose>0.3 0.1 -0.2 0.7 0.1 0.4</pose>" + axes)
    slides = "".join(
        link(f"p{k}", "0.5 -0.2 0.4 0 0 0")
        + joint(f"s{k}", "prismatic", "world" if k == 0 else f"p{k - 1}", f"p{k}", f"<axis><xyz>{xyz}</xyz></axis>")
        for k, xyz in enumerate(("1 0 0", "0 1 0", "0 0 1"))
    )
    tree, closed = read_sdf(sdf(a, b, u)), read_sdf(sdf(a, b, slides, joint("at b", "ball", "p2", "b"), u))
    assert not tree.constraints and [c.name for c in closed.constraints] == ["u"]
    drawn = Pose.from_rpy([0.5, -0.2, 0.4], [-0.2, 0.5, 0.3])
    error = lw.reference(closed, "constraint_error")
    for seed in range(3):
        q = tree.random_configuration(seed)
        poses = poses_of(tree, q, ["a", "b"])
        ball = (drawn.inverse() @ poses["b"]).quaternion
        found = closed.neutral()
        slot = {joint.name: closed.iq[closed.joint_index(joint.name)] for joint in closed.joints}
        found[slot["at a"]] = q[tree.iq[tree.joint_index("at a")]]
        for k in range(3):
            found[slot[f"s{k}"]] = poses["b"].translation[k] - drawn.translation[k]
        found[slot["at b"]] = ball
        assert poses_of(closed, found, ["b"])["b"].is_close(poses["b"], 1e-10)
        assert np.abs(error(found)).max() < 1e-9
        found[slot["s0"]] += 0.1
        found[slot["s1"]] += 0.1
        assert np.abs(error(found)).max() > 1e-3


def test_a_ring_of_children_is_opened():
    text = sdf(
        link("a", "0 0 0 0 0 0"), link("b", "1 0 0 0 0 0"), link("c", "1 1 0 0 0 0"),
        joint("ab", "revolute", "a", "b"), joint("bc", "revolute", "b", "c"), joint("ca", "revolute", "c", "a"),
    )  # fmt: skip
    model = read_sdf(text)
    assert [j.name for j in model.joints] == ["root_joint", "ab", "bc"]
    assert [c.name for c in model.constraints] == ["ca"]


def test_floating_or_not():
    text = sdf(link("a", "1 2 3 0 0 0"), link("b", "1 2 4 0 0 0"), joint("ab", "revolute", "a", "b"))
    free, fixed = read_sdf(text), read_sdf(text, floating_base=False)
    assert [j.kind for j in free.joints] == ["free_flyer", "revolute"] and read_sdf(text, floating_base=True) == free
    assert np.allclose(free.drawn, [1, 2, 3, 0, 0, 0, 1, 0])
    assert [j.kind for j in fixed.joints] == ["revolute"]
    assert np.allclose(poses_of(fixed, [0.0], ["a"])["a"].translation, [1, 2, 3])
    with pytest.raises(LoadError, match="holds the model to the world"):
        read_sdf(FOUR_BAR, floating_base=True)


def test_static_models_are_part_of_the_ground():
    model = read_sdf(sdf("<static>true</static>", link("a", "1 2 3 0 0 0"), link("b", "0 0 0 0 0 0"),
                         joint("ab", "revolute", "a", "b")))  # fmt: skip
    assert model.nv == 0 and model.frame("b").body == 0


def test_worlds_and_models_inside_models():
    inner = link("a", "0 0 1 0 0 0") + link("b", "0 1 1 0 0 0") + joint("ab", "revolute", "a", "b")
    text = (
        '<sdf version="1.8"><world name="w"><gravity>0 0 -1.6</gravity><physics type="ode"/>'
        f'<model name="one"><pose>5 0 0 0 0 0</pose><model name="in"><pose>0 7 0 0 0 0</pose>{inner}</model>'
        f'{joint("hold", "fixed", "world", "in::a")}</model>'
        f'<model name="two">{inner}</model></world></sdf>'
    )
    model = read_sdf(text)
    assert np.allclose(model.gravity, [0, 0, -1.6])
    assert [j.name for j in model.joints] == ["one::in::ab", "root_joint", "two::ab"]
    poses = poses_of(model, model.drawn, ["one::in::b", "two::b"])
    assert np.allclose(poses["one::in::b"].translation, [5, 8, 1])
    assert np.allclose(poses["two::b"].translation, [0, 1, 1])


def test_mimic():
    mimic = (
        '<axis><xyz>0 1 0</xyz><mimic joint="drive"><multiplier>2</multiplier><offset>0.5</offset>'
        "<reference>0.1</reference></mimic></axis>"
    )
    model = read_sdf(FOUR_BAR.replace("</model>", link("wheel", "0 0 0 0 0 0")
                                      + joint("follower", "revolute", "world", "wheel", mimic) + "</model>"))
    (found,) = model.mimics
    assert (found.joint, found.leader, found.multiplier) == ("follower", "drive", 2.0)
    assert found.offset == pytest.approx(0.3)


@pytest.mark.parametrize("turned", [False, True])
def test_gearbox(turned):
    """The angle of the child is minus the ratio times that of the parent, both seen from the reference body."""
    out = ("wheel", "base") if turned else ("base", "wheel")  # its hinge, either way round
    gear = (
        "<gearbox_reference_body>base</gearbox_reference_body><gearbox_ratio>0.04</gearbox_ratio>"
        "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2>"
    )
    text = sdf(
        link("base", "0 0 0 0 0 0"), link("rotor", "0 0 0 0 0 0"), link("wheel", "0 0 0 0 0 0"),
        joint("fix", "fixed", "world", "base"),
        joint("in", "revolute", "base", "rotor", "<axis><xyz>0 0 1</xyz></axis>"),
        joint("out", "revolute", *out, "<axis><xyz>0 0 1</xyz></axis>"),
        joint("gear", "gearbox", "rotor", "wheel", gear),
    )  # fmt: skip
    model = read_sdf(text)
    assert [c.name for c in model.constraints] == ["gear"]
    # theta_1 = 0.5; theta_2 about -z is -0.02, so the wheel has turned by +0.02 about z
    angles = {"in": 0.5, "out": -0.02 if turned else 0.02}
    q = np.array([angles[j.name] for j in model.joints])
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-12
    wheel = poses_of(model, q, ["wheel"])["wheel"].rotation
    assert np.arctan2(wheel[1, 0], wheel[0, 0]) == pytest.approx(0.02)
    with pytest.raises(LoadError, match="not along"):
        read_sdf(text.replace("<axis2><xyz>0 0 -1</xyz>", "<axis2><xyz>0 1 0</xyz>"))
    with pytest.raises(LoadError, match="does not hang"):
        read_sdf(text.replace("<gearbox_reference_body>base", "<gearbox_reference_body>rotor"))


def test_drake_ball_constraint_in_sdf():
    extra = (
        "<drake:ball_constraint><drake:ball_constraint_body_A>crank</drake:ball_constraint_body_A>"
        "<drake:ball_constraint_body_B>rocker</drake:ball_constraint_body_B>"
        "<drake:ball_constraint_p_AP>0 0 1</drake:ball_constraint_p_AP></drake:ball_constraint>"
    )
    model = read_sdf(FOUR_BAR.replace("</model>", extra + "</model>"))
    assert [c.size for c in model.constraints] == [5, 3]
    assert model.frame(model.constraints[1].frame).placement.translation.tolist() == [0, 0, 1]


REFUSED = {
    "unknown link": ("<parent>crank</parent>", "<parent>cranc</parent>", ["cranc", "crank"]),
    "unknown type": ('type="revolute"', 'type="revolut"', ["revolut", "revolute"]),
    "gearbox": ('name="pin" type="revolute"', 'name="pin" type="gearbox"', ["pin", "<axis2>"]),
    "no child": ("<child>coupler</child>", "", ["no <child>"]),
    "no axis": ("<axis><xyz>0 1 0</xyz></axis>", "", ["no <axis>"]),
    "zero axis": ("<xyz>0 1 0</xyz>", "<xyz>0 0 0</xyz>", ["no direction"]),
    "nan": ("<xyz>0 1 0</xyz>", "<xyz>0 nan 0</xyz>", ["nan", "finite"]),
    "pose of five": ("<pose>0 0 1 0 0 0</pose>", "<pose>0 0 1 0 0</pose>", ["5 numbers", "expected 6"]),
    "negative mass": ("<mass>2.0</mass>", "<mass>-2</mass>", ["-2", "negative"]),
    "negative damping": ("<damping>0.1", "<damping>-0.1", ["damping", "negative"]),
    "limits": ("<lower>-2</lower>", "<lower>3</lower>", ["lower limit"]),
    "include": ('<link name="crank">', '<include><uri>x</uri></include><link name="crank">', ["include"]),
    "unknown in model": ('<link name="crank">', '<spring/><link name="crank">', ["<spring>"]),
    "unknown in link": ('<link name="crank">', '<link name="crank"><added_mass/>', ["<added_mass>"]),
    "wind": ('<link name="crank">', '<link name="crank"><enable_wind>1</enable_wind>', ["wind", "('fluid',)"]),
    "kinematic": ('<link name="crank">', '<link name="crank"><kinematic>true</kinematic>', ["kinematic"]),
    "auto inertia": ("<inertial>", '<inertial auto="true">', ["computed from its shapes"]),
    "twice": ('<link name="rocker">', '<link name="crank">', ["second <link>", "crank"]),
    "reserved": ('<link name="rocker">', '<link name="world">', ["reserved"]),
    "itself": ("<parent>crank</parent>", "<parent>coupler</parent>", ["with itself"]),
    "frame": ("<pose>0 0 1 0 0 0</pose>", '<pose frame="x">0 0 1 0 0 0</pose>', ["relative_to"]),
    "relative to itself": ("<pose>0 0 1 0 0 0</pose>", '<pose relative_to="crank">0 0 1 0 0 0</pose>', ["itself"]),
    "nothing": ("<pose>0 0 1 0 0 0</pose>", '<pose relative_to="nose">0 0 1 0 0 0</pose>', ["nose"]),
    "version": ('version="1.9"', 'version="new"', ["version"]),
    "spring in a closure": (
        "0 0 -0.5</pose><axis><xyz>0 1 0</xyz>",
        "0 0 -0.5</pose><axis><xyz>0 1 0</xyz><dynamics><spring_stiffness>5</spring_stiffness></dynamics>",
        ["pin", "spring", "closes a loop"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_file_line_and_element(name):
    old, new, words = REFUSED[name]
    text = FOUR_BAR.replace(old, new, 1)
    assert text != FOUR_BAR
    with pytest.raises(LinkwrightError) as caught:
        read_sdf(text, file="four_bar.sdf")
    for word in ("four_bar.sdf", "line ", *words):
        assert word in str(caught.value), str(caught.value)


def test_what_a_closure_cannot_use_is_told():
    text = FOUR_BAR.replace("0 0 -0.5</pose><axis><xyz>0 1 0</xyz>",
                            "0 0 -0.5</pose><axis><xyz>0 1 0</xyz><dynamics><damping>5</damping></dynamics>")
    assert any("'pin'" in one.what and "damping" in one.what for one in read_sdf(text).not_computed)


def test_long_chains_of_relative_poses():
    """No recursion: a chain as long as the file."""
    frames = "".join(
        f'<frame name="f{i}"><pose relative_to="f{i - 1}">0.001 0 0 0 0 0</pose></frame>' for i in range(1, 3000)
    )
    text = sdf('<frame name="f0"/>', frames, link("a", "0 0 0 0 0 0", relative_to="f2999"))
    assert np.allclose(read_sdf(text).drawn[:3], [2.999, 0, 0])


@pytest.mark.skipif(not find_robot("cassie").available, reason="needs example-robot-data")
class TestCassie:
    def drawn_in_the_file(self):
        root = ElementTree.parse(find_robot("cassie").path()).getroot()
        for element in root.iter("link"):
            numbers = [float(word) for word in element.findtext("pose").split()]
            yield element, Pose.from_rpy(numbers[:3], numbers[3:])

    def test_sizes(self):
        model = lw.load("cassie")
        assert (model.nbodies, model.nq, model.nv) == (24, 29, 28)
        assert sorted(c.name for c in model.constraints) == [
            "left-pitch-rod-joint", "left-plantar-foot-joint", "right-pitch-rod-joint", "right-plantar-foot-joint",
        ]  # fmt: skip
        assert model.nc == 12 and model.has_loops
        assert model.joints[model.joint_index("left-knee-shin-joint") - 1].stiffness.tolist() == [1500]
        assert any("'left-foot-op' is drawn at 0, outside its limits" in warning for warning in model.warnings)

    def test_frames_and_masses_are_the_files(self):
        model = lw.load("cassie")
        links = list(self.drawn_in_the_file())
        assert len(links) == 23
        poses = poses_of(model, model.drawn, [element.get("name") for element, _ in links])
        for element, pose in links:
            name = element.get("name")
            assert poses[name].is_close(pose, 1e-12), name
            frame = model.frame(name)
            inertia = model.bodies[frame.body].inertia.moved(frame.placement.inverse())
            assert inertia.mass == pytest.approx(float(element.findtext("inertial/mass")), rel=1e-12)
            com = [float(word) for word in element.findtext("inertial/pose").split()][:3]
            assert np.allclose(inertia.com, com, atol=1e-12), name
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            moments = [float(element.findtext(f"inertial/inertia/{key}")) for key in keys]
            t = inertia.tensor
            assert np.allclose([t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]], moments, atol=1e-12), name

    def test_loops_close_from_anywhere_near(self):
        model = lw.load("cassie")
        rng = np.random.default_rng(0)
        disturbed = model.integrate(model.drawn, rng.normal(scale=0.1, size=model.nv))
        assert max(gap(model, disturbed, c.name) for c in model.constraints) > 1e-2
        # the right foot's hinges are 7e-8 rad from parallel in the file, so its loop closes to 5e-11 m only
        q = lw.project_configuration(model, disturbed, tolerance=1e-10)
        assert max(gap(model, q, c.name) for c in model.constraints) < 1e-10
        assert np.abs(model.difference(model.drawn, q)).max() > 0.05

    def test_pelvis_on_the_ground(self):
        model = lw.load("cassie", floating_base=False)
        assert model.nv == 22 and model.nc == 12
