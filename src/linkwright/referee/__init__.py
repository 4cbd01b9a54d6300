"""The referee: constrained dynamics by the most pedestrian means, to check everything else against.

Shares no dynamics code with the algorithms: 6x6 matrices, Rodrigues' formula, sums over bodies, one dense system,
straight from the model's numbers. It runs on NumPy's long doubles or, with mpmath, on numbers of 50 digits. Spatial
vectors are angular first inside, [linear; angular] where users see them.
"""

from .arithmetic import LONG, backward_substitution, cholesky, forward_substitution
from .dense_dynamics import DenseDynamics
from .kkt import KKTSolution, solve_kkt

__all__ = [
    "LONG", "DenseDynamics", "KKTSolution", "backward_substitution", "cholesky", "forward_substitution", "solve_kkt",
]  # fmt: skip
