"""Linear algebra of constants, the same to the last bit on every processor.

NumPy hands matrix products to BLAS and decompositions to LAPACK, which add in an order, and fuse multiplications with
additions, as suits the processor at hand. Where such a number becomes a constant of a program, one last bit decides
whether two constants are one, so the program itself would depend on the machine. Everything that leads to a model's
numbers, or to a choice made from them, is computed here instead: plain additions and multiplications in the order
written. Sizes are those of a mechanism, tens of rows; nothing here is for large matrices.
"""

from .orthogonal import PivotedColumns, least_squares, projected_on_kernel, pseudo_inverse, rank
from .products import determinant, dot, norm, product, unit
from .symmetric import CholeskyFactor, NotPositiveDefinite, eigenvalues, eigenvectors, solve_positive_definite

__all__ = [
    "CholeskyFactor",
    "NotPositiveDefinite",
    "PivotedColumns",
    "determinant",
    "dot",
    "eigenvalues",
    "eigenvectors",
    "least_squares",
    "norm",
    "product",
    "projected_on_kernel",
    "pseudo_inverse",
    "rank",
    "solve_positive_definite",
    "unit",
]
