"""What a verdict advises is what `simulate` takes, together with the rest of the call."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from small_mechanisms import closed_four_bar

import linkwright as lw
from linkwright.physics import INTEGRATORS
from linkwright.physics.options import check_options, declared, defaults, settled_options
from linkwright.sim.advice import about_status, closer, more_digits, more_passes, shorter
from linkwright.sim.verdict import complaints

_OPTION = re.compile(r"\b([a-z_]+)=('[a-z_0-9]+'|True|False|None|[0-9.e-]+)")


def falling_ball() -> lw.Model:
    builder = lw.ModelBuilder("ball")
    builder.add_body("ball", lw.free_flyer("free"), inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3) * 0.008))
    return builder.build().with_shapes(lw.sphere("ball", 0.1)).on_ground(0.8)


def door(high: float = 1.0) -> lw.Model:
    builder = lw.ModelBuilder("door", gravity=(0, 0, 0))
    hinge = lw.revolute("hinge", "z", lower=-1.0, upper=high)
    builder.add_body("door", hinge, inertia=lw.Inertia(1.0, [0, 0, 0], np.eye(3)))
    return builder.build()


@pytest.fixture(scope="module")
def runs():
    """(trajectory, options it was asked for)."""
    model, q0, v0 = closed_four_bar()
    ball = [0, 0, 0.09, 0, 0, 0, 1]
    return {
        "loop": lw.simulate(model, q0, v0, dt=1e-3, steps=2),
        "contact": lw.simulate(falling_ball(), ball, dt=1e-3, steps=2),
    }


def variants(runs):
    for which, run in runs.items():
        for integrator, iterations, solver, projection, T in product(
            INTEGRATORS, (None, 1), (None, "prox_ltl"), (False, True), ("auto", None)
        ):
            contact = run.contact
            options = {"integrator": integrator, "iterations": iterations, "solver": solver, "projection": projection,
                       "baumgarte": T, "contact": contact}  # fmt: skip
            if accepted(run.model, options):
                yield which, options, replace(
                    run, integrator=integrator, iterations=iterations, solver_asked_for=solver, projection=projection,
                    baumgarte=T,
                )  # fmt: skip


def accepted(model, options) -> bool:
    try:
        check_options(model, settled_options(model, {**defaults(), **options}))
    except lw.LinkwrightError:
        return False
    return True


def test_all_advice_can_be_followed(runs):
    seen = set()
    for which, options, tr in variants(runs):
        advice = [shorter(tr), closer(tr), more_digits(tr), more_passes(tr), *(about_status(tr, k) for k in range(7))]
        for one in filter(None, advice):
            changed = {**options, **one.options}
            assert accepted(tr.model, changed), (which, options, one)
            named = {name for name, _ in _OPTION.findall(one.text)}
            assert named <= set(declared()), one.text
            assert named <= set(one.options), one.text
            assert not one.options or any(changed[name] != options.get(name) for name in one.options), one
            seen.add(one.text)
    assert len(seen) >= 8, seen


def test_complaints_give_that_advice(runs):
    for which, options, tr in variants(runs):
        for k, value in ((0, 1.0), (2, 0.3), (3, 1), (3, 2), (3, 4), (6, 1.0), (7, 1.0)):
            worst = np.zeros_like(tr.worst)
            worst[..., k] = value
            for text in complaints(replace(tr, worst=worst)):
                for name, given in _OPTION.findall(text.partition(": ")[2]):
                    if "leave" in text or "raise" in text:
                        assert str(options[name]) == given, (which, text)
                    else:
                        assert accepted(tr.model, {**options, name: eval(given)}), (which, options, text)


def test_contacts_are_not_told_to_take_a_solver_that_they_cannot(runs):
    assert "solver" not in str(more_digits(runs["contact"])) and "rk4" not in str(shorter(runs["contact"]))
    assert "prox_ltl" in str(more_digits(runs["loop"])) and "rk4" in str(shorter(runs["loop"]))
    file = replace(runs["contact"], iterations=1)
    assert str(more_digits(file)) == "raise iterations=1, for example to 10"


def test_a_joint_that_flies_past_its_limit_is_no_good_run():
    fast = lw.simulate(door(), [0.9], [1000.0], dt=1e-3, steps=20)
    assert any("'hinge' is" in text and "beyond its limit" in text for text in complaints(fast)), str(fast)
    slow = lw.simulate(door(), [0.9], [3.0], dt=1e-3, steps=300)
    assert not complaints(slow), str(slow)
    free = lw.simulate(door(), [0.9], [1000.0], dt=1e-3, steps=20, limits=False)
    assert not any("limit" in text for text in complaints(free))
