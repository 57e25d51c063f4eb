"""What carries a gradient."""

import pytest

from pullback.transpile.analysis.differentiability import flows

from ..frontend.reading import formula


@pytest.mark.parametrize(
    ("value", "flow"),
    [
        ("np.exp(x)", "DIFFERENTIABLE"),
        ("x.T[0]", "DIFFERENTIABLE"),
        ("two(x)", "DIFFERENTIABLE"),
        ("x if n else x > 0", "DIFFERENTIABLE"),
        ("np.where(x > 0, 1.0, 2.0)", "NONE"),
        ("x > 0", "NONE"),
        ("np.argmax(x)", "NONE"),
        ("x.shape[0]", "NONE"),
        ("x.astype(bool)", "WHOLE"),
        ("np.zeros(3, dtype=int)", "WHOLE"),
        ("np.zeros(3, dtype=int) / 2", "NONE"),
        ("x.astype(np.float32)", "DIFFERENTIABLE"),
        ("np.foo(x)", "OPAQUE"),
        ("np.foo(x) > 0", "NONE"),
        ("np.foo(n)", "NONE"),
        ("int(x)", "NONE"),
        ("np.foo(x) if n else x", "OPAQUE"),
        ("np.ones_like(x)", "NONE"),
    ],
)
def test_flow(value, flow):
    text = (
        f"@pb.formula\ndef two(x):\n    return x * 2, lambda g: g * 2\n@pb.formula\n"
        f"def f(x, *, n=1):\n    t = {value}\n    u = t * 1\n    return x * 2, lambda g: g\n"
    )
    read = formula(text)
    found = {var.name: state.name for var, state in flows(read).items()}
    assert found["t"] == flow


def test_a_loop_may_have_no_iterations():
    read = formula(
        "@pb.formula\ndef f(x, *, n=1):\n    t = x * 2\n    for _ in range(n):\n        t = np.ones(3)\n"
        "    u = t * 1\n    return x * 2, lambda g: g\n"
    )
    found = {var.name: state.name for var, state in flows(read).items()}
    assert found["u"] == "DIFFERENTIABLE"
