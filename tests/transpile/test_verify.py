"""The verifier: every pass makes valid IR of the same types, and what a broken pass makes is found."""

from dataclasses import replace

import pytest

from pullback.tools.commands.dump import PASSES
from pullback.tools.formulas import read_formulas
from pullback.transpile.analysis.types import infer
from pullback.transpile.ir import Block, Literal
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.verify import InvalidIR, verify, verify_types
from tests.golden.regenerate import EXAMPLES

LIBRARY = standard_library()
FORMULAS = {
    **{
        f"{path.stem}.{formula.name}": formula
        for path in sorted(EXAMPLES.glob("*.py"))
        for formula in read_formulas(str(path))[0]
    },
    **{
        name: LIBRARY.formula(name)
        for name in (
            "add",
            "matmul",
            "var",
            "norm",
            "where",
            "sinc",
            "getitem",
            "concatenate",
            "softmax",
            "solve",
        )
    },
}


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_keeps_types(name):
    for formula in FORMULAS.values():
        made = PASSES[name](formula, LIBRARY)
        verify_types(formula, made)
        assert infer(made).findings == ()


TEXT = """
def f(x, w):
    scaled = np.astype(np.ones((3, 4)), np.float32)
    sums = np.sum(scaled, axis=1)
    row = np.reshape(sums, (1, 3))
    table = np.matmul(row, np.ones((3, 2)))
    r = np.astype(table, np.float32)
    return r, lambda grad: (np.sum(grad) * x * w, np.sum(grad) * x * w)
"""


def broken(formula, op, change):
    """The formula with the first equation of an operator changed, in either block; or without it."""

    def of(block):
        place = next((k for k, eqn in enumerate(block.eqns) if eqn.op == op), None)
        if place is None:
            return block
        eqn = block.eqns[place]
        made = change(eqn)
        if made is not None:
            return Block(block.params, (*block.eqns[:place], made, *block.eqns[place + 1 :]), block.results)
        (out,), (first, *_) = eqn.outs, eqn.args
        eqns = tuple(
            replace(other, args=tuple(first if atom == out else atom for atom in other.args))
            for other in block.eqns
            if other is not eqn
        )
        return Block(block.params, eqns, tuple(first if atom == out else atom for atom in block.results))

    return formula.evolve(forward=of(formula.forward), pullback=of(formula.pullback))


def attribute(name, value):
    """A change of one attribute of an equation."""
    return lambda eqn: replace(
        eqn, kwargs=tuple((key, Literal(value) if key == name else atom) for key, atom in eqn.kwargs)
    )


@pytest.mark.parametrize(
    ("op", "change", "why"),
    [
        ("sum", attribute("axis", 2), "axis 2 of an array of 2 axes"),
        ("sum", attribute("axis", 0), "has no shape"),
        ("reshape", attribute("shape", (3, 1)), "sums over 1 entries and over 3"),
        ("reshape", lambda eqn: None, "2 axes and 1"),
        ("matmul", lambda eqn: replace(eqn, args=eqn.args[::-1]), "sums over 2 entries and over 1"),
        ("matmul", lambda eqn: None, "sizes 2 and 3"),
        ("sum_to", lambda eqn: None, "the gradient of x has another type: it has the shape of w too"),
    ],
)
def test_what_a_broken_pass_makes_is_found(op, change, why):
    formula = promote(formula_in(TEXT), LIBRARY)
    assert verify_types(formula, verify(formula)) is formula
    with pytest.raises(InvalidIR) as error:
        verify_types(formula, broken(formula, op, change))
    assert why in str(error.value)


def test_another_dtype_of_a_result_is_found():
    formula = promote(formula_in(TEXT), LIBRARY)
    (table,) = (eqn.outs[0] for eqn in formula.forward.eqns if eqn.op == "matmul")
    results = (table, *formula.forward.results[1:])
    with pytest.raises(InvalidIR, match="dtypes float32 and float64"):
        verify_types(formula, formula.evolve(forward=replace(formula.forward, results=results)))
