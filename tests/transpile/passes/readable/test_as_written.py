"""Derived text asks for ranks and sizes where it needs them, and has no lines that nothing reads."""

import pytest

from pullback.tools.derived_file import derived_file
from pullback.tools.formulas import read_formulas

DERIVED = {
    "np.linalg.solve(a, b)": """
def derived(a, b):
    solve = np.linalg.solve(a, b)

    def derived_pullback(grad):
        if np.ndim(b) == 1:
            solve_1 = np.linalg.solve(np.swapaxes(a, -1, -2), np.expand_dims(grad, axis=-1))
            back = np.squeeze(solve_1, axis=-1)
            grad_b = back
            grad_a = -np.expand_dims(back, axis=-1) * np.expand_dims(solve, axis=-2)
        else:
            back = np.linalg.solve(np.swapaxes(a, -1, -2), grad)
            grad_b = back
            grad_a = -(back @ np.swapaxes(solve, -1, -2))
        return grad_a, grad_b

    return solve, derived_pullback
""",
    "np.exp(np.dot(a, b))": """
def derived(a, b):
    exp = np.exp(np.dot(a, b))

    def derived_pullback(grad):
        dot_subscripts_value = primitives.dot_subscripts(np.ndim(a), np.ndim(b), -2)
        grad_a, grad_b = primitives.contract_gradients(grad * exp, [a, b], subscripts=dot_subscripts_value)
        return grad_a, grad_b

    return exp, derived_pullback
""",
    "a - np.var(b, axis=0)": """
def derived(a, b):
    var_b = np.var(b, axis=0)
    difference = a - var_b

    def derived_pullback(grad):
        expanded = np.expand_dims(primitives.sum_to(-grad, primitives.like(var_b)), axis=0)
        product = 2 * np.conj(b - np.mean(b, axis=0, keepdims=True)) * expanded
        grad_b = product / np.shape(b)[0]
        return grad, grad_b

    return difference, derived_pullback
""",
}


@pytest.mark.parametrize("forward", DERIVED)
def test_text(forward, tmp_path):
    path = tmp_path / "derived.py"
    path.write_text(f"import numpy as np\n\n\ndef derived(a, b):\n    return {forward}\n", encoding="utf-8")
    text = derived_file(*read_formulas(f"{path}::derived"))
    assert text.endswith(DERIVED[forward].lstrip())
