from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pullback.transpile.analysis.costs import MOVE, work
from pullback.transpile.ir import Options, Var
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.promote.save_or_recompute import fused, interpreted
from pullback.transpile.passes.variants.reverse import reverse


def formula(*lines, grad="grad", results="r", options=None):
    body = "".join(f"    {line}\n" for line in lines)
    text = f"def f(x, y):\n{body}    return {results}, lambda grad: ({grad}, None)\n"
    return formula_in(text).evolve(options=options or Options())


def hidden(made, choose=fused):
    return [var.name for var in promote(made, standard_library(), choose).hidden]


SUM = ("t = x + y", "r = t * y")


def test_a_sum_is_computed_again_in_a_kernel_and_saved_elsewhere():
    made = formula(*SUM, grad="grad * t * y")
    assert hidden(made, interpreted) == ["t"]
    assert hidden(made) == []


def test_the_author_decides_otherwise():
    assert hidden(formula(*SUM, grad="grad * t * y", options=Options(save=("t",)))) == ["t"]
    kept = formula("t = np.sum(x * x)", "r = t * x", grad="grad * t")
    assert hidden(kept) == ["t"]
    assert hidden(kept.evolve(options=Options(recompute=("t",)))) == []


def test_one_exponential_is_repeated_and_a_chain_of_them_is_not():
    assert hidden(formula("t = np.exp(x)", "r = t * t * x", grad="grad * t * x")) == []
    assert "t" in hidden(formula("t = np.exp(np.sin(np.exp(x)))", "r = t * x", grad="grad * t"))


def test_statistics_of_rows_are_saved_and_what_they_normalize_is_not():
    made = formula(
        "m = np.mean(x, axis=-1, keepdims=True)",
        "c = x - m",
        "s = np.sqrt(np.mean(c * c, axis=-1, keepdims=True))",
        "h = c / s",
        "r = h * y",
        grad="grad * h / s",
    )
    assert "c" not in hidden(made)
    assert "h" not in hidden(made)
    assert {"m", "s"} <= set(hidden(made))


def test_differences_of_all_pairs_are_computed_again():
    made = formula(
        "d = np.expand_dims(x, 1) - np.expand_dims(y, 0)",
        "r = np.sum(d * d, axis=-1)",
        grad="np.sum(np.expand_dims(grad, -1) * 2 * d, axis=1)",
    )
    assert hidden(made, interpreted) == ["d"]
    assert hidden(made) == []


def test_an_operand_of_a_matrix_product_is_saved():
    assert hidden(formula("t = np.exp(x)", "r = t @ y", grad="grad @ y.T * t * x")) == []
    assert hidden(formula("t = np.exp(x)", "r = t @ y", grad="grad @ (t.T @ t) * x")) == ["t"]


def test_nothing_unknown_is_repeated():
    made = formula("t = np.real_if_close(x)", "r = t * x", grad="grad * t", options=Options(recompute=("t",)))
    settled = promote(made, standard_library(), fused)
    assert "t" in {var.name for var in settled.plain}


def test_a_hand_written_rule_keeps_its_value():
    text = "def f(x):\n    t = x + 1\n    return t * t, lambda grad, grad_t: 2 * t * grad + grad_t\n"
    assert [v.name for v in promote(formula_in(text), standard_library(), fused).hidden] == ["t"]


@st.composite
def chains(draw):
    """Pointwise programs of up to six values, some of which the closure reads."""
    names, lines = ["x", "y"], []
    for k in range(draw(st.integers(1, 6))):
        one, other = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        operation = draw(st.sampled_from(["{} + {}", "np.exp({})", "np.sin({})", "np.sqrt({})"]))
        lines.append(f"v{k} = {operation.format(one, other)}")
        names.append(f"v{k}")
    read = draw(st.lists(st.sampled_from(names[2:]), min_size=1, unique=True))
    return formula(*lines, "r = x * y", grad=f"grad * ({' + '.join(read)})")


def cost(made, saved):
    """Bytes moved and work repeated where the closure has `saved` and computes everything else."""
    table = {eqn.outs[0]: eqn for eqn in made.forward.eqns}
    read = set(made.pullback.free())
    needed, repeated, total = list(read), set(), 0.0
    leaves = set()
    while needed:
        var = needed.pop()
        if var in saved or var not in table or var in made.forward.results:
            leaves.add(var)
        elif var not in repeated:
            repeated.add(var)
            total += work(table[var], standard_library())
            needed += [v for v in table[var].reads() if v.kind == "tensor"]
    for var in leaves:
        outer = var not in table or var in made.forward.results
        total += (0 if outer and var in read else 1 if outer else 2) * MOVE
    return total


@settings(deadline=None)
@given(chains())
def test_the_choice_is_the_cheapest_of_all(made):
    table = [eqn.outs[0] for eqn in made.forward.eqns if eqn.outs[0] not in made.forward.results]
    best = min(
        cost(made, {var for var, keep in zip(table, kept, strict=True) if keep})
        for kept in product([True, False], repeat=len(table))
    )
    plan = fused(made, (), standard_library())
    assert cost(made, {var for var in plan.stops if isinstance(var, Var)}) == pytest.approx(best)


def test_what_a_mean_is_subtracted_from_is_read_again_for_a_second_derivative():
    text = """
def f(x):
    c = x - np.mean(x, axis=-1, keepdims=True)
    return c * c * c, lambda grad: 3 * grad * c * c
"""
    made = promote(formula_in(text), standard_library(), fused)
    backward = reverse(made, [True, False], [True]).formula
    assert "mean" in "".join(str(param.var) for param in backward.params)
    assert [var.name for var in promote(backward, standard_library(), fused).hidden] == []
