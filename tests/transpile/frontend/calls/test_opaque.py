"""Calls that nothing is known about."""

from ..reading import equations, findings, formula


def test_an_unknown_call_is_opaque_and_runs():
    text = "@pb.formula\ndef f(x):\n    t = np.fromregex(x, 0, bitorder='big')\n    return t, lambda g: g\n"
    assert equations(formula(text)) == ["t = opaque(x, 0, callee='np.fromregex', bitorder='big')"]
    assert findings(text) == [("PB403", 3, 9, "np.fromregex")]


def test_an_unknown_method_is_opaque():
    text = "@pb.formula\ndef f(x):\n    return x.tobytes(1), lambda g: g\n"
    assert equations(formula(text)) == ["_1 = opaque(x, 1, callee='.tobytes')"]


def test_an_unknown_call_without_tensors_needs_no_derivative():
    assert (
        findings("@pb.formula\ndef f(x):\n    return x * np.linspace(0, 1, 5), lambda g: g * np.ones(5)\n")
        == []
    )


def test_a_type_of_python_is_a_dtype():
    text = "@pb.formula\ndef f(x):\n    return x * np.iinfo(3, dtype=bool), lambda g: g * np.iinfo(3)\n"
    assert equations(formula(text))[0] == "_1 = opaque(3, callee='np.iinfo', dtype='bool')"


def test_a_helper_outside_of_the_fence_is_opaque():
    text = (
        "def h(x):\n    while True:\n        x = x + 1\n"
        "@pb.formula\ndef f(x):\n    return h(x), lambda g: g\n"
    )
    assert findings(text) == [("PB403", 6, 12, "h")]
    assert equations(formula(text)) == ["_1 = opaque(x, callee='h')"]
