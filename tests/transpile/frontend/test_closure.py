"""The closure: its forms, its parameters, how many gradients it returns."""

import pytest

from .reading import equations, findings, formula, lines, verdicts


def test_a_def_and_a_lambda_say_the_same():
    one = formula("@pb.formula\ndef f(x, y):\n    return x * y, lambda g: (g * y, g * x)\n")
    two = formula(
        "@pb.formula\ndef f(x, y):\n    def back(g):\n        return g * y, g * x\n    return x * y, back\n"
    )
    assert (
        equations(one, "pullback")
        == equations(two, "pullback")
        == ["_2 = multiply(g, y)", "_3 = multiply(g, x)"]
    )


def test_several_results_have_a_cotangent_each():
    read = formula("@pb.formula\ndef f(x):\n    return (x * 2, x * 3), lambda g, h: g * 2 + h * 3\n")
    assert (read.results, read.result_is_tuple, [str(p) for p in read.pullback.params]) == (
        2,
        True,
        ["g", "h"],
    )


def test_star_parameters_take_every_cotangent():
    read = formula("@pb.formula\ndef f(x):\n    return (x * 2, x * 3), lambda *g: g[0] * 2 + g[1] * 3\n")
    assert len(read.pullback.params) == 2


def test_one_result_in_a_tuple_stays_a_tuple():
    read = formula("@pb.formula\ndef f(x):\n    return (x * 2,), lambda g: g * 2\n")
    assert (read.results, read.result_is_tuple) == (1, True)


@pytest.mark.parametrize("returned", ["g", "(g,)"])
def test_one_gradient_needs_no_tuple(returned):
    read = formula(f"@pb.formula\ndef f(x, *, n=1):\n    return x, lambda g: {returned}\n")
    assert [str(atom) for atom in read.pullback.results] == ["g"]


def test_without_differentiable_inputs_there_is_nothing_to_return():
    read = formula("@pb.formula\ndef f(n: int):\n    return np.ones((n,)), lambda g: None\n")
    assert read.pullback.results == ()


def test_none_and_zero_are_no_gradient():
    read = formula("@pb.formula\ndef f(x, y, z):\n    return x, lambda g: (g, None, 0)\n")
    assert [str(atom) for atom in read.pullback.results] == ["g", "None", "None"]


def test_a_list_input_takes_a_list():
    text = "@pb.formula\ndef f(xs: list[pb.Tensor], y):\n    return y, lambda g: ([g, None], g)\n"
    read = formula(text)
    assert equations(read, "pullback") == ["_1 = list(g, None)"]


@pytest.mark.parametrize(
    ("params", "returned", "column"),
    [
        ("x, y", "g", 25),
        ("x, y", "(g, g, g)", 25),
        ("x", "(g, None)", 25),
        ("x, n: int", "(g, None)", 25),
        ("x, y", "None", 25),
    ],
)
def test_the_wrong_number_of_gradients(params, returned, column):
    text = f"@pb.formula\ndef f({params}):\n    return x, lambda g: {returned}\n"
    assert [item[:2] for item in findings(text, "PB201")] == [("PB201", 3)]


def test_a_closure_that_returns_nothing():
    text = "@pb.formula\ndef f(x, y):\n    def back(g):\n        pass\n    return x, back\n"
    assert findings(text)[0][:2] == ("PB201", 3)


@pytest.mark.parametrize(
    "text",
    [
        "@pb.formula\ndef f(x):\n    return (x, x * 2), lambda g: g\n",
        "@pb.formula\ndef f(x):\n    return x, lambda g, h: g\n",
        "@pb.formula\ndef f(x):\n    return x, lambda **g: 1\n",
    ],
)
def test_the_wrong_number_of_cotangents(text):
    assert findings(text)[0][0] == "PB205"


@pytest.mark.parametrize(
    "returned",
    ["x", "x, x", "", "lambda g: g", "x, x, lambda g: g", "lambda g: g, x", "x, np.exp", "(), lambda g: g"],
)
def test_a_formula_returns_a_result_and_a_closure(returned):
    text = f"@pb.formula\ndef f(x):\n    return {returned}\n"
    assert {code for code, *_ in findings(text)} <= {"PB405", "PB402"}
    assert findings(text)


def test_a_hand_written_rule():
    text = """
    @pb.formula
    def f(a, b):
        t = a + b
        def back(grad, grad_t=None):
            gt = grad * b if grad_t is None else grad * b + grad_t
            return gt, grad * t + gt
        return t * b, back
    """
    read = formula(text)
    assert [(str(var), str(grad)) for var, grad in read.rules] == [("t", "grad_t")]
    assert [str(param) for param in read.pullback.params] == ["grad", "grad_t"]


@pytest.mark.parametrize("name", ["grad_q", "grad_x"])
def test_a_rule_for_what_is_no_intermediate(name):
    text = f"@pb.formula\ndef f(x):\n    t = x * 2\n    return t, lambda g, {name}: g * 2\n"
    assert findings(text, "PB204") == [("PB204", 4, 25, name)]


def test_branches_that_return_different_closures():
    text = """
    @pb.formula
    def f(x, *, n=1):
        if n:
            return x, lambda g: g
        return x * 2, lambda g: g * 2
    """
    assert lines(formula(text).pullback) == ["_4 = if(n)", "  -> g", "  _3 = multiply(g, 2)", "  -> _3"]


def test_a_branch_that_returns_no_closure():
    text = """
    @pb.formula
    def f(x, *, n=1):
        if n:
            return x, None
        return x * 2, lambda g: g * 2
    """
    assert findings(text, "PB405") == [("PB405", 3, 5, "")]


def test_what_the_other_branch_binds_later_is_no_late_binding():
    text = """
    @pb.formula
    def f(x, *, n=1):
        if n:
            t = np.exp(x)
            def back(g):
                return g * t
        else:
            t = x * 2
            def back(g):
                return g * t
        return t, back
    """
    assert findings(text, "PB104") == []


def test_a_closure_of_several_with_a_rule_of_its_own():
    text = """
    @pb.formula
    def f(x, *, n=1):
        t = np.exp(x)
        if n:
            return t * t, lambda g: 2 * g * t * t
        def back(g, grad_t):
            return (g + grad_t) * t
        return t * 1, back
    """
    assert findings(text, "PB204") == [("PB204", 6, 5, "grad_t")]


def test_branches_may_return_one_closure():
    text = """
    @pb.formula
    def f(x, *, n=1):
        def back(g):
            return g if n else g * 2
        if n:
            return x, back
        return x * 2, back
    """
    assert verdicts(text) == {"n": "size"}


def test_late_binding_is_not_early_saving():
    again = (
        "@pb.formula\ndef f(x):\n    t = x * 2\n    def back(g):\n"
        "        return g * t\n    t = t * 3\n    return t, back\n"
    )
    assert findings(again, "PB104") == [("PB104", 6, 5, "t")]
    once = (
        "@pb.formula\ndef f(x):\n    def back(g):\n"
        "        return g * t\n    t = x * 2\n    return t * x, back\n"
    )
    assert verdicts(once) == {"t": "intermediate"}


def test_a_loop_variable_is_foreign():
    text = "@pb.formula\ndef f(x):\n    for i in (1, 2):\n        x = x * i\n    return x, lambda g: g * i\n"
    assert findings(text, "PB104") == [("PB104", 5, 29, "i")]


def test_a_loop_variable_as_a_default_argument_is_bound():
    text = (
        "@pb.formula\ndef f(x):\n    for i in (1, 2):\n"
        "        x = x * i\n    return x, lambda g, i=i: g * i\n"
    )
    assert findings(text, "PB104") == []


def test_a_mutable_global_is_foreign():
    text = "W = [1.0]\n@pb.formula\ndef f(x):\n    return x, lambda g: g * W[0]\n"
    assert findings(text, "PB104") == [("PB104", 4, 29, "W")]


def test_a_generator_is_no_closure():
    text = "@pb.formula\ndef f(x):\n    def back(g):\n        yield g\n    return x, back\n"
    assert findings(text, "PB402")[0][:3] == ("PB402", 4, 9)


def test_a_rule_in_one_of_several_closures_is_named_as_written():
    text = (
        "@pb.formula\ndef f(x, *, n):\n    if n > 1:\n        t = x * x\n"
        "        def one(g, grad_t):\n            return g * t + grad_t * x\n"
        "        return t, one\n    t = x + x\n    return t, lambda g: g * 2\n"
    )
    assert findings(text, "PB204") == [("PB204", 5, 9, "grad_t")]
