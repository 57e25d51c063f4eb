"""Annotations are the contract."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.frontend.function import read_function
from pullback.transpile.frontend.names.bindings import Names
from pullback.transpile.ir import Source

from .reading import findings, formula, module


@pytest.mark.parametrize(
    ("written", "kind", "differentiable", "optional"),
    [
        ("", "tensor", True, False),
        (": pb.Tensor", "tensor", True, False),
        (": 'pb.Tensor | None'", "tensor", True, True),
        (": np.ndarray", "tensor", True, False),
        (": pb.Tensor | None = None", "tensor", True, True),
        ("=None", "tensor", True, True),
        (": list[pb.Tensor]", "list", True, False),
        (": int", "value", False, False),
        (": float = 1.0", "value", False, False),
        (": tuple[int, ...] | None = None", "value", False, True),
        (": 'int | tuple[int, ...]'", "value", False, False),
        (": np.dtype", "value", False, False),
    ],
)
def test_before_the_star(written, kind, differentiable, optional):
    gradients = "(g, None)" if differentiable else "g"
    read = formula(f"@pb.formula\ndef f(x, p{written}):\n    return x, lambda g: {gradients}\n")
    param = read.params[1]
    assert (param.var.kind, param.differentiable, param.optional) == (kind, differentiable, optional)
    assert param.attribute == (kind == "value")
    assert not param.keyword


def test_a_value_before_a_tensor_is_refused():
    text = "@pb.formula\ndef f(x, n: int, w):\n    return x * n * w, lambda g: (g * n * w, g * x * n)\n"
    assert [item[3] for item in findings(text, "PB406")] == ["n"]


def test_after_the_star():
    read = formula(
        "@pb.formula\ndef f(x, *, n=2, axis: int | None = None, m: pb.Tensor):\n    return x, lambda g: g\n"
    )
    assert [(p.var.name, p.var.kind, p.attribute, p.differentiable) for p in read.params[1:]] == [
        ("n", "value", True, False),
        ("axis", "value", True, False),
        ("m", "tensor", True, False),
    ]
    assert all(p.keyword for p in read.params[1:])
    assert [p.default.value if p.default else "required" for p in read.params[1:]] == [2, None, "required"]
    assert [p.var.name for p in read.inputs] == ["x"]


@pytest.mark.parametrize(
    ("params", "value"),
    [("x, *y", "y"), ("x, **k", "k"), ("x: Foo", "x"), ("x, y=[]", "y"), ("x, *, n=len", "n")],
)
def test_what_a_formula_cannot_take(params, value):
    assert [
        item[3] for item in findings(f"@pb.formula\ndef f({params}):\n    return x, lambda g: g\n", "PB406")
    ] == [value]


@pytest.mark.parametrize(
    ("params", "kinds"),
    [
        ("x, n=3", ["tensor", "value"]),
        ("x, mode='same', flag=True, axes=(0, 1)", ["tensor", "value", "value", "value"]),
        ("x, n=3, k: int = 2", ["tensor", "value", "value"]),
        ("x, scale=0.5", ["tensor", "tensor"]),
        ("x, n=3, scale=0.5", ["tensor", "tensor", "tensor"]),
        ("x, w=None", ["tensor", "tensor"]),
    ],
)
def test_the_last_defaults_are_types_where_no_closure_is_returned(params, kinds):
    text = f"def f({params}):\n    return x * 2.0\n"
    read = read_function(Source("f.py", text), Names.of({}), "f")
    assert [param.var.kind for param in read.params] == kinds


def test_gradients_of_a_closure_are_of_tensors():
    read = formula("@pb.formula\ndef f(x, n=3):\n    return x * n, lambda g: (g * n, np.sum(g * x))\n")
    assert [param.var.kind for param in read.params] == ["tensor", "tensor"]


def repeated(x, n=3, mode="up", betas=(0.5, 0.25)):
    for _ in range(n):
        x = x * (1.5 if mode == "up" else betas[0]) + betas[1]
    return x


@pytest.mark.compiler
@pytest.mark.parametrize("make", [pb.derive_pullback, pb.compile])
@pytest.mark.parametrize("more", [(), (2,), (4, "down"), (1, "down", (2.0, 1.0))])
def test_values_of_defaults_are_taken_as_python_takes_them(make, more):
    for dtype in (np.float64, np.float32):
        x = np.array([1.0, 2.0], dtype)
        found = np.asarray(make(repeated)(x, *more))
        np.testing.assert_allclose(found, repeated(x, *more))
        assert found.dtype == dtype


def test_a_tensor_without_an_annotation_where_a_number_is_needed_is_to_be_annotated():
    text = "@pb.formula\ndef f(x, n):\n    for _ in range(n):\n        x = x * 2\n    return x\n"
    (found,) = module(text).diagnostics
    assert found.hint == "annotate the parameter, behind the tensors: `n: int`"
