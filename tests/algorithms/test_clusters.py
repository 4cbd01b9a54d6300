"""Clusters on the papers' robots: every algorithm, every backend, orderings of cost, approximations."""

from dataclasses import replace

import numpy as np
import pytest
from cluster_cases import dense_projection, flat, plan

import linkwright as lw
from linkwright.errors import InputError, UnsupportedError
from linkwright.model import Tree
from linkwright.model.clusters import ClusterGraph
from linkwright.model.found_once import forget_models
from linkwright.referee import DenseDynamics
from linkwright.robots import chain, humanoid, quadruped
from linkwright.trace import count_operations

ROBOTS = ("geared_chain", "belt_chain", "mini_cheetah", "mit_humanoid", "tello", "rotor_humanoid")
SMALL = ("geared_chain:3", "belt_chain:4", "mini_cheetah", "tello_leg")


def states(model, rng, batch=None, spread=0.6):
    found = plan(model)
    size = () if batch is None else (batch,)
    v = rng.normal(size=(*size, model.nv)) * spread
    q = model.integrate(np.broadcast_to(found.drawn, (*size, model.nq)), v)
    ny = len(flat(found))
    return q[..., found.coordinates], rng.normal(size=(*size, ny)), rng.normal(size=(*size, ny))


def operations(model, name, **options):
    return count_operations(lw.trace_program(model, name, **options)).total


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_against_the_referee_and_lcaba(name, rng):
    model = lw.load(name)
    y, yd, tau = states(model, rng)
    result = lw.reference(model, "cluster_aba", outputs=("ydd", "a", "q", "residual", "status"))(y, yd, tau)
    assert result.residual < 1e-12 and result.status == 0
    J = lw.reference(model, "loop_jacobians")(y, yd)
    v = J.G @ yd
    assert np.abs(J.K @ J.G).max() < 1e-12 and np.abs(J.K @ J.g - J.k).max() < 1e-12 * (1 + np.abs(J.k).max())
    expected, H, bias = dense_projection(model, result.q, yd, tau, J.G, J.g)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(result.ydd, expected, rtol=0, atol=1e-9 * scale)
    for other in ("projection", "lagrange"):
        np.testing.assert_allclose(lw.reference(model, other)(y, yd, tau), expected, rtol=0, atol=1e-9 * scale)
    for inverse in ("cluster_rnea", "projected_rnea"):
        found = lw.reference(model, inverse)(y, yd, result.ydd)
        np.testing.assert_allclose(found, tau, rtol=0, atol=1e-10 * (1 + np.abs(bias).max()))
    found = lw.reference(model, "cluster_crba")(y)
    np.testing.assert_allclose(found, H, rtol=0, atol=1e-12 * np.abs(H).max())
    assert np.linalg.eigvalsh(found)[0] > 0 and np.array_equal(found, found.T)
    full = np.zeros(model.nv)
    full[flat(plan(model))] = tau
    loops = lw.reference(model, "lcaba", outputs=("a",), iterations=20)(result.q, v, full)
    np.testing.assert_allclose(result.a, loops, rtol=0, atol=1e-9 * np.abs(loops).max())


@pytest.mark.parametrize("name", SMALL)
def test_backends_agree(name, backend, rng):
    model = lw.load(name)
    y, yd, tau = states(model, rng, batch=11)
    expected = lw.reference(model, "cluster_aba")(y, yd, tau)
    found = backend(model, "cluster_aba", {"y": y, "yd": yd, "tau_y": tau})
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    back = backend(model, "cluster_rnea", {"y": y, "yd": yd, "ydd": expected})
    np.testing.assert_allclose(back, tau, rtol=0, atol=1e-9)


@pytest.mark.parametrize("model", [chain(6), quadruped(), humanoid()], ids=lambda m: m.name)
def test_clusters_of_one_body_cost_what_trees_cost(model):
    assert operations(model, "cluster_aba") == operations(model, "aba")
    assert operations(model, "cluster_rnea") == operations(model, "rnea")
    assert operations(model, "cluster_crba") == operations(model, "crba")
    held = model.with_constraints(lw.weld(model.bodies[-1].name), lw.connect(model.bodies[2].name))
    assert operations(held, "cluster_efpa") == operations(held, "efpa")


@pytest.mark.parametrize("name", ROBOTS)
def test_orderings_of_the_paper(name):
    """[Chignoli2023] Tables II and III, in operations."""
    model = lw.load(name)
    assert operations(model, "cluster_rnea") < operations(model, "projected_rnea")
    exact = operations(model, "cluster_aba")
    assert exact < operations(model, "projection") < operations(model, "lagrange")
    assert operations(model, "approximate_aba") < exact
    assert operations(model, "approximate_rnea") < operations(model, "cluster_rnea")


@pytest.mark.parametrize("name, frames", [
    ("geared_chain", ["tip"]), ("belt_chain", ["tip"]), ("rotor_humanoid", ["left_foot", "right_foot"]),
])  # fmt: skip
def test_force_propagators_win_on_long_limbs(name, frames):
    """[Chignoli2023] Table IV. On short limbs the projection, whose factors keep the zeros of branches, is cheaper."""
    held = lw.load(name).with_constraints(*map(lw.weld, frames))
    assert operations(held, "cluster_efpa") < operations(held, "projected_efpa")


@pytest.mark.parametrize("robot", ["geared_chain", "belt_chain"])
def test_linear_and_cubic_growth(robot):
    """From 2 to 24 links: C-ABA's cost per further link stays, those of the dense methods grow."""
    sizes = (2, 8, 16, 24)
    names = ("cluster_aba", "projection", "lagrange")
    counts = {name: [operations(lw.load(f"{robot}:{n}"), name) for n in sizes] for name in names}
    slope = np.diff(counts["cluster_aba"]) / np.diff(sizes)
    assert slope[2] == pytest.approx(slope[1], rel=1e-3)
    for name in ("projection", "lagrange"):
        cubic = np.polyfit(sizes, counts[name], 3)
        assert cubic[0] > 0.1  # operations per link cubed
        assert np.diff(counts[name])[-1] > 1.7 * np.diff(counts[name])[-2]


@pytest.mark.parametrize("name", ["geared_chain:4", "belt_chain:4", "mini_cheetah", "tello_leg", "mit_humanoid"])
def test_end_effectors_in_independent_coordinates(name, rng):
    model = lw.load(name)
    frames = {"geared_chain:4": ["tip"], "belt_chain:4": ["tip", "link_2"], "mini_cheetah": ["FL_foot", "RR_foot"],
              "tello_leg": ["foot", "shank"], "mit_humanoid": ["left_foot", "right_hand", "torso"]}[name]  # fmt: skip
    y, yd, _ = states(model, rng)
    held = model.with_constraints(*(lw.weld(frame) for frame in frames))
    J = np.concatenate([lw.reference(model, "cluster_frame_jacobian", frame=frame)(y) for frame in frames])
    H = lw.reference(model, "cluster_crba")(y)
    expected = J @ np.linalg.solve(H, J.T)
    for algorithm in ("cluster_efpa", "projected_efpa"):
        found = lw.reference(held, algorithm)(y)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    moving = lw.reference(model, "spanning_velocity", outputs=("v", "q"))(y, yd)
    twist = lw.reference(model, "frame_velocities", frames=frames[0])(moving.q, moving.v)[0]
    np.testing.assert_allclose(J[:6] @ yd, twist, atol=1e-12 * (1 + np.abs(twist).max()))


@pytest.mark.parametrize("name", SMALL)
def test_external_forces_on_any_body(name, rng):
    model = lw.load(name)
    y, yd, tau = states(model, rng)
    f_ext = rng.normal(size=(model.nbodies, 6))
    J = lw.reference(model, "loop_jacobians")(y, yd)
    q = lw.reference(model, "spanning_position", outputs="q")(y)
    torque = J.G.T @ DenseDynamics(model, q, J.G @ yd).torque_of_forces(f_ext).astype(float)
    expected = lw.reference(model, "cluster_aba")(y, yd, tau + torque)
    for algorithm in ("cluster_aba", "projection", "lagrange"):
        found = lw.reference(model, algorithm, f_ext=True)(y, yd, tau, f_ext)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    back = lw.reference(model, "cluster_rnea", f_ext=True)(y, yd, expected, f_ext)
    np.testing.assert_allclose(back, tau, atol=1e-9 * (1 + np.abs(torque).max()))


def test_belts_of_the_mit_humanoid():
    model = lw.load("mit_humanoid")
    y, yd, _ = states(model, np.random.default_rng(0))
    J = lw.reference(model, "loop_jacobians", outputs=("G", "g"))(y, yd)
    joints = [f"left_{name}_joint" for name in ("shank", "foot_rotor", "shank_rotor", "foot_link")]
    rows = [model.iv[model.joint_index(name)].start for name in joints]
    columns = [flat(plan(model)).index(rows[0]), flat(plan(model)).index(rows[3])]
    np.testing.assert_array_equal(J.G[np.ix_(rows, columns)], [[1, 0], [12, 12], [12, 0], [0, 1]])
    assert not J.g.any()


def test_coordinates_there_and_back(rng):
    model = lw.load("tello_leg")
    y, yd, ydd = states(model, rng)
    q = lw.reference(model, "spanning_position", outputs="q")(y)
    v = lw.reference(model, "spanning_velocity")(y, yd)
    np.testing.assert_array_equal(lw.reference(model, "independent_position")(q), y)
    np.testing.assert_allclose(lw.reference(model, "independent_velocity")(v), yd, atol=1e-15)
    h = 1e-5
    there, back = (lw.reference(model, "spanning_position", outputs="q")(y + s * yd) for s in (h, -h))
    np.testing.assert_allclose((there - back) / (2 * h), v, rtol=1e-7, atol=1e-8)
    ahead, behind = (lw.reference(model, "spanning_velocity")(y + s * yd, yd + s * ydd) for s in (h, -h))
    a = lw.reference(model, "spanning_acceleration")(y, yd, ydd)
    np.testing.assert_allclose((ahead - behind) / (2 * h), a, rtol=1e-6, atol=1e-7)
    tau = rng.normal(size=model.nv)
    assert lw.reference(model, "independent_torque")(y, tau) @ yd == pytest.approx(tau @ v)
    moved = lw.reference(model, "integrate_independent")(y, yd)
    np.testing.assert_allclose(moved, y + yd)


def test_positions_may_be_given_as_they_are(rng):
    model = lw.load("tello")
    y, yd, tau = states(model, rng)
    q = lw.reference(model, "spanning_position", outputs="q")(y)
    expected = lw.reference(model, "cluster_aba")(y, yd, tau)
    spanning = lw.reference(model, "cluster_aba", coordinates="spanning")(q, yd, tau)
    np.testing.assert_allclose(spanning, expected, rtol=1e-9, atol=1e-9)
    guessed = lw.reference(model, "cluster_aba", guess="input")(y, yd, tau, q)
    np.testing.assert_allclose(guessed, expected, rtol=1e-9, atol=1e-9)
    assert operations(model, "cluster_aba", coordinates="spanning") < 0.8 * operations(model, "cluster_aba")


def test_approximations_are_of_the_independent_tree(rng):
    """[Chignoli2023] sec. II-C: RNEA of the tree without its rotors, which leave N^2 I on the diagonal."""
    model = lw.load("geared_chain:4")
    y, yd, ydd = states(model, rng)
    bare = lw.default_parameters(model, ("inertias",))["inertias"]
    rotors = [i for i in range(1, model.nbodies) if model.bodies[i].name.startswith("rotor")]
    bare[rotors] = 0.0
    without = lw.reference(model, "cluster_rnea", parameters="inertias")(y, yd, ydd, bare)
    offset = []
    for gear in model.constraints:  # rotor - N link = 0, in the order of the links
        rotor = model.bodies[model.joint_index(gear.joints[0])]
        axis = rotor.joint.axis
        offset.append(gear.terms[1][1][1] ** 2 * (axis @ rotor.inertia.tensor @ axis))
    unconstrained = lw.reference(model, "approximate_rnea", reflected="none")(y, yd, ydd)
    np.testing.assert_allclose(unconstrained, without, atol=1e-11)
    found = lw.reference(model, "approximate_rnea")(y, yd, ydd)
    np.testing.assert_allclose(found, without + np.array(offset) * ydd, atol=1e-11)


def test_an_open_pose_is_said(rng):
    """Coordinates of the whole tree must close the loops, gears among them; how far they do not is said."""
    for model, joint in ((lw.load("four_bar"), "rocker_joint"), (lw.load("geared_chain:3"), "rotor_2_joint")):
        at = plan(model)
        step = lw.reference(
            model, "cluster_aba", coordinates="spanning", outputs=("ydd", "residual", "status")
        )
        zero = np.zeros(len(flat(at)))
        closed = step(at.drawn, zero, zero)
        assert closed.status == 0 and closed.residual < 1e-12
        q = at.drawn.copy()
        q[model.iq[model.joint_index(joint)].start] += 0.1
        opened = step(q, zero, zero)
        assert opened.status == 1 and 0.01 < opened.residual < 0.2


def test_approximations_keep_less_and_less_of_the_rotors(rng):
    """Figure 14's order, at one state; the experiment itself is in bench/ankle_torque.py."""
    model = lw.load("belt_chain:4")
    y, yd, ydd = states(model, rng)
    exact = lw.reference(model, "cluster_rnea")(y, yd, ydd)
    errors = [
        np.abs(lw.reference(model, "approximate_rnea", reflected=kept)(y, yd, ydd) - exact).max()
        for kept in ("block", "diagonal", "none")
    ]
    assert 0 < errors[0] < errors[1] < errors[2]
    for kept in ("block", "diagonal", "none"):
        tau = lw.reference(model, "approximate_rnea", reflected=kept)(y, yd, ydd)
        back = lw.reference(model, "approximate_aba", reflected=kept)(y, yd, tau)
        np.testing.assert_allclose(back, ydd, atol=1e-10)


def test_gears_against_a_lagrangian(rng):
    """Two links and two rotors, from kinetic and potential energy by CasADi."""
    ca = pytest.importorskip("casadi")
    model = lw.load("geared_chain:2")
    q, v, a = (ca.SX.sym(name, 2) for name in "qva")
    kinetic = potential = 0
    angle = rate = 0
    joint = ca.SX.zeros(2)
    for k in range(2):
        for mass, inertia, spin, at in (
            (0.05, 1e-4, rate + 2 * v[k], joint),
            (1.0, 1.0, rate + v[k], joint + 0.5 * ca.vertcat(ca.cos(angle + q[k]), ca.sin(angle + q[k]))),
        ):
            velocity = ca.jacobian(at, q) @ v
            kinetic += 0.5 * mass * ca.dot(velocity, velocity) + 0.5 * inertia * spin**2
            potential += mass * 9.81 * at[1]
        angle, rate = angle + q[k], rate + v[k]
        joint = joint + ca.vertcat(ca.cos(angle), ca.sin(angle))
    momentum = ca.gradient(kinetic, v)
    torque = ca.jacobian(momentum, q) @ v + ca.jacobian(momentum, v) @ a - ca.gradient(kinetic - potential, q)
    function = ca.Function("torque", [q, v, a], [torque])
    for _ in range(5):
        y, yd, ydd = rng.normal(size=(3, 2))
        expected = np.array(function(y, yd, ydd)).ravel()
        np.testing.assert_allclose(lw.reference(model, "cluster_rnea")(y, yd, ydd), expected, rtol=1e-11, atol=1e-11)


def test_smallest_clusters():
    """Loops that share a body share a cluster; outputs in two clusters pull the farther one in."""
    model = chain(6)
    graph = ClusterGraph(model, [(0, [2, 3]), (1, [3, 4])])
    assert [c.bodies for c in graph.clusters] == [(0,), (1,), (2, 3, 4), (5,), (6,)]
    assert graph.clusters[2].output == {2: 1, 3: 1, 4: 1} and graph.clusters[3].parent == 2
    assert [c.bodies for c in ClusterGraph(model, [(0, [2, 4])]).clusters] == [(0,), (1,), (2, 3, 4), (5,), (6,)]
    tree = lw.robots.tree(7, 2)  # 1; 2, 3 on 1; 4, 5 on 2; 6, 7 on 3
    apart = ClusterGraph(tree, [(0, [4, 6])])
    assert [c.bodies for c in apart.clusters] == [(0,), (1,), (2, 3, 4, 6), (5,), (7,)]
    together = ClusterGraph(tree, [(0, [2, 3]), (1, [4, 6])])
    assert [c.bodies for c in together.clusters] == [(0,), (1,), (2, 3), (4, 6), (5,), (7,)]
    assert together.clusters[3].outputs == (2, 3)  # a cluster that hangs on two bodies of its parent


def test_clusters_by_hand(rng):
    model = lw.load("geared_chain:3")
    groups = [["link_1_joint", "link_2_joint"]]
    assert len(plan(model, clusters=groups).graph.clusters) == len(plan(model).graph.clusters) - 1
    y, yd, tau = states(model, rng)
    found = lw.reference(model, "cluster_aba", clusters=groups)(y, yd, tau)
    np.testing.assert_allclose(found, lw.reference(model, "cluster_aba")(y, yd, tau), rtol=1e-10)
    with pytest.raises(InputError, match="no joint named 'nowhere'"):
        lw.trace_program(model, "cluster_aba", clusters=[["nowhere"]])


def test_masses_may_be_inputs(rng):
    """With inertias unknown until the call, rotors are bodies like others; the answer is the same."""
    model = lw.load("mini_cheetah")
    y, yd, tau = states(model, rng)
    expected = lw.reference(model, "cluster_aba")(y, yd, tau)
    masses = lw.default_parameters(model, ("masses",))["masses"]
    found = lw.reference(model, "cluster_aba", parameters="masses")(y, yd, tau, masses)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    heavier = lw.reference(model, "cluster_rnea", parameters="masses")(y, yd, expected, masses * 2)
    assert np.abs(heavier - tau).max() > 1


def test_wheels_and_their_rotors_are_rotors_both(rng):
    """A cluster without any other body: two wheels, each geared to a rotor, on a floating base and on an arm."""
    builder = lw.ModelBuilder("rover")
    builder.add_body("base", lw.free_flyer("root_joint"), inertia=lw.Inertia.box(5.0, (0.4, 0.3, 0.1), (0.02, 0, 0)))
    builder.add_body("arm", lw.revolute("arm_joint", "y"), parent="base", inertia=lw.Inertia.box(1, (0.3, 0.1, 0.1)))
    gears = []
    for k, parent in enumerate(("base", "arm")):
        for name, moment in ((f"wheel_{k}", 2e-2), (f"motor_{k}", 1e-4)):
            disc = lw.Inertia(0.5, np.zeros(3), np.diag([moment / 2, moment, moment / 2]))
            at = (0.1, 0.2, -0.1)
            builder.add_body(name, lw.continuous(f"{name}_joint", "y"), parent=parent, placement=at, inertia=disc)
        gears.append(lw.gear(f"motor_{k}_joint", f"wheel_{k}_joint", 9.0))
    model = builder.build().with_constraints(*gears)
    y, yd, tau = states(model, rng)
    G = lw.reference(model, "loop_jacobians", outputs="G")(y, yd)
    q = lw.reference(model, "spanning_position", outputs="q")(y)
    expected, H, _ = dense_projection(model, q, yd, tau, G, np.zeros(model.nv))
    np.testing.assert_allclose(lw.reference(model, "cluster_aba")(y, yd, tau), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(lw.reference(model, "cluster_crba")(y), H, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(lw.reference(model, "cluster_rnea")(y, yd, expected), tau, atol=1e-9)
    held = model.with_constraints(lw.weld("arm"))
    found, other = (lw.reference(held, name)(y) for name in ("cluster_efpa", "projected_efpa"))
    np.testing.assert_allclose(found, other, atol=1e-10 * np.abs(other).max())


@pytest.mark.parametrize("carriers", [("world", "link_1"), ("link_2", "world"), ("link_1", "link_3")])
def test_rotors_far_from_the_joints_they_drive(carriers, rng):
    """Cables: rotors on other bodies than the driven links' parents, two of them tied to one another's links."""
    builder = lw.ModelBuilder.from_model(chain(5))
    spin = lw.Inertia(0.1, np.zeros(3), np.diag([1e-3, 1e-3, 2e-3]))
    for k, parent in enumerate(carriers):
        at = lw.Pose.from_rpy((0.1, 0.05, 0.0), (0.4, 0.2, 0.0))
        builder.add_body(f"r{k}", lw.continuous(f"rotor_{k}", "z"), parent=parent, placement=at, inertia=spin)
    model = builder.build().with_constraints(
        lw.gear("rotor_0", "link_3_joint", 5.0), lw.transmission({"rotor_1": 1, "link_4_joint": -4, "link_2_joint": 3})
    )
    y, yd, tau = states(model, rng)
    q = lw.reference(model, "spanning_position", outputs="q")(y)
    G = lw.reference(model, "loop_jacobians", outputs="G")(y, yd)
    expected, H, _ = dense_projection(model, q, yd, tau, G, np.zeros(model.nv))
    np.testing.assert_allclose(lw.reference(model, "cluster_aba")(y, yd, tau), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(lw.reference(model, "cluster_crba")(y), H, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(lw.reference(model, "cluster_rnea")(y, yd, expected), tau, atol=1e-9)


def test_three_links_on_parallel_belts(rng):
    """Rotor rows diag(N) B with cumulative belt ratios, for three links and three rotors on one body."""
    builder = lw.ModelBuilder("triple")
    inertia = lw.Inertia.box(1.0, (0.3, 0.05, 0.05), (0.15, 0, 0))
    spin = lw.Inertia(0.1, np.zeros(3), np.diag([1e-4, 1e-4, 2e-4]))
    rotors = [builder.add_body(f"r{k}", lw.continuous(f"rotor_{k}", "z"), inertia=spin) for k in range(3)]
    parent = "world"
    for k in range(3):
        at = (0.3, 0, 0) if k else None
        parent = builder.add_body(f"l{k}", lw.revolute(f"link_{k}", "z"), parent=parent, placement=at, inertia=inertia)
    belts = lw.parallel_belts(
        [f"link_{k}" for k in range(3)], [f"rotor_{k}" for k in range(3)], (6, 6, 5), ((2,), (2, 1), (2, 1, 1.5))
    )
    model = builder.build().with_constraints(*belts)
    y, yd, tau = rng.normal(size=(3, 3))
    G = lw.reference(model, "loop_jacobians", outputs="G")(y, yd)
    np.testing.assert_allclose(G[:3], [[12, 0, 0], [12, 12, 0], [10, 10, 15]])
    expected, _, _ = dense_projection(model, G @ y, yd, tau, G, np.zeros(6))
    np.testing.assert_allclose(lw.reference(model, "cluster_aba")(y, yd, tau), expected, rtol=1e-10)
    assert len(rotors) == 3


def test_a_bad_sample_spoils_no_other(rng):
    model = lw.load("tello_leg")
    y, yd, tau = states(model, rng, batch=5)
    function = lw.compile(model, "cluster_aba", outputs=("ydd", "status"))
    fine = function(y, yd, tau)
    y[2, 1] = np.nan
    spoiled = function(y, yd, tau)
    kept = [0, 1, 3, 4]
    np.testing.assert_array_equal(spoiled.ydd[kept], fine.ydd[kept])
    assert spoiled.status[2] != 0 and not spoiled.status[kept].any()


def test_contacts_are_not_embedded_silently():
    model = lw.load("mini_cheetah").with_constraints(lw.connect("FL_foot"))
    with pytest.raises(UnsupportedError, match=r"\['FL_foot'\] hold frames on the ground.*loops="):
        lw.trace_program(model, "cluster_aba")
    assert Tree(model).nv == 30


def test_sources_of_frames_cost_nothing_when_rotors_are_symmetric():
    """No sine or cosine of a rotor's angle is computed."""
    model = lw.load("geared_chain:5")
    assert count_operations(lw.trace_program(model, "cluster_aba")).sines_and_cosines == 2 * 5


def test_a_warm_start_does_not_plan(monkeypatch, tmp_path):
    """What is in the cache under a request's key has been planned before."""
    from linkwright.programs import cluster_state

    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path))
    model = lw.load("geared_chain:2")
    y, yd, tau = (np.full(2, x) for x in (0.3, 0.2, 0.1))
    first = lw.compile(model, "cluster_aba")(y, yd, tau)

    def refuse(*given, **named):
        raise AssertionError("planned again")

    forget_models()
    monkeypatch.setattr(cluster_state, "ClusterPlan", refuse)
    again = lw.compile(model, "cluster_aba")
    assert again.from_cache
    np.testing.assert_array_equal(again(y, yd, tau), first)


@pytest.mark.parametrize("robot", ["geared_chain:3", "belt_chain:4", "tello_leg"])
def test_gear_ratios_as_inputs(robot, rng):
    """The program with ratios as inputs against a model built with these ratios."""
    model = lw.load(robot) if robot != "tello_leg" else lw.robots.tello_leg()
    own = lw.default_parameters(model, ("gear_ratios",))["gear_ratios"]
    assert own.size and np.all(own != 0)
    ratios, given = own * rng.uniform(0.8, 1.2, own.shape), []
    values = iter(ratios)
    for c in model.constraints:
        if hasattr(c, "terms") and all(len(p) == 2 for _, p in c.terms):
            first, *others = c.terms
            terms = (first, *((joint, (p[0], -next(values) * first[1][1])) for joint, p in others))
            c = replace(c, terms=terms)
        given.append(c)
    other = replace(model, constraints=tuple(given))
    ny = len(flat(plan(model)))
    y, yd, tau = rng.uniform(-0.3, 0.3, ny), rng.normal(size=ny), rng.normal(size=ny)
    outputs = ("ydd", "q", "residual")
    found = lw.reference(model, "cluster_aba", parameters="gear_ratios", outputs=outputs)(y, yd, tau, ratios)
    expected = lw.reference(other, "cluster_aba", outputs=outputs)(y, yd, tau)
    np.testing.assert_allclose(found.q, expected.q, atol=1e-9)
    np.testing.assert_allclose(found.ydd, expected.ydd, rtol=1e-8, atol=1e-8)
    assert np.abs(found.ydd - lw.reference(model, "cluster_aba")(y, yd, tau)).max() > 1e-5
    v = lw.reference(other, "spanning_velocity")(y, yd)
    tree = [rng.normal(size=model.nv)]
    a = lw.reference(model, "lcaba", parameters="gear_ratios", outputs="a")(expected.q, v, *tree, ratios)
    np.testing.assert_allclose(a, lw.reference(other, "lcaba", outputs="a")(expected.q, v, *tree), rtol=1e-6, atol=1e-6)
