"""Compiled functions in other languages and libraries: `export_c`, `export_casadi`."""

from .c_files import CFiles, export_c
from .casadi_function import export_casadi

__all__ = ["CFiles", "export_c", "export_casadi"]
