"""Advice: what the closure computes again, and NumPy scalars that widen."""

from ..frontend.reading import findings


def test_recomputation_is_advised_against_by_name():
    text = """
    @pb.formula
    def f(a, b):
        t = a + b
        def back(g):
            s = a + b
            return g * b, g * np.exp(s) + g * b
        return np.exp(t) * b, back
    """
    found = [(line, value) for _, line, _, value in findings(text, "PB901")]
    assert found == [(5, "t"), (6, "np.exp(t)")]


def test_new_work_and_views_are_not_recomputation():
    text = "@pb.formula\ndef f(a):\n    t = a.T * 2\n    return t, lambda g: (g * a.T).T * -a\n"
    assert findings(text, "PB901") == []


def test_a_numpy_scalar_widens():
    text = "C = np.sqrt(2 / np.pi)\n@pb.formula\ndef f(x):\n    return x * C + C * x, lambda g: g\n"
    assert [(line, value) for _, line, _, value in findings(text, "PB902")] == [(4, "0.7978845608028654")]


def test_a_python_number_does_not():
    text = (
        "C = math.sqrt(2 / np.pi)\n@pb.formula\ndef f(x):\n"
        "    return (x * C > np.sqrt(2.0)) * x, lambda g: g\n"
    )
    assert findings(text, "PB902") == []
