"""The library's dense referee with what the tests of unconstrained dynamics ask it for."""

from __future__ import annotations

import numpy as np

from linkwright.referee import LONG as ARITHMETIC
from linkwright.referee import DenseDynamics, backward_substitution, cholesky, forward_substitution

LONG = ARITHMETIC.dtype


class Referee(DenseDynamics):
    @property
    def condition(self):
        return float(np.linalg.cond(self.M.astype(float))) if self.model.nv else 1.0

    def acceleration(self, tau, f_ext=None):
        rhs = np.asarray(tau, dtype=LONG) - self.bias
        if f_ext is not None:
            rhs = rhs + self.torque_of_forces(f_ext)
        C = cholesky(ARITHMETIC, self.M)
        return backward_substitution(C, forward_substitution(C, rhs))

    def torque(self, a, f_ext=None):
        tau = self.M @ np.asarray(a, dtype=LONG) + self.bias
        return tau if f_ext is None else tau - self.torque_of_forces(f_ext)
