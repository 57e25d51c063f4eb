"""Operators that are written in C++ and loaded into Python, on both engines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pullback as pb

from .operator_libraries import library

pytestmark = [pytest.mark.native, pytest.mark.compiler]

EXAMPLE = (Path(__file__).parents[3] / "examples/cpp/operators.cpp").read_text(encoding="utf-8")

# Wrong in ways that must show.
WRONG = r"""
#include <pullback/pullback.h>
using namespace pullback;

// Keeps t, and forgets its gradient.
Tensors kept(const Tensors& in) { const Tensor t = in[0] * in[0]; return {t * in[0], t}; }
Tensors forgets(const Context& c) { return {c.gradient(0) * 3.0 * c.intermediate(0)}; }
const Operator forgetful = define_operator("forgetful", {"x"}, kept, forgets, {.intermediates = {"t"}});

// Reads memory in its backward: that is no record.
Tensors squared(const Tensors& in) { return {in[0] * in[0]}; }
Tensors reads(const Context& c) {
    const Tensor x = contiguous(c.input(0));
    Tensor twice = Tensor::empty(like(x));
    const auto* from = static_cast<const double*>(x.view().data);
    for (std::int64_t i = 0; i < x.size(); ++i) twice.data<double>()[i] = 2.0 * from[i];
    return {c.gradient(0) * twice};
}
const Operator opaque = define_operator("opaque", {"x"}, squared, reads);

Tensors two(const Tensors& in) { return {in[0] * 2.0, in[0] * 3.0}; }
Tensors first_only(const Context& c) { return {c.gradient(0) * 2.0}; }
const Operator half = define_operator("half", {"x"}, two, first_only, {.results = 2});
Tensors both(const Context& c) { return {c.gradient(0) * 2.0 + c.gradient(1) * 3.0}; }
const Operator whole = define_operator("whole", {"x"}, two, both, {.results = 2});

Tensors throws(const Tensors&) { throw Error("ValueError: not today"); }
const Operator refusing = define_operator("refusing", {"x"}, throws, first_only);
Tensors nothing(const Tensors&) { return {}; }
const Operator empty = define_operator("empty", {"x"}, nothing, first_only);
Tensors misshapen(const Context& c) { return {sum(c.gradient(0))}; }
const Operator wrong_shape = define_operator("wrong_shape", {"x"}, squared, misshapen);
Tensors calls_with_two(const Tensors& in) { return {opaque(in[0], in[0])}; }
const Operator too_many = define_operator("too_many", {"x"}, calls_with_two, first_only);
"""


@pytest.fixture(scope="module")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("library"), EXAMPLE, "operators")


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("library"), WRONG, "wrong")


@pytest.fixture(params=["native", "reference"])
def engine(request: pytest.FixtureRequest):
    with pb.use_engine(request.param):
        yield request.param


def test_derivatives_in_python(operators: Path, engine: str):
    cube, simple = pb.load_operator(operators, "cube"), pb.load_operator(str(operators), "simple")
    x = pb.tensor([1.0, 2.0, -3.0], requires_grad=True)
    (first,) = pb.grad(pb.numpy.sum(cube(x)), [x], create_graph=True)
    (second,) = pb.grad(pb.numpy.sum(first), [x], create_graph=True)
    (third,) = pb.grad(pb.numpy.sum(second), [x])
    for found, wanted in ((first, [3, 12, 27]), (second, [6, 12, -18]), (third, [6, 6, 6])):
        np.testing.assert_allclose(found.detach().numpy(), wanted)
    rng = np.random.default_rng(0)
    pb.gradcheck(cube, rng.standard_normal((2, 3)), order=3, float32=True)
    pb.gradcheck(simple, rng.standard_normal(4), rng.standard_normal(4), order=3, float32=True)


def test_on_arrays_and_strided_tensors(operators: Path, engine: str):
    cube, simple = pb.load_operator(operators, "cube"), pb.load_operator(operators, "simple")
    np.testing.assert_array_equal(cube(np.array([1.0, 2.0])), [1, 8])
    assert simple(3.0, np.array(2.0)) == 10
    x = pb.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    pb.numpy.sum(cube(x.T)).backward()
    np.testing.assert_array_equal(x.grad.numpy(), 3 * np.arange(6.0).reshape(2, 3) ** 2)
    assert repr(cube) == "<operator cube(x) of liboperators.so>"
    assert pb.load_operator(operators, "cube") is cube


def test_what_would_be_wrong_is_refused(wrong: Path, engine: str):
    forgetful, opaque = pb.load_operator(wrong, "forgetful"), pb.load_operator(wrong, "opaque")
    x = pb.tensor(2.0, requires_grad=True)
    (first,) = pb.grad(forgetful(x), [x], create_graph=True)
    assert first.item() == 12
    with pytest.raises(pb.errors.NotDifferentiableError, match="gradient of its intermediate t"):
        pb.grad(first, [x])
    assert pb.grad(opaque(x), [x])[0].item() == 4
    with pytest.raises(pb.errors.NotDifferentiableError, match="reads the memory"):
        pb.grad(opaque(x), [x], create_graph=True)
    with pytest.raises(ValueError, match="not today"):
        pb.load_operator(wrong, "refusing")(x)
    with pytest.raises(TypeError, match="returned 0 tensors"):
        pb.load_operator(wrong, "empty")(x)
    with pytest.raises(TypeError, match="opaque takes 1 inputs, not 2"):
        pb.load_operator(wrong, "too_many")(x)
    one, other = pb.load_operator(wrong, "half")(x)
    assert pb.grad(one, [x], retain_graph=True)[0].item() == 2
    with pytest.raises(pb.errors.NotDifferentiableError, match="gradient of its result 1"):
        pb.grad(one + other, [x])
    many = pb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(pb.errors.GradientShapeError, match="wrong_shape gave a gradient of shape"):
        pb.grad(pb.numpy.sum(pb.load_operator(wrong, "wrong_shape")(many)), [many])
    one, other = pb.load_operator(wrong, "whole")(x)
    assert pb.grad(one + other, [x])[0].item() == 5
    with pytest.raises(TypeError, match="missing required argument 'x'"):
        opaque()
    refused = pytest.raises(pb.errors.NotDifferentiableError, match="no forward-mode rule")
    with refused, pb.forward_ad.dual_level():
        opaque(pb.forward_ad.make_dual(pb.tensor(1.0), pb.tensor(1.0)))


def test_what_cannot_be_loaded(operators: Path, tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="there is no library"):
        pb.load_operator(tmp_path / "nowhere.so", "cube")
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(pb.errors.OperatorLibraryError, match="cannot be loaded"):
        pb.load_operator(text, "cube")
    with pytest.raises(
        pb.errors.OperatorLibraryError, match="defines no operator square, it defines: cube, simple"
    ):
        pb.load_operator(operators, "square")
    other = library(tmp_path, "int nothing = 0;", "other")
    with pytest.raises(pb.errors.OperatorLibraryError, match="is no library of operators: compile it with"):
        pb.load_operator(other, "cube")
    old = library(
        tmp_path,
        'extern "C" __attribute__((visibility("default"))) int pullback_operators_version() '
        '{ return 1; }\nextern "C" __attribute__((visibility("default"))) void pullback_load_operator() {}',
        "old",
    )
    with pytest.raises(
        pb.errors.OperatorLibraryError, match="for version 1 of the interface, this package has 3"
    ):
        pb.load_operator(old, "cube")
