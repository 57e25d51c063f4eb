// Operators that put entries elsewhere, and those that make arrays of none.
#include <algorithm>

#include "copy.h"
#include "indexing.h"
#include "library.h"
#include "loops.h"
#include "pullback/operators.h"

namespace pullback::standalone {
namespace {

Tensor zeros(DLDataType dtype, const Shape& shape) {
    Tensor made = allocate(Like{dtype, shape});
    fill(*made.get(), 0.0);
    return made;
}

/// Zeros with `part` at a place of them.
Tensors placed(const Tensor& part, const Tensor& whole, const Place& place) {
    const Tensor target = view_at(*whole.get(), place);
    copy_values(*part.get(), *target.get());
    return {whole};
}

Tensors unslice(const Saved& saved) {
    const Tensor part = saved.operand();
    const Tensor whole = zeros(part.dtype(), saved.attribute("shape").integers());
    return placed(part, whole, indexed(Place(*whole.get()), saved.attribute("index").index()));
}

Tensors undiagonal(const Saved& saved) {
    const Tensor part = saved.operand();
    const Tensor whole = zeros(part.dtype(), saved.attribute("shape").integers());
    return placed(part, whole, diagonal_of(Place(*whole.get()), saved));
}

/// The axes of the attribute at the end, in the order given.
std::vector<std::size_t> flattening(const Attribute& axis, std::size_t ndim) {
    const std::vector<std::size_t> axes = axes_of(axis, ndim);
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < ndim; ++k) {
        if (std::find(axes.begin(), axes.end(), k) == axes.end()) order.push_back(k);
    }
    order.insert(order.end(), axes.begin(), axes.end());
    return order;
}

Shape as_shape(const std::vector<std::size_t>& axes) { return {axes.begin(), axes.end()}; }

Tensors flatten_axes(const Saved& saved) {
    const Tensor a = saved.operand();
    const auto ndim = static_cast<std::size_t>(a.ndim());
    const std::vector<std::size_t> order = flattening(saved.attribute("axis"), ndim);
    const std::size_t kept = ndim - axes_of(saved.attribute("axis"), ndim).size();
    const Tensor turned = transpose(a, as_shape(order));
    Shape shape = turned.shape();
    const std::int64_t merged =
        product(Shape(shape.begin() + static_cast<std::ptrdiff_t>(kept), shape.end()));
    shape.resize(kept);
    shape.push_back(merged);
    return {reshape(turned, shape)};
}

Tensors unflatten_axes(const Saved& saved) {
    const Shape shape = saved.attribute("shape").integers();
    const std::vector<std::size_t> order = flattening(saved.attribute("axis"), shape.size());
    Shape lengths, back(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        lengths.push_back(shape[order[k]]);
        back[order[k]] = static_cast<std::int64_t>(k);
    }
    return {transpose(reshape(saved.operand(), lengths), back)};
}

Tensors roll(const Saved& saved) {
    Tensor a = saved.operand();
    const Attribute& axis = saved.attribute("axis");
    const Shape shape = a.shape();
    if (axis.is_none()) a = reshape(a, {-1});
    const Shape axes = axis.is_none() ? Shape{0} : axis.integers();
    const Shape shifts = saved.attribute("shift").integers();
    if (shifts.size() != 1 && shifts.size() != axes.size()) {
        throw Error("ValueError: roll by as many places as axes");
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t along = axis_of(axes[i], static_cast<std::size_t>(a.ndim()));
        const std::int64_t length = a.shape()[along];
        if (length == 0) continue;
        const std::int64_t by = shifts[shifts.size() == 1 ? 0 : i] % length;
        const std::int64_t start = (by + length) % length;
        Index head(along, Slice{}), tail(along, Slice{});
        head.emplace_back(Slice{.start = length - start});
        tail.emplace_back(Slice{.stop = length - start});
        a = concatenate({getitem(a, head), getitem(a, tail)}, static_cast<std::int64_t>(along));
    }
    return {reshape(a, shape)};
}

/// Copies and lengths, one of each per axis of the result.
std::pair<Shape, Shape> tiling(Shape reps, Shape shape) {
    const std::size_t ndim = std::max(reps.size(), shape.size());
    reps.insert(reps.begin(), ndim - reps.size(), 1);
    shape.insert(shape.begin(), ndim - shape.size(), 1);
    return {reps, shape};
}

Tensors tile(const Saved& saved) {
    const Tensor a = saved.operand();
    const auto [reps, lengths] = tiling(saved.attribute("reps").integers(), a.shape());
    Shape apart, copied, whole;
    for (std::size_t k = 0; k < reps.size(); ++k) {
        apart.insert(apart.end(), {1, lengths[k]});
        copied.insert(copied.end(), {reps[k], lengths[k]});
        whole.push_back(reps[k] * lengths[k]);
    }
    return {reshape(broadcast_to(reshape(a, apart), copied), whole)};
}

Tensors sum_tiles(const Saved& saved) {
    const Shape shape = saved.attribute("shape").integers();
    const auto [reps, lengths] = tiling(saved.attribute("reps").integers(), shape);
    Shape pairs, copies;
    for (std::size_t k = 0; k < reps.size(); ++k) {
        pairs.insert(pairs.end(), {reps[k], lengths[k]});
        copies.push_back(static_cast<std::int64_t>(2 * k));
    }
    return {reshape(sum(reshape(saved.operand(), pairs), copies), shape)};
}

/// A copy with zeros where `kept` says no, by row and column.
template <typename Kept>
Tensors triangle(const Saved& saved, Kept kept) {
    const Tensor from = contiguous(saved.operand());
    const pb_value& source = *from.get();
    if (source.layout.ndim() < 2) throw Error("ValueError: a triangle of fewer than two axes");
    Tensor made = allocate(source.layout);
    const std::int64_t rows = source.layout.shape(source.layout.ndim() - 2);
    const std::int64_t columns = source.layout.shape(source.layout.ndim() - 1);
    const std::int64_t k = saved.attribute("k").integer();
    with_type(source.dtype(), [&](auto type) {
        using T = decltype(type);
        const T* in = elements<const T>(from);
        T* out = elements<T>(made);
        for (std::int64_t i = 0; i < source.layout.size(); ++i) {
            const std::int64_t row = i / columns % rows, column = i % columns;
            out[i] = kept(row + k, column) ? in[i] : T{};
        }
    });
    return {made};
}

Tensors tril(const Saved& saved) {
    return triangle(saved, [](std::int64_t row, std::int64_t column) { return column <= row; });
}
Tensors triu(const Saved& saved) {
    return triangle(saved, [](std::int64_t row, std::int64_t column) { return column >= row; });
}

DLDataType named(const std::string& name) {
    if (name == "float32") return kFloat32;
    if (name == "float64" || name == "float") return kFloat64;
    if (name == "int64" || name == "int") return kInt64;
    if (name == "bool" || name == "bool_") return kBool;
    throw Error("TypeError: this engine has no tensors of " + name);
}

Tensors astype(const Saved& saved) {
    return {as_dtype(saved.operand(), named(saved.attribute("dtype").text()))};
}

Tensors filled(const Saved& saved, double number) {
    Tensor made = allocate(like(saved.operand()));
    fill(*made.get(), number);
    return {made};
}
Tensors zeros_like(const Saved& saved) { return filled(saved, 0.0); }
Tensors ones_like(const Saved& saved) { return filled(saved, 1.0); }
Tensors full_like(const Saved& saved) {
    return filled(saved, saved.attribute("fill_value").number());
}

Tensors sum_to(const Saved& saved) {
    const Tensor x = saved.operand();
    const Like& wanted = saved.attribute("like").like();
    const Shape have = x.shape();
    if (have == wanted.shape) return {as_dtype(x, wanted.dtype)};
    const auto lead =
        static_cast<std::ptrdiff_t>(have.size()) - static_cast<std::ptrdiff_t>(wanted.shape.size());
    bool fits = lead >= 0;
    Shape axes;
    for (std::size_t k = 0; fits && k < have.size(); ++k) {
        const auto own = static_cast<std::ptrdiff_t>(k) - lead;
        const std::int64_t extent = own < 0 ? 1 : wanted.shape[static_cast<std::size_t>(own)];
        fits = own < 0 || extent == have[k] || extent == 1;
        if (own < 0 || extent != have[k]) axes.push_back(static_cast<std::int64_t>(k));
    }
    if (!fits) {
        throw Error("GradientShapeError: a gradient of shape " + text_of(have) +
                    " does not fit the value it belongs to, of shape " + text_of(wanted.shape));
    }
    return {as_dtype(reshape(sum(x, axes), wanted.shape), wanted.dtype)};
}

}  // namespace

void add_arrangements(Library& library) {
    library.add_primitive("unslice", unslice);
    library.add_primitive("undiagonal", undiagonal);
    library.add_primitive("flatten_axes", flatten_axes);
    library.add_primitive("unflatten_axes", unflatten_axes);
    library.add_primitive("roll", roll);
    library.add_primitive("tile", tile);
    library.add_primitive("sum_tiles", sum_tiles);
    library.add_primitive("tril", tril);
    library.add_primitive("triu", triu);
    library.add_primitive("astype", astype);
    library.add_primitive("sum_to", sum_to);
    library.add_constant("zeros_like", zeros_like, 1);
    library.add_constant("ones_like", ones_like, 1);
    library.add_constant("full_like", full_like, 1, {{"fill_value", 0.0}});
}

}  // namespace pullback::standalone
