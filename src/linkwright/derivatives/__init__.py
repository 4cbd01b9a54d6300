"""Derivatives of programs, compiled like the programs themselves: `jacobian`, `vjp`, `jvp`."""

from .functions import jacobian, jvp, vjp

__all__ = ["jacobian", "jvp", "vjp"]
