"""Compiled functions in jax: values, gradients, batches, jit, vmap, types, and what is refused."""

import functools

import numpy as np
import pytest

import linkwright as lw
from linkwright import scalar
from linkwright.errors import InputError, UnsupportedError

jax = pytest.importorskip("jax", reason="jax is not installed")
import jax.numpy as jnp  # noqa: E402

from linkwright.jax import function  # noqa: E402


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        yield


@functools.cache
def robot(name):
    return lw.load(name)


def given(f, model, lead=(), seed=0):
    rng = np.random.default_rng(seed)
    found = []
    for spec in f.inputs:
        if model is not None and spec.shape == (model.nq,) and spec.name == "q":
            values = [model.random_configuration(seed + k) for k in range(int(np.prod(lead)))]
            found.append(np.array(values).reshape(*lead, model.nq))
        else:
            found.append(rng.normal(size=(*lead, *spec.shape)))
    return found


@pytest.mark.parametrize("lead", [(), (1,), (7,), (2, 3)])
def test_values_have_the_same_bits(lead):
    f = lw.compile(robot("quadruped"), "aba")
    xs = given(f, robot("quadruped"), lead)
    flat = [x.reshape(-1, x.shape[-1]) for x in xs]
    for op in (function(f), jax.jit(function(f))):
        assert np.array_equal(op(*xs), f(*flat).reshape(*lead, -1))


@pytest.mark.parametrize("name, algorithm", [("chain:3", "aba"), ("random_tree:1,5", "rnea")])
def test_gradients_by_differences(name, algorithm):
    model = robot(name)
    f = lw.compile(model, algorithm)
    xs, op = given(f, model, (3,)), function(f)
    weights = np.random.default_rng(4).normal(size=(3, *f.outputs[0].shape))
    gradients = jax.jit(jax.grad(lambda *x: (op(*x) * weights).sum(), argnums=tuple(range(len(xs)))))(*xs)
    rng, h = np.random.default_rng(1), 1e-6
    for k, spec in enumerate(f.inputs):
        along = rng.normal(size=(3, model.nv))
        ends = []
        for sign in (h, -h):
            moved = list(xs)
            moved[k] = model.integrate(xs[k], sign * along) if spec.name == "q" else xs[k] + sign * along
            ends.append(moved)
        change = (weights * (f(*ends[0]) - f(*ends[1]))).sum() / (2 * h)
        direction = (ends[0][k] - ends[1][k]) / (2 * h)
        assert abs((np.asarray(gradients[k]) * direction).sum() - change) < 1e-6 * max(1.0, abs(change)), spec.name


def product(x, A):
    return {"y": [A[0, 0] * x[0] + A[0, 1] * x[1], scalar.sin(x[0]) * A[1, 1]], "z": x[0] * x[1]}


def plain(x, A):
    y = jnp.stack([A[..., 0, 0] * x[..., 0] + A[..., 0, 1] * x[..., 1], jnp.sin(x[..., 0]) * A[..., 1, 1]], -1)
    return y, jnp.broadcast_to(x[..., 0] * x[..., 1], y.shape[:-1])


def loss(op):
    return lambda x, A: (op(x, A)[0] ** 2).sum() + op(x, A)[1].sum()


@pytest.mark.parametrize("shapes", [((2,), (2, 2)), ((4, 1, 2), (3, 2, 2)), ((2,), (5, 2, 2)), ((0, 2), (2, 2))])
def test_batch_axes_broadcast_and_gradients_are_summed(shapes):
    op = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    x, A = (np.random.default_rng(0).normal(size=s) for s in shapes)
    own, other = (jax.grad(loss(one), argnums=(0, 1))(x, A) for one in (op, plain))
    for one, wanted in zip(own, other, strict=True):
        assert one.shape == wanted.shape and np.allclose(one, wanted, rtol=1e-13)


def test_vmap_in_every_order():
    op = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    rng = np.random.default_rng(0)
    x, A = rng.normal(size=(6, 2)), rng.normal(size=(6, 2, 2))
    for transform in (
        lambda f: jax.vmap(f)(x, A), lambda f: jax.jit(jax.vmap(f, in_axes=(0, None)))(x, A[0]),
        lambda f: jax.vmap(f, in_axes=(None, 2))(x[0], A.transpose(1, 2, 0)),
        lambda f: jax.vmap(jax.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(x, A),
        lambda f: jax.vmap(f, in_axes=(None, 0))(x, A),  # a batch of its own, and one of vmap
        lambda f: jax.vmap(f, in_axes=(0, None))(x, A),
        lambda f: jax.vmap(jax.grad(loss(f), argnums=(0, 1)))(x, A),
        lambda f: jax.grad(lambda a, b: sum(y.sum() for y in jax.vmap(f, in_axes=(0, None))(a, b)), argnums=1)(x, A[0]),
        lambda f: jax.jacrev(lambda a: f(a, A[0])[0])(x[0]),
        lambda f: jax.hessian(lambda a: f(a, A[0])[0].sum())(x[0]) if f is plain else
        jax.jacrev(jax.grad(lambda a: f(a, A[0])[0].sum()))(x[0]),
    ):  # fmt: skip
        own, wanted = (jax.tree.leaves(transform(f)) for f in (op, plain))
        for one, other in zip(own, wanted, strict=True):
            assert one.shape == other.shape and np.allclose(one, other, rtol=1e-12, atol=1e-14)


def test_calls_from_python_agree(monkeypatch, caplog):
    """What is done where XLA's interface is not one that is known."""

    def refuse(*_, **__):
        raise ValueError("another version")

    monkeypatch.setattr(jax.ffi, "register_ffi_target", refuse)
    op = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    rng = np.random.default_rng(0)
    x, A = rng.normal(size=(6, 2)), rng.normal(size=(3, 2, 2))
    for call in (lambda f: f(x[0], A[0]), lambda f: jax.vmap(jax.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(x, A)):
        for one, other in zip(call(op), call(plain), strict=True):
            assert np.allclose(one, other, rtol=1e-13)
    assert "by way of Python" in caplog.text


def test_either_precision():
    f64 = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    f32 = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}, dtype="float32"))
    x, A = jnp.array([0.3, 0.4], jnp.float32), jnp.array([[1.0, 2.0], [3.0, 4.0]], jnp.float32)
    for f in (f64, f32):
        assert f(x, A)[0].dtype == jnp.float32
        assert jax.grad(lambda a, f=f: f(a, A)[0].sum())(x).dtype == jnp.float32
    assert f32(x.astype(jnp.float64), A)[0].dtype == jnp.float64
    assert np.allclose(f64(x, A)[0], f32(x, A)[0], rtol=1e-5)


def test_names_and_what_is_refused():
    op = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    x, A = np.ones(2), np.ones((2, 2))
    assert np.array_equal(op(A=A, x=x)[0], op(x, A)[0])
    for wrong, message in [
        (lambda: op(x), "takes 2 inputs"), (lambda: op(x, A, A), "takes 2 inputs"),
        (lambda: op(x, B=A), "no input of 'product' named 'B'"), (lambda: op(x, x=x), "given twice"),
        (lambda: op(x=x), "missing 'A'"), (lambda: op(x, A[0]), "input 'A' has shape"),
        (lambda: op(x, "A"), "is not an array"), (lambda: op(x * 1j, A), "expected real numbers"),
        (lambda: op(np.ones((3, 2)), np.ones((4, 2, 2))), "do not fit"),
        (lambda: function(product), "expected a compiled function"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=message):
            wrong()


def test_double_precision_needs_jax_to_have_it():
    op = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}))
    with jax.enable_x64(False) if hasattr(jax, "enable_x64") else jax.experimental.disable_x64():
        with pytest.raises(InputError, match="jax_enable_x64"):
            op(np.ones(2), np.ones((2, 2)))
        single = function(lw.compile(product, inputs={"x": 2, "A": (2, 2)}, dtype="float32"))
        assert single(np.ones(2), np.ones((2, 2)))[0].dtype == jnp.float32


def test_nan_goes_through_and_a_loaded_function_has_no_gradient(tmp_path):
    f = lw.compile(product, inputs={"x": 2, "A": (2, 2)})
    assert np.isnan(function(f)(np.full(2, np.nan), np.ones((2, 2)))[0]).all()
    try:
        loaded = lw.load_function(f.save(tmp_path / "f.lwf"))
    except UnsupportedError:
        pytest.skip("functions are saved on x86-64 Linux only")
    assert np.array_equal(function(loaded)(np.ones(2), np.ones((2, 2)))[0], f(np.ones(2), np.ones((2, 2)))[0])
    with pytest.raises(UnsupportedError, match="save its vjp"):
        jax.grad(loss(function(loaded)))(np.ones(2), np.ones((2, 2)))
