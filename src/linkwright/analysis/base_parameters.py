"""Base parameters: the combinations of inertial parameters that inverse dynamics can tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..call_errors import names_arguments
from ..compilation import compile
from ..errors import InputError
from ..model import Model
from ..programs import RECIPES
from ..programs.request import refuse_unknown_constraints

_SAMPLES_PER_COLUMN = 3
# Singular values fall from one to a few hundredths, and then to 1e-14: any number between tells them apart.
RANK_TOLERANCE = 1e-9


@dataclass(frozen=True)
class BaseParameters:
    """columns   of the regressor that are independent, in ascending order
    matrix    (rank, parameters): values of the base parameters = matrix @ pi, and Y pi = Y[:, columns] @ them
    """

    columns: np.ndarray
    matrix: np.ndarray

    @property
    def rank(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"<{self.rank} base parameters of {self.matrix.shape[1]}>"


@names_arguments
def base_parameters(model: Model, *, seed: int = 0, tolerance: float = RANK_TOLERANCE) -> BaseParameters:
    """What can be identified of the inertial parameters `default_parameters(model)["inertias"][1:].ravel()`.

    Regressors at random states are stacked; columns that depend on ones before them are left out, and what they stand
    for is added to those. [Gautier1990] in numbers. Of trees: models with constraints or gears are refused by name.
    """
    if not isinstance(model, Model):
        raise InputError(f"expected a Model (see linkwright.load), got {type(model).__name__}")
    refuse_unknown_constraints(model, RECIPES["joint_torque_regressor"], "base_parameters asks for a regressor: ")
    regressor = compile(model, "joint_torque_regressor")
    count = regressor.outputs[0].shape[1]
    samples = -(-_SAMPLES_PER_COLUMN * count // max(1, model.nv)) + 3
    rng = np.random.default_rng(seed)
    q = model.random_configuration(rng, samples)
    v, a = rng.normal(size=(2, samples, model.nv))
    Y = regressor(q, v, 10.0 * a).reshape(samples * model.nv, count)
    scale = np.linalg.norm(Y, axis=0)
    columns, basis = [], np.zeros((len(Y), 0))
    for k in range(count):
        if not scale[k]:
            continue
        column = Y[:, k] / scale[k]
        for _ in range(2):  # once more for what rounding left
            column = column - basis @ (basis.T @ column)
        if np.linalg.norm(column) > tolerance:
            columns.append(k)
            basis = np.column_stack([basis, column / np.linalg.norm(column)])
    chosen = np.array(columns, dtype=int)
    matrix = np.linalg.lstsq(Y[:, chosen], Y, rcond=None)[0] if len(chosen) else np.zeros((0, count))
    matrix[np.abs(matrix) < 1e-10] = 0.0
    return BaseParameters(chosen, matrix)
