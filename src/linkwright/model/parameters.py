"""Numbers of a model that become inputs of a compiled function.

| name       | shape          | meaning                                                                        |
| gravity    | (3,)           | acceleration of free fall in the world                                         |
| masses     | (nbodies,)     | body masses; centres of mass and radii of gyration stay                         |
| inertias   | (nbodies, 10)  | [m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the origin of the body's own frame |
| placements | (nbodies, 7)   | joint frames in their parents' frames, [position, unit quaternion x y z w]      |
| springs    | (nv,)          | joint stiffnesses                                                              |
| spring_references | (nq,)   | coordinates at which they rest; of joints that may have no springs not asked   |
| dampings   | (nv,)          | joint damping coefficients                                                     |
| armatures  | (nv,)          | rotor inertias                                                                 |
| frictions  | (nv,)          | dry friction of joints that have some; of those that have none it is not asked  |
| tendons    | (tendons, 3)   | stiffness, damping, dry friction (of those that have some)                      |
| actuator_gains | (n, 6)     | of each actuator gain and bias: per command and constant, per length, per rate  |
| shape_placements  | (shapes, 7) | shapes on their bodies, [position, unit quaternion x y z w]                |
| contact_frictions | (pairs, 5)  | of each pair of shapes: along t1, t2, about the normal, about t1, t2       |

Row 0 of the body-wise ones is the ground's and is ignored. Those of constraints are in constraint_parameters.py. What
is worked out once for a model, such as automatic penalties, is worked out with the model's own numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError, unknown_name
from ..scalar import Scalar
from ..spatial import RigidInertia, Rotate, Shift, Symmetric, Transform, Vector
from ..spatial.quaternion import rotation_matrix
from .constraint_parameters import (
    LENGTHS,
    PLACEMENTS,
    RATIOS,
    ROWS,
    ConstraintParameters,
    lengths_of,
    placements_of,
    ratios_of,
    rows_of,
)
from .model import Model

_SHAPES = {
    "gravity": lambda model: (3,),
    "masses": lambda model: (model.nbodies,),
    "inertias": lambda model: (model.nbodies, 10),
    "placements": lambda model: (model.nbodies, 7),
    "springs": lambda model: (model.nv,),
    "spring_references": lambda model: (model.nq,),
    "dampings": lambda model: (model.nv,),
    "armatures": lambda model: (model.nv,),
    "frictions": lambda model: (model.nv,),
    "tendons": lambda model: (len(model.tendons), 3),
    "actuator_gains": lambda model: (len(model.actuators), 6),
    "shape_placements": lambda model: (len(model.shapes), 7),
    "contact_frictions": lambda model: (len(model.pairs), 5),
    PLACEMENTS: lambda model: placements_of(model).shape,
    ROWS: lambda model: rows_of(model).shape,
    RATIOS: lambda model: ratios_of(model).shape,
    LENGTHS: lambda model: lengths_of(model).shape,
}
PARAMETER_NAMES = tuple(_SHAPES)
CONTACT_PARAMETERS = ("shape_placements", "contact_frictions")


def parameter_shapes(model: Model, names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Shapes of the named parameters; refuses names that are not there."""
    for name in names:
        if name not in _SHAPES:
            raise unknown_name("parameter", name, _SHAPES)
    if {"masses", "inertias"} <= set(names):
        raise InputError("parameters 'masses' and 'inertias' exclude each other: an inertia holds its mass")
    return {name: _SHAPES[name](model) for name in names}


@names_arguments
def default_parameters(model: Model, names: Sequence[str] = PARAMETER_NAMES) -> dict[str, np.ndarray]:
    """The model's own values, to start from when randomizing."""
    own = {
        "gravity": lambda: model.gravity.copy(),
        "masses": lambda: np.array([body.inertia.mass for body in model.bodies]),
        "inertias": lambda: np.array([body.inertia.dynamic_parameters for body in model.bodies]),
        "placements": lambda: np.array(
            [[*body.placement.translation, *body.placement.quaternion] for body in model.bodies]
        ),
        "springs": lambda: model.stacked("stiffness"),
        "spring_references": lambda: _spring_references(model),
        "dampings": lambda: model.stacked("damping"),
        "armatures": lambda: model.stacked("armature"),
        "frictions": lambda: model.stacked("friction"),
        "tendons": lambda: np.array([[x.stiffness, x.damping, x.friction] for x in model.tendons]).reshape(-1, 3),
        "actuator_gains": lambda: np.array([[*x.gain, *x.bias] for x in model.actuators]).reshape(-1, 6),
        "shape_placements": lambda: _shape_placements(model),
        "contact_frictions": lambda: _contact_frictions(model),
        PLACEMENTS: lambda: placements_of(model),
        ROWS: lambda: rows_of(model),
        RATIOS: lambda: ratios_of(model),
        LENGTHS: lambda: lengths_of(model),
    }
    for name in names:
        if name not in own:
            raise unknown_name("parameter", name, own)
    return {name: own[name]() for name in names}


def _spring_references(model: Model) -> np.ndarray:
    found = np.zeros(model.nq)
    for joint, places in zip(model.joints, model.iq[1:], strict=True):
        if joint.may_have_springs:
            found[places] = joint.spring_reference
    return found


def _shape_placements(model: Model) -> np.ndarray:
    poses = [model.frame(shape.on).placement @ shape.placement for shape in model.shapes]
    return np.array([[*pose.translation, *pose.quaternion] for pose in poses]).reshape(-1, 7)


def _contact_frictions(model: Model) -> np.ndarray:
    shapes = {shape.name: shape for shape in model.shapes}
    laws = [pair.interaction(shapes[pair.first], shapes[pair.second]) for pair in model.pairs]
    return np.array([law.friction for law in laws], dtype=float).reshape(-1, 5)


class Parameters:
    """The given values, and the model's own numbers for all others."""

    def __init__(self, model: Model, given: Mapping[str, Sequence]):
        parameter_shapes(model, tuple(given))
        self._model, self._given = model, given
        self.of_constraints = ConstraintParameters(model, given)

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def __iter__(self):
        return iter(self._given)

    def vector(self, name: str) -> list[Scalar]:
        if name in self._given:
            return list(self._given[name])
        return [float(x) for x in default_parameters(self._model, (name,))[name]]

    def rows(self, name: str) -> list[list[Scalar]]:
        if name in self._given:
            return [list(row) for row in self._given[name]]
        return default_parameters(self._model, (name,))[name].tolist()

    def inertia(self, i: int) -> RigidInertia:
        """In the body's own frame."""
        if "inertias" in self._given:
            m, hx, hy, hz, xx, xy, yy, xz, yz, zz = self._given["inertias"][i]
        else:
            known = self._model.bodies[i].inertia
            # a body without mass is given its new mass as a point at its origin
            scale = known.dynamic_parameters / known.mass if known.mass > 0 else np.eye(10)[0]
            m, hx, hy, hz, xx, xy, yy, xz, yz, zz = (self._given["masses"][i] * float(x) for x in scale)
        return RigidInertia(m, Vector(hx, hy, hz), Symmetric(xx, xy, xz, yy, yz, zz))

    def placement(self, i: int) -> Transform:
        return _transform(self._given["placements"][i])

    def shape_placement(self, name: str) -> Transform | None:
        """From the body's own frame to a shape, if that is given."""
        if "shape_placements" not in self._given:
            return None
        names = [shape.name for shape in self._model.shapes]
        return _transform(self._given["shape_placements"][names.index(name)])

    def contact_friction(self, pair: int) -> list[Scalar] | None:
        """Of five directions, if they are given."""
        return list(self._given["contact_frictions"][pair]) if "contact_frictions" in self._given else None


def _transform(numbers: Sequence[Scalar]) -> Transform:
    x, y, z, *quaternion = numbers
    return Transform(Shift(Vector(x, y, z)), Rotate(rotation_matrix(quaternion)))
