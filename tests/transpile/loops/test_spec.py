"""What lowering makes is valid, and what is not is found."""

import random

import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library
from pullback.transpile.loops.expressions import Entry, Name, Number, call, node
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.lower.schedule import program_of
from pullback.transpile.loops.spec import check, check_block
from pullback.transpile.loops.statements import (
    Collect,
    Do,
    Launch,
    Let,
    Passes,
    Read,
    Reduce,
    RunPasses,
    Space,
    Store,
    Variable,
    Write,
)
from pullback.transpile.verify import InvalidIR
from tests.golden.regenerate import ARGUMENTS, EXAMPLES, HERE, NAMES, ORDERS
from tests.random_programs.generator import Generator
from tests.random_programs.run import load
from tests.sampling import sampled


@pytest.mark.parametrize("name", NAMES)
def test_the_programs_of_examples_are_valid(name):
    own = HERE / "formulas" / f"{name}.py"
    path = own if own.exists() else EXAMPLES / f"{name}.py"
    formula = read_module(Source(path.name, path.read_text(encoding="utf-8"))).formulas[name]
    attributes = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    made = formula_kernels(formula, standard_library(), attributes, ORDERS[name], ARGUMENTS.get(name))
    for kernel in made.kernels():
        check(program_of(kernel))


@pytest.mark.parametrize("batch", sampled(range(4), 2))
def test_the_programs_of_random_formulas_are_valid(tmp_path, batch):
    checked = 0
    for seed in range(batch * 24, batch * 24 + 24):
        generator = Generator(random.Random(seed))
        text = generator.program()
        try:
            formula = pb.derive_pullback(load(tmp_path / f"program{seed}.py", text)).ir
            made = formula_kernels(formula, standard_library(), generator.case.attributes, order=1)
        except FormulaError:
            continue
        for kernel in made.kernels():
            check(program_of(kernel))
            checked += 1
    assert checked


X = Name("x")
TOTAL = Reduce("r", "sum", "T", "T", X)
ROWS = (Read("a", "T", X),)
SINKS = (Write("r", "T", X),)


def space(*body, sinks=SINKS):
    return Space("passes", X, ROWS, sinks, body, "i")


def block(*body, count=1, operands=2):
    return [Variable("x", "Shape"), Passes("passes", count, operands), *body, RunPasses("passes")]


def launched(over, *spaces, **options):
    return [Variable("x", "Shape"), Launch("f_1", over, X, spaces, **options)]


def test_launches_that_write_reduce_or_go_by_rows_are_valid():
    write, reduce = space(Store("r", Entry("a"))), space(Collect(TOTAL, Entry("a")), sinks=(TOTAL,))
    check_block(launched("entries", write))
    check_block(launched("fibres", reduce))
    check_block(launched("rows", reduce, write))
    check_block(launched("rows", reduce, columns=(TOTAL,), otherwise=tuple(launched("rows", reduce)[1:])))


def test_a_pass_that_stores_what_it_gives_is_valid():
    check_block(block(space(Store("r", Entry("a")))))


SUM = space(Collect(TOTAL, Entry("a")), sinks=(TOTAL,))


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ([Do(call("shape_of", "y"))], "`y` is read before"),
        ([Let("y", node(1)), Let("y", node(2))], "`y` is declared twice"),
        ([Do(call("no_such_function"))], "no function `no_such_function`"),
        (block(space(Store("r", Entry("b")))), "an element of `b`"),
        (block(space(Let("t", Entry("a"), "T"))), "a pass stores"),
        (block(space(Store("r", Number(0, "T"))), operands=3), "1 passes of 2 rows"),
        (block(space(Store("r", Number(0, "T"))))[:-1], "nobody runs"),
        (block(space(Store("a", Number(0, "T")), sinks=(Write("a", "T", X),))), "two rows of a pass"),
        (launched("fibres", space(Store("r", Entry("a")), sinks=(TOTAL,))), "stores what it reduces"),
        (launched("entries", space(Collect(TOTAL, Entry("a")), sinks=(TOTAL,))), "is for entries"),
        (launched("fibres", space(Store("r", Entry("a")))), "is for fibres"),
        (launched("entries", *[space(Store("r", Entry("a")))] * 2), "has several passes"),
        (launched("rows", SUM, columns=(TOTAL,)), "no other way"),
        (
            launched("rows", SUM, columns=(TOTAL,), otherwise=(Do(call("shape_of", "y")),)),
            "`y` is read before",
        ),
    ],
)
def test_what_is_not_valid_is_found(statements, why):
    with pytest.raises(InvalidIR, match=why):
        check_block(statements)
