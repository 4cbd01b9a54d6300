"""Tracing: a Python function run on symbols becomes a straight-line program. Knows nothing of robots."""

from .differentiation import directional_derivative, jacobian
from .expr import Expr
from .interpreter import interpret
from .operations import LoopOperations, Operations, count_operations
from .ops import Op
from .passes import PASSES, simplify
from .program import Input, Output, Program, Repeat, Until, trace

__all__ = [
    "PASSES", "Expr", "Input", "LoopOperations", "Op", "Operations", "Output", "Program", "Repeat", "Until",
    "count_operations", "directional_derivative", "interpret", "jacobian", "simplify", "trace",
]  # fmt: skip
