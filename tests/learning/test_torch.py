"""Compiled functions in PyTorch: values, gradients, batches, vmap, types, and what is refused."""

import functools

import numpy as np
import pytest

import linkwright as lw
from linkwright import scalar
from linkwright.errors import InputError, UnsupportedError

torch = pytest.importorskip("torch", reason="torch is not installed")
from linkwright.torch import function  # noqa: E402


@functools.cache
def robot(name):
    return lw.load(name)


def tensors(f, model, lead=(), seed=0):
    rng = np.random.default_rng(seed)
    found = []
    for spec in f.inputs:
        if model is not None and spec.shape == (model.nq,) and spec.name == "q":
            values = [model.random_configuration(seed + k) for k in range(int(np.prod(lead)))]
            found.append(torch.tensor(np.array(values).reshape(*lead, model.nq)))
        else:
            found.append(torch.tensor(rng.normal(size=(*lead, *spec.shape))))
    return found


def arrays(xs):
    return [x.detach().numpy() for x in xs]


@pytest.mark.parametrize("lead", [(), (1,), (7,)])
def test_values_have_the_same_bits(lead):
    f = lw.compile(robot("quadruped"), "aba")
    given = tensors(f, robot("quadruped"), lead)
    assert np.array_equal(function(f)(*given).numpy(), f(*arrays(given)))


@pytest.mark.parametrize("name, algorithm", [("chain:3", "aba"), ("random_tree:1,5", "rnea")])
def test_gradients_by_differences(name, algorithm):
    model = robot(name)
    f = lw.compile(model, algorithm)
    given = [x.requires_grad_() for x in tensors(f, model, (3,))]
    weights = torch.randn(3, *f.outputs[0].shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    (function(f)(*given) * weights).sum().backward()
    rng, h = np.random.default_rng(1), 1e-6
    for k, spec in enumerate(f.inputs):
        along = rng.normal(size=(3, model.nv))
        ends = []
        for sign in (h, -h):
            moved = arrays(given)
            moved[k] = model.integrate(moved[k], sign * along) if spec.name == "q" else moved[k] + sign * along
            ends.append(moved)
        change = (weights.numpy() * (f(*ends[0]) - f(*ends[1]))).sum() / (2 * h)
        direction = (ends[0][k] - ends[1][k]) / (2 * h)
        assert abs((given[k].grad.numpy() * direction).sum() - change) < 1e-6 * max(1.0, abs(change)), spec.name


def test_gradients_of_loops_are_implicit():
    f = lw.compile(robot("four_bar"), "lcaba", outputs=("a", "forces"))
    given = [x.requires_grad_() for x in tensors(f, robot("four_bar"), (3,))]
    a, forces = function(f)(*given)
    (a.sum() + 2.0 * forces.sum()).backward()
    weights = np.ones((3, *f.outputs[0].shape)), 2.0 * np.ones((3, *f.outputs[1].shape))
    wanted = lw.vjp(robot("four_bar"), "lcaba", of=("a", "forces"))(*arrays(given), *weights)
    for x, spec in zip(given, f.inputs, strict=True):
        assert np.allclose(x.grad.numpy(), wanted[f"{spec.name}_bar"], rtol=1e-9, atol=1e-9)


def test_configurations_that_come_out():
    model = robot("quadruped")
    f = lw.compile(model, "integrate")
    q, v = tensors(f, model)
    v.requires_grad_(), q.requires_grad_()
    weights = torch.linspace(-1.0, 1.0, model.nq, dtype=torch.float64)
    (function(f)(q, v) @ weights).backward()
    along, h = np.random.default_rng(2).normal(size=model.nv), 1e-6
    base = arrays([q, v])
    change = (f(base[0], base[1] + h * along) - f(base[0], base[1] - h * along)) @ weights.numpy() / (2 * h)
    assert abs(v.grad.numpy() @ along - change) < 1e-7
    ends = [f(model.integrate(base[0], s * along), base[1]) for s in (h, -h)]
    step = (model.integrate(base[0], h * along) - model.integrate(base[0], -h * along)) / (2 * h)
    assert abs(q.grad.numpy() @ step - (ends[0] - ends[1]) @ weights.numpy() / (2 * h)) < 1e-7


def product(x, A):
    return {"y": [A[0, 0] * x[0] + A[0, 1] * x[1], scalar.sin(x[0]) * A[1, 1]], "z": x[0] * x[1]}


def test_batch_axes_broadcast_and_gradients_are_summed():
    f = lw.compile(product, inputs={"x": 2, "A": (2, 2)})
    x = torch.randn(4, 1, 2, dtype=torch.float64, requires_grad=True)
    A = torch.randn(3, 2, 2, dtype=torch.float64, requires_grad=True)

    def plain(x, A):
        y = torch.stack([A[..., 0, 0] * x[..., 0] + A[..., 0, 1] * x[..., 1], torch.sin(x[..., 0]) * A[..., 1, 1]], -1)
        return y, (x[..., 0] * x[..., 1]).expand(y.shape[:-1])

    y, z = function(f)(x, A)
    assert y.shape == (4, 3, 2) and z.shape == (4, 3)
    own = torch.autograd.grad((y**2).sum() + z.sum(), (x, A))
    y, z = plain(x, A)
    for one, other in zip(own, torch.autograd.grad((y**2).sum() + z.sum(), (x, A)), strict=True):
        assert one.shape == other.shape and torch.allclose(one, other, rtol=1e-13)


def test_gradcheck():
    f = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    x, A = (torch.randn(5, *s, dtype=torch.float64, requires_grad=True) for s in ((2,), (2, 2)))
    assert torch.autograd.gradcheck(f, (x, A))
    assert torch.autograd.gradgradcheck(f, (x, A))  # a gradient is a program too


def test_vmap_and_functional_gradients():
    model = robot("chain:3")
    f = lw.compile(model, "aba")
    op = function(f)
    q, v, tau = tensors(f, model, (6,))
    assert torch.equal(torch.vmap(op)(q, v, tau), op(q, v, tau))
    mixed = torch.vmap(op, in_dims=(0, None, 1), out_dims=1)(q, v[0], tau.T)
    assert torch.equal(mixed, op(q, v[0].expand(6, -1), tau).T)
    per_sample = torch.vmap(torch.func.grad(lambda q, v, t: op(q, v, t).sum()))(q, v, tau)
    whole = q.clone().requires_grad_()
    op(whole, v, tau).sum().backward()
    assert torch.equal(per_sample, whole.grad)
    nested = torch.vmap(torch.vmap(op, in_dims=(None, 0, 0)), in_dims=(0, None, None))(q, v, tau)
    assert nested.shape == (6, 6, model.nv) and torch.equal(nested[2, 4], op(q[2], v[4], tau[4]))
    assert torch.equal(torch.func.jacrev(op)(q[0], v[0], tau[0]).diagonal(), torch.autograd.functional.jacobian(
        lambda x: op(x, v[0], tau[0]), q[0]).diagonal())  # fmt: skip


def test_either_precision():
    f64 = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    f32 = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}, dtype="float32"))
    x, A = torch.randn(2, requires_grad=True), torch.randn(2, 2)
    for f in (f64, f32):
        y, _ = f(x, A)
        assert y.dtype == torch.float32
        (gradient,) = torch.autograd.grad(y.sum(), x)
        assert gradient.dtype == torch.float32
    assert f32(x.double(), A)[0].dtype == torch.float64
    assert torch.allclose(f64(x, A)[0], f32(x, A)[0], rtol=1e-5)
    assert f64(torch.tensor([1, 2]), A.double())[0].dtype == torch.float64  # whole numbers are converted


def test_tensors_that_need_copies():
    f = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    x, A = torch.randn(2, 9, dtype=torch.float64).T, torch.randn(2, 2, 9, dtype=torch.float64).movedim(2, 0)
    assert not x.is_contiguous()
    assert torch.equal(f(x, A)[0], f(x.contiguous(), A.contiguous())[0])


def test_verdicts_have_no_gradient_and_nan_goes_through():
    f = lw.compile(robot("four_bar"), "lcaba", outputs=("a", "status"))
    q, v, tau = (x.requires_grad_() for x in tensors(f, robot("four_bar")))
    a, status = function(f)(q, v, tau)
    assert a.requires_grad and not status.requires_grad
    a.sum().backward()
    assert torch.isfinite(tau.grad).all()
    assert torch.isnan(function(f)(q * float("nan"), v, tau)[0]).all()


def test_names_and_what_is_refused(tmp_path):
    f = lw.compile(product, inputs={"x": 2, "A": (2, 2)})
    op = function(f)
    x, A = torch.randn(2, dtype=torch.float64), torch.randn(2, 2, dtype=torch.float64)
    assert torch.equal(op(A=A, x=x)[0], op(x, A)[0])
    for wrong, message in [
        (lambda: op(x), "takes 2 inputs"), (lambda: op(x, B=A), "no input of 'product' named 'B'"),
        (lambda: op(x, x=x), "given twice"), (lambda: op(x=x), "missing 'A'"),
        (lambda: op(x, A[0]), "input 'A' has shape"), (lambda: op(x, A.numpy()), "expected a tensor"),
        (lambda: op(x.to(torch.complex128), A), "expected real numbers"),
        (lambda: op(x.expand(3, 2), A.expand(4, 2, 2)), "batch|samples"),
        (lambda: op(torch.empty(2, device="meta"), A), "run on the CPU"),
        (lambda: op(x.to_sparse(), A), "expected a dense tensor"),
        (lambda: function(product), "expected a compiled function"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=message):
            wrong()


def test_forward_mode_and_second_derivatives_through_iterations_are_refused_by_name():
    op = function(lw.compile(robot("chain:3"), "aba"))
    with pytest.raises(UnsupportedError, match=r"forward mode of torch .*; take reverse mode"):
        torch.func.jacfwd(op)(*torch.ones(3, 3, dtype=torch.float64))
    solver = function(lw.compile(robot("four_bar"), "lcaba", outputs="a"))
    q, v = torch.tensor(robot("four_bar").drawn), torch.ones(3, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(solver(q, v, v).sum(), v, create_graph=True)
    with pytest.raises(UnsupportedError, match=r"lcaba.*cannot be differentiated as it is .*linkwright.hessian_vector"):
        slope.sum().backward()


def test_a_loaded_function_has_values_but_no_gradient(tmp_path):
    f = lw.compile(product, inputs={"x": 2, "A": (2, 2)})
    try:
        loaded = lw.load_function(f.save(tmp_path / "f.lwf"))
    except UnsupportedError:
        pytest.skip("functions are saved on x86-64 Linux only")
    x, A = torch.randn(2, dtype=torch.float64, requires_grad=True), torch.randn(2, 2, dtype=torch.float64)
    y, _ = function(loaded)(x, A)
    with pytest.raises(UnsupportedError, match="save its vjp"):
        y.sum().backward()
