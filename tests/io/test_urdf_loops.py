"""Dialects of URDF that say where loops close and which joints move together."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LoadError
from linkwright.io.urdf.urdf_reader import read_urdf
from linkwright.model import Pose

LINK = (
    '<link name="{}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>\n'
)


def joint(name, parent, child, xyz, kind="continuous", extra="", axis="0 0 1", inside=""):
    return (
        f'<joint name="{name}" type="{kind}"{extra}><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>{inside}</joint>\n'
    )


def robot(*extra: str) -> str:
    """A four-bar that is cut: link1 - link2 on one side, link3 on the other. At neutral the cut ends coincide."""
    return (
        '<robot name="bars">\n<link name="base"/>\n' + "".join(LINK.format(f"link{k}") for k in (1, 2, 3))
        + joint("j1", "base", "link1", "0 0 0", extra=' independent="true"')
        + joint("j2", "link1", "link2", "0.5 0 0", extra=' independent="false"')
        + joint("j3", "base", "link3", "1 0 0", extra=' independent="false"')
        + "".join(extra) + "</robot>\n"
    )  # fmt: skip


LOOP = """<loop name="cut" type="{}">
  <predecessor link="link2"><origin xyz="1.0 0.2 0" rpy="0 0 0.3"/></predecessor>
  <successor link="link3"><origin xyz="0.5 0.2 0" rpy="0 0 0.3"/></successor>
  <axis xyz="0 0 1"/>
</loop>
"""


def error_at(model, q):
    return np.abs(lw.reference(model, "constraint_error")(q)).max()


@pytest.mark.parametrize(
    ("kind", "rows"), [("revolute", 5), ("continuous", 5), ("prismatic", 5), ("planar", 3), ("fixed", 6)]
)
def test_loop_of_urdf_plus(kind, rows):
    model = read_urdf(robot(LOOP.format(kind)))
    assert [c.name for c in model.constraints] == ["cut"] and model.nc == rows and model.has_loops
    assert model.independent == ("j1",)
    assert error_at(model, model.neutral()) < 1e-12
    if kind == "revolute":
        assert error_at(model, [0.1, 0, 0]) > 1e-2
        # closed again elsewhere: a parallelogram would be needed for all angles, but a full turn of each is one
        assert error_at(model, [2 * np.pi, 0, 0]) < 1e-12


def test_loop_joint_of_isaac():
    element = (
        '<loop_joint name="cut" type="spherical"><link1 link="link2" xyz="1 0.2 0" rpy="0 0 1"/>'
        '<link2 link="link3" xyz="0.5 0.2 0" rpy="0 0 0"/></loop_joint>\n'
    )
    model = read_urdf(robot(element))
    assert model.nc == 3 and error_at(model, model.neutral()) < 1e-12
    frame = model.frame(model.constraints[0].frame)
    assert model.bodies[frame.body].name == "link2" and np.allclose(frame.placement.translation, [1, 0.2, 0])


def test_ball_constraint_of_drake():
    element = (
        '<drake:ball_constraint><drake:ball_constraint_body_A name="link2"/>'
        '<drake:ball_constraint_body_B name="link3"/><drake:ball_constraint_p_AP value="1 0.2 0"/>'
        '<drake:ball_constraint_p_BQ value="0.5 0.2 0"/>'
        "</drake:ball_constraint>\n"
    )
    model = read_urdf(robot(element))
    assert model.nc == 3 and error_at(model, model.neutral()) < 1e-12 and error_at(model, [0.1, 0, 0]) > 1e-2


def test_closing_frames_of_onshape():
    def mark(name, parent, xyz):
        return f'<link name="{name}"/>' + joint(f"at_{name}", parent, name, xyz, kind="fixed")

    text = robot(mark("closing_pin_1", "link2", "1 0.2 0"), mark("closing_pin_2", "link3", "0.5 0.2 0"))
    model = read_urdf(text)
    assert [c.name for c in model.constraints] == ["pin"] and model.nc == 3
    assert error_at(model, model.neutral()) < 1e-12
    assert any("closing_pin_1" in warning for warning in model.warnings)
    grounded = read_urdf(robot(mark("closing_pin_1", "base", "1.5 0 0"), mark("closing_pin_2", "link2", "1 0 0")))
    assert grounded.nc == 3 and error_at(grounded, grounded.neutral()) < 1e-12


def test_coupling_of_urdf_plus():
    """ratio times the angles from the common ancestor to the predecessor is the sum of those to the successor."""
    element = (
        '<coupling name="belt" type="rolling"><predecessor link="link2"/><successor link="link3"/>'
        '<ratio value="6"/></coupling>\n'
    )
    model = read_urdf(robot(element))
    error = lw.reference(model, "constraint_error")
    assert model.nc == 1
    assert np.abs(error([0.3, -0.1, 1.2])).max() < 1e-12 and np.abs(error([0.3, -0.1, 1.3])).max() > 0.05
    inner = read_urdf(robot(element.replace('"link3"', '"link1"')))  # link1 is the ancestor: only j2 counts
    assert np.abs(lw.reference(inner, "constraint_error")([0.7, 0.0, 0.0])).max() < 1e-12


def test_joints_that_say_nothing_are_independent_where_others_speak():
    text = robot().replace(' independent="true"', "")
    assert read_urdf(text).independent == ("j1",)
    assert read_urdf(text.replace(' independent="false"', "")).independent == ()


def test_loops_survive_json_and_dynamics(tmp_path):
    model = read_urdf(robot(LOOP.format("revolute")))
    assert lw.load(lw.save(model, tmp_path / "m.json")) == model
    a = lw.reference(model, "lcaba", outputs=("a",), iterations=10)(model.neutral(), np.zeros(3), [1.0, 0.5, -0.2])
    expected = lw.solve_kkt(model, model.neutral(), np.zeros(3), [1.0, 0.5, -0.2]).a
    assert np.abs(a - expected).max() < 1e-6 * (1 + np.abs(expected).max())


def test_mimics_become_constraints_when_asked():
    follower = joint("j4", "base", "link4", "2 0 0", inside='<mimic joint="j1" multiplier="-2" offset="0.3"/>')
    model = read_urdf(robot(LINK.format("link4"), follower))
    assert len(model.mimics) == 1 and not model.constraints
    [entry] = model.not_computed
    assert "with_mimics_coupled" in entry.remedy and "'j4'" in entry.what and entry.about == ("j4",)
    assert not model.with_mimics_coupled().not_computed
    coupled = model.with_mimics_coupled()
    assert not coupled.mimics and [c.name for c in coupled.constraints] == ["j4_mimic"]
    error = lw.reference(coupled, "constraint_error")
    q = dict(zip([j.name for j in coupled.joints], coupled.neutral(), strict=True))
    q["j1"], q["j4"] = 0.2, -0.1
    assert np.abs(error([q[j.name] for j in coupled.joints])).max() < 1e-12
    assert coupled.without_constraints().with_mimics_coupled().nc == 0


YAML = """# closures of the bars
closed_loop: [['tip2', "tip3"]]
type: ['3D']
name_mot: ['j1']
"""


def with_tips() -> str:
    tips = "".join(
        f'<link name="tip{k}"/>' + joint(f"to_tip{k}", f"link{k}", f"tip{k}", xyz, kind="fixed")
        for k, xyz in ((2, "1 0.2 0"), (3, "0.5 0.2 0"))
    )
    return robot(tips)


class TestYaml:
    def load(self, folder, yaml, **options):
        (folder / "robot.urdf").write_text(with_tips())
        (folder / "robot.yaml").write_text(yaml)
        return lw.load(folder / "robot.urdf", **options)

    def test_is_found_beside_the_urdf(self, tmp_path):
        model = self.load(tmp_path, YAML)
        assert model.nc == 3 and model.motors == ("j1",) and error_at(model, model.neutral()) < 1e-12
        assert any("robot.yaml" in warning for warning in model.warnings)
        assert lw.load(tmp_path / "robot.urdf", loops=False).nc == 0
        (tmp_path / "other.yaml").write_text(YAML.replace("3D", "6d"))
        assert lw.load(tmp_path / "robot.urdf", loops=tmp_path / "other.yaml").nc == 6

    def test_other_yaml_is_none_of_our_business(self, tmp_path):
        assert self.load(tmp_path, "gains: {p: 3}\nnested:\n  closed_loop: 3\n").nc == 0

    def test_joints_of_another_kind(self, tmp_path):
        kinds = "joint_type: [\n  UJOINT_ZX,  # comment\n  'SPHERICAL',\n]\n"
        model = self.load(tmp_path, f"{YAML}joint_name:\n  # first\n  - j2\n  - 'j3'\n{kinds}")
        assert [j.kind for j in model.joints] == ["continuous", "universal", "spherical"]
        universal = model.joints[1]
        assert universal.axis.tolist() == [0, 0, 1] and universal.second_axis.tolist() == [1, 0, 0]
        fixed = self.load(tmp_path, YAML + "joint_name: [j2]\njoint_type: [FIXED]\n")
        assert [j.name for j in fixed.joints] == ["j1", "j3"]

    WRONG = {
        "unknown frame": (YAML.replace("tip2", "tip9"), "tip9", 2),
        "unknown motor": (YAML.replace("'j1'", "'j9'"), "j9", 4),
        "unknown type": (YAML.replace("3D", "4D"), "4D", 3),
        "too few types": (YAML.replace("['3D']", "[]"), "0 words for 1", 2),
        "not pairs": (YAML.replace("""[['tip2', "tip3"]]""", "[tip2, tip3]"), "pairs", 2),
        "unknown entry": (YAML + "springs: [1]\n", "'springs'", 5),
        "unknown joint": (YAML + "joint_name: [x]\njoint_type: [FIXED]\n", "'x'", 5),
        "unknown kind": (YAML + "joint_name: [j1]\njoint_type: [UJOINT_XX]\n", "UJOINT_XX", 6),
        "not as many": (YAML + "joint_name: [j1, j2]\njoint_type: [FIXED]\n", "2 joint names", 6),
        "not closed": (YAML.replace("]]", "]"), "not closed", 2),
        "no comma": (YAML.replace("', \"", "' \""), "comma", 2),
        "anchor": (YAML + "more: &x [1]\n", "not understood", 5),
        "twice": (YAML + "type: ['3d']\n", "second entry", 5),
        "deep": (YAML + "more: " + "[" * 50 + "\n", "nested", 5),
    }  # fmt: skip

    @pytest.mark.parametrize("name", WRONG)
    def test_wrong_yaml_is_refused_with_its_line(self, name, tmp_path):
        text, word, line = self.WRONG[name]
        with pytest.raises(LoadError) as caught:
            self.load(tmp_path, text)
        assert "robot.yaml" in str(caught.value) and word in str(caught.value), str(caught.value)
        assert f"line {line}" in str(caught.value), str(caught.value)


LINES = 10
REFUSED = {
    "unknown link": (LOOP.format("revolute").replace('"link3"', '"link9"'), "'link9'"),
    "unknown type": (LOOP.format("helical"), "'helical'"),
    "floating": (LOOP.format("floating"), "'floating'"),
    "no successor": (LOOP.format("revolute").replace("successor", "ssuccessor"), "ssuccessor"),
    "no axis": (LOOP.format("revolute").replace('"0 0 1"', '"0 0 0"'), "no direction"),
    "no name": (LOOP.format("revolute").replace('name="cut"', ""), "'name'"),
    "twice": (LOOP.format("revolute") * 2, "cut"),
    "one body": (LOOP.format("revolute").replace('"link3"', '"link2"'), "link2"),
    "loop joint": ('<loop_joint name="l" type="spherical"/>', "link1"),
    "coupling": ('<coupling name="c"><ratio value="2"/></coupling>', "predecessor"),
    "coupled with itself": (
        '<coupling name="c"><predecessor link="link2"/><successor link="link2"/><ratio value="2"/></coupling>', "'c'",
    ),
    "ball": ("<drake:ball_constraint/>", "body_A"),
    "ball of nothing": (
        '<drake:ball_constraint><drake:ball_constraint_body_A name="x"/><drake:ball_constraint_body_B name="link3"/>'
        "</drake:ball_constraint>", "'x'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_file_and_line(name):
    text, word = REFUSED[name]
    with pytest.raises(LoadError) as caught:
        read_urdf(robot(text), file="bars.urdf")
    for part in ("bars.urdf", "line ", word):
        assert part in str(caught.value), str(caught.value)


def test_closing_frames_keep_their_places():
    model = read_urdf(robot(LOOP.format("revolute")))
    on_link3 = model.frame("cut/child")
    assert model.bodies[on_link3.body].name == "link3"
    assert on_link3.placement.is_close(Pose.from_rpy([0.5, 0.2, 0], [0, 0, 0.3]))
