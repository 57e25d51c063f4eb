"""What a backward's kernel takes of the forward, and its gradients."""

import numpy as np
import pytest

import pullback as pb


@pb.derive_pullback
def with_a_number(x, y, *, flag: bool):
    product = x * y
    other = np.sin(product) if flag else 2.5
    return product * y, other


@pytest.mark.compiler
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_of_the_text_is_a_result_whose_gradient_leads_nowhere(flag, dtype, engine):
    compiled = pb.compile(with_a_number)
    x = pb.tensor(np.arange(1.0, 4.0, dtype=dtype), requires_grad=True)
    values = []
    for function in (with_a_number, compiled):
        results = function(x, x + 1, flag=flag)
        (first,) = pb.grad(np.sum(results[0] * results[1]), x, create_graph=True)
        values.append([*results, first, *pb.grad(np.sum(first * first), x)])
    for expected, found in zip(*values, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=2e-6)
