"""Statements of PyTorch, their gradient derived, and the statements of that, against PyTorch's own."""

from __future__ import annotations

import pytest

from pullback.tools.lint.fixes.derivative.derived_gradient import derived_gradient
from pullback.tools.lint.fixes.derivative.formula_to_torch import torch_lines
from pullback.tools.lint.fixes.derivative.torch_to_formula import formula_of
from pullback.tools.lint.fixes.text.splices import CannotFix

POINTWISE = [
    *(f"torch.{name}(x)" for name in ("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh")),
    *(f"x.{name}()" for name in ("tanh", "sqrt", "square", "abs", "reciprocal", "sigmoid", "erf", "neg")),
    *("x + y", "x.sub(y)", "torch.mul(x, y)", "x / y", "x ** 2", "x.pow(3)", "-x", "x.add(y)"),
    *("torch.where(x > y, x, y * y)", "torch.where(x > 0.5, x, 0)", "1 / x", "x ** y", "x.sign() * x"),
]
SHAPES = [
    *("x.sum()", "x.sum(0)", "x.sum(-1, True)", "x.sum(dim=-2, keepdim=True)", "torch.sum(x, 1)"),
    *("x.mean()", "x.mean(0)", "x.mean(-1, keepdim=True)", "x.unsqueeze(0) * y"),
    *("x.unsqueeze(dim=-1)", "x.transpose(0, 1)", "x.t()", "x.mT", "torch.t(x)"),
]
PRODUCTS = [
    "x @ y",
    "x.mm(y)",
    "torch.mm(x, y.t())",
    "x.matmul(y)",
    "torch.inverse(x) @ y",
    "(x @ y).exp() @ x",
]


def derived(expression: str, names: list[str]) -> list[str]:
    """The lines of a function `back(*names, t, grad_t)`."""
    formula = formula_of([f"t = {expression}"], "torch", names, [], ["t"])
    block = derived_gradient(formula, ["t"], ["grad_t"], names, set(names))
    lines, results = torch_lines(block, "torch", {*names, "t", "grad_t"})
    return [
        f"def back({', '.join(names)}, t, grad_t):",
        *(f"    {s}" for s in lines),
        f"    return {results}",
    ]


@pytest.mark.torch
@pytest.mark.parametrize("expression", [*POINTWISE, *SHAPES, *PRODUCTS])
def test_it_is_the_gradient(expression: str) -> None:
    torch = pytest.importorskip("torch")
    names = [name for name in ("x", "y") if f"{name}" in expression.replace("exp", "").replace("torch", "")]
    text = "\n".join(derived(expression, names)).replace("'", "")
    namespace = {"torch": torch}
    exec(text, namespace)
    torch.manual_seed(0)
    inputs = [0.1 + torch.rand(3, 3, dtype=torch.float64) for _ in names]
    inputs = [x.requires_grad_() for x in inputs]
    t = eval(expression, {"torch": torch, **dict(zip(names, inputs, strict=True))})
    gradient = torch.rand_like(t)
    wanted = torch.autograd.grad(t, inputs, gradient, allow_unused=True)
    for got, want in zip(namespace["back"](*inputs, t, gradient), wanted, strict=True):
        torch.testing.assert_close(got, torch.zeros_like(inputs[0]) if want is None else want)


@pytest.mark.torch
def test_what_was_broadcast_is_summed() -> None:
    torch = pytest.importorskip("torch")
    namespace = {"torch": torch}
    exec("\n".join(derived("x * y", ["x", "y"])).replace("'", ""), namespace)
    x, y = torch.rand(3, 1), torch.rand(4)
    by_x, by_y = namespace["back"](x, y, x * y, torch.ones(3, 4))
    assert by_x.shape == x.shape
    assert by_y.shape == y.shape


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("torch.kron(x, x)", "the derivative of `kron`"),
        ("x.sum((0, 1))", "the derivative of `x.sum"),
        ("x.add(x, alpha=2)", "the derivative of `add`"),
        ("x[0]", "the derivative of `x\\[0\\]`"),
        ("unknown * x", "the derivative of `unknown`"),
        ("3", "it is a number"),
        ("2 ** x", "the derivative of `2 \\*\\* x`"),
    ],
)
def test_what_is_not_known_is_refused(expression: str, reason: str) -> None:
    with pytest.raises(CannotFix, match=reason):
        derived(expression, ["x"])


def test_a_product_of_what_may_be_vectors_is_refused() -> None:
    formula = formula_of(["t = x @ y"], "torch", ["x", "y"], [], ["t"])
    block = derived_gradient(formula, ["t"], ["grad_t"], ["x", "y"], {"x"})
    with pytest.raises(CannotFix, match="number of axes"):
        torch_lines(block, "torch", set())
