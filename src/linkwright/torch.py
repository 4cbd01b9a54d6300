"""Compiled functions as operations of PyTorch, with gradients: `linkwright.torch.function`. Extra: `torch`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .call_errors import names_arguments
from .codegen import ArraySpec, CompiledFunction
from .derivatives.plain_coordinates import PlainDerivatives
from .errors import InputError, MissingExtraError, UnsupportedError
from .learning.batch_axes import common_axes, leading_axes, samples, summed_axes
from .learning.calls_by_name import by_name

try:
    import torch
except ImportError:
    raise MissingExtraError("torch", "torch", "linkwright.torch") from None
if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["function"]
_dense = torch.strided
_transforming = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)  # vmap and its like


@names_arguments
def function(f: CompiledFunction) -> Callable[..., Any]:
    """A compiled function as an operation on tensors: `linkwright.torch.function(lw.compile(robot, "aba"))`.

    Takes tensors by position or name, with any batch axes in front, which broadcast; returns one, or a tuple of them.
    Gradients flow to every tensor that wants them, computed by `vjp` on lanes and threads like the values; they have
    the shapes of the tensors, for configurations too. `torch.vmap` and `torch.func.grad` work. Tensors live on the CPU;
    float32 and float64 are both taken, and results have the type that the inputs have in common.
    """
    return by_name(f, partial(_Called.apply, _Operation(PlainDerivatives(f))), "tensors")


class _Operation:
    """The function itself; its gradients are operations too."""

    def __init__(self, derivatives: PlainDerivatives):
        self.derivatives = derivatives
        self.compiled = derivatives.function
        self.inputs, self.outputs = self.compiled.inputs, self.compiled.outputs
        self.dtype = getattr(torch, str(self.compiled.dtype))
        self.verdicts = [k for k, x in enumerate(self.outputs) if x.name not in derivatives.differentiable]
        self._shapes = [x.shape for x in self.inputs]
        self._known: dict[tuple, _Gradient] = {}

    def gradient(self, wrt: tuple[str, ...]) -> _Gradient:
        if wrt not in self._known:
            of = self.derivatives.differentiable
            self._known[wrt] = _Gradient(self.derivatives.gradient(of, wrt), of, self.derivatives.found(of))
        return self._known[wrt]

    def run(self, tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Values, with all batch axes of the inputs."""
        arrays = self._usual(tensors)
        if arrays is None:
            return self._general(tensors)
        found = self.compiled(*arrays)
        return tuple(map(torch.from_numpy, found)) if isinstance(found, tuple) else (torch.from_numpy(found),)

    def _usual(self, tensors: tuple[Tensor, ...]) -> list | None:
        """What needs no conversion, as arrays: the right type, and one batch axis or none."""
        if len(tensors) != len(self._shapes):
            return None
        arrays = []
        for shape, tensor in zip(self._shapes, tensors, strict=True):
            if not isinstance(tensor, torch.Tensor) or tensor.dtype is not self.dtype or not tensor.is_cpu:
                return None
            own = tensor.shape
            if tensor.layout is not _dense:
                return None
            if own != shape and own[1:] != shape:
                return None
            arrays.append(tensor.detach().numpy() if tensor.requires_grad else tensor.numpy())
        return arrays

    def _general(self, tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        name, kind = self.compiled.name, self.dtype
        for spec, tensor in zip(self.inputs, tensors, strict=False):
            _check(name, spec, tensor)
        leads = leading_axes(name, self.inputs, [tuple(x.shape) for x in tensors])
        lead = common_axes(name, self.inputs, leads)
        arrays = []
        for spec, tensor, own in zip(self.inputs, tensors, leads, strict=True):
            one = tensor.detach()
            if one.dtype != kind:
                one = one.to(kind)
            if own and own != lead:
                one = one.expand(*lead, *spec.shape)
            if len(own) > 0 and len(lead) != 1:
                one = one.reshape(samples(lead), *spec.shape)
            arrays.append(one.numpy())
        found = self.compiled(*arrays)
        found = found if isinstance(found, tuple) else (found,)
        results = [torch.from_numpy(x) for x in found]
        if len(lead) > 1:
            results = [x.reshape(*lead, *spec.shape) for x, spec in zip(results, self.outputs, strict=True)]
        wanted = _common_type(tensors)
        return tuple(x if wanted in (None, kind) else x.to(wanted) for x in results)


class _Gradient(_Operation):
    """of      outputs of the function whose adjoints it takes last
    found   configurations that it takes before these
    """

    def __init__(self, compiled: CompiledFunction, of: tuple[str, ...], found: tuple[str, ...]):
        super().__init__(PlainDerivatives(compiled))
        self.of, self.found = of, found


def _check(name: str, spec: ArraySpec, tensor: Any) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise InputError(f"{name}: input '{spec.name}' is a {type(tensor).__name__}; expected a tensor")
    if tensor.device.type != "cpu":
        raise InputError(f"{name}: input '{spec.name}' is on {tensor.device}; compiled functions run on the CPU")
    if tensor.layout is not _dense:
        raise InputError(f"{name}: input '{spec.name}' has layout {tensor.layout}; expected a dense tensor")
    if tensor.is_complex():
        raise InputError(f"{name}: input '{spec.name}' has dtype {tensor.dtype}; expected real numbers")


def _common_type(tensors: tuple[Tensor, ...]):
    """Of the inputs that are real numbers; None without any."""
    wanted = None
    for tensor in tensors:
        if tensor.is_floating_point():
            wanted = tensor.dtype if wanted is None else torch.promote_types(wanted, tensor.dtype)
    return wanted


class _Called(torch.autograd.Function):
    @staticmethod
    def forward(operation: _Operation, *tensors: Tensor):
        return operation.run(tensors)

    @staticmethod
    def setup_context(ctx, inputs, output) -> None:
        operation, *tensors = inputs
        ctx.operation = operation
        ctx.save_for_backward(*tensors, *output)
        ctx.set_materialize_grads(True)
        if operation.verdicts:
            ctx.mark_non_differentiable(*(output[k] for k in operation.verdicts))

    @staticmethod
    def backward(ctx, *bars: Tensor):
        operation, saved = ctx.operation, ctx.saved_tensors
        count = len(operation.inputs)
        tensors = saved[:count]
        output = dict(zip((x.name for x in operation.outputs), saved[count:], strict=True))
        wrt = tuple(x.name for x, needed in zip(operation.inputs, ctx.needs_input_grad[1:], strict=True) if needed)
        gradient = operation.gradient(wrt)
        named = dict(zip(output, bars, strict=True))
        given = [*tensors, *(output[name] for name in gradient.found), *(named[name] for name in gradient.of)]
        # within vmap, or to be differentiated again, it must be an operation; else that would only cost time
        plain = not torch.is_grad_enabled() and not _transforming()
        found = dict(zip(wrt, gradient.run(tuple(given)) if plain else _Called.apply(gradient, *given), strict=True))
        results: list[Tensor | None] = [None]
        for spec, tensor in zip(operation.inputs, tensors, strict=True):
            results.append(_as_given(found[spec.name], spec, tensor) if spec.name in found else None)
        return tuple(results)

    @staticmethod
    def jvp(ctx, *dots: Tensor):
        raise UnsupportedError(
            "forward mode of torch (jvp, jacfwd, hessian) does not go through compiled functions; take reverse mode "
            "(vjp, grad, jacrev, jacrev of jacrev), or the compiled linkwright.jvp and linkwright.hessian_vector"
        )

    @staticmethod
    def vmap(info, in_dims, operation: _Operation, *tensors: Tensor):
        """One more batch axis in front; those without it get axes of length one, so that all stay aligned."""
        ranks = [
            x.dim() - len(spec.shape) - (dim is not None)
            for x, dim, spec in zip(tensors, in_dims[1:], operation.inputs, strict=True)
        ]
        moved = []
        for tensor, dim, rank in zip(tensors, in_dims[1:], ranks, strict=True):
            if dim is None:
                moved.append(tensor)
                continue
            first = tensor.movedim(dim, 0)
            axes = [1] * (max(ranks) - rank)
            moved.append(first.reshape(first.shape[0], *axes, *first.shape[1:]))
        return _Called.apply(operation, *moved), (0,) * len(operation.outputs)


# torch asks for it at every call, and working it out takes as long as all the rest
_Called.forward.__signature__ = inspect.signature(_Called.forward)  # type: ignore[attr-defined]


def _as_given(gradient: Tensor, spec: ArraySpec, tensor: Tensor) -> Tensor:
    """Summed over batch axes that the tensor does not have."""
    inner = len(spec.shape)
    common = tuple(gradient.shape[: gradient.dim() - inner])
    if common == tuple(tensor.shape[: tensor.dim() - inner]) and gradient.dtype == tensor.dtype:
        return gradient
    away, kept = summed_axes(tuple(tensor.shape[: tensor.dim() - inner]), common)
    if kept:
        gradient = gradient.sum(dim=kept, keepdim=True)
    if away:
        gradient = gradient.sum(dim=away)
    return gradient.to(tensor.dtype)
