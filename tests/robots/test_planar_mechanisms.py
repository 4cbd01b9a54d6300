"""Planar linkages: closed as drawn, as mobile as the textbook says, and refused where they cannot be put together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from closed_poses import frame_pose, free_motions, gap, jacobian, mobility

import linkwright as lw
from linkwright.errors import InputError
from linkwright.robots import (
    five_bar,
    four_bar,
    jansen_beast,
    jansen_leg,
    pantograph_leg,
    slider_crank,
    stephenson_six_bar,
    watt_six_bar,
)

#            builder             dof  pins  mobility
EXPECTED = [
    (slider_crank, 3, 1, 1),
    (four_bar, 3, 1, 1),
    (five_bar, 4, 1, 2),
    (watt_six_bar, 5, 2, 1),
    (stephenson_six_bar, 5, 2, 1),
    (pantograph_leg, 6, 2, 2),
    (jansen_leg, 7, 3, 1),
    (jansen_beast, 73, 36, 1),
]
ROWS = {"planar": 2, "point": 3, "revolute": 5}


@pytest.mark.parametrize("closure", ROWS)
@pytest.mark.parametrize(("build", "dof", "pins", "free"), EXPECTED, ids=lambda x: getattr(x, "__name__", None))
def test_sizes_closure_and_mobility(build, dof, pins, free, closure):
    model = build(closure=closure)
    q = model.neutral()
    assert (model.nv, model.nc) == (dof, pins * ROWS[closure])
    assert all(gap(model, q, c) < 1e-12 for c in model.constraints)
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-12
    assert mobility(model, q) == free
    assert dof - 2 * pins == free  # the two rows a pin needs are independent; the others are redundant
    assert model.warnings == () and all(body.inertia.mass > 0 for body in model.bodies[1:])


@pytest.mark.parametrize("build", [e[0] for e in EXPECTED[:6]], ids=lambda f: f.__name__)
def test_dynamics_keep_the_loops_closed(build):
    """Accelerations that leave the constraints alone: J a = 0 at rest."""
    model = build()
    q, still = model.neutral(), np.zeros(model.nv)
    a = lw.reference(model, "ltl", outputs="a")(q, still, np.ones(model.nv))
    assert np.abs(a).max() > 1e-3
    np.testing.assert_allclose(jacobian(model, q) @ a, 0, atol=1e-9 * np.abs(a).max())


def test_four_bar_has_the_lengths_asked_for():
    model = four_bar(0.5, 0.12, 0.4, 0.3, angle=0.4)
    at = {name: frame_pose(model, model.neutral(), name).translation for name in ("crank", "coupler", "rocker")}
    pin = frame_pose(model, model.neutral(), "coupler_pin_on_rocker").translation
    lengths = [np.linalg.norm(at["rocker"] - at["crank"]), np.linalg.norm(at["coupler"] - at["crank"])]
    lengths += [np.linalg.norm(pin - at["coupler"]), np.linalg.norm(pin - at["rocker"])]
    np.testing.assert_allclose(lengths, [0.5, 0.12, 0.4, 0.3], rtol=1e-12)
    np.testing.assert_allclose(at["coupler"], [0.12 * math.cos(0.4), 0, 0.12 * math.sin(0.4)])


def test_crossed_four_bar_is_the_other_way_round():
    heights = [frame_pose(m, m.neutral(), "coupler_pin_on_rocker").translation[2] for m in
               (four_bar(), four_bar(crossed=True))]  # fmt: skip
    assert heights[0] > 0 > heights[1]


def test_slider_crank_moves_as_its_formula_says():
    """x = r cos(angle) + sqrt(l^2 - r^2 sin(angle)^2), differentiated."""
    r, l, angle = 0.05, 0.15, 0.8
    model = slider_crank(r, l, angle=angle)
    motion = free_motions(model, model.neutral())[:, 0]
    slope = -r * math.sin(angle) - r**2 * math.sin(angle) * math.cos(angle) / math.sqrt(
        l**2 - r**2 * math.sin(angle) ** 2
    )
    assert motion[2] / motion[0] == pytest.approx(slope, rel=1e-9)


def test_pantograph_magnifies():
    model = pantograph_leg(ratio=2.5)
    q, motions = model.neutral(), free_motions(model, model.neutral())
    J = lw.reference(model, "frame_jacobian", frame="foot", seen_from="local_world_aligned")(q)
    hip, drive = model.joint_index("hip_slider_joint"), model.joint_index("drive_slider_joint")
    slides = motions[[model.iv[drive].start, model.iv[hip].start]]
    foot = J[[0, 2]] @ motions
    np.testing.assert_allclose(foot, np.diag([2.5, -1.5]) @ slides, atol=1e-12)


@pytest.mark.parametrize("angle", np.linspace(0, 2 * math.pi, 12, endpoint=False))
def test_jansen_leg_goes_round(angle):
    model = jansen_leg(angle=angle)
    assert mobility(model, model.neutral()) == 1
    foot = frame_pose(model, model.neutral(), "foot").translation
    assert -1.0 < foot[0] < 0.1 and -1.0 < foot[2] < -0.6  # Jansen's path: flat below, lifted above


def test_jansen_foot_path_is_flat_for_long():
    """What the numbers were bred for: about half of the turn within two units of the ground."""
    angles = np.linspace(0, 2 * math.pi, 60, endpoint=False)
    feet = np.array([frame_pose(m, m.neutral(), "foot").translation for m in (jansen_leg(angle=x) for x in angles)])
    height = feet[:, 2] - feet[:, 2].min()
    assert np.mean(height < 0.03) > 0.4 and height.max() > 0.15
    assert np.ptp(feet[height < 0.03, 0]) > 0.5


def test_beast_on_its_bases():
    assert mobility(jansen_beast(4, base="planar"), jansen_beast(4, base="planar").neutral()) == 4
    floating = jansen_beast(4, base="floating")
    assert floating.nv == 6 + 25 and mobility(floating, floating.neutral()) == 7
    q = floating.neutral()
    feet = np.array([frame_pose(floating, q, f"leg{k}_foot").translation for k in range(1, 5)])
    assert (feet[::2, 0] < 0).all() and (feet[1::2, 0] > 0).all() and (np.diff(feet[:, 1]) > 0).all()


def test_numbers_in_names():
    assert lw.load("jansen_beast:2").nv == 13
    with pytest.raises(InputError, match="stands on the ground"):
        lw.load("four_bar", floating_base=True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: four_bar(1.0, 0.1, 0.2, 0.2), "four-bar.*0.2 and 0.2.*0.95"),
        (lambda: five_bar(0.2, (0.2, 0.1), (0.2, 0.1)), "five-bar"),
        (lambda: slider_crank(0.2, 0.1, angle=math.pi / 2), "slider-crank"),
        (lambda: slider_crank(offset=1.0), "slider-crank"),
        (lambda: watt_six_bar(second_coupler=0.01, second_rocker=0.01), "Watt"),
        (lambda: stephenson_six_bar(pivot=(9.0, 0.0)), "Stephenson"),
        (lambda: pantograph_leg(driver=(0.0, -3.0)), "pantograph"),
        (lambda: pantograph_leg(ratio=1.0), "more than 1"),
        (lambda: jansen_leg(numbers={"a": 1.0}), "expected a, b, c"),
        (lambda: four_bar(0.0), "ground"),
        (lambda: four_bar(crank=math.nan), "crank"),
        (lambda: four_bar(crank="long"), "crank"),
        (lambda: four_bar(density=-1.0), "density"),
        (lambda: four_bar(closure="glue"), "closure"),
        (lambda: jansen_beast(0), "legs"),
        (lambda: jansen_beast(2, base="sea"), "base"),
        (lambda: jansen_leg(scale=math.inf), "scale"),
    ],
)
def test_refused_with_the_numbers(call, words):
    with pytest.raises(InputError, match=words):
        call()
