"""Calls: arguments in their places, methods, formulas, helpers."""

import pytest

from ..reading import equations, expression, findings, formula


@pytest.mark.parametrize(
    "text", ["np.sum(x, 0)", "x.sum(0)", "x.sum(axis=0)", "np.sum(x, axis=0)", "np.sum(a=x, axis=0)"]
)
def test_ways_to_write_one_call_give_one_equation(text):
    assert expression(text) == ["_1 = sum(x, axis=0)"]


@pytest.mark.parametrize(
    "text", ["x.reshape(2, 3)", "x.reshape((2, 3))", "np.reshape(x, (2, 3))", "np.reshape(x, [2, 3])"]
)
def test_shapes_are_one_tuple(text):
    assert expression(text) == ["_1 = reshape(x, shape=(2, 3))"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("np.clip(x, 0, None)", "_1 = clip(x, 0, None)"),
        ("np.clip(x, a_max=1)", "_1 = clip(x, None, 1)"),
        ("np.clip(x, min=0)", "_1 = clip(x, 0, None)"),
        ("x.transpose(1, 0)", "_1 = transpose(x, axes=(1, 0))"),
        ("x.reshape(-1)", "_1 = reshape(x, shape=(-1,))"),
        ("special.erf(x)", "_1 = erf(x)"),
        ("abs(x)", "_1 = abs(x)"),
        ("pb.stop_gradient(x)", "_1 = stop_gradient(x)"),
        ("pb.numpy.exp(x)", "_1 = exp(x)"),
        ("np.mod(x, y)", "_1 = remainder(x, y)"),
        ("np.arange(5)", "_1 = arange(start=0, stop=5)"),
        ("np.arange(1, 5)", "_1 = arange(start=1, stop=5)"),
    ],
)
def test_words(text, expected):
    assert expression(text) == [expected]


def test_a_shape_that_is_unpacked_into_reshape():
    assert expression("x.reshape(*x.shape[:-1], 1)")[-2:] == [
        "_4 = add(_3, (1,))",
        "_5 = reshape(x, shape=_4)",
    ]


def test_lists_of_tensors():
    assert expression("np.concatenate((x, y), axis=1)") == ["_1 = list(x, y)", "_2 = concatenate(_1, axis=1)"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("np.exp()", "x"),
        ("np.exp(x, y)", "numpy.exp"),
        ("np.exp(x, out=y)", "out"),
        ("np.median(x, dtype=np.float32)", "dtype"),
        ("np.sum(x, 0, axis=1)", "axis"),
        ("np.exp(**x)", ""),
        ("np.full_like(x, y)", "fill_value"),
    ],
)
def test_wrong_arguments_are_located(text, value):
    (found,) = findings(f"@pb.formula\ndef f(x, y):\n    return {text}, lambda g: (g, g)\n", "PB404")
    assert found[1] == 3
    assert found[3] == value


def test_einsum_takes_its_arrays_as_a_list():
    text = "@pb.formula\ndef f(x, y):\n    return np.einsum('ij,j->i', x, y), lambda g: (g, g)\n"
    assert equations(formula(text)) == ["_1 = list(x, y)", "_2 = contract(_1, subscripts='ij,j->i')"]


def test_formulas_of_the_file_are_operators():
    text = """
    @pb.formula
    def pair(x, w: pb.Tensor | None = None, *, k=1):
        return (x, x * k), lambda g, h: (g + h * k, None)

    @pb.formula
    def f(x):
        h, c = pair(x, w=x, k=2)
        return h * c, lambda g: g
    """
    assert equations(formula(text)) == ["h, c = pair(x, x, k=2)", "_1 = multiply(h, c)"]
    assert equations(formula(text.replace("w=x, k=2", "x, 2"))) == equations(formula(text))


@pytest.mark.parametrize(
    ("call", "value"),
    [("one(x, 2, 3)", "one"), ("one(x, q=1)", "q"), ("one(x, 2, k=1)", "k"), ("one(x, x=x)", "x")],
)
def test_a_formula_called_wrongly(call, value):
    text = (
        f"@pb.formula\ndef one(x, *, k=1):\n    return x, lambda g: g\n"
        f"@pb.formula\ndef f(x):\n    return {call}, lambda g: g\n"
    )
    assert findings(text, "PB404")[0][1::2] == (6, value)


def test_helpers_are_inlined():
    text = """
    def scaled(x, by=2.0):
        t = x * by
        return t

    @pb.formula
    def f(x):
        def twice(v):
            return scaled(v) + 1
        half = lambda v: scaled(v, by=0.5)
        return twice(x) + half(x), lambda g: g
    """
    assert equations(formula(text)) == [
        "t = multiply(x, 2.0)",
        "_1 = add(t, 1)",
        "t_1 = multiply(x, 0.5)",
        "_2 = add(_1, t_1)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "def h(x):\n    return h(x)\n@pb.formula\ndef f(x):\n    return h(x), lambda g: g\n",
        "@pb.formula\ndef f(x):\n    return f(x), lambda g: g\n",
        "@pb.formula\ndef h(x):\n    return f(x), lambda g: g\n"
        "@pb.formula\ndef f(x):\n    return h(x), lambda g: g\n",
    ],
)
def test_recursion_of_forwards_is_an_error(text):
    assert findings(text, "PB105")


@pytest.mark.parametrize(
    "call", ["svd(x, full_matrices=False)", "qr(x)", "eigh(x)", "eigh(x, 'U')", "eig(x)", "slogdet(x)"]
)
def test_a_formula_may_have_the_name_of_the_decomposition_that_it_calls(call):
    name = call.split("(")[0]
    text = f"@pb.formula\ndef {name}(x):\n    return np.linalg.{call}[0], lambda g: g * x\n"
    assert f" = {name}" in "".join(equations(formula(text, name)))


def test_the_formulas_around_decompositions_are_known_by_their_full_names():
    text = """
    from pullback.formulas.decompositions import qr
    @pb.formula
    def f(x):
        q, r = qr(x)
        return r, lambda g: g * q
    """
    assert equations(formula(text)) == ["_1, _2 = qr(x)"]


def test_a_closure_may_call_its_own_operator():
    text = "@pb.formula\ndef f(x):\n    return x * 2, lambda g: f(g)\n"
    assert equations(formula(text), "pullback") == ["_2 = f(g)"]
