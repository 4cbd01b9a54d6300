"""Positions found from independent coordinates: on the branch asked for, with their turns, or said not to be there."""

import numpy as np
import pytest
from cluster_cases import plan

import linkwright as lw

POSES = 100_000
STATE = ("q", "residual", "status")
DRIVEN = {"independent": "crank_joint", "outputs": STATE}
TURN = 2 * np.pi


def at_rest(program, y, **guess):
    return program(y, np.zeros_like(y), np.zeros_like(y), **guess)


def kinds(model, independent):
    return [type(step.solved).__name__ for steps in plan(model, independent=independent).steps for step in steps]


def assert_no_jumps(y, result, *, fastest):
    """Between neighbours that are both solved no joint turns more than `fastest` times as far as the crank."""
    solved = (result.status[1:] == 0) & (result.status[:-1] == 0)
    assert solved.any()
    ratio = np.abs(np.diff(result.q, axis=0))[solved] / np.diff(y, axis=0)[solved]
    assert ratio.max() < fastest


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def body_positions(model, q, *names):
    """In the plane, of the origins of bodies: where their joints are."""
    places = lw.compile(model, "forward_kinematics", outputs="positions")(q)
    return [places[:, model.body_index(name)][:, [0, 2]] for name in names]


@pytest.mark.parametrize("closure", ["planar", "revolute"])
def test_jansen_leg_over_ten_turns(closure):
    model = lw.robots.jansen_leg(closure=closure)
    assert kinds(model, ("crank_joint",)) == ["DyadStep"] * 3
    step = lw.compile(model, "cluster_aba", **DRIVEN)
    y = np.linspace(-5 * TURN, 5 * TURN, POSES)[:, None]
    result = at_rest(step, y)
    assert np.all(result.status == 0) and result.residual.max() < 1e-13
    assert_no_jumps(y, result, fastest=3)
    np.testing.assert_allclose(at_rest(step, np.zeros((1, 1))).q[0], model.drawn, atol=1e-13)
    a_turn_on = at_rest(step, y + TURN).q - result.q
    np.testing.assert_allclose(a_turn_on, np.tile(np.round(a_turn_on[0] / TURN) * TURN, (POSES, 1)), atol=1e-10)
    assert np.round(a_turn_on[0] / TURN).tolist() == [1, -1, -1, 0, 0, 0, 0]  # rods lag behind the crank, by its turns


def test_watt_over_ten_turns():
    model = lw.robots.watt_six_bar()
    y = np.linspace(-5 * TURN, 5 * TURN, POSES)[:, None]
    result = at_rest(lw.compile(model, "cluster_aba", **DRIVEN), y)
    assert np.all(result.status == 0) and result.residual.max() < 1e-13
    assert_no_jumps(y, result, fastest=2)


def test_stephenson_where_it_reaches_and_where_not():
    """A crank that cannot turn all the way: solved wherever the bars meet, and only there."""
    model = lw.robots.stephenson_six_bar()
    y = np.linspace(-5 * TURN, 5 * TURN, POSES)[:, None]
    result = at_rest(lw.compile(model, "cluster_aba", **DRIVEN), y)
    hinge, pivot = body_positions(model, result.q, "second_coupler", "second_rocker")
    distance = np.linalg.norm(hinge - pivot, axis=1)
    clear = np.abs(distance - 0.75) > 1e-5  # bars of 0.4 and 0.35, stretched
    assert np.all((result.status == 0)[clear] == (distance < 0.75)[clear]) and np.any(result.status == 1)
    solved = result.status == 0
    assert solved.mean() > 0.5 and result.residual[solved].max() < 1e-13
    assert_no_jumps(y, result, fastest=300)  # it is fast next to its dead centre


@pytest.fixture(scope="module")
def five_bar():
    return lw.robots.five_bar(left=(0.2, 0.3), right=(0.25, 0.32))


def five_bar_points(y, drawn=(2.2, 0.9)):
    """Elbows of the five-bar, by hand."""
    angles = np.array(drawn) + y
    left, right = (np.stack([np.cos(a), np.sin(a)], -1) for a in angles.T)
    return np.array([-0.1, 0.0]) + 0.2 * left, np.array([0.1, 0.0]) + 0.25 * right


def test_five_bar_everywhere(five_bar, rng):
    """Against circles that meet: solved where they do, and on the side on which it is drawn."""
    y = rng.uniform(-2 * TURN, 2 * TURN, (POSES, 2))
    options = {"independent": ("left_upper_joint", "right_upper_joint"), "outputs": STATE}
    result = at_rest(lw.compile(five_bar, "cluster_aba", **options), y)
    one, other = five_bar_points(y)
    distance = np.linalg.norm(other - one, axis=1)
    meets = (distance < 0.62) & (distance > 0.02)
    clear = (np.abs(distance - 0.62) > 1e-5) & (np.abs(distance - 0.02) > 1e-5)  # away from where it is singular
    assert np.all((result.status == 0)[clear] == meets[clear])
    assert np.all(result.residual[result.status == 0] < 1e-12)
    solved = np.flatnonzero(result.status == 0)
    tips = five_bar_tips(five_bar, result.q[solved])
    across = cross(other[solved] - one[solved], tips - one[solved])
    (one,), (other,) = five_bar_points(np.zeros((1, 2)))
    drawn = cross(other - one, five_bar_tips(five_bar, five_bar.drawn[None])[0] - one)
    assert np.all(across * drawn > 0)


def five_bar_tips(model, q):
    places = lw.compile(model, "forward_kinematics")(q)
    body, at = model.frame("tip").body, model.frame("tip").placement.translation
    return (places.positions[:, body] + places.rotations[:, body] @ at)[:, [0, 2]]


@pytest.mark.parametrize("driven", ["second_rocker_joint", "second_coupler_joint"])
def test_a_triad_is_followed_up_to_its_dead_centres(driven):
    """Watt's six-bar driven at its far end has no formula; the crank's side of it, which has one, is the judge."""
    model = lw.robots.watt_six_bar()
    assert kinds(model, (driven,)) == ["ImplicitStep"]
    n = model.iq[model.joint_index(driven)].start
    path = at_rest(lw.compile(model, "cluster_aba", **DRIVEN), np.linspace(-np.pi, np.pi, 20_001)[:, None]).q
    rates = np.diff(path[:, n]) * np.sign(path[10_001, n] - path[10_000, n])
    first = 10_000 - int(np.argmax(rates[9_999::-1] < 0))  # dead centres before and after the reference
    last = 10_000 + int(np.argmax(rates[10_000:] < 0))
    assert first > 0 and last < 20_000
    path = path[first + 10 : last - 10]
    step = lw.compile(model, "cluster_aba", independent=driven, outputs=STATE)
    found = at_rest(step, path[:, n : n + 1])
    assert np.all(found.status == 0) and np.abs(found.q - path).max() < 1e-9
    low, high = path[:, n].min(), path[:, n].max()
    beyond = np.concatenate([low - np.linspace(0.01, 1, 200), high + np.linspace(0.01, 1, 200)])[:, None]
    assert np.all(at_rest(step, beyond).status == 1)


def test_another_branch_is_said():
    """A fixed number of steps from afar lands wherever it lands: what is closed on the other side is not ok."""
    model = lw.robots.watt_six_bar()
    joint, n = "second_rocker_joint", model.iq[model.joint_index("second_rocker_joint")].start
    options = {"independent": joint, "outputs": STATE}
    followed, hurried = (lw.compile(model, "cluster_aba", newton=newton, **options) for newton in (None, (0, 12)))
    y = model.drawn[n] + np.linspace(-3.0, 3.0, 4001)[:, None]
    right, hasty = at_rest(followed, y), at_rest(hurried, y)
    both = (right.status == 0) & (hasty.status == 0)
    assert both.sum() > 300 and np.abs(hasty.q - right.q)[both].max() < 1e-9
    other = hasty.status == 5
    assert other.sum() > 50 and hasty.residual[other].max() < 1e-9 and not np.any(right.status[other] == 0)


def test_the_branch_of_a_guess_is_kept():
    """Crossed or not, and with as many turns as the guess has made."""
    model = lw.robots.four_bar()
    crossed = lw.robots.four_bar(crossed=True)
    options = {"independent": "crank_joint", "guess": "input", "outputs": STATE}
    step = lw.compile(model, "cluster_aba", **options)
    usual, other = (lw.compile(m, "cluster_aba", **DRIVEN) for m in (model, crossed))
    y = np.linspace(0, TURN, 200)[:, None]
    path, mirrored = at_rest(usual, y).q, at_rest(other, y).q
    mirrored = mirrored + closing_offsets(model, crossed)
    for family in (path, mirrored):
        found = at_rest(step, y[1:], guess=family[:-1])
        assert np.all(found.status == 0) and np.abs(found.q - family[1:]).max() < 1e-12
        turned = family[:-1] + np.array([0.0, 2 * TURN, -TURN])
        assert np.abs(at_rest(step, y[1:], guess=turned).q - (turned + family[1:] - family[:-1])).max() < 1e-12


def closing_offsets(model, crossed):
    """Joint coordinates count from the drawn pose, and the crossed four-bar is drawn with its bars turned."""

    def angles(m):
        places = lw.reference(m, "forward_kinematics")(m.drawn)
        pins = {name: places.positions[m.body_index(name)][[0, 2]] for name in ("coupler", "rocker")}
        frame = m.constraints[0].frame
        body, at = m.frame(frame).body, m.frame(frame).placement.translation
        top = (places.positions[body] + places.rotations[body] @ at)[[0, 2]]
        return np.array([0.0, *(np.arctan2(*(top - pin)[::-1]) for pin in pins.values())])

    return angles(crossed) - angles(model)


def test_a_spring_on_a_coupler_never_jumps():
    """The spring counts turns, so accelerations are smooth over many of them."""
    model = lw.robots.four_bar()
    step = lw.compile(model, "cluster_aba", independent="crank_joint", parameters="springs")
    y = np.linspace(-3 * TURN, 3 * TURN, 60_001)[:, None]
    springs = np.zeros((len(y), 3))
    springs[:, model.iv[model.joint_index("coupler_joint")].start] = 0.5
    ydd = step(y, np.zeros_like(y), np.zeros_like(y), springs)
    change = np.abs(np.diff(ydd, axis=0)) / np.abs(ydd).max()
    assert change.max() < 5e-3  # a turn more or less would be a third


def test_a_slider_crank_from_either_end():
    model = lw.robots.slider_crank()
    assert kinds(model, ("crank_joint",)) == kinds(model, ("slider_joint",)) == ["DyadStep"]
    y = np.linspace(-TURN, TURN, 2001)[:, None]
    from_crank = at_rest(lw.compile(model, "cluster_aba", **DRIVEN), y)
    assert np.all(from_crank.status == 0) and from_crank.residual.max() < 1e-14
    assert_no_jumps(y, from_crank, fastest=2)
    from_slider = lw.compile(model, "cluster_aba", independent="slider_joint", outputs=STATE)
    slide = model.iq[model.joint_index("slider_joint")].start
    near = np.abs(y[:, 0]) < 0.9  # up to the nearer dead centre, 60 degrees away
    found = at_rest(from_slider, from_crank.q[near, slide : slide + 1])
    assert np.all(found.status == 0) and np.abs(found.q - from_crank.q[near]).max() < 1e-10
    assert np.all(at_rest(from_slider, np.array([[0.1], [-0.5]])).status == 1)
