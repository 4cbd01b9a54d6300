"""Derivatives of programs, compiled like the programs themselves: `jacobian`, `vjp`, `jvp`."""

from .differentiate import jacobian, jvp, vjp

__all__ = ["jacobian", "jvp", "vjp"]
