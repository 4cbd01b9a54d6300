"""Files whose digits do not let their dependent rows hold exactly: closed to what they allow, one rank everywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.rows.row_scales import rank_tolerance
from linkwright.assembly.closing import file_accuracy
from linkwright.robots.catalog import find_robot
from linkwright.sim.verdict import complaints


def hinged_four_bar(tilt: float, offset: float = 0.0) -> lw.Model:
    """Hinges about z, all rows of the closing one: three of its five rows follow from the others but for `tilt`."""
    builder = lw.ModelBuilder("hinged")
    for name, length, parent, at in (
        ("crank", 0.2, "world", 0.0), ("coupler", 0.5, "crank", 0.2), ("rocker", 0.4, "world", 0.5),
    ):  # fmt: skip
        off = name == "rocker"
        turned = lw.Pose.from_rpy((at, 0, offset * off), (tilt * off, 0, 0))
        inertia = lw.Inertia.box(1.0, (length, 0.03, 0.03), (length / 2, 0, 0))
        builder.add_body(name, lw.revolute(f"{name}_joint", "z"), parent=parent, placement=turned, inertia=inertia)
        builder.add_frame(f"{name}_end", name, (length, 0, 0))
    model = builder.build().with_constraints(lw.close_with("revolute", "coupler_end", "rocker_end", name="pin"))
    return model.with_drawn(_planar_pose())


def _planar_pose() -> np.ndarray:
    """Closed at a crank angle of 0.8: the elbow by the law of cosines."""
    a, b, c, d, crank = 0.2, 0.5, 0.4, 0.5, 0.8
    tip = np.array([a * np.cos(crank), a * np.sin(crank)])
    to = np.array([d, 0.0]) - tip
    r = np.hypot(*to)
    coupler = np.arctan2(to[1], to[0]) + np.arccos((b * b + r * r - c * c) / (2 * b * r))
    end = tip + b * np.array([np.cos(coupler), np.sin(coupler)])
    rocker = np.arctan2(end[1], end[0] - d)
    return np.array([crank, coupler - crank, rocker])


def disturbed(model, count, size=0.15):
    for k in range(count):
        rng = np.random.default_rng(k)
        yield model.integrate(model.drawn, rng.uniform(-size, size, model.nv)), rng.normal(size=model.nv)


@pytest.mark.parametrize(("tilt", "offset"), [(0.0, 0.0), (1e-7, 0.0), (3e-6, 1e-7), (0.0, 2e-6)])
def test_linkages_with_rounded_axes(tilt, offset):
    model = hinged_four_bar(tilt, offset)
    assert file_accuracy(model) <= 2 * (tilt + offset) + 1e-15
    for q, v in disturbed(model, 10):
        found = lw.project_configuration(model, q, details=True)
        assert found.left <= max(1e-12, 2 * (tilt + offset))
        assert found.limited_by_file == (tilt + offset > 0)
        v = lw.project_velocity(model, found.q, v)
        state = lw.check_state(model, found.q, v)
        assert state.closed and state.rank == lw.mobility(model, found.q).rank == 2 and state.mobility == 1
        assert np.array_equal(lw.project_configuration(model, q), found.q)


@pytest.mark.parametrize("tilt", [1e-7, 3e-6, 3e-5])
def test_a_file_that_is_drawn_apart_has_digits_too(tilt):
    """As drawn the loop is open by half a metre; what its digits leave shows at a pose that closes it."""
    model = hinged_four_bar(tilt).with_drawn([0.8, 0.0, 0.3])
    found = lw.project_configuration(model, model.drawn, details=True)
    assert found.left <= 2 * tilt and found.limited_by_file and found.accuracy > 0.1 * tilt
    tolerance = rank_tolerance(model)
    assert tolerance == 1e-5 if tilt < 1e-6 else tilt < tolerance <= 20 * tilt
    assert lw.check_state(model, found.q, np.zeros(3)).rank == 2
    trajectory = lw.simulate(model, found.q, dt=1e-3, steps=500, start="as given", control=[0.1, 0, 0])
    assert not complaints(trajectory) and np.abs(trajectory.v).max() > 0.1  # it turns, nothing holds it


def test_what_cannot_be_closed_has_no_digits():
    model = hinged_four_bar(0.0, offset=0.05).with_drawn([0.8, 0.0, 0.3])
    assert rank_tolerance(model) == 1e-5 and file_accuracy(model) == 0.0
    with pytest.raises(lw.NoConvergence, match="pin"):
        lw.project_configuration(model, model.drawn)


def test_the_whole_turn_of_a_rounded_crank():
    model = hinged_four_bar(1e-7)
    q = model.drawn
    for angle in np.linspace(0.8, 0.8 + 2 * np.pi, 8):
        q = lw.project_configuration(model, [angle, *q[1:]], fixed="crank_joint", start=q)
        assert q[0] == angle
    exact = lw.project_configuration(hinged_four_bar(0.0), q, fixed="crank_joint")
    assert np.abs(model.difference(exact, q)).max() < 1e-6


def test_what_the_file_allows_is_said():
    model = hinged_four_bar(3e-6, 1e-7)
    found = lw.project_configuration(model, model.drawn + 0.1, details=True)
    assert found.limited_by_file and "what the numbers of the file allow" in str(found) and "'pin'" in str(found)
    state = lw.check_state(model, found.q)
    assert 1e-9 < state.allowed < 2e-5 and "own digits" in str(state)
    assert not lw.project_configuration(hinged_four_bar(0.0), model.drawn + 0.1, details=True).limited_by_file


@pytest.mark.parametrize("offset", [1e-4, 1e-2])
def test_more_than_rounding_is_a_contradiction(offset):
    model = hinged_four_bar(0.0, offset)
    if offset <= 1e-3:  # a file of few digits; that it closes no further is told
        found = lw.project_configuration(model, model.drawn, details=True)
        assert found.limited_by_file and found.accuracy == pytest.approx(offset, rel=1e-3)
        return
    with pytest.raises(lw.NoConvergence, match=r"'pin'.* OPEN"):
        lw.project_configuration(model, model.drawn)


def test_out_of_reach_by_a_little_is_not_accuracy():
    """Where a stretched mechanism misses by 1e-8, rows become dependent too; but that is the pose's fault."""
    builder, inertia = lw.ModelBuilder("arm"), lw.Inertia.box(1.0, (0.5, 0.03, 0.03), (0.25, 0, 0))
    builder.add_body("upper", lw.revolute("shoulder", "z"), inertia=inertia)
    builder.add_body("lower", lw.revolute("elbow", "z"), parent="upper", placement=(0.5, 0, 0), inertia=inertia)
    builder.add_body("cart", lw.prismatic("rail", "x"), inertia=inertia)
    builder.add_frame("tip", "lower", (0.5, 0, 0))
    arm = builder.build().with_constraints(lw.connect("tip", "cart", name="grip"))
    arm = arm.with_drawn(lw.project_configuration(arm, [0.8, -1.6, 0.7]))
    assert lw.project_configuration(arm, [0.1, -0.2, 1.0 - 1e-8], fixed="rail")[2] == 1.0 - 1e-8
    with pytest.raises(lw.NoConvergence, match="'grip'"):
        lw.project_configuration(arm, [0.1, -0.2, 1.0 + 1e-8], fixed="rail")


@pytest.mark.skipif(not find_robot("cassie").available, reason="needs example-robot-data")
def test_cassie_from_anywhere_near():
    robot = lw.load("cassie")
    done = lw.project_configuration(robot, np.array([q for q, _ in disturbed(robot, 40)]), details=True)
    assert done.q.shape == (40, robot.nq) and done.left < 1e-9
    v = lw.project_velocity(robot, done.q, np.array([v for _, v in disturbed(robot, 40)]))
    assert v.shape == (40, robot.nv)
    assert lw.check_state(robot, done.q[0], v[0]).rank == lw.mobility(robot, done.q[0]).rank == 10


@pytest.mark.parametrize("name", ["four_bar", "jansen_leg", "stewart_platform", "delta_robot", "ring:6"])
def test_one_rank(name):
    model = lw.load(name)
    for q, _ in disturbed(model, 2, 0.05):
        q = lw.project_configuration(model, q)
        assert lw.check_state(model, q).rank == lw.mobility(model, q).rank


def test_velocities_that_contradict_are_named():
    model = hinged_four_bar(1e-7)
    q = lw.project_configuration(model, model.drawn)
    with pytest.raises(lw.NoConvergence, match="do not let crank_joint, rocker_joint move"):
        lw.project_velocity(model, q, [1.0, 0.0, -3.0], fixed=["crank_joint", "rocker_joint"])


def test_masses_are_not_needed_for_the_rank():
    builder = lw.ModelBuilder("massless")
    for k in range(3):
        parent = f"b{k - 1}" if k else "world"
        builder.add_body(f"b{k}", lw.revolute(f"j{k}", "z"), parent=parent, placement=(0.3, 0, 0))
    builder.add_frame("tip", "b2", (0.3, 0, 0))
    model = builder.build().with_constraints(lw.connect("tip", name="held", at=(1.0, 0.2, 0)))
    q = lw.project_configuration(model, [0.3, 0.2, 0.1])
    assert lw.mobility(model, q).rank == lw.check_state(model, q).rank == 2


def welded_arm() -> lw.Model:
    """Three hinges about different axes that carry a frame, welded to the ground where it is at (0.4, -0.3, 0.5)."""
    builder = lw.ModelBuilder("welded arm")
    for k, axis in enumerate("xyz"):
        box = lw.Inertia.box(1.0, (0.1, 0.2, 0.3))
        parent = "world" if k == 0 else f"link{k - 1}"
        builder.add_body(f"link{k}", lw.revolute(f"joint{k}", axis), parent=parent, inertia=box)
    return builder.build()


def test_frames_back_to_front_are_not_closed():
    """The sine of the angle between them is zero there too; nothing may take that for a closed pose."""
    arm = welded_arm()
    for axis in range(3):
        flipped = np.zeros(3)
        flipped[axis] = np.pi
        held = arm.with_constraints(lw.weld("link2", at=lw.Pose.identity(), name="hold"))
        for off in (0.0, 1e-3, -1e-5):
            state = lw.check_state(held, flipped + off, np.zeros(3))
            assert not state.closed
    found = lw.project_configuration(held, [3.0, 0.2, -0.1])
    turned = lw.reference(held, "forward_kinematics", frames=["link2"], outputs="rotations")(found)
    assert np.abs(np.asarray(turned).reshape(3, 3) - np.eye(3)).max() < 1e-10


def test_a_hinge_does_not_mind_which_way_its_axis_is_drawn():
    """Stabilization pulls it closed either way."""
    model = hinged_four_bar(0.0)
    end = model.frames["rocker_end"]
    turned = lw.Pose.from_rpy(tuple(end.placement.translation), (np.pi, 0, 0))
    other = replace(model, frames={**model.frames, "rocker_end": replace(end, placement=turned)})
    runs = [
        lw.simulate(m, m.drawn, dt=1e-3, steps=500, control=[0.2, 0, 0], start="as given") for m in (model, other)
    ]
    assert not complaints(runs[0]) and not complaints(runs[1])
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-8 and np.abs(runs[0].v).max() > 0.1
