"""Walks the kinds of constraints: derivatives under each, with respect to its own numbers too, moving and open."""

import sys
from pathlib import Path

import pytest
from test_constrained_derivatives import Expected

import linkwright as lw
from linkwright.model.constraints import CONSTRAINT_KINDS

sys.path.insert(0, str(Path(__file__).parent.parent / "model"))
from constraint_checks import EXAMPLES, on_mechanism, state

OWN = ("constraint_placements", "constraint_rows", "gear_ratios", "rod_lengths")
# Numbers that may be inputs of a call; those of functions are in the user's code.
HAVE = {
    "relative": ("constraint_placements",), "rod": ("constraint_placements", "rod_lengths"), "coupling": (),
    "sum": ("constraint_placements", "constraint_rows"), "center_of_mass": (), "implicit_function": (),
    "explicit_function": (),
}  # fmt: skip


@pytest.mark.parametrize("kind", CONSTRAINT_KINDS)
def test_dynamics(kind, rng):
    model = on_mechanism(EXAMPLES[kind][0])
    own = tuple(name for name in OWN if lw.default_parameters(model)[name].size)
    assert own == HAVE[kind]
    Expected(model, *state(model)[:2], rng, wrt=("q", "v", "tau", *own)).check(model, "lcaba")


def test_gear_ratios(rng):
    model = lw.load("chain:3").with_constraints(lw.transmission({"link_1_joint": 1.0, "link_3_joint": -2.0}, 0.1))
    Expected(model, *rng.normal(size=(2, 3)), rng, wrt=("q", "gear_ratios")).check(model, "lcaba")
