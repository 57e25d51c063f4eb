"""Closures that ask whether what they capture is there: ``grad if p is None else grad * p``.

The truth is the author's own Python on tensors, recorded operator by operator.
"""

import itertools

import numpy as np
import pytest

import pullback as pb
from pullback import primitives
from pullback.engine.core.dispatch import available
from pullback.engine.formula.formula import Formula
from pullback.transpile.ir import Options

from .programs import loaded

RNG = np.random.default_rng(3)
X, Y, Z = RNG.uniform(0.5, 1.5, (3, 4)), RNG.uniform(0.5, 1.5, 4), RNG.uniform(0.5, 1.5, (3, 1))
CONDITIONS = {
    "an attribute": "n > 1",
    "a size": "x.shape[0] > n",
    "a runtime number": "c > 0.5",
    "an absent input": "z is None",
    "an input": "n > 1 and z is not None",
}
HEAD = "def program(x, y, z: pb.Tensor | None = None, *, n: int = 1, c: float = 0.7):\n"
FORMS = {
    "set behind an if": """
p, q = None, None
if {condition}:
    p = np.exp(-y)
if p is not None:
    q = np.sin(p) * x
r = 0.9 * x * y
r = r if p is None else r * p
g = grad * y if p is None else grad * p
h = grad * x if q is None else np.sin(q) * grad
""",
    "chosen, and asked for on both sides": """
p = np.sum(x * y, axis=-1, keepdims=True) if {condition} else None
q = None
if x.size > 12 * n:
    q = p if p is None else np.cos(p)
r = 0.9 * x * y
if q is not None:
    r = r + np.sin(q) * x
g = grad * x
if p is not None:
    if q is not None:
        g = g * q
    else:
        g = g + p * grad
h = grad * (x if q is None else q)
""",
}


def text_of(form, condition):
    """The program's text: the last lines, from ``g = ``, are the closure's."""
    lines = FORMS[form].format(condition=CONDITIONS[condition]).strip().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("g = "))
    forward = "".join(f"    {line}\n" for line in lines[:start])
    closure = "".join(f"        {line}\n" for line in lines[start:])
    closure = f"    def pullback(grad):\n{closure}        return g, h, None\n\n"
    return f"{HEAD}{forward}\n{closure}    return r, pullback\n"


def three_orders(result, gradients, tensors, seed):
    """The result, and three orders of derivatives by the inputs and by the gradient that came in."""
    found = [result.detach().numpy()]
    values = gradients
    for order in range(3):
        if order:
            parts = [np.sum(np.sin(value)) for value in values if value is not None and value.requires_grad]
            values = pb.grad(sum(parts[1:], parts[0]), [*tensors, seed], create_graph=True, allow_unused=True)
        found += [None if value is None else value.detach().numpy() for value in values]
    return found


def of_formula(function, inputs, attributes, seed_of):
    tensors = [None if a is None else pb.tensor(a, requires_grad=True) for a in inputs]
    there = [tensor for tensor in tensors if tensor is not None]
    result = function(*tensors, **attributes)
    seed = pb.tensor(seed_of(result.detach().numpy()), requires_grad=True)
    gradients = pb.grad(result, there, seed, create_graph=True, allow_unused=True)
    return three_orders(result, gradients, there, seed)


def of_python(function, inputs, attributes, seed_of):
    tensors = [None if a is None else pb.tensor(a, requires_grad=True) for a in inputs]
    there = [tensor for tensor in tensors if tensor is not None]
    result, closure = function(*tensors, **attributes)
    seed = pb.tensor(seed_of(result.detach().numpy()), requires_grad=True)
    pairs = zip(closure(seed), tensors, strict=True)
    gradients = [
        None if g is None else primitives.sum_to(g, primitives.like(x)) for g, x in pairs if x is not None
    ]
    return three_orders(result, gradients, there, seed)


def assert_agree(function, plain, engine, absent=(None, Z), numbers=(1, 2, 3)):
    for z, n, c in itertools.product(absent, numbers, (0.3, 0.7)):
        with pb.use_engine("reference"):
            expected = of_python(plain, (X, Y, z), {"n": n, "c": c}, np.cos)
        with pb.use_engine(engine):
            found = of_formula(function, (X, Y, z), {"n": n, "c": c}, np.cos)
        for one, other in zip(found, expected, strict=True):
            zero = np.zeros(())
            np.testing.assert_allclose(
                zero if one is None else one, zero if other is None else other, rtol=1e-8, atol=1e-9
            )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_emitted_python_agrees_with_the_author(tmp_path, condition, form):
    plain = loaded(tmp_path, text_of(form, condition))
    assert_agree(Formula(plain, Options()), plain, "reference")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.compiler
def test_kernels_agree_with_the_author(tmp_path, form):
    """What a kernel leaves out was once taken for there: a zero in its place, silently."""
    plain = loaded(tmp_path, text_of(form, "a size"))
    fast = pb.compile(Formula(plain, Options()), order=2)
    assert_agree(fast, plain, available()[-1], absent=(None,), numbers=(3,))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.compiler
@pytest.mark.slow
def test_kernels_of_three_orders_agree_with_the_author(tmp_path, condition, form):
    plain = loaded(tmp_path, text_of(form, condition))
    fast = pb.compile(Formula(plain, Options()), order=3)
    assert_agree(fast, plain, available()[-1])
    assert not [limit for each in fast._operators.values() for limit in each.compiled.limits]
