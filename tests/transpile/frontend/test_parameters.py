"""Annotations are the contract."""

import pytest

from .reading import findings, formula


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
