"""Operators as the engines run them."""

import numpy as np
import pytest

import pullback as pb
from pullback.engine.primitives.plumbing import like

FACTS = {"is_none": lambda value: value is None, "like": like, "shape": np.shape, "ndim": np.ndim}


def with_rules():
    """Formulas that save a plain value with a rule; the one that refuses gradients refuses to run."""
    formulas = [entry for entry in pb.formulas() if not isinstance(entry, pb.Composite) and entry.samples()]
    return [f for f in formulas if any(f.operator.plain_rules) and f.__name__ != "refuse_gradient"]


@pytest.mark.parametrize("formula", with_rules(), ids=lambda formula: formula.__name__)
def test_a_rule_gives_the_plain_value_that_the_forward_gives(formula):
    operator = formula.operator
    for args, kwargs in formula.samples():
        inputs, attributes = operator.bind(args, kwargs)
        given = dict(zip((param.var.name for param in operator.inputs), inputs, strict=True)) | attributes
        values = operator.forward(inputs, attributes)[operator.n_results + operator.n_hidden :]
        for rule, value in zip(operator.plain_rules, values, strict=True):
            if rule is not None and rule[0] == "attribute":
                assert value is given[rule[1]]
            elif rule is not None:
                assert value == FACTS[rule[0]](given[rule[1]])


def test_a_fact_of_one_of_several_inputs_and_a_computed_value_have_no_rule():
    assert pb.formulas()["multiply"].operator.plain_rules == (None, None)
    assert pb.formulas()["sort"].operator.plain_rules[0] is None
    assert pb.formulas()["roll"].operator.plain_rules == (("attribute", "shift"), ("attribute", "axis"))
