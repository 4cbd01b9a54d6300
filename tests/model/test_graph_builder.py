"""Spanning trees from graphs: the same mechanism whichever joints are cut, and kind refusals."""

import itertools

import numpy as np
import pytest
from drawings import POINTS, between, four_bar, stewart_platform

import linkwright as lw
from linkwright.errors import ModelError
from linkwright.model.joint import Joint
from linkwright.model.reversal import reversed_joint
from linkwright.referee import solve_kkt
from linkwright.robots.random import random_pose


def closure_errors(model, q):
    """Distance and angle by which each closure's frames differ."""
    errors = []
    for c in model.constraints:
        R, p = lw.reference(model, "forward_kinematics", frames=[c.frame, c.other])(q)
        errors.append(max(np.abs(p[0] - p[1]).max(), np.abs(R[0] - R[1]).max()))
    return errors


def accelerations_of_bodies(model, q):
    """Spatial accelerations, in the world, of the drawn frames when gravity acts on the mechanism at rest."""
    v, tau = np.zeros(model.nv), np.zeros(model.nv)
    a = solve_kkt(model, q, v, tau).a
    frames = ["crank", "coupler", "rocker"]
    return lw.reference(model, "frame_accelerations", frames=frames, seen_from="world")(q, v, a)


def test_a_loop_is_cut_half_way_round():
    model = four_bar().build()
    assert [c.name for c in model.constraints] == ["C"]
    assert model.constraints[0].size == 5
    assert model.graph.depth == (0, 1, 2, 1)
    assert max(closure_errors(model, model.neutral())) < 1e-12


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_the_same_mechanism_whatever_is_cut(cut):
    """Joints get turned round as the tree needs it; the motion under gravity is the same."""
    graph = four_bar()
    model, other = graph.build(), graph.build(cut=cut)
    assert [c.name for c in other.constraints] == [cut]
    expected, found = (accelerations_of_bodies(m, m.neutral()) for m in (model, other))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert np.abs(expected).max() > 1


def test_joints_with_more_freedom_are_cut_first():
    assert [c.name for c in four_bar(B=lw.spherical).build().constraints] == ["B"]
    assert [c.name for c in four_bar(D=lw.spherical, B=lw.cylindrical).build().constraints] == ["D"]


def test_stewart_platform_is_cut_at_five_spherical_joints():
    model = stewart_platform().build()
    assert (model.nv, model.nc) == (21, 15)
    assert sorted(c.name[0] for c in model.constraints) == ["S"] * 5
    assert all(c.point for c in model.constraints)
    assert max(model.graph.depth) == 3
    report = lw.mobility(model)
    assert (report.grubler, report.mobility, report.redundancy) == (6, 6, 0)


def test_actuated_joints_and_those_with_springs_are_kept():
    graph = lw.GraphBuilder("pair")
    graph.add_body("a", between((0, 0, 0), (1, 0, 0)))
    graph.add_body("b", between((1, 0, 0), (1, 1, 0)))
    graph.add_joint(lw.spherical("driven"), "a", "b", at=(1, 0, 0), actuated=True)
    graph.add_joint(lw.spherical("damped", damping=0.1), "b", "world", at=(1, 1, 0))
    graph.add_joint(lw.revolute("plain"), "world", "a", at=(0, 0, 0))
    model = graph.build()
    assert [c.name for c in model.constraints] == ["plain"]
    with pytest.raises(ModelError, match=r"'damped' is cut, .* damping to act on"):
        graph.build(cut="damped")
    lossy = graph.build(cut="damped", allow_loss=True)
    assert [entry.what for entry in lossy.not_computed] == ["damping of joint 'damped'"]


def test_limits_of_cut_joints_are_noted():
    graph = four_bar(C=lambda name: lw.revolute(name, "y", lower=-1, upper=2))
    assert [entry.what for entry in graph.build().not_computed] == ["lower, upper of joint 'C'"]


def test_drawn_poses_do_not_matter():
    """Bodies given in frames of their own, and joints by those frames, are the same mechanism."""
    rng = np.random.default_rng(5)
    plain, drawn = four_bar(), lw.GraphBuilder("four_bar")
    poses = {}
    for name, start, end in (("crank", "A", "B"), ("coupler", "B", "C"), ("rocker", "D", "C")):
        poses[name] = lw.Pose.from_rpy(rng.normal(size=3), rng.normal(size=3))
        own = between(POINTS[start], POINTS[end]).moved(poses[name].inverse())
        drawn.add_body(name, own, pose=poses[name])
    on = {name: {body: poses[body].inverse() @ lw.Pose.of(at) for body in poses} for name, at in POINTS.items()}
    drawn.add_joint(lw.revolute("A", "y"), "world", "crank", on_first=POINTS["A"], on_second=on["A"]["crank"])
    drawn.add_joint(lw.revolute("B", "y"), "crank", "coupler", on_second=on["B"]["coupler"])
    drawn.add_joint(lw.revolute("C", "y"), "coupler", "rocker", on_first=on["C"]["coupler"])
    drawn.add_joint(lw.revolute("D", "y"), "rocker", "world", at=POINTS["D"])
    a, b = plain.build(), drawn.build()
    tau = rng.normal(size=3)
    first, second = (solve_kkt(m, m.neutral(), np.zeros(3), tau) for m in (a, b))
    np.testing.assert_allclose(first.a, second.a, rtol=1e-9)
    # the drawn frame is still there, where it was drawn
    R, p = lw.reference(b, "forward_kinematics", frames=["crank_drawn"])(b.neutral())
    np.testing.assert_allclose(p[0], poses["crank"].translation, atol=1e-12)
    np.testing.assert_allclose(R[0], poses["crank"].rotation, atol=1e-9)


def test_a_mechanism_off_the_ground_gets_a_free_flyer():
    graph = lw.GraphBuilder("floating")
    names = ["a", "b", "c", "d", "e"]
    for k, name in enumerate(names):
        graph.add_body(name, lw.Inertia.sphere(1.0, 0.1), pose=(k, 0, 2))
    for k in range(4):
        graph.add_joint(lw.revolute(f"j{k}"), names[k], names[k + 1], at=(k + 0.5, 0, 2))
    model = graph.build()
    assert model.bodies[1].name == "c" and model.bodies[1].joint.name == "root_joint"
    q = model.drawn
    assert q[:3].tolist() == [2, 0, 2]
    _, p = lw.reference(model, "forward_kinematics", frames=[f"{n}_drawn" for n in "abde"])(q)
    np.testing.assert_allclose(p[:, 0], [0, 1, 3, 4], atol=1e-12)
    assert graph.build(root="a").bodies[1].name == "a"
    with pytest.raises(ModelError, match="'a', 'e' hang together"):
        graph.build(root=["a", "e"])


def test_two_mechanisms_get_two_free_flyers():
    graph = lw.GraphBuilder("two")
    for name in ("a", "b"):
        graph.add_body(name, lw.Inertia.sphere(1.0, 0.1))
    assert [j.name for j in graph.build().joints] == ["a_root_joint", "b_root_joint"]


def test_own_free_flyers():
    graph = lw.GraphBuilder("two")
    graph.add_body("a", lw.Inertia.sphere(1.0, 0.1), pose=(0, 0, 3))
    graph.add_joint(lw.free_flyer("base"), "world", "a")
    model = graph.build()
    assert model.drawn[2] == 3
    graph.add_joint(lw.free_flyer("again"), "world", "a")
    assert "holds nothing" in graph.build().warnings[0]


def test_fixed_joints_merge_bodies_and_stay_in_the_tree():
    graph = four_bar()
    graph.add_body("bracket", lw.Inertia.sphere(0.5, 0.1))
    graph.add_joint(lw.fixed("bolt"), "bracket", "rocker", at=(1, 2, 3))
    model = graph.build()
    assert model.nbodies == 4 and model.frame("bracket").body == model.body_index("rocker")
    assert model.mass == pytest.approx(3.5)
    graph.add_joint(lw.revolute("impossible"), "bracket", "rocker", at=(0, 0, 0))
    with pytest.raises(ModelError, match="'impossible' is between 'bracket' and 'rocker', which fixed joints hold"):
        graph.build()


def test_a_body_held_to_the_ground_by_a_fixed_joint():
    graph = four_bar()
    graph.add_body("stand")
    graph.add_joint(lw.fixed("foot"), "stand", "world", at=(0, 0, 0))
    graph.add_joint(lw.spherical("E"), "stand", "coupler", at=(0.4, 0, 0.45))
    model = graph.build()
    assert model.frame("stand").body == 0
    assert {c.name for c in model.constraints} == {"C", "E"}


def test_frames_and_further_constraints():
    graph = four_bar()
    graph.add_frame("tip", "coupler", (0.5, 0, 1.0))
    graph.add_constraint(lw.connect("tip"))
    model = graph.build()
    assert [c.name for c in model.constraints] == ["C", "tip"]
    _, p = lw.reference(model, "forward_kinematics", frames=["tip"])(model.neutral())
    np.testing.assert_allclose(p[0], [0.5, 0, 1.0], atol=1e-12)


def relative(joint, q):
    pose = joint.displacement(q)
    return np.block([[pose.rotation, pose.translation[:, None]], [np.zeros(3), 1.0]])


@pytest.mark.parametrize(
    ("kind", "same"),
    [
        ("revolute", lambda q: q), ("prismatic", lambda q: q), ("helical", lambda q: q), ("cylindrical", lambda q: q),
        ("universal", lambda q: q[::-1]), ("translational", lambda q: -q),
        ("spherical", lambda q: q * [-1, -1, -1, 1]),
    ],
)  # fmt: skip
def test_reversed_joints_undo_the_motion(kind, same):
    rng = np.random.default_rng(3)
    axis = rng.normal(size=3)
    second = np.cross(axis, rng.normal(size=3))
    joint = Joint(name="j", kind=kind, axis=axis, second_axis=second, pitch=0.2)
    q = np.array(joint.motion().random(rng, joint.lower, joint.upper))
    np.testing.assert_allclose(relative(reversed_joint(joint), same(q)), np.linalg.inv(relative(joint, q)), atol=1e-12)


def test_reversed_quantities_follow_their_coordinates():
    joint = reversed_joint(lw.universal("u", damping=[1, 2], lower=[-1, -2], upper=[3, 4]))
    assert (joint.damping.tolist(), joint.lower.tolist(), joint.upper.tolist()) == ([2, 1], [-2, -1], [4, 3])
    joint = reversed_joint(lw.translational("t", lower=[-1, -2, -3], upper=[4, 5, 6], stiffness=1, spring_reference=1))
    assert joint.lower.tolist() == [-4, -5, -6] and joint.spring_reference.tolist() == [-1, -1, -1]
    assert reversed_joint(lw.spherical("s", damping=2)).damping.tolist() == [2, 2, 2]
    for stubborn in (lw.planar("p", damping=1), lw.spherical("s", damping=[1, 2, 3])):
        with pytest.raises(ModelError, match="the other way round"):
            reversed_joint(stubborn)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda g: g.add_body("crank"), "body 'crank' is there already"),
        (lambda g: g.add_frame("crank"), "frame 'crank' is there already"),
        (lambda g: g.add_body(""), "non-empty string"),
        (lambda g: g.add_body("x", 3.0), "expected a linkwright.Inertia"),
        (lambda g: g.add_joint(lw.revolute("E"), "crnak", "rocker", at=(0, 0, 0)), "Did you mean 'crank'"),
        (lambda g: g.add_joint(lw.revolute("A"), "crank", "rocker", at=(0, 0, 0)), "two joints are named 'A'"),
        (lambda g: g.add_joint(lw.revolute("E"), "crank", "crank", at=(0, 0, 0)), "between 'crank' and itself"),
        (lambda g: g.add_joint(lw.revolute("E"), "crank", "rocker"), "has no place"),
        (lambda g: g.add_joint(lw.revolute("E"), "crank", "rocker", at=(0, 0, 0), on_first=(0, 0, 0)), "one or the"),
        (lambda g: g.add_joint(lw.revolute("E"), "crank", "rocker", at=(0, np.nan, 0)), "finite"),
        (lambda g: g.add_joint("E", "crank", "rocker", at=(0, 0, 0)), "is not a joint"),
        (lambda g: g.add_frame("f", "nobody"), "no body named 'nobody'"),
        (lambda g: g.build(cut="E"), "no joint named 'E'"),
        (lambda g: g.build(cut=["A", "B"]), "cutting 'A', 'B' leaves 'crank' connected to nothing else"),
        (lambda g: g.build(cut=["A", "D"]), "leaves 'crank', 'coupler', 'rocker'"),
        (lambda g: g.build(root="crank"), "connected to the ground"),
        (lambda g: g.build(root="nobody"), "no body named 'nobody'"),
    ],
)
def test_refusals(spoil, message):
    with pytest.raises(ModelError, match=message):
        spoil(four_bar())


KINDS = ("revolute", "spherical", "universal", "cylindrical", "prismatic", "planar", "translational")


def random_graph(seed):
    """Bodies, most of them on revolute joints, and two further joints of any kind that close loops."""
    rng = np.random.default_rng(seed)
    graph, names = lw.GraphBuilder("random"), ["world"]

    def joint(name, kind):
        axis = rng.normal(size=3)
        return Joint(name=name, kind=kind, axis=axis, second_axis=np.cross(axis, rng.normal(size=3)))

    for k in range(int(rng.integers(5, 9))):
        graph.add_body(f"b{k}", lw.Inertia(1.0, rng.normal(size=3), np.eye(3)))
        kind = "revolute" if rng.random() < 0.7 else str(rng.choice(KINDS))
        graph.add_joint(joint(f"j{k}", kind), str(rng.choice(names)), f"b{k}", at=random_pose(rng))
        names.append(f"b{k}")
    pairs = list(itertools.combinations(names, 2))
    for k in range(2):
        first, second = pairs[int(rng.integers(len(pairs)))]
        graph.add_joint(joint(f"c{k}", KINDS[(seed + 3 * k) % len(KINDS)]), second, first, at=random_pose(rng))
    return graph, names[1:], rng


def jacobian_of_bodies(model, names):
    """Twists of all bodies, seen from the world, per velocity of the tree."""
    return np.concatenate(
        [lw.reference(model, "frame_jacobian", frame=n, seen_from="world")(model.neutral()) for n in names]
    )


@pytest.mark.parametrize("seed", range(14))
def test_random_graphs_move_alike_whatever_is_cut(seed):
    """A moving mechanism has the same accelerations, bodies seen from the world, whichever tree carries it."""
    graph, names, rng = random_graph(seed)
    first, second = graph.build(), graph.build(cut=["c0", "c1"])
    assert [c.name for c in second.constraints] == ["c0", "c1"]
    J = lw.reference(first, "constraint_jacobian")(first.neutral())
    _, sigma, V = np.linalg.svd(J)
    free = V[int(np.sum(sigma > 1e-9)) :]
    v = {first: free.T @ rng.normal(size=len(free))}
    every = {model: jacobian_of_bodies(model, names) for model in (first, second)}
    v[second], *_ = np.linalg.lstsq(every[second], every[first] @ v[first], rcond=None)
    found = []
    for model in (first, second):
        q = model.neutral()
        np.testing.assert_allclose(lw.reference(model, "constraint_error")(q), 0, atol=1e-12)
        np.testing.assert_allclose(lw.reference(model, "constraint_jacobian")(q) @ v[model], 0, atol=1e-8)
        a = solve_kkt(model, q, v[model], np.zeros(model.nv)).a
        of_frames = lw.reference(model, "frame_accelerations", frames=names, seen_from="world")
        found.append(of_frames(q, v[model], a))
    np.testing.assert_allclose(every[second] @ v[second], every[first] @ v[first], atol=1e-8)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6, atol=1e-7 * np.abs(found[0]).max())
    assert lw.mobility(first).mobility == lw.mobility(second).mobility


def test_helical_joints_stay_in_the_tree():
    graph = four_bar(B=lambda name: lw.helical(name, "y", pitch=0.1))
    assert [c.name for c in graph.build().constraints] == ["C"]
    with pytest.raises(ModelError, match="another joint"):
        graph.build(cut="B")
