"""Each rule that rewrites C++ of the table, on an expression of its own."""

from __future__ import annotations

import ast
import re
from types import SimpleNamespace

import pytest

from pullback.tools.aten.errors import NotImported
from pullback.tools.aten.expression import rewritten
from pullback.tools.aten.scope import Scope

pytest.importorskip("tree_sitter_cpp")

TYPES = {
    "self": "Tensor",
    "other": "Tensor",
    "bias": "Tensor?",
    "dtype": "ScalarType?",
    "train": "bool?",
    "dim": "int[1]?",
    "alpha": "Scalar",
    "weight": "Scalar",
    "padding": "SymInt[]",
    "groups": "SymInt",
    "tensors": "Tensor[]",
}


def overload(positional: str, named: str = "") -> SimpleNamespace:
    """A function of ATen, as the loader knows it."""

    def arguments(names: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(name=name) for name in names.split()]

    flat = SimpleNamespace(flat_positional=arguments(positional), flat_kwarg_only=arguments(named))
    return SimpleNamespace(func=SimpleNamespace(arguments=flat, is_out_fn=lambda: False))


FUNCTIONS = {
    "conj": [overload("self")],
    "sum": [overload("self", "dtype"), overload("self dim keepdim", "dtype")],
    "div": [overload("self other"), overload("self other", "rounding_mode")],
    "expand": [overload("self size", "implicit")],
    "_unique": [overload("self sorted return_inverse")],
    "to": [overload("self dtype")],
    "clone": [overload("self", "memory_format")],
    "batch": [overload("input train eps mask")],
    "where": [overload("condition"), overload("condition self other")],
}

CASES = [
    # literals
    ("0. + 2 * true", "0.0 + 2 * True"),
    ("sqrt(M_PI) * std::sqrt(2 * M_PI)", "math.sqrt(math.pi) * math.sqrt(2 * math.pi)"),
    ("::std::nullopt", "None"),
    ("std::tuple<Tensor, Tensor>()", "(None, None)"),
    ("helper(Tensor())", "helper(None)"),
    # arithmetic: what stands in parentheses stays together
    ("grad * -((-self * self + 1))", "grad * -(-self * self + 1)"),
    ("self - (other - grad)", "self - (other - grad)"),
    ("(self == 0.) & (other <= 0.)", "(self == 0.0) & (other <= 0.0)"),
    ("-3.0 < self", "self > -3.0"),
    (
        "f(self.sym_size(1) / groups, self / groups, 1.0 / groups)",
        "f(self.shape[1] // groups, self / groups, 1.0 / groups)",
    ),
    ("self.defined() && !other.defined() || !flag", "self is not None and other is None or not flag"),
    ("flag ? self : other", "self if flag else other"),
    # optional values
    ("!dtype", "dtype is None"),
    ("dtype.has_value() ? *dtype : self.scalar_type()", "dtype if dtype is not None else self.dtype"),
    ("dim.value_or(IntArrayRef({}))", "() if dim is None else dim"),
    ("!train.has_value() || !train.value()", "train is None or not train"),
    ("bias.defined() ? std::optional<Tensor>(bias) : ::std::nullopt", "bias"),
    ("bias->sym_sizes()", "None if bias is None else bias.shape"),
    # sizes
    ("self.sym_size(-1) * self.dim()", "self.shape[-1] * self.ndim"),
    ("self.sym_numel()", "aten.numel(self)"),
    ("std::vector<c10::SymInt>(padding.size(), 0)", "(0,) * len(padding)"),
    # kinds
    ("grad.to(self.scalar_type())", "aten.to(grad, self.dtype)"),
    ("self.layout() == c10::kJagged", "aten.is_jagged(self)"),
    ("grad * alpha.conj()", "grad * conjugate(alpha)"),
    ("self.conj()", "aten.conj(self)"),
    (
        "weight.isComplex() ? weight.conj().toComplexDouble() : weight.toDouble()",
        "conjugate(weight) if is_complex(weight) else weight",
    ),
    ("f(self, at::Reduction::None)", "f(self, NO_REDUCTION)"),
    # options
    ("at::zeros({}, self.options())", "aten.new_zeros(self, ())"),
    ("at::scalar_tensor(0., grad.options())", "aten.new_full(grad, (), 0.0)"),
    ("grad.new_zeros_symint(self.sym_sizes(), self.options())", "aten.new_zeros(self, self.shape)"),
    ("f(grad, self.options(), TensorGeometry(self))", "f(grad, options(self), geometry(self))"),
    # containers
    ("f({dim}, std::get<1>(g(self)))", "f((dim,), g(self)[1])"),
    ("fmap(reverse_list_symint(padding), [](c10::SymInt i){return -i;})", "[-i for i in padding[::-1]]"),
    # modes
    ("GradMode::is_enabled() ? f(grad) : g(grad)", "f(grad) if records_gradients() else g(grad)"),
    ("f(grad, grad_input_mask)", "f(grad, needs_gradient(self, other))"),
    ("retain_variables ? other.clone() : other", "aten.clone(other) if retains_graph() else other"),
    ("wrap_opt_if(self, grad_input_mask[1])", "self if needs_gradient(self, other)[1] else None"),
    # undefined gradients
    ("grad.defined() ? f(grad) : std::tuple<Tensor, Tensor>()", "f(grad)"),
    ('not_implemented("f: input")', "not_implemented('f: input', grad_values, grad_indices)"),
    # names
    ("grads[1] * self", "grad_indices * self"),
    ("f(grads)", "f((grad_values, grad_indices))"),
    # functions: C++ has no keywords, and ATen asks for some
    ("self.sum(dim, true)", "aten.sum(self, dim, True)"),
    ("self.sum(dim, true, dtype)", "aten.sum(self, dim, True, dtype=dtype)"),
    ('self.div(other, "trunc")', "aten.div(self, other, rounding_mode='trunc')"),
    ("at::_unique(self, /*sorted=*/false)", "aten._unique(self, sorted=False)"),
    ("batch(self, /*training=*/false, 1., 2)", "aten.batch(self, train=False, eps=1.0, mask=2)"),
    ("f(self, /*adjoint*/ true)", "f(self, adjoint=True)"),
    ("f(self, /*adjoint*/ true, other)", "f(self, True, other)"),
    ("self.mH()", "aten.mH(self)"),
    ("self.is_contiguous() && flag", "aten.is_contiguous(self) and flag"),
    ("grad.where(self > 0, other)", "aten.where(self > 0, grad, other)"),
    ("at::where(self > 0, grad, other)", "aten.where(self > 0, grad, other)"),
]


def scope() -> Scope:
    return Scope(TYPES, FUNCTIONS, {}, ("grad_values", "grad_indices"), ("self", "other"))


@pytest.mark.parametrize(("text", "python"), CASES)
def test_an_expression_of_the_table_is_this_python(text: str, python: str) -> None:
    assert ast.unparse(rewritten(text, scope())) == python


def test_what_the_text_needs_is_known() -> None:
    names = scope()
    rewritten("maybe_multiply(grad, sqrt(M_PI)) * alpha.conj()", names)
    assert names.helpers == {"maybe_multiply", "conjugate"}
    assert names.modules == {"math"}


def test_a_list_of_a_rule_for_forward_mode_stands_for_primals_and_tangents() -> None:
    names = Scope(TYPES, FUNCTIONS, duals=frozenset({"tensors"}))
    assert ast.unparse(rewritten("cat_jvp(tensors, dim)", names)) == "cat_jvp(tensors_p, tensors_t, dim)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a; b", "is not one C++ expression"),
        ("f(", "is not one C++ expression"),
        ("self ^ other", "no rule for the operator `^`"),
        ("~self", "no rule for the operator `~`"),
        ("new Tensor()", "no rule for"),
        ("std::move(self)", "no rule for `std::move"),
        ("grads[5]", "names none of 2 results"),
    ],
)
def test_what_no_rule_is_about_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotImported, match=re.escape(message)):
        rewritten(text, scope())
