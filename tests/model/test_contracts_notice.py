"""The contracts of joints and constraints notice when a number or a sign in a kind is changed: nothing else would."""

import importlib
import warnings

import numpy as np
import pytest
from constraint_checks import EXAMPLES, check_constraint
from joint_checks import check_joint
from mutations import Mutation, mutations, of_function

from linkwright.model.constraints import CONSTRAINT_KINDS
from linkwright.model.joints import JOINT_KINDS, JointMotion
from linkwright.model.joints.straight import PlainMotion

# Changes that change nothing: of vectors in a plane the component across it is dropped, and places of joints and rows
# of functions do not depend on rates; what is rounding is so a little above as well.
_ACROSS = "0.0 -> 0.02"
NOT_SEEN = {
    "Planar.integrate": _ACROSS, "Planar.difference": _ACROSS, "Planar.coordinate_rates": _ACROSS,
    "Planar.velocities_of": _ACROSS, "PlanarMotion.of": _ACROSS, "PlanarMotion.rate": _ACROSS,
    "RelativeConstraint.turning_axis": "1e-12 -> 1.02e-12",
    "PlanarMotion.velocities": _ACROSS, "PlanarMotion.moved": _ACROSS, "FunctionAtState._value": _ACROSS,
}  # fmt: skip
# What a kind declares, and what else it could say; each is noticed with every kind that says otherwise.
DECLARED = {
    "velocity_is_rate": (True, False), "is_free": (True, False), "slides": (True, False), "turns": (True, False),
    "has_quaternion": (True, False), "has_axis": (True, False), "has_pitch": (True, False), "vectors": (0, 1, 2),
    "in_turning_axes": (0, 2, 3), "leading_lengths": (0, 1, 2, 3), "nq": (1, 2, 3, 4, 7), "nv": (1, 2, 3, 6),
    "endless": (True, False), "slides_freely": (True, False),
    "leaves_in_place": ("nothing", "axis", "centre", "turning"),
    "held": (("all", "across"), ("across", "all"), ("across", "across"), ("along", "across"), ("none", "all")),
}  # fmt: skip
# What promises less than is true: nothing is wrong then. The centre of a hinge lies on its axis.
CAUTIOUS = {
    ("endless", False), ("slides_freely", False), ("leaves_in_place", "nothing"),
    *((kind, "leaves_in_place", "centre") for kind in ("revolute", "continuous")),
}  # fmt: skip
_MODULE = "linkwright.model.constraints"


def of_joints() -> list[tuple[Mutation, tuple[type[JointMotion], ...]]]:
    """(change, kinds that have it)."""
    classes = dict.fromkeys(
        cls for kind in JOINT_KINDS.values() for cls in (*kind.__mro__, *kind.straight.__mro__)
        if issubclass(cls, JointMotion | PlainMotion)
    )  # fmt: skip
    found = []
    for cls in classes:
        users = tuple(k for k in JOINT_KINDS.values() if issubclass(k, cls) or issubclass(k.straight, cls))
        found += [(mutation, users) for mutation in mutations(cls)]
    return found


def of_constraints(kind: str) -> list[Mutation]:
    coupling, joint_tie = (importlib.import_module(f"{_MODULE}.{name}") for name in ("coupling", "joint_tie"))
    leave = ("with_locked", "renamed", "cut")  # about names, editing and texts
    at_state = {
        "relative": ("relative", "RelativeAtState"), "rod": ("rod", "RodAtState"),
        "coupling": ("coupling", "CouplingAtState"), "sum": ("sum_constraint", "SumAtState"),
        "center_of_mass": ("mass_center", "CenterOfMassAtState"),
        "implicit_function": ("implicit_function", "FunctionAtState"),
        "explicit_function": ("implicit_function", "FunctionAtState"),
    }  # fmt: skip
    module, name = at_state[kind]
    found = list(mutations(getattr(importlib.import_module(f"{_MODULE}.{module}"), name), leave=leave))
    found += mutations(CONSTRAINT_KINDS[kind], leave=leave)
    if kind == "relative":
        found += mutations(importlib.import_module(f"{_MODULE}.relative_poses").RelativePoses)
    if kind == "coupling":
        found += mutations(joint_tie.TieAtState)
        for holder, function in ((coupling, "sum_of_rates"), (joint_tie, "along"), (coupling, "value_of"),
                                 (coupling, "derivative")):  # fmt: skip
            found += of_function(holder, function)
    return found


def survives(mutation: Mutation, checks) -> bool:
    with mutation.applied(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            for check in checks:
                check()
        except Exception:
            return False
    return True


def is_known(mutation: Mutation) -> bool:
    return any(mutation.what.startswith(place) and mutation.what.endswith(x) for place, x in NOT_SEEN.items())


def test_every_number_of_every_joint_kind_is_noticed():
    tried = of_joints()
    assert len(tried) > 60
    alive = [m for m, users in tried if survives(m, [lambda kind=kind: check_joint(kind) for kind in users])]
    assert not [m.what for m in alive if not is_known(m)]


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_what_a_joint_kind_declares_is_noticed(kind):
    cls, alive = JOINT_KINDS[kind], []
    for name, others in DECLARED.items():
        for value in others:
            if value == getattr(cls, name) or {(name, value), (kind, name, value)} & CAUTIOUS:
                continue
            if name == "held" and cls.held is None:  # no loop is closed by it
                continue
            if survives(Mutation(cls, name, value, f"{kind}.{name} = {value!r}"), [lambda: check_joint(cls)]):
                alive.append((name, value))
    assert not alive


@pytest.mark.parametrize("kind", CONSTRAINT_KINDS)
def test_numbers_of_every_constraint_kind_are_noticed(kind, request):
    """Every ninth change; all of them with --long."""
    some = slice(None) if request.config.getoption("--long") else slice(3, None, 9)
    checks = [lambda example=example: check_constraint(example) for example in EXAMPLES[kind]]
    alive = [m for m in of_constraints(kind)[some] if survives(m, checks)]
    assert not [m.what for m in alive if not is_known(m)]


def test_a_changed_number_is_taken_back():
    for mutation, _ in of_joints()[:10]:
        before = getattr(mutation.holder, mutation.name)
        with mutation.applied():
            assert getattr(mutation.holder, mutation.name) is not before
        assert getattr(mutation.holder, mutation.name) is before
    for kind in JOINT_KINDS.values():
        check_joint(kind)
