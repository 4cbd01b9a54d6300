"""Constraint frames and rows as inputs of the call: the same as a model that was built so."""

from dataclasses import replace

import numpy as np
import pytest
from loop_cases import random_graph

import linkwright as lw
from linkwright.errors import InputError, UnsupportedError
from linkwright.model.constraint_parameters import constraint_frames
from linkwright.model.constraints import GROUND_FRAME, RelativeConstraint, Rod, SumConstraint

NAMES = ("constraint_placements", "constraint_rows")
MATRICES = ("dense_delassus", "ltl_osim", "kjr", "efpa", "pv_osim")
SOLVERS = {"lcaba": {"iterations": 10}, "prox_bbo": {"iterations": 10}, "prox_ltl": {"iterations": 5}, "ltl": {}}


def changed_values(model, rng):
    """Frames elsewhere on their bodies, and other rows."""
    own = lw.default_parameters(model, NAMES)
    poses, rows = own["constraint_placements"].copy(), own["constraint_rows"]
    poses[:, :3] += 0.1 * rng.normal(size=(len(poses), 3))
    poses[:, 3:] += 0.2 * rng.normal(size=(len(poses), 4))
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    return {"constraint_placements": poses, "constraint_rows": rows + 0.3 * rng.normal(size=rows.shape)}


def built_with(model, values):
    """The model whose own numbers are these."""
    builder = lw.ModelBuilder.from_model(model.without_constraints())
    poses, rows = iter(values["constraint_placements"]), iter(values["constraint_rows"])
    constraints = []
    for number, c in enumerate(model.constraints):
        placed = []
        for k, (frame, _) in enumerate(c.placed_frames):
            name, body = f"moved_{number}_{k}", model.bodies[model.frame(frame).body].name
            x = next(poses)
            pose = lw.Pose.from_quaternion(x[:3], x[3:])
            if isinstance(c, RelativeConstraint) and k == 1 and frame == GROUND_FRAME:
                placed.append(pose if c.target is not None else None)
                continue
            builder.add_frame(name, body, pose)
            placed.append(name)
        matrices = [np.array([next(rows) for _ in K]) for K in c.changeable_rows]
        if isinstance(c, SumConstraint):
            c = replace(c, parts=tuple(zip(placed, matrices, strict=True)))
        elif isinstance(c, Rod):
            c = replace(c, frame=placed[0], other=placed[1])
        elif isinstance(c, RelativeConstraint):
            other = {"target": placed[1]} if c.other == GROUND_FRAME else {"other": placed[1], "target": None}
            c = replace(c, frame=placed[0], rows=matrices[0] if matrices else c.rows, **other)
        constraints.append(c)
    return builder.build().with_constraints(*constraints)


def agree(found, expected, tolerance=1e-9):
    return np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("seed", range(24))
def test_random_graphs(seed, rng):
    case = random_graph(seed)
    model, q, v, tau = case.model, case.q, case.v, case.tau
    values = changed_values(model, rng)
    other = built_with(model, values)
    for name in MATRICES:
        found = lw.reference(model, name, parameters=NAMES)(q, **values)
        assert agree(found, lw.reference(other, name)(q)), name
    x, mu = rng.normal(size=model.nc), np.full(model.nc, 10.0)
    for method in ("matrix", "sweeps"):
        options = {"method": method, "mu": "input", "outputs": ("product", "solve", "bias")}
        found = lw.reference(model, "delassus_operator", parameters=NAMES, **options)(q, v, tau, x, mu, **values)
        expected = lw.reference(other, "delassus_operator", **options)(q, v, tau, x, mu)
        for one, two in zip(found, expected, strict=True):
            assert agree(one, two), method
    stiff = np.full(model.nc, 1e4)
    for name, options in SOLVERS.items():
        given = {"mu": "input"} if "iterations" in options else {}
        arrays = (q, v, tau, stiff)[: 4 if given else 3]
        found = lw.reference(model, name, parameters=NAMES, outputs=("a", "forces"), **options, **given)(
            *arrays, **values
        )
        expected = lw.reference(other, name, outputs=("a", "forces"), **options, **given)(*arrays)
        assert agree(found.a, expected.a, 1e-6), name
    assert agree(
        lw.reference(model, "constraint_jacobian", parameters=NAMES)(q, **values),
        lw.reference(other, "constraint_jacobian")(q),
    )


def test_own_values_change_nothing(rng, backend):
    case = random_graph(10)
    q = case.model.random_configuration(rng, 3)
    own = {k: np.repeat(x[None], 3, axis=0) for k, x in lw.default_parameters(case.model, NAMES).items()}
    found = backend(case.model, "pv_osim", {"q": q, **own}, parameters=NAMES)
    assert agree(found, lw.reference(case.model, "pv_osim")(q))


def test_contact_points_of_every_sample_in_one_compiled_program(rng):
    """What contact needs: feet whose points and normals differ from sample to sample."""
    robot = lw.load("quadruped").with_constraints(*(lw.connect(f"{leg}_foot") for leg in ("FL", "RR")))
    operator = lw.delassus_operator(robot, parameters="constraint_placements", mu=100.0)
    assert operator.inputs == ("q", "constraint_placements")
    values = [changed_values(robot, rng) for _ in range(3)]
    q, v, tau = robot.random_configuration(rng, 3), *rng.normal(size=(2, 3, robot.nv))
    x = rng.normal(size=(3, robot.nc))
    at = operator.factor(q, np.stack([value["constraint_placements"] for value in values]))
    for k, value in enumerate(values):
        value["constraint_rows"] = lw.default_parameters(robot, NAMES)["constraint_rows"]
        expected = lw.reference(
            built_with(robot, value), "delassus_operator", outputs=("product", "solve", "bias"), mu=100.0
        )(q[k], v[k], tau[k], x[k])
        assert agree(at.product(x)[k], expected.product)
        assert agree(at.solve(x)[k], expected.solve)
        assert agree(at.bias(v, tau)[k], expected.bias)


def test_shapes_and_order():
    robot = lw.load("humanoid").with_constraints(
        lw.weld("left_foot"),
        lw.connect("left_hand", "right_hand"),
        lw.center_of_mass(directions="z"),
        lw.constrain({"left_hand": np.eye(6)[:2], "right_foot": np.eye(6)[2:4]}, name="sum"),
        lw.rod("right_hand", "right_foot", length=0.5, name="rod"),
    )
    values = lw.default_parameters(robot, NAMES)
    assert values["constraint_placements"].shape == (8, 7)
    assert values["constraint_rows"].shape == (6 + 2 + 2, 6)  # a closure says where things belong
    assert constraint_frames(robot)[1:4] == [
        ("left_foot", "world"), ("left_hand", "left_hand"), ("left_hand", "right_hand"),
    ]  # fmt: skip


def test_bad_input():
    robot = lw.load("humanoid").with_constraints(lw.weld("left_foot"))
    function = lw.compile(robot, "pv_osim", parameters="constraint_placements")
    q = robot.random_configuration(0)
    with pytest.raises(InputError, match=r"'constraint_placements' has shape \(1, 7\); expected \(2, 7\)"):
        function(q, np.zeros((1, 7)))
    with pytest.raises(InputError, match="Did you mean 'constraint_rows'"):
        lw.compile(robot, "pv_osim", parameters="constraint_row")
    for name, options in {"pv_early": {}, "pv": {"base": "last"}, "pv_osim_fast": {}}.items():
        with pytest.raises(UnsupportedError, match="plans its work from the constraints' own numbers"):
            lw.compile(robot, name, parameters="constraint_rows", **options)
    with pytest.raises(UnsupportedError, match="'cluster_aba' plans its work"):
        lw.compile(lw.load("four_bar"), "cluster_aba", parameters="constraint_placements")
