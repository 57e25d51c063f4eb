"""Text of C++ functions that emitted code calls, where ATen has no equal of what NumPy does.

A file begins with those that it calls. Each computes what the function of its name in
`frameworks/torch/helpers` computes, from operators of ATen that have derivatives of every order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .code import names_of


class Function(NamedTuple):
    """The text of a function or a struct, and the headers of what it reads."""

    text: str
    headers: tuple[str, ...] = ()


_CHECK = Function(
    """\
// Refuses operands that PyTorch would compute with in another dtype than NumPy.
void check_inputs(const char* name, const std::vector<std::pair<const char*, at::Tensor>>& given) {
    for (const auto& [key, x] : given) {
        if (!x.defined()) {
            continue;
        }
        TORCH_CHECK_TYPE(!x.is_complex(), name, ": `", key, "` is ", x.scalar_type(),
                         ": the formula's gradients are those of real inputs");
        TORCH_CHECK_TYPE(x.is_floating_point() || x.scalar_type() == at::kBool, name, ": `", key,
                         "` is ", x.scalar_type(), ": NumPy makes double of it, PyTorch does not");
        for (const auto& [_, other] : given) {
            if (x.dim() > 0 || !other.defined() || other.dim() == 0 ||
                x.scalar_type() == at::kBool || !other.is_floating_point()) {
                continue;
            }
            TORCH_CHECK_TYPE(other.element_size() >= x.element_size(), name, ": NumPy makes ",
                             x.scalar_type(), " of the 0-d `", key, "` and ", other.scalar_type(),
                             ", PyTorch does not: convert one");
        }
    }
}
""",
    headers=("<c10/util/Exception.h>", "<utility>", "<vector>"),
)

FUNCTIONS: dict[str, Function] = {
    "Like": Function(
        """\
// Shape, dtype and device of a tensor, without its data.
struct Like {
    std::vector<c10::SymInt> sizes;
    at::ScalarType dtype = at::kDouble;
    at::Device device = at::kCPU;

    at::TensorOptions options() const { return at::device(device).dtype(dtype); }
};
""",
        headers=("<c10/core/SymInt.h>", "<c10/core/TensorOptions.h>", "<vector>"),
    ),
    "like": Function(
        """\
Like like(const at::Tensor& x) {
    if (!x.defined()) {
        return {};
    }
    return {x.sym_sizes().vec(), x.scalar_type(), x.device()};
}
"""
    ),
    "numel": Function(
        """\
// The number of entries; where sizes are symbols, what is traced holds for this number.
int64_t numel(const at::Tensor& x) {
    return x.sym_numel().guard_int(__FILE__, __LINE__);
}
"""
    ),
    "likes": Function(
        """\
std::vector<Like> likes(at::TensorList list) {
    std::vector<Like> made;
    made.reserve(list.size());
    for (const auto& x : list) {
        made.push_back(like(x));
    }
    return made;
}
"""
    ),
    "packed": Function(
        """\
// Values as `saved_data` holds them, and back.
c10::IValue packed(const Like& x) {
    return c10::ivalue::Tuple::create(c10::SymIntArrayRef(x.sizes), x.dtype, x.device);
}

template <class T>
struct HoldsLikes : std::is_same<T, Like> {};
template <class T>
struct HoldsLikes<std::vector<T>> : HoldsLikes<T> {};

template <class T>
c10::IValue packed(const std::vector<T>& values) {
    c10::impl::GenericList list(c10::AnyType::get());
    for (const T& value : values) {
        if constexpr (HoldsLikes<T>::value) {
            list.push_back(packed(value));
        } else {
            list.push_back(c10::IValue(value));
        }
    }
    return list;
}

template <class T>
T unpacked(const c10::IValue& saved) {
    if constexpr (std::is_same_v<T, Like>) {
        const auto parts = saved.toTuple();
        return {parts->elements()[0].toSymIntVector(), parts->elements()[1].toScalarType(),
                parts->elements()[2].toDevice()};
    } else {
        T made;
        for (const c10::IValue& value : saved.toListRef()) {
            if constexpr (HoldsLikes<T>::value) {
                made.push_back(unpacked<typename T::value_type>(value));
            } else {
                made.push_back(value.to<typename T::value_type>());
            }
        }
        return made;
    }
}
""",
        headers=("<ATen/core/ivalue.h>", "<ATen/core/jit_type.h>", "<type_traits>", "<vector>"),
    ),
    "number": Function(
        """\
// The number as a tensor.
at::Tensor number(const at::Scalar& value) {
    return at::scalar_tensor(value, at::dtype(value.isBoolean() ? at::kBool : at::kDouble));
}
""",
    ),
    "scalar": Function(
        """\
// The number as a tensor beside `x`, whose dtype it does not widen.
at::Tensor scalar(const at::Scalar& value, const at::Tensor& x) {
    return at::scalar_tensor(value, x.options().dtype(at::result_type(x, value)));
}
""",
    ),
    "truth": Function(
        """\
// The condition as a mask.
at::Tensor truth(const at::Tensor& condition) {
    return condition.scalar_type() == at::kBool ? condition : condition != 0;
}
"""
    ),
    "cast": Function(
        """\
// To a dtype, by the real part where it is real.
at::Tensor cast(const at::Tensor& x, at::ScalarType dtype) {
    return (x.is_complex() && !c10::isComplexType(dtype) ? at::real(x) : x).to(dtype);
}
""",
    ),
    "sum_to": Function(
        """\
// The gradient summed over the axes along which an operand was broadcast to it, in its dtype.
at::Tensor sum_to(const at::Tensor& x, const Like& like) {
    if (x.dim() == 0 && c10::multiply_integers(like.sizes) == 1) {
        return cast(at::reshape_symint(x, like.sizes), like.dtype);
    }
    return cast(x.sum_to_size_symint(like.sizes), like.dtype);
}
""",
        ("<c10/util/accumulate.h>",),
    ),
    "broadcast_like": Function(
        """\
// The value repeated to a shape, in its dtype: the adjoint of `sum_to`.
at::Tensor broadcast_like(const at::Tensor& x, const Like& like) {
    const at::Tensor value = cast(x, like.dtype).to(like.device);
    if (like.sizes.empty() && value.sym_numel() == 1) {
        return at::reshape(value, at::IntArrayRef{});
    }
    return value.expand_symint(like.sizes);
}
""",
    ),
    "expect_like": Function(
        """\
// The gradient of a value of this shape, in its dtype.
at::Tensor expect_like(const at::Tensor& x, const Like& like) {
    TORCH_CHECK_VALUE(x.sym_sizes().equals(like.sizes), "an output has shape ",
                      c10::SymIntArrayRef(like.sizes), ", its gradient ", x.sym_sizes());
    return cast(x, like.dtype);
}
""",
        headers=("<c10/util/Exception.h>",),
    ),
    "gradient_like": Function(
        """\
// The gradient of a value like this one: zeros where that holds integers or booleans.
at::Tensor gradient_like(const at::Tensor& x, const Like& like) {
    return c10::isIntegralType(like.dtype, true) ? at::zeros_like(x) : x;
}
""",
    ),
    "in_place": Function(
        """\
// An array after a value that is computed of it was written to it in place; a number is replaced.
at::Tensor in_place(const at::Tensor& x, const at::Tensor& a, const char* shared = nullptr) {
    if (a.dim() == 0) {
        return x;
    }
    TORCH_CHECK(shared == nullptr, shared, "; it is an array here, which this changes as well");
    TORCH_CHECK_VALUE(x.sym_sizes().equals(a.sym_sizes()), "a value of shape ", x.sym_sizes(),
                      " does not fit into one of ", a.sym_sizes());
    TORCH_CHECK_TYPE(at::can_cast(x.scalar_type(), a.scalar_type()), "cannot write ",
                     x.scalar_type(), " to ", a.scalar_type(), " in place");
    return x.to(a.scalar_type());
}
""",
        ("<c10/util/Exception.h>",),
    ),
    "left_gradient": Function(
        """\
// The gradient of a product's left factor, of its shape and dtype.
at::Tensor left_gradient(const at::Tensor& grad, const at::Tensor& right, const Like& like) {
    const bool vector = right.dim() == 1;
    const at::Tensor columns = vector ? grad.unsqueeze(-1) : grad;
    const at::Tensor rows = like.sizes.size() == 1 ? columns.unsqueeze(-2) : columns;
    const at::Tensor matrix = vector ? right.unsqueeze(1) : right;
    return sum_to(at::matmul(rows, matrix.to(grad.scalar_type()).mT()), like);
}
""",
    ),
    "right_gradient": Function(
        """\
// The gradient of a product's right factor, of its shape and dtype.
at::Tensor right_gradient(const at::Tensor& grad, const at::Tensor& left, const Like& like) {
    const bool vector = like.sizes.size() == 1;
    const at::Tensor columns = vector ? grad.unsqueeze(-1) : grad;
    const at::Tensor rows = left.dim() == 1 ? columns.unsqueeze(-2) : columns;
    const at::Tensor matrix = left.dim() == 1 ? left.unsqueeze(0) : left;
    const at::Tensor found = at::matmul(matrix.to(grad.scalar_type()).mT(), rows);
    return sum_to(vector ? found.squeeze(-1) : found, like);
}
""",
    ),
    "zeros": Function(
        """\
at::Tensor zeros(const Like& like) { return at::zeros_symint(like.sizes, like.options()); }
""",
    ),
    "zeros_list": Function(
        """\
std::vector<at::Tensor> zeros_list(const std::vector<Like>& likes) {
    std::vector<at::Tensor> made;
    for (const Like& like : likes) {
        made.push_back(zeros(like));
    }
    return made;
}
"""
    ),
    "added": Function(
        """\
// The sum of two parts of a gradient, of which one may be undefined.
at::Tensor added(const at::Tensor& x, const at::Tensor& y) {
    if (!x.defined() || !y.defined()) {
        return x.defined() ? x : y;
    }
    return x + y;
}
"""
    ),
    "added_lists": Function(
        """\
// The same of each element of two lists.
std::vector<at::Tensor> added_lists(at::TensorList x, at::TensorList y) {
    if (x.empty() || y.empty()) {
        return (x.empty() ? y : x).vec();
    }
    std::vector<at::Tensor> made;
    for (size_t k = 0; k < x.size(); ++k) {
        made.push_back(added(x[k], y[k]));
    }
    return made;
}
"""
    ),
    "without_axes": Function(
        """\
// The tensor without these axes, which must have length one.
at::Tensor without_axes(const at::Tensor& x, at::IntArrayRef axes) {
    for (const int64_t axis : axes) {
        TORCH_CHECK_VALUE(x.sym_size(axis) == 1, "an axis of ", x.sym_sizes(),
                          " that is not of length one cannot be removed");
    }
    return at::squeeze(x, axes);
}
""",
        ("<c10/util/Exception.h>",),
    ),
    "reversed_axes": Function(
        """\
// The axes in the reverse order.
at::Tensor reversed_axes(const at::Tensor& x) {
    std::vector<int64_t> axes(static_cast<size_t>(x.dim()));
    std::iota(axes.rbegin(), axes.rend(), 0);
    return at::permute(x, axes);
}
""",
        ("<numeric>", "<vector>"),
    ),
    "all_axes": Function(
        """\
std::vector<int64_t> all_axes(const at::Tensor& x) {
    std::vector<int64_t> axes(static_cast<size_t>(x.dim()));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}
""",
        headers=("<numeric>", "<vector>"),
    ),
    "some_axes": Function(
        """\
// The axes of a reduction: of none, ATen would reduce all.
at::IntArrayRef some_axes(at::IntArrayRef axes) {
    TORCH_CHECK_NOT_IMPLEMENTED(!axes.empty(), "a reduction over no axis: `axis` is ()");
    return axes;
}
""",
        headers=("<c10/util/Exception.h>",),
    ),
    "solve": Function(
        """\
// The solution of a x = b: `b` of one axis is a vector, of more a stack of matrices.
at::Tensor solve(const at::Tensor& a, const at::Tensor& b) {
    const at::ScalarType type = at::promote_types(a.scalar_type(), b.scalar_type());
    const at::Tensor matrix = a.to(type);
    const at::Tensor side = b.to(type);
    if (side.dim() == 1) {
        return at::linalg_solve(matrix, side.unsqueeze(-1)).squeeze(-1);
    }
    return at::linalg_solve(matrix, side);
}
""",
    ),
    "range_of": Function(
        """\
// The numbers of a range.
std::vector<int64_t> range_of(int64_t start, int64_t stop, int64_t step) {
    TORCH_CHECK_VALUE(step != 0, "range() arg 3 must not be zero");
    std::vector<int64_t> numbers;
    for (int64_t k = start; step > 0 ? k < stop : k > stop; k += step) {
        numbers.push_back(k);
    }
    return numbers;
}
""",
        headers=("<c10/util/Exception.h>", "<vector>"),
    ),
    "slice_of": Function(
        """\
// A slice of a list, with bounds as in Python.
template <class T>
std::vector<T> slice_of(const std::vector<T>& values, std::optional<int64_t> start,
                        std::optional<int64_t> stop, int64_t step) {
    const auto count = static_cast<int64_t>(values.size());
    const int64_t before = step > 0 ? 0 : -1;
    const int64_t behind = step > 0 ? count : count - 1;
    const auto bound = [&](std::optional<int64_t> given, int64_t absent) {
        const int64_t place = given.value_or(absent);
        return given ? std::clamp(place < 0 ? place + count : place, before, behind) : place;
    };
    std::vector<T> part;
    for (const int64_t k : range_of(bound(start, step > 0 ? 0 : count - 1),
                                    bound(stop, step > 0 ? count : -1), step)) {
        part.push_back(values[static_cast<size_t>(k)]);
    }
    return part;
}
""",
        headers=("<algorithm>", "<optional>", "<vector>"),
    ),
    "remainder_of": Function(
        """\
// Python's remainder, which has the sign of the divisor.
int64_t remainder_of(int64_t a, int64_t b) {
    TORCH_CHECK(b != 0, "integer modulo by zero");
    return a - b * c10::div_floor_integer(a, b);
}
""",
        headers=("<c10/util/Exception.h>", "<c10/util/generic_math.h>"),
    ),
    "power_of": Function(
        """\
// The power of an integer, which is one where the exponent is not negative.
int64_t power_of(int64_t base, int64_t exponent) {
    TORCH_CHECK(exponent >= 0, "a negative power of an integer is a float in Python");
    int64_t power = 1;
    for (int64_t k = 0; k < exponent; ++k) {
        power *= base;
    }
    return power;
}
""",
        headers=("<c10/util/Exception.h>",),
    ),
    "scattered": Function(
        """\
// Zeros of a shape with the entries of `a` added at their places.
at::Tensor scattered(const at::Tensor& a, const at::Tensor& places, at::IntArrayRef shape) {
    const at::Tensor row = at::zeros({c10::multiply_integers(shape)}, a.options());
    const at::Tensor values = a.expand(places.sizes()).reshape(-1);
    return at::index_add(row, 0, places.reshape(-1), values).reshape(shape);
}
""",
        headers=("<c10/util/accumulate.h>",),
    ),
    "places_of": Function(
        """\
// The place of each entry of a tensor of this shape.
at::Tensor places_of(at::IntArrayRef shape, const at::Tensor& beside) {
    const int64_t count = c10::multiply_integers(shape);
    return at::arange(count, beside.options().dtype(at::kLong)).reshape(shape);
}
""",
        headers=("<c10/util/accumulate.h>",),
    ),
    "last_written": Function(
        """\
// For each entry at these places, whether no later one has the same place.
at::Tensor last_written(const at::Tensor& spots, int64_t count) {
    const at::Tensor row = spots.reshape(-1);
    const at::Tensor entries = at::arange(row.numel(), row.options());
    const at::Tensor last = at::zeros({count}, row.options())
                                .scatter_reduce(0, row, entries, "amax", /*include_self=*/false);
    return (at::index(last, {row}) == entries).reshape(spots.sizes());
}

// A copy of a tensor with a value at places in the row of its entries; of several values the last one.
at::Tensor written_at(const at::Tensor& a, const at::Tensor& value, const at::Tensor& spots) {
    const at::Tensor places = spots.reshape(-1);
    const at::Tensor values = value.to(a.scalar_type()).expand(spots.sizes()).reshape(-1);
    const at::Tensor last = at::where(last_written(places, a.numel()), values, at::zeros_like(values));
    const at::Tensor row = at::index_add(at::zeros_like(a).reshape(-1), 0, places, last);
    const at::Tensor there = at::zeros({a.numel()}, places.options().dtype(at::kBool));
    return at::where(at::index_fill(there, 0, places, 1), row, a.reshape(-1)).reshape(a.sizes());
}
""",
    ),
    "where_of_numbers": Function(
        """\
// One of two numbers for each entry of a condition, in NumPy's dtype.
at::Tensor where_of_numbers(const at::Tensor& condition, const at::Scalar& x, const at::Scalar& y) {
    const bool whole = !x.isFloatingPoint() && !y.isFloatingPoint();
    const auto options = condition.options().dtype(whole ? at::kLong : at::kDouble);
    return at::where(condition, at::scalar_tensor(x, options), y);
}
""",
    ),
    "collect": Function(
        """\
// Tensors broadcast to one shape and stacked along a new first axis; of none, an empty one.
at::Tensor collect(at::TensorList list) {
    return list.empty() ? at::zeros({0}, at::dtype(at::kDouble))
                        : at::stack(at::broadcast_tensors(list));
}
""",
    ),
    "stacked": Function(
        """\
// Tensors stacked along a new first axis; of none, an empty one.
at::Tensor stacked(at::TensorList list) {
    return list.empty() ? at::zeros({0}, at::dtype(at::kDouble)) : at::stack(list);
}
""",
    ),
    "copied": Function(
        """\
// A copy of an output; of one that a branch leaves undefined, which PyTorch refuses, no entries.
at::Tensor copied(const at::Tensor& x) { return x.defined() ? x.clone() : at::zeros({0}); }
"""
    ),
    "chained": Function(
        """\
// Two tuples of numbers, one behind the other.
std::vector<int64_t> chained(std::vector<int64_t> first, const std::vector<int64_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}
""",
        headers=("<vector>",),
    ),
    "table": Function(
        """\
// A row of numbers as a tensor. No memory is read, which a tracer has none of.
template <typename Number>
at::Tensor table(at::ArrayRef<Number> numbers, const at::TensorOptions& options) {
    std::vector<at::Tensor> entries;
    for (const Number entry : numbers) {
        entries.push_back(at::scalar_tensor(entry, options));
    }
    return entries.empty() ? at::zeros({0}, options) : at::stack(entries);
}
""",
    ),
    "collect_flat": Function(
        """\
// The entries of tensors of any shapes, one tensor after the other; of none, an empty row.
at::Tensor collect_flat(at::TensorList list) {
    std::vector<at::Tensor> rows;
    for (const at::Tensor& x : list) {
        rows.push_back((x.defined() ? x : number(0.0)).reshape(-1));
    }
    return rows.empty() ? at::zeros({0}, at::dtype(at::kDouble)) : at::cat(rows);
}
""",
    ),
    "split_like": Function(
        """\
// The stretches that tensors of these shapes have in `x`, of which they were joined along an axis.
std::vector<at::Tensor> split_like(const at::Tensor& x, const std::vector<Like>& likes,
                                   std::optional<int64_t> axis) {
    std::vector<at::Tensor> parts;
    c10::SymInt start = 0;
    for (const Like& like : likes) {
        const auto rank = static_cast<int64_t>(like.sizes.size());
        const int64_t place = axis ? (*axis < 0 ? *axis + x.dim() : *axis) : 0;
        const int64_t own = place - (x.dim() - rank);  // numbers among vectors have no axis
        const c10::SymInt length = !axis     ? c10::multiply_integers(like.sizes)
                                   : own < 0 ? c10::SymInt(1)
                                             : like.sizes[static_cast<size_t>(own)];
        const at::Tensor part = at::narrow_symint(x, place, start, length);
        parts.push_back(cast(at::reshape_symint(part, like.sizes), like.dtype));
        start += length;
    }
    return parts;
}
""",
        ("<c10/util/accumulate.h>", "<optional>"),
    ),
    "appended": Function(
        """\
// A list with one more element, and its adjoint.
std::vector<at::Tensor> appended(std::vector<at::Tensor> values, const at::Tensor& x) {
    values.push_back(x);
    return values;
}
""",
    ),
    "without_last": Function(
        """\
std::vector<at::Tensor> without_last(std::vector<at::Tensor> values) {
    values.pop_back();
    return values;
}
"""
    ),
    "unitem": Function(
        """\
// Zeros of these shapes, with `a` in the place of one: the adjoint of taking an element.
std::vector<at::Tensor> unitem(const at::Tensor& a, int64_t index, const std::vector<Like>& likes) {
    std::vector<at::Tensor> parts = zeros_list(likes);
    const auto place = static_cast<size_t>(index < 0 ? index + static_cast<int64_t>(likes.size()) : index);
    parts[place] = sum_to(a, likes[place]);
    return parts;
}
"""
    ),
    "unstack_like": Function(
        """\
// The slices of `x` along an axis: the adjoint of `stack`.
std::vector<at::Tensor> unstack_like(const at::Tensor& x, const std::vector<Like>& likes,
                                     int64_t axis) {
    std::vector<at::Tensor> parts;
    for (size_t k = 0; k < likes.size(); ++k) {
        parts.push_back(sum_to(at::select(x, axis, static_cast<int64_t>(k)), likes[k]));
    }
    return parts;
}
""",
    ),
    "Barrier": Function(
        """\
// Gradients as they are; who differentiates them gets an error.
struct Barrier : torch::autograd::Function<Barrier> {
    static variable_list forward(AutogradContext* ctx, const std::string& message, int64_t count,
                                 at::TensorList tensors) {
        ctx->saved_data["message"] = message;
        variable_list made;
        for (const at::Tensor& x : tensors.slice(0, static_cast<size_t>(count))) {
            made.push_back(at::alias(x));
        }
        return made;
    }

    static variable_list backward(AutogradContext* ctx, const variable_list&) {
        TORCH_CHECK(false, ctx->saved_data["message"].toStringRef());
    }
};
""",
        ("<c10/util/Exception.h>", "<string>"),
    ),
    "refused": Function(
        """\
// The gradients, which can not be differentiated by anything that an anchor depends on.
variable_list refused(const std::string& message, variable_list gradients,
                      const variable_list& anchors) {
    variable_list given;
    for (const variable_list& list : {gradients, anchors}) {
        std::copy_if(list.begin(), list.end(), std::back_inserter(given),
                     [](const at::Tensor& x) { return x.defined(); });
    }
    const auto count = std::count_if(gradients.begin(), gradients.end(),
                                     [](const at::Tensor& x) { return x.defined(); });
    const variable_list made = Barrier::apply(message, int64_t{count}, at::TensorList(given));
    size_t place = 0;
    for (at::Tensor& gradient : gradients) {
        if (gradient.defined()) {
            gradient = made[place++];
        }
    }
    return gradients;
}
""",
        headers=("<algorithm>", "<iterator>"),
    ),
    "check_inputs": _CHECK,
}

# Names of functions that stand beside others.
_BESIDE = {"unpacked": "packed", "written_at": "last_written"}


def needed(names: Iterable[str]) -> list[str]:
    """The functions of this file among these names, and those that they call, in their order."""
    found: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        name = _BESIDE.get(name, name)
        if name in FUNCTIONS and name not in found:
            found.add(name)
            queue += names_of(FUNCTIONS[name].text)
    return [name for name in FUNCTIONS if name in found]
