"""A drawn pose that nobody closed says nothing about which rows count; a file's digits do."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.rows.file_digits import file_digits
from linkwright.algorithms.rows.row_scales import RANK_TOLERANCE, rank_tolerance, row_scales
from linkwright.bench.trust_poses import near
from linkwright.bench.trust_states import _rounded, _turned
from linkwright.robots import four_bar, jansen_leg, ring, slider_crank, stephenson_six_bar, watt_six_bar

USUAL = RANK_TOLERANCE["float64"]
OFF = (1e-6, 1e-5, 1e-4, 9e-4, 1e-2)


def arm(scale: float = 1.0, links: int = 2, at=(1.0, 1.0, 0.0)) -> lw.Model:
    """Links of one length, bent at a right angle, the tip held on the ground near where it is."""
    builder = lw.ModelBuilder("arm", gravity=(0, -9.81, 0))
    inertia = lw.Inertia(1.0, [0.5 * scale, 0, 0], np.eye(3) * 0.1 * scale**2)
    for k in range(links):
        parent, placement = (f"link_{k - 1}", (scale, 0, 0)) if k else ("world", None)
        builder.add_body(f"link_{k}", lw.revolute(f"joint_{k}", "z"), parent=parent, placement=placement,
                         inertia=inertia)  # fmt: skip
    builder.add_frame("tip", f"link_{links - 1}", (scale, 0, 0))
    return builder.build()


def held(off: float, scale: float = 1.0) -> lw.Model:
    model = arm(scale).with_drawn([0.0, np.pi / 2])
    return model.with_constraints(lw.connect("tip", at=((1.0 + off) * scale, scale, 0.0)))


@pytest.mark.parametrize(
    "solver", ["lcaba", "constrained_aba", "prox_ltl", "prox_pv", "prox_bbo", "prox_ltls", "mixed"]
)
def test_an_arm_whose_tip_is_off_its_anchor_is_held_where_it_is_almost_stretched(solver):
    """Both rows count there: the singular value is 2e-3, and the digits of the file are all there are."""
    for off in OFF:
        model = held(off)
        options = {"carried": ()} if solver == "mixed" else {}
        found = lw.reference(model, solver, outputs=("a", "status"), **options)([0.0, 1e-3], np.zeros(2), np.zeros(2))
        assert found.status == 0 and np.abs(found.a).max() < 1e-6, (off, found)


@pytest.mark.parametrize("scale", [1e-3, 0.03, 1.0, 30.0])
@pytest.mark.parametrize("off", OFF)
def test_an_arm_has_all_its_digits_however_it_is_drawn(scale, off):
    assert rank_tolerance(held(off, scale)) == USUAL


@pytest.mark.parametrize("seed", range(6))
def test_chains_held_by_rods_and_points_have_all_their_digits(seed):
    rng = np.random.default_rng(seed)
    model = arm(links=4)
    q = rng.uniform(-1.0, 1.0, 4)
    tip = lw.reference(model, "forward_kinematics", frames=["tip"], outputs="positions")(q)[0]
    hold = lw.connect("tip", at=tip) if seed % 2 else lw.rod("tip", "world", length=float(np.linalg.norm(tip)))
    drawn = q + 10.0 ** -(2 + seed % 4) * rng.normal(size=4)
    assert rank_tolerance(model.with_constraints(hold).with_drawn(drawn)) == USUAL


LINKAGES = {
    "four-bar": four_bar, "slider-crank": slider_crank, "Watt": watt_six_bar, "Stephenson": stephenson_six_bar,
    "Jansen": jansen_leg,
}  # fmt: skip


def rank(model: lw.Model, q: np.ndarray, tolerance: float) -> list[int]:
    zeros = np.zeros(model.nv)
    scales = row_scales(model)
    return [lw.solve_kkt(model, x, zeros, zeros, rank_tolerance=tolerance, scales=scales).rank for x in q]


@pytest.mark.parametrize(("name", "closure"), [
    ("four-bar", "revolute"), ("slider-crank", "point"), ("Watt", "revolute"), ("Stephenson", "point"),
    ("Jansen", "revolute"), ("Watt", "point"),
])  # fmt: skip
def test_redundant_rows_of_rounded_files_stay_dependent_however_they_are_drawn(name, closure):
    exact = _turned(LINKAGES[name](closure=closure), np.random.default_rng(1))
    wanted = rank(exact, near(np.random.default_rng(3), exact, exact.drawn, 2), USUAL)
    assert max(wanted) < exact.nc
    for digits, off in ((4, 0.0), (4, 1e-2), (5, 1e-3)):
        printed = _rounded(exact, digits)
        step = np.random.default_rng(2).normal(size=exact.nv)
        drawn = printed.integrate(printed.drawn, off * step / np.abs(step).max())
        model = replace(printed, drawn=drawn)
        q = near(np.random.default_rng(3), printed, exact.drawn, 2)
        assert rank(model, q, rank_tolerance(model)) == wanted, (digits, off, file_digits(model))


@pytest.mark.parametrize("size", [1e-2, 1.0, 10.0])
def test_digits_of_axes_show_even_where_the_drawn_pose_is_closed(size):
    """A planar ring drawn with all angles at zero closes whatever its axes are; turned on it does not."""
    exact = _turned(ring(6, planar=True), np.random.default_rng(4))
    assert file_digits(exact).dependent == 0.0
    tilted = _rounded(exact, 4)
    assert 1e-6 < file_digits(tilted).dependent < 1e-2 and rank_tolerance(tilted) > USUAL
    mechanism = four_bar(0.3 * size, 0.2 * size, 0.3 * size, 0.25 * size, closure="revolute")
    turned = _turned(mechanism, np.random.default_rng(5))
    assert rank_tolerance(turned) == USUAL < rank_tolerance(_rounded(turned, 4))


@pytest.mark.parametrize("robot", ["chain_of_loops:2,7", "ring:9", "stewart_platform", "delta_robot", "pantograph_leg",
                                   "cassie", "jansen_beast:2", "tello_leg", "hand_with_cube"])  # fmt: skip
def test_exact_mechanisms_keep_the_usual_tolerance(robot):
    assert rank_tolerance(lw.load(robot)) == USUAL
