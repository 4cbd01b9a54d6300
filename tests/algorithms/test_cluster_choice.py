"""Which joints become independent where nobody names any, and what rank decides."""

from dataclasses import replace

import numpy as np
import pytest
from cluster_cases import flat, plan

import linkwright as lw
from linkwright.errors import ModelError, UnsupportedError
from linkwright.model import Inertia, ModelBuilder


def chosen(model, **options):
    """Names of the independent joints of clusters with loops."""
    found = plan(model, **options)
    velocities = [n for k, own in enumerate(found.independent) if found.graph.clusters[k].constraints for n in own]
    owner = {n: joint.name for i, joint in enumerate(model.joints, 1) for n in range(model.nv)[model.iv[i]]}
    return [owner[n] for n in velocities]


def assert_same_as_on_the_tree(model, y, yd, rng, tolerance=1e-8):
    """Accelerations of all joints against LCABA on the spanning tree."""
    state = lw.reference(model, "spanning_velocity", outputs=("v", "q"))(y, yd)
    tau = rng.normal(size=model.nv)
    tau_y = lw.reference(model, "independent_torque")(y, tau)
    found = lw.reference(model, "cluster_aba", outputs=("a", "residual", "status"))(y, yd, tau_y)
    expected = lw.reference(model, "lcaba", outputs="a")(state.q, state.v, tau)
    assert found.status == 0 and found.residual < 1e-9
    np.testing.assert_allclose(found.a, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(
    "robot, joints",
    [
        ("stewart_platform", [f"piston{k}_joint" for k in range(1, 7)]),
        ("delta_robot", ["arm1_joint", "arm2_joint", "arm3_joint"]),
        ("jansen_leg", ["crank_joint"]),
        ("five_bar", ["left_upper_joint", "right_upper_joint"]),
        ("slider_crank", ["crank_joint"]),
    ],
)
def test_motors_else_what_is_nearest_the_base(robot, joints, rng):
    model = lw.load(robot)
    assert chosen(model) == joints
    found = plan(model)
    y = found.drawn[found.coordinates] + rng.uniform(-0.05, 0.05, len(joints))
    assert_same_as_on_the_tree(model, y, rng.normal(size=len(joints)), rng)


def test_motors_win_over_what_is_nearer():
    model = lw.robots.watt_six_bar()
    assert chosen(model) == ["crank_joint"]
    assert chosen(replace(model, motors=("second_rocker_joint",))) == ["second_rocker_joint"]
    assert chosen(replace(model, motors=("second_rocker_joint",)), independent=("rocker_joint",)) == ["rocker_joint"]


def test_left_and_right_alike():
    names = chosen(lw.load("digit_like"))
    left = [name.removeprefix("left_") for name in names if name.startswith("left_")]
    right = [name.removeprefix("right_") for name in names if name.startswith("right_")]
    assert left == right and len(left) == 3


def test_a_motor_at_a_dead_centre_is_looked_at_elsewhere():
    """Drawn where the slider has no grip on the crank; a configuration of the model is where it has."""
    model = lw.robots.slider_crank(angle=0.0)
    model = replace(model, motors=("slider_joint",))
    assert chosen(model) == ["crank_joint"]
    q = lw.reference(model, "spanning_position", independent="crank_joint", outputs="q")([0.8])
    assert chosen(replace(model, configurations={"ready": q})) == ["slider_joint"]


def rod_between_balls():
    """A crank and a rocker about skew axes, and a rod on balls at both its ends: it may spin."""
    builder = ModelBuilder("skew")
    beam = Inertia.box(0.5, (0.3, 0.04, 0.02), (0.15, 0.01, 0.0))
    builder.add_body("crank", lw.revolute("crank_joint", "z"), inertia=beam)
    builder.add_body("rod", lw.spherical("rod_joint"), parent="crank", placement=(0.3, 0, 0), inertia=beam)
    builder.add_body("rocker", lw.revolute("rocker_joint", (0.2, 1.0, 0.3)), placement=(0.9, 0.1, 0), inertia=beam)
    builder.add_frame("rod_end", "rod", (0.7, 0.0, 0.0))
    builder.add_frame("rocker_end", "rocker", (0.0, 0.1, 0.4))
    model = builder.build().with_constraints(lw.connect("rod_end", "rocker_end", name="ball"))
    return replace(model, motors=("crank_joint",))


def test_a_rod_between_balls(rng):
    """Only its spin is independent: y holds the rod's whole quaternion, yd one of its velocities."""
    model = rod_between_balls()
    found = plan(model)
    assert sorted(chosen(model)) == ["crank_joint", "rod_joint"]
    assert len(flat(found)) == 2 and len(found.coordinates) == 5
    y = found.drawn[found.coordinates]
    moved = lw.reference(model, "integrate_independent")(y, [0.2, -0.3])
    assert_same_as_on_the_tree(model, moved, rng.normal(size=2), rng)

    step = lw.compile(model, "cluster_aba")
    follow = lw.compile(model, "integrate_independent")
    spanning = lw.compile(model, "spanning_velocity", outputs=("v", "q"))
    kinetic, potential = (lw.compile(model, f"{kind}_energy") for kind in ("kinetic", "potential"))

    def energy(y, yd):
        state = spanning(y, yd)
        return float(kinetic(state.q, state.v)) + float(potential(state.q))

    def swung(h):
        y, yd = moved, np.array([1.0, 8.0])
        start = energy(y, yd)
        for _ in range(round(0.4 / h)):  # the midpoint rule
            middle = follow(y, h / 2 * yd), yd + h / 2 * step(y, yd, np.zeros(2))
            y, yd = follow(y, h * middle[1]), yd + h * step(*middle, np.zeros(2))
        return abs(energy(y, yd) - start)

    coarse, fine = swung(1e-3), swung(2.5e-4)
    assert fine < 1e-6 and fine < coarse / 10  # second order: sixteen times


def doubled_four_bar(error, longer: float = 0.0):
    """A parallelogram with a third bar, drawn with few digits: the third loop fits the others up to `error`."""
    builder = ModelBuilder("doubled")
    bar = Inertia.box(0.3, (0.1, 0.02, 0.02), (0.05, 0, 0))
    builder.add_body("driver", lw.revolute("driver_joint", "z"), inertia=bar)
    shoulder = (0, 0.1 + longer, 0)
    builder.add_body("front", lw.revolute("front_joint", "z"), parent="driver", placement=shoulder, inertia=bar)
    builder.add_body("back", lw.revolute("back_joint", "z"), parent="driver", placement=(0, -0.1, 0), inertia=bar)
    builder.add_body("head", lw.revolute("head_joint", "z"), placement=(0.1, 0, 0), inertia=bar)
    for side, y in (("front", 0.1), ("back", -0.1)):
        builder.add_frame(f"{side}_end", side, (0.1, 0, 0))
        builder.add_frame(f"{side}_of_head", "head", (error if side == "back" else 0.0, y, 0))
    pins = [lw.connect(f"{side}_end", f"{side}_of_head", name=side) for side in ("front", "back")]
    return replace(builder.build().with_constraints(*pins), motors=("driver_joint",))


@pytest.mark.parametrize("error", [0.0, 3e-8, -1e-7])
def test_rounded_numbers_do_not_lock_a_mechanism(error):
    """One rank for the whole library: what is dependent up to rounding does not count."""
    model = doubled_four_bar(error)
    assert chosen(model) == ["driver_joint"]
    assert lw.mobility(model).mobility == 1
    y = np.linspace(-1.0, 1.0, 101)[:, None]
    step = lw.compile(model, "cluster_aba", outputs=("q", "residual", "status"))
    result = step(y, np.zeros_like(y), np.zeros_like(y))
    assert np.all(result.status == 0) and result.residual.max() < 3 * abs(error) + 1e-12
    np.testing.assert_allclose(result.q[:, 3], y[:, 0], atol=20 * abs(error) + 1e-9)


def test_what_closes_exactly_in_one_pose_only_moves_as_far_as_digits_allow():
    """Rounding may leave a single pose that closes to the last digit, as in ToddlerBot's neck: it is no dead end."""
    model = doubled_four_bar(3e-8, longer=3e-8)
    assert chosen(model) == ["driver_joint"] and lw.mobility(model).mobility == 1
    result = lw.reference(model, "spanning_position", outputs=("q", "residual", "status"))([0.4])
    assert result.status == 0 and result.residual < 2e-7 and abs(result.q[3] - 0.4) < 1e-5


def test_the_advice_about_feet_works():
    """Feet that are held somewhere are embedded when asked for; those held wherever they are cannot be."""
    model = lw.load("digit_like")
    feet = ["left_foot", "right_foot"]
    with pytest.raises(UnsupportedError, match="and are not embedded") as caught:
        lw.trace_program(model, "cluster_aba")
    assert f"loops={feet}" in str(caught.value)
    found = plan(model, loops=tuple(feet))
    assert len(chosen(model, loops=tuple(feet))) == 6
    standing = lw.reference(model, "spanning_position", loops=feet)
    assert standing(found.drawn[found.coordinates]).residual < 1e-12

    loops = model.without_constraints().with_constraints(*(c for c in model.constraints if c.name not in feet))
    lw.trace_program(loops, "cluster_rnea")
    loose = loops.with_constraints(lw.weld("left_foot"))
    with pytest.raises(UnsupportedError, match=r"say where \['left_foot'\] hold their frames \(at=...\)"):
        lw.trace_program(loose, "cluster_aba")


def bars(*, lengths, pins=0.5, carrier=None):
    """Two bars between pins, drawn stretched; on a carrier that slides along if asked for."""
    builder = ModelBuilder("bars")
    if carrier:
        builder.add_body("carrier", lw.prismatic("slide", "x"), inertia=Inertia.box(1.0, (0.1, 0.1, 0.1)))
    parent, at = carrier or "world", 0.0
    for k, length in enumerate(lengths):
        inertia = Inertia.box(1.0, (length, 0.03, 0.03), (length / 2, 0, 0))
        builder.add_body(f"bar{k}", lw.revolute(f"j{k}", "y"), parent=parent, placement=(at, 0, 0), inertia=inertia)
        parent, at = f"bar{k}", length
    builder.add_frame("tip", parent, (at, 0, 0))
    builder.add_frame("pin", carrier or "world", (pins, 0, 0))
    return builder.build().with_constraints(lw.connect("tip", "pin", name="loop"))


@pytest.mark.parametrize("carrier", [None, "carrier"])
def test_bars_that_just_reach_have_a_velocity_and_no_motion(carrier):
    """Their rows are dependent in the only pose they have; the same bars a little longer move."""
    stretched = bars(lengths=(0.3, 0.2), carrier=carrier)
    assert lw.mobility(stretched).mobility == (2 if carrier else 1)
    with pytest.raises(ModelError, match=r"singular poses only.*'j0', 'j1'.*remove one, or all of them and lock"):
        plan(stretched, loops=("loop",))
    freed = lw.lock_joints(stretched.without_constraints(), ["j0", "j1"])  # as it says
    assert freed.nv == (1 if carrier else 0)
    three = bars(lengths=(0.3, 0.2, 0.1), carrier=carrier)
    assert chosen(three, loops=("loop",)) == ["j0"]


def test_a_parallelogram_drawn_flat_moves():
    """Two motions meet there: that is no reason to refuse it."""
    builder = ModelBuilder("parallelogram")
    for name, length, parent, at in [
        ("crank", 0.2, "world", 0.0), ("coupler", 0.5, "crank", 0.2), ("rocker", 0.2, "world", 0.5)
    ]:  # fmt: skip
        inertia = Inertia.box(1.0, (length, 0.03, 0.03), (length / 2, 0, 0))
        builder.add_body(name, lw.revolute(f"{name}_joint", "y"), parent=parent, placement=(at, 0, 0), inertia=inertia)
        builder.add_frame(f"{name}_end", name, (length, 0, 0))
    model = builder.build().with_constraints(lw.connect("coupler_end", "rocker_end", name="pin"))
    assert chosen(model, loops=("pin",)) == ["crank_joint"]
