"""Compiled functions as functions of jax, with gradients: `linkwright.jax.function`. Extra: `jax`."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from .call_errors import names_arguments
from .codegen import CompiledFunction
from .derivatives.plain_coordinates import PlainDerivatives
from .errors import InputError, MissingExtraError
from .learning.batch_axes import common_axes, leading_axes, summed_axes
from .learning.calls_by_name import by_name
from .learning.xla_handler import XlaHandler, evaluate

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    raise MissingExtraError("jax", "jax", "linkwright.jax") from None

__all__ = ["function"]

_log = logging.getLogger("linkwright")
_numbers = itertools.count()
_handlers: list[XlaHandler] = []
"""XLA may call them as long as the process lives."""


@names_arguments
def function(f: CompiledFunction) -> Callable[..., Any]:
    """A compiled function as one of jax: `linkwright.jax.function(lw.compile(robot, "aba"))`.

    Takes arrays by position or name, with any batch axes in front, which broadcast; returns one, or a tuple of them.
    `jit`, `vmap` and reverse-mode derivatives (`grad`, `vjp`, `jacrev`) work, computed by our `vjp`; gradients have the
    shapes of the arrays, for configurations too. Runs on the CPU. Functions of float64 need jax' 64-bit mode; float32
    and float64 are both taken, and results have the type that the inputs have in common.
    """
    return by_name(f, _Operation(PlainDerivatives(f)), "arrays of jax")


class _Operation:
    """Checks and converts arrays; what is between is differentiated by a rule of its own."""

    def __init__(self, derivatives: PlainDerivatives):
        self.derivatives, self.compiled = derivatives, derivatives.function
        self.inputs, self.outputs = self.compiled.inputs, self.compiled.outputs
        self.dtype = self.compiled.dtype
        self._target: str | None = None
        self._gradient: Any = None
        self._with_rule = jax.custom_vjp(self._run)
        self._with_rule.defvjp(self._forward, self._backward)

    def __call__(self, *arrays: Any) -> tuple:
        name = self.compiled.name
        given = [_checked(name, spec.name, array) for spec, array in zip(self.inputs, arrays, strict=False)]
        leads = leading_axes(name, self.inputs, [x.shape for x in given] + [()] * (len(arrays) - len(given)))
        lead = common_axes(name, self.inputs, leads)
        if self.dtype == np.float64 and not jax.config.jax_enable_x64:
            raise InputError(
                f"{name} is of float64, and jax computes in float32; call jax.config.update('jax_enable_x64', True), "
                "or compile with dtype='float32'"
            )
        floats = [x.dtype for x in given if jnp.issubdtype(x.dtype, jnp.floating)]
        wanted = jnp.result_type(*floats) if floats else self.dtype
        full = []
        for x, own, spec in zip(given, leads, self.inputs, strict=True):
            x = x.astype(self.dtype)  # gradients are converted back by jax
            full.append(jnp.broadcast_to(x, (*lead, *spec.shape)) if own and own != lead else x)
        return tuple(x.astype(wanted) for x in self._with_rule(*full))

    def _run(self, *arrays: Any) -> tuple:
        """Inputs have the batch axes of all, or none."""
        lead = max((x.shape[: x.ndim - len(s.shape)] for x, s in zip(arrays, self.inputs, strict=True)), key=len)
        shapes = [jax.ShapeDtypeStruct((*lead, *x.shape), self.dtype) for x in self.outputs]
        if self.target:
            return tuple(jax.ffi.ffi_call(self.target, shapes, vmap_method="expand_dims")(*arrays))
        return tuple(jax.pure_callback(self._by_python, shapes, *arrays, vmap_method="expand_dims"))

    def _by_python(self, *arrays: Any) -> tuple:
        leads = [x.shape[: x.ndim - len(s.shape)] for x, s in zip(arrays, self.inputs, strict=True)]
        rank = max(map(len, leads))
        lead = tuple(max(x[k] for x in leads if len(x) > k) for k in range(rank))
        return evaluate(self.compiled, lead, arrays)

    @property
    def target(self) -> str:
        """The name under which XLA knows the machine code; empty if its interface is not one that is known."""
        if self._target is None:
            handler = XlaHandler(self.compiled)
            _handlers.append(handler)
            self._target = f"linkwright_{next(_numbers)}"
            try:
                jax.ffi.register_ffi_target(self._target, handler.capsule, platform="cpu", api_version=1)
            except Exception as error:  # whatever this version of XLA objects to
                _log.warning("jax calls %s by way of Python, some 100 us slower: %s", self.compiled.name, error)
                self._target = ""
        return self._target

    def _forward(self, *arrays: Any):
        found = self._with_rule(*arrays)  # which may be differentiated again
        return found, (arrays, found)

    def _backward(self, kept: tuple, bars: tuple) -> tuple:
        arrays, found = kept
        of = self.derivatives.differentiable
        names = [x.name for x in self.inputs]
        if self._gradient is None:
            self._gradient = _Operation(PlainDerivatives(self.derivatives.gradient(of, names)))
        by_name = dict(zip((x.name for x in self.outputs), zip(found, bars, strict=True), strict=True))
        given = [*(by_name[x][0] for x in self.derivatives.found(of)), *(by_name[x][1] for x in of)]
        gradients = self._gradient(*arrays, *given)
        ranks = [len(spec.shape) for spec in self.inputs]
        return tuple(_as_given(g, x, rank) for g, x, rank in zip(gradients, arrays, ranks, strict=True))


def _checked(name: str, which: str, value: Any) -> Any:
    try:
        array = jnp.asarray(value)
    except TypeError as error:
        raise InputError(f"{name}: input '{which}' is not an array: {error}") from None
    if jnp.issubdtype(array.dtype, jnp.complexfloating):
        raise InputError(f"{name}: input '{which}' has dtype {array.dtype}; expected real numbers")
    return array


def _as_given(gradient: Any, array: Any, inner: int) -> Any:
    """Summed over batch axes that the array does not have."""
    common = gradient.shape[: gradient.ndim - inner]
    away, kept = summed_axes(array.shape[: array.ndim - inner], common)
    if kept:
        gradient = gradient.sum(axis=tuple(kept), keepdims=True)
    return gradient.sum(axis=tuple(away)) if away else gradient
