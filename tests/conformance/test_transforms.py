"""`vjp`, `jvp`, `vhp`, `hvp`, `jacobian` and `hessian`: as torch.autograd.functional has them."""

import inspect

import numpy as np
import pytest

import pullback as pb

from .formulas import simple

A = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
X = np.array([0.3, -0.7])


def two_by_two(x, y):
    return x * y, (x * x).sum() * y


def curved(x, y):
    return (x * x * y).sum() + (y * y * y).sum() * x[0]


def values(nested):
    if isinstance(nested, tuple):
        return tuple(map(values, nested))
    return nested.detach().numpy() if isinstance(nested, pb.Tensor) else nested.detach().numpy(force=True)


def assert_same(ours, theirs):
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


def test_closed_forms(engine):
    def linear(x):
        return A @ x

    np.testing.assert_allclose(values(pb.jacobian(linear, X)), A)
    np.testing.assert_allclose(values(pb.vjp(linear, X, np.ones(3))[1]), A.sum(0))
    np.testing.assert_allclose(values(pb.jvp(linear, X, X)[1]), A @ X)

    def quadratic(x):
        return (linear(x) * linear(x)).sum()

    np.testing.assert_allclose(values(pb.hessian(quadratic, X)), 2 * A.T @ A)
    for product in (pb.vhp, pb.hvp):
        value, found = product(quadratic, X, X)
        np.testing.assert_allclose(values(value), ((A @ X) ** 2).sum())
        np.testing.assert_allclose(values(found), 2 * A.T @ A @ X)


def test_a_captured_intermediate_counts_in_a_hessian(engine):
    found = values(pb.hessian(lambda a, b: simple(a, b).sum(), (1.5, 2.0)))
    assert found == ((0.0, 1.0), (1.0, 2.0))


@pytest.mark.torch
@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_tuples_as_torch(engine, name, create_graph):
    import torch

    y = np.array([1.5, 0.4])
    vectors = (np.array([1.0, 2.0]), np.array([-1.0, 0.5]))
    function = two_by_two if name in ("vjp", "jvp", "jacobian") else curved
    rest = {} if name in ("jacobian", "hessian") else {"v": vectors}
    ours = getattr(pb, name)(function, (X, y), create_graph=create_graph, **rest)
    rest = {key: tuple(map(torch.tensor, value)) for key, value in rest.items()}
    theirs = getattr(torch.autograd.functional, name)(
        function, (torch.tensor(X), torch.tensor(y)), create_graph=create_graph, **rest
    )
    assert_same(values(ours), values(theirs))


@pytest.mark.torch
@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"])
def test_a_single_input_as_torch(engine, name):
    import torch

    def ours_of(x):
        return np.tanh(x).sum() * x[1] if "h" in name else np.tanh(x) * x[1]

    def theirs_of(x):
        return torch.tanh(x).sum() * x[1] if "h" in name else torch.tanh(x) * x[1]

    vector = np.array([1.0, 2.0])
    rest = () if name in ("jacobian", "hessian") else (vector,)
    ours = getattr(pb, name)(ours_of, X, *rest)
    theirs = getattr(torch.autograd.functional, name)(theirs_of, torch.tensor(X), *map(torch.tensor, rest))
    assert_same(values(ours), values(theirs))


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"])
def test_results_have_a_history_only_when_asked(engine, name):
    x = pb.tensor(X, requires_grad=True)

    def function(x):
        return (np.sin(x) * x).sum()

    rest = () if name in ("jacobian", "hessian") else (None if name == "vjp" else X,)
    transform = getattr(pb, name)
    plain = transform(function, x, *rest)
    assert not any(t.requires_grad for t in (plain if isinstance(plain, tuple) else (plain,)))
    kept = transform(function, x, *rest, create_graph=True)
    kept = kept[1] if isinstance(kept, tuple) else kept
    weights = np.arange(1.0, kept.size + 1).reshape(kept.shape)
    (found,) = pb.grad((kept * weights).sum(), x)

    def again(x):
        result = transform(function, x, *rest)
        result = result[1] if isinstance(result, tuple) else result
        return (result.numpy() * weights).sum()

    steps = 1e-6 * np.eye(2)
    expected = [(again(X + step) - again(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-5, atol=1e-7)


def test_transforms_nest(engine):
    def inner(x):
        return pb.jacobian(lambda y: np.sum(y**3), x, create_graph=True)

    np.testing.assert_allclose(values(pb.jacobian(inner, X)), np.diag(6 * X))
    third = pb.jacobian(lambda x: pb.hessian(lambda y: np.sum(y**3), x, create_graph=True), X)
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 0] = expected[1, 1, 1] = 6
    np.testing.assert_allclose(values(third), expected)


def test_they_record_under_no_grad_and_leave_the_inputs_alone(engine):
    x = pb.tensor(X, requires_grad=True)
    with pb.no_grad():
        assert pb.jacobian(np.sin, x).shape == (2, 2)
    assert x.grad is None


def test_outputs_that_do_not_depend_are_zero_or_refused(engine):
    def first_only(x, y):
        return x * 2

    zeros = values(pb.jacobian(first_only, (X, 1.0)))[1]
    assert zeros.tolist() == [0.0, 0.0]
    for transform in (pb.vjp, pb.jvp):
        rest = (X,) if transform is pb.vjp else ((X, 1.0),)
        assert transform(first_only, (X, 1.0), *rest)[1] is not None
        with pytest.raises(pb.errors.UnusedInputError, match=r"strict.*input 1"):
            transform(first_only, (X, 1.0), *rest, strict=True)
    with pytest.raises(pb.errors.UnusedInputError, match=r"strict.*output 0"):
        pb.jacobian(lambda x: pb.stop_gradient(x), X, strict=True)
    with pytest.raises(pb.errors.UnusedInputError, match="differentiated again"):
        pb.jacobian(lambda x: x * 2, X, create_graph=True, strict=True)
    assert values(pb.hvp(lambda x: x.sum(), X, X)[1]).tolist() == [0.0, 0.0]
    assert values(pb.hessian(lambda x: x.sum(), X)).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_dtypes_and_shapes_are_kept(engine):
    x = np.ones((2, 1), np.float32)
    found = pb.jacobian(lambda x: np.broadcast_to(x, (2, 3)), x)
    assert (found.shape, found.dtype) == ((2, 3, 2, 1), np.float32)
    assert pb.jacobian(lambda x: x[:0], X).shape == (0, 2)
    assert pb.jacobian(np.exp, 2).shape == ()


def test_what_they_refuse(engine):
    with pytest.raises(pb.errors.GradientShapeError, match="v can be left out"):
        pb.vjp(np.sin, X)
    with pytest.raises(
        pb.errors.GradientShapeError, match=r"output 0 has shape \(2,\), its part of v \(3,\)"
    ):
        pb.vjp(np.sin, X, np.ones(3))
    with pytest.raises(pb.errors.GradientShapeError, match="single value"):
        pb.hessian(np.sin, X)
    with pytest.raises(pb.errors.GradientShapeError, match="single value"):
        pb.hvp(np.sin, X, X)
    with pytest.raises(TypeError, match="returned a float"):
        pb.jacobian(lambda x: 1.0, X)
    with pytest.raises(pb.errors.NotDifferentiableError):
        pb.jacobian(np.sin, pb.tensor([1, 2]))


@pytest.mark.torch
@pytest.mark.parametrize("transform", ["vjp", "jvp", "jacobian", "hessian", "vhp", "hvp"])
def test_signatures_are_those_of_torch(transform):
    import torch

    ours, theirs = (
        inspect.signature(getattr(module, transform)).parameters for module in (pb, torch.autograd.functional)
    )
    assert list(ours) == list(theirs)
    assert [parameter.default for parameter in ours.values()] == [p.default for p in theirs.values()]


def test_forward_mode_gives_the_same_matrices(engine):
    for function, inputs in ((two_by_two, (X, 2 * X)), (lambda x: A @ (x * x), X), (lambda x: x * 0 + 1, X)):
        assert_same(
            values(pb.jacobian(function, inputs, strategy="forward-mode")),
            values(pb.jacobian(function, inputs)),
        )
    found = pb.hessian(curved, (X, 2 * X), outer_jacobian_strategy="forward-mode")
    assert_same(values(found), values(pb.hessian(curved, (X, 2 * X))))
    assert pb.jacobian(np.sum, np.zeros(0), strategy="forward-mode").shape == (0,)


def test_matrices_of_forward_mode_can_be_differentiated(engine):
    x = pb.tensor(X, requires_grad=True)
    matrix = pb.jacobian(lambda x: x**3, x, create_graph=True, strategy="forward-mode")
    np.testing.assert_allclose(pb.grad(matrix.sum(), x)[0], 6 * X)
    matrix = pb.hessian(lambda x: (x**4).sum(), x, True, outer_jacobian_strategy="forward-mode")
    np.testing.assert_allclose(pb.grad(matrix.sum(), x)[0], 24 * X)


def test_what_forward_mode_refuses(engine):
    with pytest.raises(ValueError, match="'reverse-mode' and 'forward-mode', not 'backwards'"):
        pb.jacobian(np.sin, X, strategy="backwards")
    with pytest.raises(ValueError, match="strict=True needs strategy='reverse-mode'"):
        pb.jacobian(np.sin, X, strict=True, strategy="forward-mode")
    with pb.forward_ad.dual_level(), pytest.raises(RuntimeError, match="levels don't nest"):
        pb.jacobian(np.sin, X, strategy="forward-mode")
