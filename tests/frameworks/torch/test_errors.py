"""What an operator of PyTorch says of operands and attributes that it does not take."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is

from . import cases  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    # What PyTorch does in forward mode.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
]

NAMESPACE = "pullback_error_tests"
FORMS = {
    "function": pullback.torch.function,
    "register": lambda formula: pullback.torch.register(f"{NAMESPACE}_by_operators", formula),
    "compiled": lambda formula: pullback.torch.register(NAMESPACE, formula, compiled=True),
}
EVERY_FORM = pytest.mark.parametrize("form", FORMS)
REGISTERED = pytest.mark.parametrize("form", ["register", "compiled"])


@cache
def operator_of(form: str, formula: Any) -> Any:
    return FORMS[form](formula)


ONES = torch.ones(2)
# Arguments of `simple(a, b)`, what a function says, and what an operator of torch.ops does.
WRONG = {
    "int": ((torch.arange(2), ONES), TypeError, "`a` is torch.int64", TypeError, "`a` is torch.int64"),
    "None": ((None, ONES), TypeError, "`a` must be a .*, not None", TypeError, "`a` must be a .*, not None"),
    "number": ((ONES, 2.0), TypeError, "`b` must be .*, not float", RuntimeError, "argument 'b' .*'float'"),
    "ndarray": (
        (np.ones(2), ONES),
        TypeError,
        "`a` must be .*, not ndarray",
        RuntimeError,
        "argument 'a' .*'ndarray'",
    ),
    "device": (
        (ONES, ONES.to("meta")),
        RuntimeError,
        "`a` is on cpu, `b` on meta",
        RuntimeError,
        "`a` is on cpu, `b` on meta",
    ),
    "missing": ((ONES,), TypeError, "missing .* 'b'", RuntimeError, "missing value for argument 'b'"),
    "too many": ((ONES,) * 3, TypeError, "takes 2 .* 3 were", RuntimeError, "at most 2 .* received 3"),
}


@EVERY_FORM
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("recorded", [False, True])
def test_operands_that_are_refused_are_named(name: str, form: str, recorded: bool) -> None:
    given, *of_function, kind, text = WRONG[name]
    if form == "function":
        kind, text = of_function
    given = [x.clone().requires_grad_() if recorded and x is ONES else x for x in given]
    with pytest.raises(kind, match=f"simple.*{text}"):
        operator_of(form, cases.simple)(*given)


@REGISTERED
@pytest.mark.parametrize("recorded", [False, True])
def test_errors_of_pytorch_name_the_operator_and_its_operands(form: str, recorded: bool) -> None:
    operator = operator_of(form, cases.simple)
    given = torch.ones(2, requires_grad=recorded), torch.ones(3, dtype=torch.float64)
    message = r"simple: The size of tensor a \(2\) must match.*; given `a` float32\[2\], `b` float64\[3\]$"
    with pytest.raises(RuntimeError, match=message):
        operator(*given)
    with pytest.raises(RuntimeError, match=r"simple: The size of tensor a .*; given `a` float32\["):
        torch.vmap(operator, in_dims=(None, 0))(given[0], torch.ones(4, 3))
    with pytest.raises(
        IndexError, match=r"logsumexp: axis 3 of a tensor of 2 axes; given `x` float32\[2, 3\]"
    ):
        operator_of(form, cases.logsumexp)(torch.ones(2, 3, requires_grad=recorded), axis=3)
    lists = [torch.ones(2, 3, requires_grad=recorded), torch.ones(4, 2)]
    with pytest.raises(RuntimeError, match=r"joined: .*given `arrays` \[float32\[2, 3\], float32\[4, 2\]\]"):
        operator_of(form, cases.joined)(lists)


def test_a_function_shows_the_formulas_line() -> None:
    """Its text is plain PyTorch, whose error is raised at the operation."""
    with pytest.raises(RuntimeError, match="must match the size") as error:
        operator_of("function", cases.simple)(torch.ones(2), torch.ones(3))
    entry = error.traceback[-1]
    assert "t = a + b" in str(entry.statement)


def test_lists_of_a_function_are_lists_of_tensors() -> None:
    operator = operator_of("function", cases.joined)
    with pytest.raises(TypeError, match=r"joined: `arrays` must be a list of torch\.Tensor, not Tensor"):
        operator(torch.ones(2, 3))
    with pytest.raises(TypeError, match=r"joined: `arrays\[1\]` must be a torch\.Tensor, not NoneType"):
        operator([torch.ones(3, 2), None])
    assert operator(torch.nn.ParameterList([torch.ones(2, 2), torch.ones(1, 2)])).shape == (3, 2)


@EVERY_FORM
def test_an_attribute_that_is_differentiated_is_refused(form: str) -> None:
    operator, x = operator_of(form, cases.swish), torch.ones(2)

    def by(beta: Any) -> Any:
        return operator(x, beta=beta)

    message = "swish: `beta` is an attribute, which has no gradient, and is a tensor that requires one"
    beta = torch.tensor(2.0)
    with pytest.raises(TypeError, match=message):
        by(beta.clone().requires_grad_())
    with pytest.raises(TypeError, match=message):
        torch.func.grad(lambda beta: by(beta).sum())(beta)
    with pytest.raises(TypeError, match=message):
        torch.func.jvp(by, (beta,), (beta,))
    torch.testing.assert_close(by(beta), by(2.0))
    with torch.no_grad():
        torch.testing.assert_close(by(torch.nn.Parameter(beta).detach()), by(2))


@EVERY_FORM
def test_attributes_behind_the_star_need_their_name(form: str) -> None:
    with pytest.raises((TypeError, RuntimeError), match="takes 1 positional argument"):
        operator_of(form, cases.swish)(torch.ones(2), 2.0)


@pb.formula
def oddly_named(name, self, ctx, torch, *, tensors: float = 2.0):
    t = name * self

    def oddly_named_pullback(grad):
        return grad * self * tensors, grad * name * tensors, grad * torch, grad * ctx

    return t * tensors + ctx * torch, oddly_named_pullback


@EVERY_FORM
def test_operands_may_have_the_names_of_what_emitted_text_uses(form: str) -> None:
    given = [torch.rand(3, dtype=torch.float64, requires_grad=True) for _ in range(4)]
    assert torch.autograd.gradcheck(operator_of(form, oddly_named), given)
    assert torch.autograd.gradgradcheck(operator_of(form, oddly_named), given)
