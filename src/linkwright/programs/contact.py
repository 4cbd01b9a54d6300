"""`contact_dynamics`: accelerations and forces of a mechanism that touches something, by MuJoCo's soft law."""

from __future__ import annotations

from numbers import Real

import numpy as np

from ..algorithms.contact.candidates import candidates
from ..algorithms.contact.equalities import soften
from ..algorithms.contact.newton import SoftProblem, SoftSolution, newton
from ..algorithms.contact.rows import ContactState, contact_states, joint_rows
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..algorithms.tree.kinematics import placements
from ..errors import InputError
from ..model import Model, Tree
from ..model.contact.law import CONES
from ..scalar import where
from ..spatial import Force, sum_of
from .closures import check_positions
from .penalties import PRIMAL, bearable_stiffness, penalties
from .precision import Precision
from .recipe import Recipe, external_forces
from .solvable import check_solvable
from .status import status

CONTACT_OUTPUTS = ("contact_force", "contact_point", "contact_frame", "gap", "active")
_OUTPUTS = ("a", *CONTACT_OUTPUTS, "limit_torque", "friction_torque", "forces", "iterations", "status")
_DEFAULT = ("a", "contact_force", "gap", "status")
_OPTIONS = {
    "equality": "hard", "cone": None, "limits": True, "friction": True, "baumgarte": None, "iterations": None,
    "tolerance": None, "warm_start": None,
}  # fmt: skip
# About the error of accelerations, relative to 1 + the largest, at which passes end.
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}
MOST_PASSES = 100
_ROUNDINGS = 100.0  # of a number: what sums of slopes leave of zero


def _evaluate(tree: Tree, x, options):
    v, dt, precision = list(x["v"]), x["dt"][()], Precision.of(options)
    law = tree.model.contact_law
    hard = options["equality"] == "hard"
    mu = None
    if tree.model.nc:
        wanted = bearable_stiffness(tree.model, PRIMAL.of(counted=False, arithmetic=precision.arithmetic))
        mu = penalties(tree.model, None, wanted).tolist()
    problem = ConstrainedProblem(
        tree, x["q"], v, x["tau"], f_ext=external_forces(tree, x), mu=mu,
        baumgarte=options["baumgarte"] if hard else None,
    )  # fmt: skip
    if not hard:
        problem.constraints = soften(problem, v, dt)
    touching = candidates(tree, placements(tree, x["q"]))
    contacts = contact_states(problem, touching, v, dt, options["cone"] or law.cone)
    joints = joint_rows(problem, v, dt, limits=options["limits"], friction=options["friction"])
    soft = SoftProblem(problem, [state.rows for state in contacts], joints, hard)
    start = list(x["warm"]) if "warm" in x else [0.0] * tree.nv
    tolerance = TOLERANCE[precision.answer] if options["tolerance"] is None else float(options["tolerance"])
    limit = MOST_PASSES if options["iterations"] is None else options["iterations"]
    solution = newton(soft, start, tolerance, limit, _ROUNDINGS * precision.rounding)
    return {
        "a": solution.a,
        **_contact_outputs(contacts, solution),
        **_joint_outputs(tree, soft, solution),
        "forces": _constraint_forces(soft, solution),
        "iterations": solution.iterations,
        "status": status(solution.a, (), solution.converged),
    }


def _contact_outputs(contacts: list[ContactState], solution: SoftSolution):
    """Forces on the first body, [linear; angular] in the contact's frame."""
    forces, points, frames = [], [], []
    for state, own in zip(contacts, solution.x, strict=False):
        touch, view = state.candidate.touch, state.candidate.view
        f = [s * y for s, y in zip(state.rows.scales, state.rows.force(own), strict=True)]
        forces.append(f + [0.0] * (6 - len(f)))
        points.append(list(view.point_in_world(touch.point)))
        frames.append([list(view.direction_in_world(d)) for d in (touch.normal, touch.t1, touch.t2)])
    return {
        "contact_force": forces or np.zeros((0, 6)), "contact_point": points or np.zeros((0, 3)),
        "contact_frame": frames or np.zeros((0, 3, 3)), "gap": [_gap(state) for state in contacts],
        "active": [state.active for state in contacts],
    }  # fmt: skip


def _gap(state: ContactState):
    """Infinite where the pair has no such point in this pose."""
    touch = state.candidate.touch
    return touch.gap if touch.possible is None else where(touch.possible, touch.gap, float("inf"))


def _joint_outputs(tree: Tree, soft: SoftProblem, solution: SoftSolution):
    limits, friction = [0.0] * tree.nv, [0.0] * tree.nv
    for site, own in zip(soft.joints, solution.x[len(soft.contacts) :], strict=False):
        limits[site.k], friction[site.k] = site.limit_force(own), site.friction_force(own)
    return {"limit_torque": limits, "friction_torque": friction}


def _constraint_forces(soft: SoftProblem, solution: SoftSolution) -> list:
    """On the first frame of each constraint, [linear; angular] in that frame."""
    forces = []
    own = solution.phi[len(soft.contacts) + len(soft.joints) :]
    for c, f in zip(soft.problem.constraints, own, strict=True):
        wrench: Force = sum_of(row * y for row, y in zip(c.rows, f, strict=True))
        forces.append(wrench.to_public())
    return forces


def _check_options(model: Model, options) -> None:
    if options["equality"] not in ("hard", "soft"):
        raise InputError(f"equality is {options['equality']!r}; expected 'hard' or 'soft'")
    if options["cone"] is not None and options["cone"] not in CONES:
        raise InputError(f"cone is {options['cone']!r}; expected {' or '.join(CONES)}, or None for the model's own")
    for name in ("limits", "friction"):
        if not isinstance(options[name], bool):
            raise InputError(f"{name} is {options[name]!r}; expected True or False")
    if options["warm_start"] not in (None, "input"):
        given = options["warm_start"]
        raise InputError(f"warm_start is {given!r}; expected 'input', to give it with each call, or None")
    count, tolerance, T = options["iterations"], options["tolerance"], options["baumgarte"]
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 1000):
        raise InputError(
            f"iterations is {count!r}; expected a whole number from 1 to 1000, or None for up to {MOST_PASSES}"
        )
    for name, value in (("tolerance", tolerance), ("baumgarte", T)):
        number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
        if value is not None and not (number and value > 0):
            raise InputError(f"{name} is {value!r}; expected a positive number, or None")
    if T is not None:
        if options["equality"] == "soft":
            raise InputError("baumgarte is for hard equalities; soft ones have their solref")
        check_positions(model)


CONTACT = (
    Recipe(
        "contact_dynamics", "forward dynamics with contacts, limits and dry friction, MuJoCo's soft law",
        ("q", "v", "tau", "dt"), _OUTPUTS, _evaluate, ("f_ext",), _DEFAULT, _OPTIONS, check_solvable, _check_options,
        lambda options: ("warm",) if options["warm_start"] == "input" else (), contacts="soft",
        needs_double=lambda options: True,
    ),
)  # fmt: skip
