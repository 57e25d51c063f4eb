"""Every statement and expression of a program has a line of text."""

import pytest

from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library
from pullback.transpile.loops.expressions import (
    Choice,
    Element,
    Entry,
    Infix,
    ListOf,
    Name,
    Number,
    Prefix,
    SizeOf,
    Text,
    ViewOf,
    ask,
    call,
    node,
    run,
)
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.lower.schedule import program_of
from pullback.transpile.loops.printer import expression_text, kernel_text
from pullback.transpile.loops.statements import (
    Alike,
    Assign,
    Collect,
    Do,
    For,
    Guard,
    If,
    KernelProgram,
    Let,
    NewList,
    Passes,
    Read,
    Reduce,
    Require,
    Return,
    RunPasses,
    Scope,
    Space,
    Variable,
)
from tests.golden.regenerate import ARGUMENTS, EXAMPLES, HERE, NAMES, ORDERS

TOTAL = Reduce("r", "sum", "T", "T", Name("r_view"), mean=True, once=True)
BODY = (
    Let("x_view", ask("input", 0, of="T"), ViewOf("T")),
    NewList("all", ListOf(ViewOf("T")), node(3)),
    Variable("n", "int64_t"),
    Require(Infix(">", Name("n"), node(0)), "nothing is there"),
    If((Name("n"),), (Assign(Element(Name("all"), node(0)), Name("x_view")),), (Return("likely"),)),
    For("k", Name("n"), (Do(run("fill", "x_view", "k")),), reverse=True, condition=Name("go")),
    Guard(Name("n"), Return()),
    Alike((Name("shape"), Name("other")), (Return(),)),
    Passes("passes", 1, 2),
    Scope(
        (
            Space(
                "passes",
                Name("shape"),
                (Read("x", "T", Name("x_view"), once=True),),
                (TOTAL,),
                (Collect(TOTAL, Prefix("-", Entry("x"))),),
                "i",
                covers=(Name("other"),),
                by_rows=True,
            ),
        )
    ),
    RunPasses("passes", units=True),
)
TEXT = """\
kernel f(T, number) -> 1:
  x_view: view of T = ask input(0): T
  all: list of view of T of length 3
  var n: int64_t
  require n > 0 or UNSUPPORTED: nothing is there
  if n:
    set all[0] = x_view
  else:
    return likely
  for k below n reversed while go:
    do fill(x_view, k)
  if n: return
  if shape, other are alike:
    return
  passes: 1 pass, 2 rows
  scope:
    pass of passes over shape covering other:
      read once x: T of x_view
      mean once r: T to r_view
      for each i of a row:
        collect r = -x[i]
  run passes in units"""


def test_each_statement_is_a_line():
    assert kernel_text(KernelProgram("f", "", "T", 1, 1, BODY)) == TEXT


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Infix("-", Name("a"), Infix("-", Name("b"), Name("c"))), "a - (b - c)"),
        (Choice(Infix("<", Name("a"), node(0)), Number(0.5, "T"), Name("a")), "0.5 if (a < 0) else a"),
        (call("require", Text("a b"), SizeOf("T")), "require('a b', bytes of T)"),
        (ask("shape", 1), "ask shape(1)"),
    ],
)
def test_operands_stand_in_parentheses(expression, text):
    assert expression_text(expression) == text


@pytest.mark.parametrize("name", NAMES)
def test_kernels_of_examples_print_their_rows_and_declarations(name):
    own = HERE / "formulas" / f"{name}.py"
    path = own if own.exists() else EXAMPLES / f"{name}.py"
    formula = read_module(Source(path.name, path.read_text(encoding="utf-8"))).formulas[name]
    attributes = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    for kernel in formula_kernels(
        formula, standard_library(), attributes, ORDERS[name], ARGUMENTS.get(name)
    ).kernels():
        program = program_of(kernel)
        lines = [line.strip() for line in kernel_text(program).splitlines()]
        assert lines[0].startswith(f"kernel {kernel.name}(")
        declared = [statement for statement in program.body if isinstance(statement, Let)]
        assert all(
            any(line.startswith((f"{let.name}: ", f"{let.name} = ")) for line in lines) for let in declared
        )
