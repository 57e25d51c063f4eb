"""What is claimed of types is so: of every formula of the library, and of every construct, on real arrays."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.analysis.types import _Inferrer, infer
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir.type_joins import conflict
from pullback.transpile.ir.types import (
    ScalarType,
    TensorType,
    Unranked,
    join_shapes,
    ranked,
    reduced_shape,
)
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.differentiate.derive import derive
from pullback.transpile.passes.promote.promote import promote
from tests.constructs.columns import raises
from tests.constructs.regenerate import CONSTRUCTS
from tests.formulas.samples import every_case
from tests.sampling import sampled
from tests.transpile.analysis.claims import check_claims
from tests.transpile.analysis.evaluating import evaluate

CASES = every_case()


def single(value):
    if isinstance(value, list):
        return [single(item) for item in value]
    return value.astype(np.float32) if getattr(value, "dtype", None) == np.float64 else value


@pytest.mark.parametrize("case", sampled(CASES, 2))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_types_of_a_formula_are_those_of_its_arrays(case):
    for cast in (list, single):
        operator = pb.formulas()[case.name].operator
        claims = check_claims(operator, cast(list(case.args)), case.kwargs)
        assert claims.wrong == []
        assert claims.checked


@pytest.mark.parametrize("construct", sampled(CONSTRUCTS, 2, lambda construct: construct.name))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_types_of_a_construct_are_those_of_its_arrays(construct):
    for call in construct.calls:
        if raises(construct, call):
            continue
        claims = check_claims(construct.formula.operator, call.inputs, call.attributes, backward=False)
        assert claims.wrong == []
        assert claims.checked


def found(text):
    return [finding.message for finding in infer(formula_in(text)).findings]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("np.ones((3,)) + np.ones((4,)) * x", "add: sizes 3 and 4 do not broadcast"),
        ("x * np.sum(np.ones((3, 4)), axis=2)", "sum: axis 2 of an array of 2 axes"),
        ("x * np.matmul(np.ones((3, 4)), np.ones((3, 4)))", "sums over 4 entries and over 3"),
        ("x + np.expand_dims(np.sum(x), 3)", "axis 3 of an array of 1 axes"),
        ("x + np.reshape(np.ones((3, 4)), (5, 2))", "has no shape (5, 2)"),
        ("x + np.broadcast_to(np.ones((3,)), (2, 4))", "(3) does not broadcast to (2, 4)"),
        ("x + np.sum(np.concatenate([np.ones((3, 4)), np.ones((3, 5))]))", "sizes 4 and 5 along an axis"),
        ("x + np.sum(np.concatenate([np.ones((3, 4)), np.ones(4)]))", "arrays of 1 and of 2 axes"),
        ("x + np.sum(np.concatenate([np.ones(4), np.ones(4)], axis=1))", "axis 1 of an array of 1 axes"),
        ("x + np.sum(np.stack([np.ones(4), np.ones(5)]))", "sizes 4 and 5 along an axis"),
        ("x * np.dot(np.ones((3, 4)), np.ones(3))", "sums over 4 entries and over 3"),
        ("x * np.inner(np.ones((3, 4)), np.ones(3))", "sums over 4 entries and over 3"),
        ("x * np.einsum('ij,jk->ik', np.ones((3, 4)), np.ones((3, 2)))", "sizes 3 and 4 do not broadcast"),
        ("x * np.einsum('ij->i', np.ones(4))", "`ij` are 2 subscripts of an array of 1 axes"),
        ("x * np.linalg.det(np.ones((3, 4)))", "(3, 4) is no square matrix"),
        ("x * np.transpose(np.ones((3, 4)), (0, 1, 2))", "3 axes are given of an array of 2"),
        ("x * np.matmul(np.ones(()), np.ones(3))", "takes arrays with axes, not numbers"),
        ("x * np.linalg.solve(np.ones((3, 4)), np.ones(3))", "(3, 4) is no square matrix"),
        ("x * np.linalg.solve(np.ones((3, 3)), np.ones(4))", "sums over 3 entries and over 4"),
        ("x * np.sum(np.linalg.pinv(np.ones(3)))", "an array of 1 axes is no matrix"),
        ("x * np.sum(np.vstack([np.ones(3), np.ones((2, 4))]))", "sizes 3 and 4 along an axis"),
        ("x * np.sum(np.hstack([np.ones(3), np.ones((3, 4))]))", "arrays of 1 and of 2 axes"),
        ("x * np.sum(np.tensordot(np.ones((3, 4)), np.ones(4), axes=2))", "axes 2 of arrays of 2 and 1"),
        ("x * np.sum(np.moveaxis(np.ones((3, 4)), (0, 1), (0,)))", "2 axes are moved to 1 places"),
        ("x * np.sum(np.ones((3, 4))[x.ndim, x.ndim, x.ndim])", "3 indices into an array of 2 axes"),
        ("x * np.sum(np.take_along_axis(np.ones((3, 4)), np.zeros(3, int), axis=0))", "positions of 1 axes"),
    ],
)
@pytest.mark.parametrize(
    "closure",
    [
        "    return {}\n",
        "    r = {}\n    return r, lambda grad: grad\n",
        "    return x, lambda grad: grad * ({})\n",
    ],
    ids=["derived", "formula", "closure"],
)
def test_what_no_arrays_can_be_is_found_at_its_expression(closure, body, message):
    text = f"def f(x):\n    y = x * 2.0\n{closure.format(body)}"
    with pytest.raises(FormulaError) as error:
        formula_in(text)
    (finding,) = error.value.diagnostics
    assert message in finding.message
    assert (finding.code, finding.span.line) == ("PB409", 3)


def test_the_place_of_a_mistake_is_its_expression_and_a_caret():
    text = "def f(x):\n    return x * 2.0 + np.matmul(np.ones((3, 4)), np.ones(3))\n"
    with pytest.raises(FormulaError) as error:
        formula_in(text)
    (finding,) = error.value.diagnostics
    assert str(finding.span) == "example.py:2:22"
    assert "sums over 4 entries and over 3" in finding.message


def test_what_may_be_right_is_not_found():
    assert found("def f(x, y):\n    return np.matmul(x, y) + np.sum(x, axis=4) * np.ones((3, 1))\n") == []


def test_names_of_sizes_in_a_loop_do_not_leave_it():
    formula = formula_in(
        "def f(x, *, n: int):\n"
        "    y = x\n"
        "    for k in range(n):\n"
        "        y = np.concatenate([y, x])\n"
        "    return y\n"
    )
    types = infer(formula)
    (result,) = formula.forward.results
    assert types.forward[result].shape == Unranked(frozenset({result.name}))


def nested_loops(depth):
    lines = ["def f(x, *, n: int):", "    s = np.zeros_like(x)", "    t = x * 0.5"]
    for level in range(depth):
        indent = "    " * (level + 1)
        lines += [
            f"{indent}for i{level} in range(n):",
            f"{indent}    s = s + t",
            f"{indent}    t = np.sin(t)",
        ]
    return "\n".join([*lines, "    return s + t"])


def test_a_loop_deeper_in_others_adds_a_few_more_inferences(monkeypatch):
    def inferred(depth):
        loops, settled = [], _Inferrer._settled
        formula = formula_in(nested_loops(depth))
        with monkeypatch.context() as patch:
            patch.setattr(_Inferrer, "_settled", lambda *args: loops.append(args) or settled(*args))
            promote(derive(formula, standard_library()), standard_library())
        return len(loops)

    counts = [inferred(depth) for depth in (2, 4, 6)]
    assert 0 < counts[2] - counts[1] < 2 * (counts[1] - counts[0])


def test_known_shapes_of_parameters_reach_results():
    formula = formula_in("def f(x, w):\n    return np.sum(np.matmul(x, w), axis=-1, keepdims=True)\n")
    x, w = (param.var for param in formula.params)
    given = {x: TensorType(ranked("x", 2), "float32"), w: TensorType((7, 5), "float64")}
    (result,) = formula.forward.results
    assert infer(formula, given).forward[result] == TensorType(("x.0", 1), "float64")


def test_gradients_have_a_type_that_their_inputs_can_have():
    library = standard_library()
    for name in library.names():
        formula = promote(library.formula(name), library)
        types = infer(formula)
        for param, gradient in zip(formula.inputs, formula.pullback.results, strict=True):
            assert conflict(types.of(param.var), types.of(gradient, pullback=True)) == ""


SHAPES = [(), (1,), (4,), (3, 4), (3, 1), (0, 4), (2, 3, 4)]


@pytest.mark.parametrize("first", SHAPES, ids=str)
@pytest.mark.parametrize("second", SHAPES, ids=str)
def test_shapes_join_as_numpy_broadcasts_them(first, second):
    names = {"a": first, "b": second}
    unranked = join_shapes([Unranked(frozenset({name})) for name in names])
    sized = join_shapes([ranked(name, len(shape)) for name, shape in names.items()])
    try:
        expected = np.broadcast_shapes(first, second)
    except ValueError:
        with pytest.raises(Exception, match="broadcast"):
            join_shapes([first, second])
        return
    assert join_shapes([first, second]) == expected
    assert evaluate(unranked, names) == evaluate(sized, names) == expected
    for axis in range(len(first)):
        kept = reduced_shape(unranked, (-1,), True)
        assert evaluate(kept, names) == (*expected[:-1], 1), axis


def test_a_number_has_no_shape():
    formula = formula_in("def f(x):\n    return x * (x.shape[0] + 1)\n")
    types = infer(formula)
    assert ScalarType("int") in types.forward.values()


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("np.concatenate([np.ones((3, 4)), np.ones((2, 4))])", (5, 4)),
        ("np.concatenate([np.ones((3, 4)), np.ones((3, 1))], axis=-1)", (3, 5)),
        ("np.stack([np.ones(4), np.zeros(4)], axis=1)", (4, 2)),
        ("np.dot(np.ones((3, 4)), np.ones((5, 4, 2)))", (3, 5, 2)),
        ("np.inner(np.ones((3, 4)), np.ones((5, 4)))", (3, 5)),
        ("np.dot(np.ones((3, 4)), np.ones(4))", (3,)),
        ("np.einsum('bij,jk->bki', np.ones((2, 3, 4)), np.ones((4, 5)))", (2, 5, 3)),
        ("np.broadcast_to(np.ones((3, 1)), (2, 3, 4))", (2, 3, 4)),
    ],
)
def test_shapes_of_what_is_joined_and_multiplied(body, shape):
    formula = formula_in(f"def f(x):\n    y = {body}\n    return x * np.sum(y)\n")
    (made,) = [found for var, found in infer(formula).forward.items() if var.name == "y"]
    assert made == TensorType(shape, "float64")
