"""What flows out of a branch is what is used later."""

from ..frontend.reading import equations, formula

TEXT = """
@pb.formula
def f(x, *, n=1):
    if n > 1:
        a = np.exp(x)
        b = a * 2
        unused = a * 3
    else:
        a = x
        b = x + 1
        unused = x
    if n > 2:
        gone = x * 3
    return b, lambda g: g{}
"""


def test_unused_names_of_a_branch_are_dropped():
    assert equations(formula(TEXT.format(""))) == [
        "_1 = greater(n, 1)",
        "b = if(_1)",
        "  a = exp(x)",
        "  b_2 = multiply(a, 2)",
        "  -> b_2",
        "  b_1 = add(x, 1)",
        "  -> b_1",
        "_2 = greater(n, 2)",
    ]


def test_what_the_closure_captures_is_used():
    assert "a, b = if(_1)" in equations(formula(TEXT.format(" * a")))
