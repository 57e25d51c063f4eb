"""Declarations that nobody reads go, wherever they stand."""

from pullback.transpile.loops.expressions import Name, ask, node
from pullback.transpile.loops.passes import PASSES, STAGES, optimized
from pullback.transpile.loops.statements import Do, For, If, KernelProgram, Let

USED, UNUSED = Let("n", ask("integer", 0)), Let("m", node(2))
OUTPUT_VALUE = Do(ask("output_value", 0, "n"))
BODY = (USED, UNUSED, OUTPUT_VALUE)


def program(*statements):
    return KernelProgram("f", "", "", 1, 1, statements)


def test_unread_declarations_of_inner_blocks_go():
    loop, choice = For("i", node(3), BODY), If((Name("i"),), BODY, BODY)
    made = PASSES["unused"](program(loop, choice))
    assert made.body == (
        For("i", node(3), (USED, OUTPUT_VALUE)),
        If((Name("i"),), (USED, OUTPUT_VALUE), (USED, OUTPUT_VALUE)),
    )


def test_what_only_an_unread_declaration_reads_goes_too():
    made = PASSES["unused"](program(USED, Let("more", Name("n")), Let("most", Name("more"))))
    assert made.body == ()


def test_outputs_stay():
    output = Let("out", ask("output", 0, "shape"))
    assert PASSES["unused"](program(output)).body == (output,)


def test_a_stage_has_the_passes_up_to_it():
    made = program(*BODY)
    assert optimized(made, "kernel") == made
    assert optimized(made, "unused").body == optimized(made).body == (USED, OUTPUT_VALUE)
    assert list(STAGES) == ["kernel", *PASSES]
