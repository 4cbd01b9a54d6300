"""Tracing: a Python function run on symbols becomes a straight-line program. Knows nothing of robots."""

from .common_beginning import CommonBeginning
from .defined_ops import define_op
from .derivative_programs import Measured, Varied, jacobians, pullback, pushforward
from .differentiation import directional_derivative, jacobian
from .expr import Expr
from .inlining import inlined, placed_steps
from .interpreter import interpret, run_on_scalars
from .operations import LoopOperations, Operations, count_operations
from .ops import Op
from .passes import PASSES, simplify
from .plain_data import program_from_data, program_to_data
from .program import Input, Output, Program, Repeat, Until, trace

__all__ = [
    "PASSES", "CommonBeginning", "Expr", "Input", "LoopOperations", "Measured", "Op", "Operations", "Output", "Program",
    "Repeat", "Until", "Varied", "count_operations", "define_op", "directional_derivative", "inlined", "interpret",
    "jacobian", "jacobians", "placed_steps", "program_from_data", "program_to_data", "pullback", "pushforward",
    "run_on_scalars", "simplify", "trace",
]  # fmt: skip
