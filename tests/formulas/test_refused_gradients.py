"""Arguments without a derivative refuse a gradient that is needed, and stand in no other's way."""

import numpy as np
import pytest
import scipy.special

import pullback as pb

# Calls with the arguments that take no gradient first.
CALLS = {
    "gammainc": ((2.0,), 1.5),
    "gammainccinv": ((2.0,), 0.4),
    "betainc": ((2.0, 3.0), 0.4),
    "betaincinv": ((2.0, 3.0), 0.4),
    "yv": ((1.5,), 2.0),
    "ive": ((1.5,), 2.0),
    "hyp2f1": ((1.0, 2.0, 3.5), 0.4),
    "eval_jacobi": ((3, 1.0, 2.0), 0.4),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_needed_gradient_is_refused_with_its_place(engine, name):
    orders, point = CALLS[name]
    for k, order in enumerate(orders):
        if not isinstance(order, float):
            continue
        given = [pb.tensor(v, requires_grad=True) if i == k else v for i, v in enumerate(orders)]
        x = pb.tensor(point, requires_grad=True)
        y = getattr(scipy.special, name)(*given, x)
        (first,) = pb.grad(y, x, create_graph=True)  # nothing flows into the order
        with pytest.raises(pb.errors.NotDifferentiableError, match=rf"of scipy\.special\.{name} ta") as found:
            pb.grad(y, given[k])
        assert "test_refused_gradients.py" in "".join(found.value.__notes__)
        if first.requires_grad and name not in ("gammainc", "betainc", "gammainccinv", "betaincinv"):
            with pytest.raises(pb.errors.NotDifferentiableError, match="takes no gradient"):
                pb.grad(first, given[k])


def test_a_tangent_is_refused_too(engine):
    with pytest.raises(pb.errors.NotDifferentiableError, match="takes no gradient"):
        pb.jvp(lambda a: scipy.special.gammainc(a, 1.5), np.array(2.0), np.array(1.0))
    with pb.forward_ad.dual_level():
        dual = pb.forward_ad.make_dual(pb.tensor(2.0), pb.tensor(1.0))
        with pytest.raises(pb.errors.NotDifferentiableError, match="takes no gradient"):
            pb.forward_ad.unpack_dual(scipy.special.gammainc(dual, 1.5))


def test_orders_are_broadcast(engine):
    orders, x = np.array([[0.5], [1.0], [2.0]]), np.array([0.3, 1.2])
    for name in ("yv", "kv", "ive", "kve"):
        function = getattr(scipy.special, name)
        assert pb.gradcheck(lambda x, f=function: f(pb.tensor(orders), x), x, order=2)
