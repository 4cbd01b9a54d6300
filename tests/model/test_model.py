"""Building, editing, naming, and what is refused."""

import dataclasses
import json
import math

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.tree.aba import aba
from linkwright.errors import InputError, ModelError
from linkwright.model import Tree
from linkwright.model.kinematic_graph import KinematicGraph
from linkwright.model.rotation_steps import constant_transform, turns_needed
from linkwright.model.serialization import from_dictionary, to_dictionary
from linkwright.robots.random import random_inertia, random_pose, random_tree
from linkwright.spatial import Placement
from linkwright.trace import count_operations, simplify, trace
from referee import Referee

BRICK = lw.Inertia.box(1.0, (0.1, 0.2, 0.3))


def two_links():
    builder = lw.ModelBuilder("two")
    builder.add_body("upper", lw.revolute("shoulder", "y"), inertia=BRICK)
    builder.add_body("lower", lw.revolute("elbow", "y"), parent="upper", placement=(0, 0, -0.5), inertia=BRICK)
    builder.add_frame("hand", "lower", (0, 0, -0.4))
    return builder.build()


def test_sizes_names_and_frames():
    model = two_links()
    assert (model.nq, model.nv, model.nbodies) == (2, 2, 3)
    assert [joint.name for joint in model.joints] == ["shoulder", "elbow"]
    assert model.frame("hand").body == 2 and model.frame("elbow").body == 2 and model.frame("lower").body == 2
    assert model.iq[2] == slice(1, 2)
    with pytest.raises(InputError, match="Did you mean 'hand'"):
        model.frame("hnad")


def test_models_are_immutable():
    model = two_links()
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.name = "other"
    with pytest.raises(TypeError):
        model.frames["x"] = None
    with pytest.raises(ValueError, match="read-only"):
        model.gravity[2] = 0
    with pytest.raises(ValueError, match="read-only"):
        model.bodies[1].inertia.com[0] = 1


def test_fixed_joints_merge(rng):
    """A welded body adds its mass to its parent; the dynamics are those of one lump."""
    pose, extra = random_pose(rng), random_inertia(rng)
    builder = lw.ModelBuilder("welded")
    builder.add_body("arm", lw.revolute("joint", "x"), inertia=BRICK)
    builder.add_body("tool", lw.fixed("weld"), parent="arm", placement=pose, inertia=extra)
    builder.add_body("tip", lw.prismatic("slide", "z"), parent="tool", placement=(0.1, 0, 0), inertia=BRICK)
    model = builder.build()
    assert model.nbodies == 3 and model.frame("tool").body == 1 and model.frame("weld").body == 1
    lump = BRICK + extra.moved(pose)
    assert model.bodies[1].inertia.mass == pytest.approx(lump.mass)
    assert np.allclose(model.bodies[1].inertia.tensor, lump.tensor)
    assert model.bodies[2].placement.is_close(pose @ lw.Pose.of((0.1, 0, 0)))


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda b: b.add_body("a", lw.revolute("j"), parent="nowhere"), "nowhere"),
        (lambda b: b.add_body("", lw.revolute("j")), "non-empty"),
        (lambda b: b.add_body("a", "revolute"), "linkwright.revolute"),
        (lambda b: [b.add_body("a", lw.revolute("j")), b.add_body("a", lw.revolute("k"))], "'a' is there already"),
        (lambda b: [b.add_body("a", lw.revolute("j")), b.add_body("b", lw.revolute("j"))], "two joints"),
        (lambda b: b.add_frame("f", "missing"), "missing"),
        (lambda b: b.add_body("a", lw.revolute("j"), placement=(1, 2)), "shape"),
        (lambda b: b.add_body("a", lw.revolute("j"), placement=(1, 2, np.nan)), "finite"),
        (lambda b: b.add_body("a", lw.revolute("j"), placement=np.ones((4, 4))), "rotation"),
        (lambda b: b.add_mimic("x", "y") or b.build(), "mimic"),
    ],
)
def test_the_builder_refuses(build, message):
    with pytest.raises(ModelError, match=message):
        build(lw.ModelBuilder())


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: lw.Inertia(-1.0, [0, 0, 0], np.eye(3)), "mass is -1"),
        (lambda: lw.Inertia(np.nan, [0, 0, 0], np.eye(3)), "finite"),
        (lambda: lw.Inertia(1.0, [0, 0], np.eye(3)), "shape"),
        (lambda: lw.Inertia(1.0, [0, 0, 0], np.arange(9.0).reshape(3, 3)), "symmetric"),
        (lambda: lw.revolute("j", (0, 0, 0)), "no direction"),
        (lambda: lw.revolute("j", "w"), "expected one of"),
        (lambda: lw.revolute("j", armature=-1), "negative"),
        (lambda: lw.revolute("j", damping=np.inf), "finite"),
        (lambda: lw.revolute("j", lower=1, upper=0), "above"),
        (lambda: lw.revolute("j", stiffnes=1), "stiffnes"),
        (lambda: lw.spherical("j", stiffness=1), "springs"),
        (lambda: lw.planar("j", stiffness=1), "springs"),
        (lambda: lw.universal("j", "x", second_axis=(1, 1, 0)), "perpendicular"),
        (lambda: lw.helical("j", pitch=np.nan), "pitch"),
        (lambda: lw.revolute("j", armature=[1, 2]), "expected one number or 1"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_implausible_inertias_are_warned_about_by_name():
    builder = lw.ModelBuilder()
    builder.add_body("ghost", lw.revolute("a"))
    builder.add_body("flat", lw.revolute("b"), parent="ghost", inertia=lw.Inertia(1, [0, 0, 0], np.diag([1, 1, 9])))
    warnings = builder.build().warnings
    assert "'ghost' has no mass" in warnings[0] and "'flat'" in warnings[1] and "triangle" in warnings[1]


def test_a_joint_that_moves_nothing_cannot_be_solved_unless_it_has_a_rotor():
    builder = lw.ModelBuilder()
    builder.add_body("arm", lw.revolute("shoulder", "x"), inertia=BRICK)
    builder.add_body("ghost", lw.revolute("wrist", "y"), parent="arm")
    model = builder.build()
    with pytest.raises(ModelError, match=r"'wrist'.*'ghost'.*armature"):
        lw.compile(model, "aba")
    assert lw.reference(model, "rnea")(np.zeros(2), np.zeros(2), np.ones(2))[1] == 0  # inverse dynamics has no problem
    builder = lw.ModelBuilder()
    builder.add_body("arm", lw.revolute("shoulder", "x"), inertia=BRICK)
    builder.add_body("ghost", lw.revolute("wrist", "y", armature=0.1), parent="arm")
    a = lw.compile(builder.build(), "aba")(np.zeros(2), np.zeros(2), np.array([0.0, 1.0]))
    assert a[1] == pytest.approx(10.0)


def test_a_massless_link_between_massive_ones_is_fine(rng):
    builder = lw.ModelBuilder()
    builder.add_body("ghost", lw.revolute("a", "x"))
    builder.add_body("arm", lw.revolute("b", "y"), parent="ghost", inertia=BRICK)
    model = builder.build()
    q, v, tau = rng.normal(size=(3, 2))
    assert np.allclose(lw.compile(model, "aba")(q, v, tau), Referee(model, q, v).acceleration(tau).astype(float))


def test_kinematic_graph():
    graph = KinematicGraph([0, 0, 1, 2, 1, 4, 0])
    assert graph.children == ((1, 6), (2, 4), (3,), (), (5,), (), ())
    assert graph.support[5] == (1, 4, 5) and graph.subtree[1] == (1, 2, 3, 4, 5)
    assert graph.depth == (0, 1, 2, 3, 2, 3, 1) and graph.leaves == (3, 5, 6)
    assert graph.common_ancestor(3, 5) == 1 and graph.common_ancestor(3, 6) == 0 and graph.common_ancestor(2, 3) == 2
    assert graph.is_ancestor(1, 5) and not graph.is_ancestor(2, 5) and graph.is_ancestor(0, 6)


@pytest.mark.parametrize("seed", range(8))
def test_locking_joints_keeps_the_motion_of_the_others(seed, rng):
    """Locked joints at rest: the rest accelerates as if they were held by force."""
    model = random_tree(seed, 8, armature=True)
    q = model.random_configuration(rng)
    names = [joint.name for joint in model.joints[1::3]]
    at = {name: q[model.iq[model.joint_index(name)]] for name in names}
    locked = lw.lock_joints(model, at)
    moving = [i for i in range(1, model.nbodies) if model.joints[i - 1].name not in at]
    free = [k for i in moving for k in range(model.nv)[model.iv[i]]]
    here = np.concatenate([q[model.iq[i]] for i in moving])
    v = np.zeros(model.nv)
    v[free] = rng.normal(size=len(free))
    exact, reduced = Referee(model, q, v), Referee(locked, here, v[free])
    assert np.abs(reduced.M - exact.M[np.ix_(free, free)]).max() < 1e-10
    assert np.abs(reduced.bias - exact.bias[free]).max() < 1e-9 * (1 + np.abs(exact.bias).max())


def test_locking_refuses_nonsense():
    model = two_links()
    with pytest.raises(InputError, match="elbow"):
        lw.lock_joints(model, ["elbwo"])
    with pytest.raises(InputError, match="expected 1 numbers"):
        lw.lock_joints(model, {"elbow": [1, 2]})


def test_attach(rng):
    base, tool = random_tree(1, 4, frames=2), random_tree(2, 3)
    pose = random_pose(rng)
    both = lw.attach(base, tool, at="frame_1", placement=pose, prefix="tool_")
    assert both.nv == base.nv + tool.nv and both.joints[4].name == "tool_joint_1"
    q = np.concatenate([base.random_configuration(rng), tool.random_configuration(rng)])
    where = lw.reference(both, "forward_kinematics", frames=["frame_1", "tool_body_3"])(q)
    alone = lw.reference(tool, "forward_kinematics", frames="body_3")(q[base.nq :])
    mount = lw.Pose(where["rotations"][0], where["positions"][0]) @ pose
    expected = mount @ lw.Pose(alone["rotations"][0], alone["positions"][0])
    assert np.abs(where["positions"][1] - expected.translation).max() < 1e-12
    with pytest.raises(ModelError, match="prefix"):
        lw.attach(base, base)
    with pytest.raises(InputError, match="frame_1"):
        lw.attach(base, tool, at="frame_9", prefix="t")


@pytest.mark.parametrize("seed", range(5))
def test_serialization_is_exact(seed):
    model = random_tree(seed, 10, armature=True, springs=True, damping=True, limits=True, frames=4)
    again = from_dictionary(json.loads(json.dumps(to_dictionary(model))))
    assert again == model and again.fingerprint == model.fingerprint
    other = lw.ModelBuilder.from_model(model)
    other.add_frame("one_more")
    assert other.build() != model


@pytest.mark.parametrize("seed", range(20))
def test_integrate_and_difference_undo_each_other(seed, rng):
    model = random_tree(seed, 10)
    q, v = model.random_configuration(rng, 4), rng.uniform(-1, 1, size=(4, model.nv))
    assert np.abs(model.difference(q, model.integrate(q, v)) - v).max() < 1e-12
    assert np.abs(model.difference(q, q)).max() == pytest.approx(0, abs=1e-14)
    assert np.array_equal(model.integrate(q, 0 * v)[0], model.integrate(q[0], 0 * v[0]))
    tiny = 1e-9 * v  # the series near zero
    assert np.abs(model.difference(q, model.integrate(q, tiny)) - tiny).max() < 1e-15
    neutral = model.neutral()
    assert np.abs(model.integrate(neutral, np.zeros(model.nv)) - neutral).max() == 0


def test_bad_vectors_are_refused():
    model = two_links()
    with pytest.raises(InputError, match=r"q has shape \(3,\); expected \(2,\)"):
        model.integrate(np.zeros(3), np.zeros(2))
    with pytest.raises(InputError, match="numbers"):
        model.integrate(["a", "b"], np.zeros(2))


def test_random_configurations_respect_limits_and_seeds():
    model = random_tree(3, 10, limits=True)
    q = model.random_configuration(5, 200)
    assert np.array_equal(q, model.random_configuration(5, 200))
    lower, upper = model.stacked("lower"), model.stacked("upper")
    assert np.all(q >= lower - 1e-12) and np.all(q <= upper + 1e-12)


@pytest.mark.parametrize("turns", range(4))
def test_constant_rotations_take_the_fewest_turns(turns, rng):
    pose = lw.Pose.identity()
    for k in range(turns):
        angle = rng.uniform(0.1, 1.4)
        rpy = np.eye(3)[k] * angle
        pose = pose @ lw.Pose.from_rpy((0, 0, 0), rpy)
    pose = pose @ lw.Pose(np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]]), rng.normal(size=3))
    assert turns_needed(pose.rotation) == turns
    placed = Placement.identity().after(constant_transform(pose))
    assert np.abs(np.array(placed.rotation.rows, dtype=float) - pose.rotation).max() < 1e-14
    assert np.abs(np.array(list(placed.position), dtype=float) - pose.translation).max() < 1e-14


@pytest.mark.parametrize("seed", range(10))
def test_chosen_frames_do_not_cost_more_on_random_trees(seed):
    model = random_tree(seed, 8, kinds=("revolute", "prismatic", "continuous"))
    counts = []
    for refine in (False, True):
        tree = Tree(model, choose_cheap_frames=refine)
        sizes = {"q": model.nq, "v": model.nv, "tau": model.nv}
        program = trace(lambda q, v, tau, tree=tree: aba(tree, q, v, tau), sizes)
        counts.append(count_operations(simplify(program)).total)
    assert counts[1] <= counts[0]


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 1.5])
def test_axes_near_minus_z_are_aligned_to_rounding(angle):
    """Formulas with 1 + cosine lose all digits there."""
    axis = np.array([math.sin(angle) * 0.6, math.sin(angle) * 0.8, -math.cos(angle)])
    joint = lw.revolute("joint", axis)
    C = joint.alignment()
    np.testing.assert_allclose(C @ C.T, np.eye(3), atol=2e-15)
    np.testing.assert_allclose(C[:, 2], joint.axis, atol=2e-15)


class TestNumbersOutOfRange:
    """Nothing that overflows becomes a model full of NaN."""

    @pytest.mark.parametrize("axis", [(1e200, 0, 1e200), (1.7e308, 0, 1.7e308), (3e60, 0, 3e60)])
    def test_long_axes_are_normalised(self, axis):
        assert np.array_equal(lw.revolute("j", axis=axis).axis, lw.revolute("j", axis=(1, 0, 1)).axis)

    def test_long_quaternions_are_normalised(self):
        quarter = lw.Pose.from_quaternion((0, 0, 0), (0, 0, 1e300, 1e300))
        assert quarter.is_close(lw.Pose.from_rpy((0, 0, 0), (0, 0, np.pi / 2)))

    @pytest.mark.parametrize(
        "make",
        [
            lambda: lw.Pose.of((1e308, 0, 0)),
            lambda: lw.Inertia(1e60, np.zeros(3), np.eye(3)),
            lambda: lw.Inertia(1.0, np.array([0, -1e51, 0]), np.eye(3)),
            lambda: lw.revolute("j", stiffness=1e300),
            lambda: lw.helical("j", pitch=1e300),
            lambda: lw.rod("a", "b", length=1e300),
            lambda: lw.couple("a", "b", [0, 1e300]),
            lambda: lw.ModelBuilder("r", gravity=(0, 0, -1e300)),
            lambda: dataclasses.replace(two_links(), gravity=np.array([0, 0, np.nan])),
        ],
    )
    def test_others_are_refused(self, make):
        with pytest.raises(ModelError, match=r"1e\+50|finite"):
            make()


def test_old_names_of_the_drawn_configuration_say_the_new_ones():
    model = lw.load("four_bar")
    with pytest.warns(DeprecationWarning, match=r"Model\.drawn"):
        assert model.reference is model.drawn
    with pytest.warns(DeprecationWarning, match=r"with_drawn"):
        assert np.array_equal(model.with_reference([0.1, 0.2, 0.3]).drawn, [0.1, 0.2, 0.3])
