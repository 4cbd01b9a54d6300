"""Constrained dynamics as users call it: forces by name, options, inputs that options switch on, refusals."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.systems import SYSTEMS
from linkwright.errors import InputError, LinkwrightError
from linkwright.programs.penalties import automatic_penalties, penalties

PROXIMAL = ("constrained_aba", "prox_pv", "prox_ltl", "prox_ltls")
HARD = ("pv", "ltl")


@pytest.fixture(scope="module")
def standing():
    return lw.load("humanoid").with_constraints(lw.weld("left_foot"), lw.weld("right_foot"), lw.connect("left_hand"))


def state(model, rng, batch=5):
    return model.random_configuration(rng, batch), *rng.normal(size=(2, batch, model.nv))


def jacobian(model, q):
    """Rows of all constraints, one after the other."""
    frames = [lw.reference(model, "frame_jacobian", frame=c.frame)(q) for c in model.constraints]
    return np.concatenate([c.rows @ J for c, J in zip(model.constraints, frames, strict=True)], axis=-2)


@pytest.mark.parametrize("solver", [*PROXIMAL, *HARD])
def test_compiled_solvers_satisfy_the_equations(solver, standing, rng):
    """M a + c + J' lam = tau, and J a + dJ v = 0."""
    q, v, tau = state(standing, rng)
    solution = lw.compile(standing, solver, outputs=("a", "forces", "lam", "residual"))(q, v, tau)
    tree = standing.without_constraints()
    J = jacobian(standing, q)
    inverse = lw.reference(tree, "rnea")(q, v, solution.a) + np.einsum("bij,bi->bj", J, solution.lam)
    assert np.abs(inverse - tau).max() < 1e-6 * (1 + np.abs(solution.lam).max())
    for c in standing.constraints:
        acceleration = lw.reference(tree, "frame_accelerations", frames=c.frame)(q, v, solution.a)[:, 0]
        assert np.abs(acceleration @ c.rows.T).max() < 1e-6 * (1 + np.abs(solution.a).max())
    assert solution.residual.max() < 1e-6 * (1 + np.abs(solution.a).max())


def test_forces_by_name_act_on_the_frame(standing, rng):
    """Applied as external forces to the free robot they give the same accelerations."""
    q, v, tau = state(standing, rng, 3)
    solution = lw.compile(standing, "constrained_aba", iterations=5)(q, v, tau)
    free = standing.without_constraints()
    torque = tau.copy()
    for name in solution.forces:
        J = lw.reference(free, "frame_jacobian", frame=name)(q)
        torque += np.einsum("bij,bi->bj", J, solution.forces[name])
    a = lw.reference(free, "aba")(q, v, torque)
    assert np.abs(a - solution.a).max() < 1e-7 * np.abs(a).max()
    assert tuple(solution.forces.keys()) == ("left_foot", "right_foot", "left_hand")
    assert np.all(solution.forces["left_hand"][:, 3:] == 0)  # a point transmits no moment
    with pytest.raises(LinkwrightError, match="left_foot"):
        solution.forces["left_fot"]


@pytest.mark.parametrize("solver", [*PROXIMAL, *HARD])
def test_switched_off_is_as_if_absent(solver, standing, rng):
    q, v, tau = state(standing, rng)
    switched = lw.compile(standing, solver, active="input", outputs=("a", "forces"))
    fewer = standing.without_constraints().with_constraints(*standing.constraints[:1], *standing.constraints[2:])
    expected = lw.reference(fewer, solver, outputs=("a", "forces"))(q, v, tau)
    result = switched(q, v, tau, active=np.array([1.0, 0.0, 1.0]))
    assert np.abs(result.a - expected.a).max() < 1e-7 * np.abs(expected.a).max()
    assert np.all(result.forces["right_foot"] == 0)
    mixed = switched(q, v, tau, np.array([[1.0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 0, 1], [0, 1, 0]]))
    free = lw.reference(standing.without_constraints(), "aba")(q, v, tau)
    assert np.abs(mixed.a[1] - expected.a[1]).max() < 1e-7 * np.abs(expected.a).max()
    assert np.abs(mixed.a[2] - free[2]).max() < 1e-9 * np.abs(free).max()


def test_desired_accelerations(standing, rng):
    q, v, tau = state(standing, rng)
    desired = rng.normal(size=(5, standing.nc))
    a = lw.compile(standing, "constrained_aba", desired="input", outputs="a")(q, v, tau, desired)
    start = 0
    for c in standing.constraints:
        frame = lw.reference(standing, "frame_accelerations", frames=c.frame)(q, v, a)[:, 0]
        assert np.abs(frame @ c.rows.T - desired[:, start : start + c.size]).max() < 1e-6 * np.abs(a).max()
        start += c.size


def test_fewer_iterations_are_worse_and_warm_starts_help(standing, rng):
    q, v, tau = state(standing, rng)
    exact = lw.reference(standing, "pv", outputs="a")(q, v, tau)
    errors = []
    for iterations in (1, 2, 4):  # penalties so small that no error is rounding yet, which differs by machine
        a = lw.compile(standing, "constrained_aba", iterations=iterations, mu=1e3, outputs="a")(q, v, tau)
        errors.append(np.abs(a - exact).max() / np.abs(exact).max())
    assert errors[0] > 10 * errors[1] > 1000 * errors[2] and errors[2] < 1e-8
    lam = lw.reference(standing, "pv", outputs="lam")(q, v, tau)
    warm = lw.compile(standing, "constrained_aba", iterations=1, warm_start="input", outputs="a")
    assert np.abs(warm(q, v, tau, lam) - exact).max() < 1e-9 * np.abs(exact).max()


@pytest.mark.parametrize("solver", PROXIMAL)
def test_iterations_stop_at_the_tolerance_sample_by_sample(solver, standing, rng):
    q, v, tau = state(standing, rng)
    q[0], v[0] = standing.neutral(), 0
    function = lw.compile(
        standing, solver, iterations=12, tolerance=1e-7, outputs=("a", "iterations", "residual", "status")
    )
    solution = function(q, v, tau)
    assert np.all(solution.iterations < 12) and np.all(solution.residual <= 1e-7) and np.all(solution.status == 0)
    alone = function(q[3], v[3], tau[3])
    assert alone.iterations == solution.iterations[3] and np.array_equal(alone.a, solution.a[3])
    capped = lw.compile(standing, solver, iterations=1, tolerance=1e-12, outputs=("a", "status"))(q, v, tau)
    assert np.all(capped.status == 1)


def test_penalties_are_automatic_and_can_be_overridden(standing, rng):
    chosen = automatic_penalties(standing)
    assert chosen.shape == (15,) and np.all(chosen > 0)
    assert np.all(penalties(standing, 7.0) == 7.0)
    named = penalties(standing, {"left_hand": 3.0})
    assert np.all(named[12:] == 3.0) and np.array_equal(named[:12], chosen[:12])
    own = standing.without_constraints().with_constraints(lw.weld("left_foot", mu=11.0))
    assert np.all(penalties(own, None) == 11.0)
    q, v, tau = state(standing, rng)
    options = {"iterations": 3, "outputs": "a"}
    as_input = lw.compile(standing, "constrained_aba", mu="input", **options)(q, v, tau, mu=chosen)
    assert np.allclose(as_input, lw.compile(standing, "constrained_aba", **options)(q, v, tau), rtol=1e-9, atol=1e-9)


def test_stabilization_pulls_back_to_the_target(rng):
    """A hand held at a point: k = -2/T velocity - 1/T^2 offset, in the frame's axes."""
    robot = lw.load("humanoid", floating_base=False)
    target = np.array([0.3, 0.4, 1.0])
    held = robot.with_constraints(lw.connect("left_hand", at=target))
    q, v, tau = state(held, rng)
    T = 0.1
    a = lw.compile(held, "pv", baumgarte=T, outputs="a")(q, v, tau)
    pose = lw.reference(robot, "forward_kinematics", frames="left_hand")(q)
    velocity = lw.reference(robot, "frame_velocities", frames="left_hand")(q, v)[:, 0, :3]
    acceleration = lw.reference(robot, "frame_accelerations", frames="left_hand")(q, v, a)[:, 0, :3]
    offset = np.einsum("bji,bj->bi", pose.rotations[:, 0], pose.positions[:, 0] - target)
    assert np.abs(acceleration + 2 / T * velocity + offset / T**2).max() < 1e-8 * np.abs(a).max()
    with pytest.raises(LinkwrightError, match="at="):
        lw.compile(robot.with_constraints(lw.connect("left_hand")), "pv", baumgarte=T)


def test_no_constraints_gives_aba(rng):
    robot = lw.load("humanoid")
    q, v, tau = state(robot, rng)
    expected = lw.reference(robot, "aba")(q, v, tau)
    for solver in (*PROXIMAL, *HARD, "pv_soft", "ltl_soft"):
        assert np.allclose(lw.reference(robot, solver, outputs="a")(q, v, tau), expected, rtol=1e-9, atol=1e-9)


def test_the_same_foot_welded_twice(rng):
    """Redundant constraints: accelerations as with one, forces shared; the hard solvers flag the sample."""
    robot = lw.load("quadruped").with_constraints(*(lw.weld("FL_foot", name=n) for n in ("once", "twice")))
    single = robot.without_constraints().with_constraints(lw.weld("FL_foot"))
    q, v, tau = state(robot, rng)
    expected = lw.reference(single, "pv", outputs="a")(q, v, tau)
    for solver in PROXIMAL:
        solution = lw.compile(robot, solver, iterations=5)(q, v, tau)
        assert np.abs(solution.a - expected).max() < 1e-6 * np.abs(expected).max()
        assert np.allclose(solution.forces["once"], solution.forces["twice"], rtol=1e-6, atol=1e-6)
    for solver in HARD:
        status = lw.compile(robot, solver, outputs=("a", "status"))(q, v, tau).status
        assert np.all(status > 0)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda r: r.with_constraints(lw.weld("left_fot")), "constraint 'left_fot'.*left_foot"),
        (lambda r: r.with_constraints(lw.weld("left_foot"), lw.connect("left_foot")), "name="),
        (lambda r: r.with_constraints("left_foot"), "linkwright.weld"),
        (lambda r: lw.weld("left_foot", "left_foot"), "itself"),
        (lambda r: r.with_constraints(lw.weld("left_foot", "left_ankle_roll")), "moves relative"),
        (lambda r: r.with_constraints(lw.weld("world", "left_foot")), "on the ground"),
        (lambda r: r.with_constraints(lw.weld("left_foot", "right_fot")), "right_foot"),
        (lambda r: lw.weld("left_foot", directions="x q"), "'q'"),
        (lambda r: lw.weld("left_foot", directions=[]), "at least one"),
        (lambda r: lw.constrain("left_foot", np.zeros((2, 5))), r"\(m, 6\)"),
        (lambda r: lw.constrain("left_foot", [[np.nan] * 6]), "finite"),
        (lambda r: lw.constrain("left_foot", "K"), "numbers"),
        (lambda r: lw.weld("left_foot", mu=0), "positive"),
        (lambda r: lw.weld("left_foot", mu=[1, 2]), "shape"),
        (lambda r: lw.compile(r, "constrained_aba", mu=-1), "positive"),
        (lambda r: lw.compile(r, "constrained_aba", mu={"knee": 1}), "left_foot"),
        (lambda r: lw.compile(r, "constrained_aba", iterations=0), "iterations"),
        (lambda r: lw.compile(r, "constrained_aba", tolerance=-1), "tolerance"),
        (lambda r: lw.compile(r, "constrained_aba", active=True), "'input'"),
        (lambda r: lw.compile(r, "pv", mu=3), "option of 'pv'"),
        (lambda r: lw.compile(r, "pv", baumgarte=0), "positive"),
        (lambda r: lw.compile(r, "pv", desired="input")(*[np.zeros(n) for n in (37, 36, 36, 5)]), "desired"),
    ],
)
def test_mistakes_are_named(make, message):
    robot = lw.load("humanoid").with_constraints(lw.weld("left_foot"))
    base = robot if "compile" in make.__code__.co_names else robot.without_constraints()
    with pytest.raises(LinkwrightError, match=message):
        make(base)


def test_constraints_survive_editing_and_saving(tmp_path):
    robot = lw.load("humanoid").with_constraints(lw.weld("left_foot", at=(0, 0.1, 0)), lw.connect("right_hand", mu=5.0))
    lw.save(robot, tmp_path / "robot.json")
    assert lw.load(tmp_path / "robot.json") == robot
    locked = lw.lock_joints(robot, ["neck_joint"])
    assert [c.name for c in locked.constraints] == ["left_foot", "right_hand"]
    other = lw.load("humanoid").with_constraints(lw.weld("left_foot"))
    pair = lw.attach(robot, other, prefix="other_", placement=(2, 0, 0))
    assert [c.name for c in pair.constraints] == ["left_foot", "right_hand", "other_left_foot"]
    assert pair.constraints[2].frame == "other_left_foot"


@pytest.mark.parametrize("name", SYSTEMS)
def test_automatic_penalties_converge_on_the_papers_systems(name, rng):
    """Three iterations, no tuning: accelerations to 1e-6 of the hard solver's."""
    if not name.startswith("hands"):
        pytest.importorskip("pinocchio", reason="comes with the robots extra")
    model = SYSTEMS[name]()
    q, v, tau = state(model, rng, 4)
    a = lw.reference(model, "constrained_aba", iterations=3, outputs="a")(q, v, tau)
    exact = lw.reference(model, "pv", outputs="a")(q, v, tau)
    assert np.abs(a - exact).max() < 1e-6 * np.abs(exact).max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": 0}, "iterations is 0; expected a whole number from 1 to 100"),
        ({"iterations": True}, "iterations is True"),
        ({"tolerance": -1e-9}, "tolerance is -1e-09; expected a finite number that is not negative"),
        ({"tolerance": float("nan")}, "tolerance is nan"),
        ({"rank_tolerance": float("inf")}, "rank_tolerance is inf"),
        ({"rank_tolerance": -1.0}, "rank_tolerance is -1.0"),
        ({"rank_tolerance": 1.0}, "expected less"),
        ({"rank_tolerance": 1e-4, "iterations": 3}, "leave one of the two out"),
    ],
)
def test_limits_and_tolerances_are_checked(standing, options, message):
    with pytest.raises(InputError, match=message):
        lw.compile(standing, "constrained_aba", **options)


def test_status_is_always_there_and_tells_contradictions(standing, rng):
    q, v, tau = state(standing, rng)
    twice = standing.with_constraints(lw.weld("left_foot", name="again"))
    function = lw.reference(twice, "constrained_aba", desired="input")
    desired = np.zeros((len(q), twice.nc))
    assert np.all(function(q, v, tau, desired).status == 0)  # consistent redundancy is no error
    desired[1:, -6:] = 1.0
    assert list(function(q, v, tau, desired).status) == [0, *[4] * (len(q) - 1)]


def test_a_rank_tolerance_of_zero_enforces_everything(standing, rng):
    q, v, tau = state(standing, rng)
    exact = lw.reference(standing, "pv", outputs="a")(q, v, tau)
    found = lw.reference(standing, "constrained_aba", rank_tolerance=0.0, outputs=("a", "status"))(q, v, tau)
    assert np.all(found.status == 0) and np.abs(found.a - exact).max() < 1e-7 * np.abs(exact).max()


@pytest.mark.parametrize("algorithm", ["pv", "ltl"])
def test_direct_solvers_take_a_tree_without_constraints(algorithm):
    model = lw.load("chain:3")
    q, v, tau = np.zeros(model.nq), np.ones(model.nv), np.ones(model.nv)
    expected = lw.reference(model, "aba")(q, v, tau)
    assert np.allclose(lw.compile(model, algorithm, outputs="a")(q, v, tau), expected)
