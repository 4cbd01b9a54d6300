"""Derivatives of programs, compiled like the programs themselves: `jacobian`, `vjp`, `jvp`, `hessian_vector`."""

from .differentiate import hessian_vector, jacobian, jvp, vjp

__all__ = ["hessian_vector", "jacobian", "jvp", "vjp"]
