"""Writes to what a formula made: the values that NumPy computes, and what other names may see of them."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives
from tests.sampling import sampled

from ..reading import equations, findings, formula, text

X = np.random.default_rng(0).standard_normal((4, 3))


@pb.derive_pullback
def twice_in_one_place(x, y, rows: pb.Tensor):
    out = np.sin(x)
    out[rows] = y * y
    out[rows, 0] += x[rows, 1]
    return out * out


@pb.derive_pullback
def read_between_writes(x, *, n: int):
    out = np.zeros_like(x)
    row = np.cos(x[0])
    for k in range(n):
        out[k] = row * x[k]
        row = out[k] * 1.0
        out[k, 1:] *= 2.0
        row = row + out[k]
    return out * row


@pb.derive_pullback
def integers(x):
    counts = np.arange(3)
    counts[1] = 7.9
    return x * counts


def test_of_two_writes_to_one_place_the_last_one_has_the_gradient(engine):
    rows, y = np.array([1, 0, 1]), np.random.default_rng(1).standard_normal((3, 3))
    assert pb.gradcheck(lambda x, y: twice_in_one_place(x, y, rows), X, y, order=3)
    plain = twice_in_one_place.__wrapped__(X, y, rows)
    np.testing.assert_array_equal(twice_in_one_place(X, y, rows), plain)


def test_parts_are_read_and_written_in_turns(engine):
    assert pb.gradcheck(lambda x: read_between_writes(x, n=4), X, order=3)


def test_a_view_that_a_turn_leaves_shows_what_the_next_one_writes():
    @pb.derive_pullback
    def stale(x, *, n: int):
        out = np.zeros_like(x)
        row = x[0]
        for k in range(n):
            out[k] = x[k]
            out[k] += row
            row = out[k - 1]
        return out

    with pytest.raises(pb.FormulaError, match="is a view of `out`"):
        stale(X, n=3)


def test_a_write_casts_as_numpy_does():
    np.testing.assert_array_equal(integers(X), X * np.array([0, 7, 2]))


@pb.derive_pullback
def rows_by_lists(x, *, k: int):
    y = x.copy()
    y[[0, k]] = y[[k, 0]]
    y[[True, False, True, True], 1] *= 3.0
    y[[1, 1]] += x[[[0, 1], [2, 3]], [[0], [1]]][:, :1]
    return y[:, [2, 0, 0]]


def test_lists_of_positions_are_arrays(engine):
    np.testing.assert_array_equal(rows_by_lists(X, k=3), rows_by_lists.__wrapped__(X, k=3))
    assert pb.gradcheck(lambda x: rows_by_lists(x, k=3), X, order=2)


def test_a_slice_of_a_list_is_a_list():
    @pb.derive_pullback
    def longer(x):
        rows = [x[0], x[1]]
        others = rows[:]
        others.append(x[2])
        return np.stack(others) * len(rows)

    np.testing.assert_array_equal(longer(X), X[:3] * 2)


def test_a_write_is_an_equation():
    read = formula(text("r = np.zeros_like(x)", "r[n] = 1.0", "r[1:] += x[1:]"))
    assert equations(read) == [
        "r = zeros_like(x)",
        "r_1 = index_put(r, 1.0, index=n)",
        "_1 = slice(1, None, None)",
        "_2 = getitem(r_1, index=_1)",
        "_3 = slice(1, None, None)",
        "_4 = getitem(x, index=_3)",
        "_5 = add(_2, _4)",
        "r_2 = index_put(r_1, _5, index=_1)",
    ]


@pytest.mark.parametrize(
    ("statements", "code", "line"),
    [
        (("r = np.exp(x)", "u = r[0]", "r[0] = 1", "r = r * u"), "PB301", 7),
        (("r = np.exp(x)", "u = [r[0]]", "r[0] = 1"), "PB301", 6),
        (("r = np.exp(x)", "u = r", "r[0] = 1"), "PB301", 6),
        (("r = np.exp(x)", "u = r.T", "u[0] = 1"), "PB301", 6),
        (("r = x if n else np.exp(x)", "r[0] = 1"), "PB301", 5),
        (("r = np.reshape(x, (-1,))", "r[0] = 1"), "PB301", 5),
        (("r = special.foo(x)", "r[0] = 1"), "PB301", 5),
        (("r = [np.exp(x), x * 2]", "r[0][1] = 1"), "PB401", 5),
        (("r = np.exp(x)", "r[x > 0][1] = 1"), "PB401", 5),
        (("x[0][1] = 1", "r = x * 1"), "PB301", 4),
        (("r = np.exp(x)", "u = r[0]", "r[0][1] = 1", "r = r * u"), "PB301", 7),
        (("r = np.exp(x)", "r.T[0] = 1"), "PB401", 5),
        (("r = x.shape", "r[0] = 1"), "PB401", 5),
        (("r = np.exp(x)", "def h():", "    r[0] = 1", "h()"), "PB303", 6),
        (("r = np.exp(x)", "s = change(r)"), "PB301", 2),
        (("r = x", "for k in range(n):", "    r[k] = 1"), "PB301", 6),
    ],
)
def test_what_another_name_would_see_is_refused(statements, code, line):
    head = "def change(a):\n    a[0] = 1\n    return a" if "change" in statements[-1] else "# a module"
    found = findings(text(*statements, head=head), code)
    assert [item[:2] for item in found] == [(code, line)]


@pytest.mark.parametrize(
    ("closure", "code"),
    [
        (("r[0] = 1", "return g"), "PB303"),
        (("r[0][1] = 1", "return g"), "PB303"),
        (("g[0] = 1", "return g"), "PB302"),
        (("h = g[0]", "h[0] = 1", "return g"), "PB302"),
        (("h = g * 2", "h[0] = 0", "return h"), None),
    ],
)
def test_writes_in_a_closure(closure, code):
    found = [item[0] for item in findings(text("r = x * 2", closure=closure)) if item[0] < "PB9"]
    assert found == ([code] if code else [])


def test_a_write_after_the_capture_is_refused():
    lines = ["t = np.exp(x)", "def back(g):", "    return g * t", "t[0] = 1", "return t * 2, back"]
    source = "\n".join(["@pb.formula", "def f(x):", *(f"    {line}" for line in lines), ""])
    assert [item[:2] for item in findings(source)] == [("PB303", 6)]


def test_an_element_of_a_list_is_written():
    read = formula(text("ts = [x, x]", "ts[1] = x * 2", "r = ts[0] + ts[1]"))
    assert equations(read) == ["_1 = multiply(x, 2)", "r = add(x, _1)"]


def test_positions_that_may_repeat_say_so():
    with pytest.raises(ValueError, match="repeated=True"):
        primitives.index_put(X, 0.0, index=np.array([0, 0]))


def changed(x, y):
    t = x * 1
    t += y
    return t * 1


def changed_in_a_loop(x, y):
    t = x.copy()
    for _ in range(2):
        t *= y
        t -= 1
    return t


def changed_number(x, y):
    s = np.sum(x)
    s += y
    return s * 1


def changed_total(x, y):
    total = 0.0
    for _ in range(2):
        total += y
        total *= x
    return total


def changed_zeros(x, y):
    t = np.zeros(x.shape, dtype=x.dtype)
    t += y
    return t


def divided(x, y):
    t = x + 0
    t /= y
    return t


def changed_array_of_a_number(x, y):
    t = np.asarray(np.sum(x))
    t += y
    return t


def changed_array_of_a_value(x, y):
    t = np.asarray(x * 2)
    t += y
    return t


def changed_choice(x, y):
    t = np.where(x > 2, x, y.max())
    for _ in range(2):
        t += y
    return t


CHANGES = (
    *(changed, changed_in_a_loop, changed_number, changed_total, changed_zeros, divided),
    *(changed_array_of_a_number, changed_array_of_a_value, changed_choice),
)
SHAPES = (((3,), (3,)), ((3,), ()), ((), (3,)), ((3,), (2, 3)), ((2, 3), (3,)), ((1,), (3,)), ((3,), (1,)))
DTYPES = ("float32", "float64", "int64", "bool")


def _outcome(function, x, y):
    """The value with its dtype; the kind of exception that is raised."""
    try:
        value = np.asarray(function(x.copy(), y.copy()))
    except (ValueError, TypeError) as error:
        return "TypeError" if isinstance(error, TypeError) else "ValueError"
    return value.dtype, value.tolist()


@pytest.mark.parametrize("function", CHANGES, ids=lambda each: each.__name__)
def test_a_whole_name_is_changed_as_numpy_does(engine, function):
    formula = pb.derive_pullback(function)
    rng = np.random.default_rng(0)
    for first, second in SHAPES:
        for one in DTYPES:
            for other in DTYPES:
                x = rng.uniform(1, 3, first).astype(one)
                y = rng.uniform(1, 3, second).astype(other)
                expected = _outcome(function, x, y)
                assert _outcome(formula, x, y) == expected, (first, second, one, other)


@pytest.mark.compiler
@pytest.mark.parametrize("function", sampled(CHANGES, 2))
def test_kernels_change_a_whole_name_as_numpy_does_or_refuse(function):
    fast = pb.compile(function)
    rng = np.random.default_rng(0)
    for first, second in SHAPES:
        for one, other in (("float32", "float32"), ("float32", "float64"), ("float64", "float32")):
            x, y = rng.uniform(1, 3, first).astype(one), rng.uniform(1, 3, second).astype(other)
            expected, found = _outcome(function, x, y), _outcome(fast, x, y)
            if isinstance(expected, str):
                assert found == expected
            else:
                assert found[0] == expected[0]
                np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)


def test_a_narrowed_change_has_the_gradient_of_its_value(engine):
    x, y = np.full(3, 2.0, np.float32), np.array([0.5, 1.0, 1.5])
    formula = pb.derive_pullback(changed_in_a_loop)
    xs, ys = pb.tensor(x, requires_grad=True), pb.tensor(y, requires_grad=True)
    value = formula(xs, ys)
    grad_x, grad_y = pb.grad(np.sum(value * value), [xs, ys], create_graph=True)
    assert (value.dtype, grad_x.dtype, grad_y.dtype) == (np.float32, np.float32, np.float64)
    r = (2.0 * y - 1) * y - 1
    np.testing.assert_allclose(grad_y.detach().numpy(), 2 * r * (4.0 * y - 1), rtol=1e-6)
    (again,) = pb.grad(np.sum(grad_y), [ys])
    np.testing.assert_allclose(again.numpy(), 2 * (4.0 * y - 1) ** 2 + 8 * r, rtol=1e-6)


def last_and_total(x):
    total = last = 0.0
    kept = []
    for i in range(len(x)):
        last = total
        total += x[i] * x[i]
        kept.append(total)
    return np.stack(kept) * last


def from_the_first(x):
    best = x[0]
    for i in range(1, len(x)):
        best *= 0.9
        best += x[i]
    return best


@pytest.mark.parametrize("function", [last_and_total, from_the_first], ids=lambda each: each.__name__)
def test_a_number_with_another_name_is_replaced_and_an_array_is_refused_when_it_runs(engine, function):
    formula = pb.derive_pullback(function)
    numbers, rows = np.array([0.5, 2.0, 1.5]), X.copy()
    np.testing.assert_allclose(formula(numbers), function(numbers.copy()), rtol=1e-15)
    assert pb.gradcheck(formula, numbers, order=2)
    with pytest.raises(pb.errors.MutationError, match="it is an array here"):
        formula(rows)


def test_a_row_of_a_loop_says_how_the_whole_is_written():
    @pb.derive_pullback
    def by_row(x):
        x = x.copy()
        for row in x:
            row /= row.sum()
        return x

    @pb.derive_pullback
    def by_index(x):
        x = x.copy()
        for i in range(len(x)):
            x[i] /= x[i].sum()
        return x

    message = r"^line \d+: `row` is a view of `x`; .* `for i in range\(len\(a\)\): a\[i\] \+= 1`"
    with pytest.raises(pb.errors.MutationError, match=message):
        by_row(X)

    @pb.derive_pullback
    def of_a_copy(x):
        x = x * 1.0
        for k, row in enumerate(x.copy()):
            x[k] = row / row.sum()
        return x

    np.testing.assert_allclose(of_a_copy(X), X / X.sum(1, keepdims=True), rtol=1e-14)
    np.testing.assert_allclose(by_index(X), X / X.sum(1, keepdims=True), rtol=1e-14)


def test_what_a_loop_goes_over_is_told_without_a_name_of_ours():
    @pb.derive_pullback
    def changed(x):
        x = x * 1.0
        for k, row in enumerate(x):
            x[k] = row / row.sum()
        return x

    with pytest.raises(pb.FormulaError) as error:
        changed(X)
    (found,) = error.value.diagnostics
    assert found.message == "`x` is what a loop goes over, which this changes in place as well"
    assert found.hint == "go over `range(len(x))`, or over `x.copy()`"


@pytest.mark.compiler
def test_kernels_refuse_an_array_with_another_name_when_they_run():
    fast = pb.compile(last_and_total)
    numbers = np.array([0.5, 2.0, 1.5])
    np.testing.assert_allclose(fast(numbers), last_and_total(numbers), rtol=1e-15)
    with pytest.raises(pb.errors.MutationError, match="it is an array here"):
        fast(X)


@pytest.mark.parametrize(
    "statements",
    [
        ("acc, rows = np.zeros(3), []", "for i in range(n):", "    acc += x[i]", "    rows.append(acc)"),
        ("acc, rows = np.zeros(3), []", "for i in range(n):", "    acc[:] += x[i]", "    rows.append(acc)"),
        (
            *("acc = np.zeros(3)", "rows = [acc]", "for i in range(n):", "    acc = acc + x[i]"),
            *("    rows.append(acc)", "    acc *= 2.0"),
        ),
    ],
)
def test_an_array_that_a_list_holds_is_not_changed(statements):
    found = findings(text(*statements, "r = np.stack(rows)"))
    assert [code for code, *_ in found] == ["PB301"]


def test_a_copy_may_be_put_into_a_list():
    lines = (
        "acc, rows = np.zeros(3), []",
        "for i in range(n):",
        "    acc += x[i]",
        "    rows.append(acc * 1.0)",
    )
    assert not findings(text(*lines, "r = np.stack(rows)"))


@pytest.mark.parametrize("view", ["x", "x[1:]", "x.T", "x[:, 0]", "x[..., 0]"])
def test_an_input_is_not_changed_by_an_augmented_assignment(view):
    found = findings(text(f"t = {view}", "t += 1.0", "r = t"), "PB301")
    assert [line for _, line, *_ in found] == [5]
