from math import inf

from pullback.transpile.analysis.costs import in_memory, mask_values, small_values, work
from pullback.transpile.library import formula_in, standard_library


def equations(*lines):
    body = "".join(f"    {line}\n" for line in lines)
    return formula_in(f"def f(x, y):\n{body}    return x, lambda grad: (grad, None)\n").forward


def costs(*lines):
    return [work(eqn, standard_library()) for eqn in equations(*lines).eqns]


def test_arithmetic_is_cheap_and_functions_are_not():
    add, exp, sin = costs("a = x + y", "b = np.exp(x)", "c = np.sin(x)")
    assert add < exp < sin < inf


def test_a_view_costs_nothing_and_a_reduction_is_not_repeated():
    assert costs("a = x.T", "b = np.sum(x)", "c = x @ y", "d = np.real_if_close(x)") == [0, inf, inf, inf]


def test_a_formula_costs_what_its_forward_does():
    (gelu,) = costs("a = pb.gelu(x)")
    (tanh,) = costs("a = np.tanh(x)")
    assert tanh < gelu < inf


def test_what_comes_of_reductions_alone_is_small():
    block = equations("m = np.mean(x, axis=-1)", "s = np.sqrt(m)", "t = x - s", "k = x > 0")
    assert {var.name for var in small_values(block.eqns)} == {"m", "s"}
    assert [var.name for var in mask_values(block.eqns)] == ["k"]


def test_a_matrix_product_reads_its_operands_from_memory():
    block = equations("a = x * y", "b = a.T", "c = b @ y", "d = np.exp(x) + c")
    assert {str(atom) for atom in in_memory(block)} == {"a", "b", "y"}


def test_through_a_branch_too():
    block = equations("if x.ndim == 1:", "    z = x * 2", "else:", "    z = y", "c = z @ x")
    assert "y" in {str(atom) for atom in in_memory(block)}
