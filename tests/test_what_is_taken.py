"""Nothing answers for a spanning tree where a model has constraints or gears, unless it is said to be that."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import UnsupportedError
from linkwright.programs import RECIPES
from linkwright.trace import Program

# Positions, velocities and inertias of bodies: what holds the joints together makes no difference to them.
OF_BODIES = {
    "crba", "ltl_factor", "ltl_solve", "ltl_multiply", "center_of_mass", "center_of_mass_velocity",
    "centroidal_momentum", "centroidal_momentum_matrix", "kinetic_energy", "potential_energy", "actuation",
    "forward_kinematics", "frame_velocities", "frame_accelerations", "frame_jacobian", "frame_jacobian_rate",
    "integrate", "difference",
}  # fmt: skip
TREES_ONLY = {"aba", "rnea", "bias_torques", "gravity_torques", "coriolis_torques", "joint_torque_regressor"}


def arm() -> lw.Model:
    return lw.load("chain:3")


GEAR = lw.couple("link_1_joint", "link_2_joint", [0.0, -6.0])
HELD = {
    "gear": lambda: arm().with_constraints(GEAR),
    "belt": lambda: arm().with_constraints(lw.transmission({"link_1_joint": 1.0, "link_2_joint": 2.0})),
    "point": lambda: arm().with_constraints(lw.connect("link_3")),
    "weld": lambda: arm().with_constraints(lw.weld("link_3", directions="x")),
    "rod": lambda: arm().with_constraints(lw.rod("link_3", length=1.0)),
    "centre of mass": lambda: arm().with_constraints(lw.center_of_mass(directions="x")),
    "sum": lambda: arm().with_constraints(lw.constrain({"link_2": np.eye(6)[:1], "link_3": np.eye(6)[:1]})),
    "function": lambda: arm().with_constraints(lw.implicit(["link_1_joint", "link_2_joint"], lambda q: [q[0] * q[1]])),
    "loop": lambda: lw.load("four_bar"), "geared robot": lambda: lw.load("mini_cheetah"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HELD)
def test_programs_of_trees_refuse_what_holds_joints_together_by_name(kind):
    model = HELD[kind]()
    name = model.constraints[0].name
    for program in TREES_ONLY:
        doors = (lw.reference, lw.compile, lw.trace_program, lw.jacobian, lw.vjp)
        for door in doors if kind == "gear" else doors[:1]:
            with pytest.raises(UnsupportedError, match=f"{program}.*{name}.*without_constraints"):
                door(model, program)
    with pytest.raises(UnsupportedError, match=f"base_parameters.*{name}"):
        lw.base_parameters(model)


def test_every_program_takes_constraints_refuses_them_or_is_about_bodies():
    """A program that is new has to say which."""
    said = {name: recipe.constraints for name, recipe in RECIPES.items()}
    assert {name for name, takes in said.items() if takes == "none"} == TREES_ONLY
    assert {name for name, takes in said.items() if takes == "irrelevant"} <= OF_BODIES


@pytest.mark.parametrize("program", sorted(OF_BODIES - {"actuation"}))
def test_what_is_about_bodies_is_the_same_with_and_without(program):
    model = HELD["gear"]()
    options = {"frame": "link_3"} if "frame_jacobian" in program else {}
    one, other = (lw.trace_program(m, program, **options) for m in (model, model.without_constraints()))
    assert isinstance(one, Program) and one.nodes == other.nodes


def test_programs_that_take_some_constraints_refuse_the_others():
    loop = lw.load("four_bar")
    for name, recipe in RECIPES.items():
        if recipe.constraints == "ground":
            with pytest.raises(UnsupportedError, match="loops"):
                lw.reference(loop, name)


def test_without_constraints_is_the_way_that_is_named():
    model = HELD["gear"]().without_constraints()
    assert lw.base_parameters(model).rank > 0
    assert lw.reference(model, "gravity_torques")(model.drawn).shape == (3,)
