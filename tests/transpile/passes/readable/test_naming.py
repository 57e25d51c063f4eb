"""Names change, what they stand for does not."""

from pullback.transpile.ir import Block, Eqn, Var
from pullback.transpile.library import formula_in
from pullback.transpile.passes.readable.naming import name_gradients


def test_a_saved_value_keeps_its_name_where_an_inner_block_binds_the_same_one():
    formula = formula_in("def sine(x):\n    return np.sin(x), lambda grad: grad * np.cos(x)")
    grad, saved, product, chosen = (Var(name) for name in ("grad", "_5", "_6", "_7"))
    inner = Block((), (Eqn((saved,), "sin", (product,)),), (saved,))
    block = Block(
        (grad,),
        (
            Eqn((product,), "multiply", (grad, saved)),
            Eqn((chosen,), "if", (Var("condition"),), blocks=(inner, Block((), (), (product,)))),
        ),
        (chosen,),
    )
    named = name_gradients(formula, block)
    assert set(named.free()) == set(block.free()) == {saved, Var("condition")}
    branch = named.eqns[1].blocks[0]
    assert branch.results == branch.eqns[0].outs
    assert branch.results != (saved,)
