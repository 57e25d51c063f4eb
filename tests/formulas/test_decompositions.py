"""Decompositions and factors: derivatives of each result, and where torch reads a matrix differently."""

import numpy as np
import pytest

import pullback as pb

CASES = [
    (name, position, args)
    for name, positions in {"slogdet": (1,), "eigh": (0, 1), "qr": (0, 1), "svd": (0, 1, 2)}.items()
    for args, _ in pb.formulas()[name].samples()
    for position in positions
]


@pytest.mark.parametrize(("name", "position", "args"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_derivatives_agree_with_finite_differences(engine, name, position, args):
    assert pb.gradcheck(lambda *given: pb.formulas()[name](*given)[position] ** 2, *args, order=3)


@pytest.mark.parametrize("name", ["slogdet", "eigh", "qr", "svd"])
def test_of_all_results_together(engine, name):
    args, _ = pb.formulas()[name].samples()[-1]

    def mixed(*given):
        return sum((np.sum(np.sin(result)) for result in pb.formulas()[name](*given)), 0.0)

    assert pb.gradcheck(mixed, *args, order=3)


def symmetric(b):
    return b @ np.swapaxes(b, -1, -2) + 2 * np.eye(b.shape[-1])


@pytest.mark.torch
def test_of_symmetric_matrices_they_are_those_of_torch(engine):
    import torch

    b = np.random.default_rng(5).standard_normal((3, 3))
    weights = np.arange(9.0).reshape(3, 3)
    x = pb.tensor(b, requires_grad=True)
    y = torch.tensor(b, requires_grad=True)
    z = y @ y.mT + 2 * torch.eye(3, dtype=y.dtype)
    pairs = [
        (
            (np.linalg.cholesky(symmetric(x)) * weights).sum(),
            (torch.linalg.cholesky(z) * torch.tensor(weights)).sum(),
        ),
        (
            (np.linalg.eigh(symmetric(x))[0] * weights[1]).sum(),
            (torch.linalg.eigh(z)[0] * torch.tensor(weights[1])).sum(),
        ),
    ]
    for ours, theirs in pairs:
        (found,) = pb.grad(ours, x)
        (expected,) = torch.autograd.grad(theirs, y, retain_graph=True)
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-10)


def test_only_the_triangle_that_is_read_takes_a_gradient(engine):
    a = pb.tensor(symmetric(np.random.default_rng(6).standard_normal((3, 3))), requires_grad=True)
    for result in (np.linalg.cholesky(a), pb.formulas()["eigh"](a)[0]):
        (gradient,) = pb.grad(result.sum(), a)
        assert not np.triu(gradient.numpy(), 1).any()


def test_eigenvalues_that_meet_have_a_derivative_and_their_vectors_none(engine):
    a = pb.tensor(np.eye(3), requires_grad=True)
    w, v = pb.formulas()["eigh"](a)
    (gradient,) = pb.grad(w.sum(), a, retain_graph=True)
    np.testing.assert_allclose(gradient.numpy(), np.eye(3), atol=1e-15)
    with np.errstate(all="ignore"):
        (gradient,) = pb.grad((v * np.arange(3.0)).sum(), a)
    assert np.isnan(gradient.numpy()).any()


def test_the_determinant_of_a_singular_matrix_refuses_its_derivative(engine):
    a = pb.tensor(np.ones((2, 2)), requires_grad=True)
    with pytest.raises(np.linalg.LinAlgError):
        pb.grad(np.linalg.det(a), a)
