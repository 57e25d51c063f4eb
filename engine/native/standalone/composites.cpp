// Functions over operators: each has a derivative of any order, since they have.
#include "shapes.h"
#include "written.h"

namespace pullback::standalone {
namespace {

Shape numbers(std::size_t from, std::size_t to) {
    Shape axes;
    for (; from < to; ++from) axes.push_back(static_cast<std::int64_t>(from));
    return axes;
}

/// The sum over these axes of `a` and, in the same order, those of `b`: a product of matrices.
Tensor contracted(const Tensor& a, const Shape& of_a, const Tensor& b, const Shape& of_b) {
    const Shape shape_a = a.shape(), shape_b = b.shape();
    if (of_a.size() != of_b.size())
        throw Error("ValueError: tensordot sums over as many axes of one operand as of the other");
    std::int64_t terms = 1;
    Shape result;
    for (std::size_t k = 0; k < of_a.size(); ++k) {
        const std::int64_t length = shape_a[axis_of(of_a[k], shape_a.size())];
        if (length != shape_b[axis_of(of_b[k], shape_b.size())]) {
            throw Error("ValueError: shapes " + text_of(shape_a) + " and " + text_of(shape_b) +
                        " differ along the axes that are summed over");
        }
        terms *= length;
    }
    const Tensor left = moveaxis(a, of_a, numbers(shape_a.size() - of_a.size(), shape_a.size()));
    const Tensor right = moveaxis(b, of_b, numbers(0, of_b.size()));
    const Shape turned_a = left.shape(), turned_b = right.shape();
    for (std::size_t k = 0; k + of_a.size() < turned_a.size(); ++k) result.push_back(turned_a[k]);
    for (std::size_t k = of_b.size(); k < turned_b.size(); ++k) result.push_back(turned_b[k]);
    const std::int64_t rows = terms == 0 ? 0 : a.size() / terms;
    const std::int64_t columns = terms == 0 ? 0 : b.size() / terms;
    return reshape(matmul(reshape(left, {rows, terms}), reshape(right, {terms, columns})), result);
}

Tensors tensordot(const Saved& saved) {
    const Tensor a = saved.input(0), b = saved.input(1);
    const Attribute& axes = saved.attribute("axes");
    const auto count = static_cast<std::size_t>(axes.integer());
    const auto ndim = static_cast<std::size_t>(a.ndim());
    if (axes.integer() < 0 || count > ndim) {
        throw Error("ValueError: tensordot over " + std::to_string(axes.integer()) +
                    " axes of a tensor of " + std::to_string(ndim));
    }
    return {contracted(a, numbers(ndim - count, ndim), b, numbers(0, count))};
}

/// Over the last axis of `a` and one of `b`; a scalar multiplies.
Tensors over_last(const Saved& saved, std::int64_t axis) {
    const Tensor a = saved.input(0), b = saved.input(1);
    if (a.get()->is_number || b.get()->is_number || a.ndim() == 0 || b.ndim() == 0) return {a * b};
    return {contracted(a, {-1}, b, {b.ndim() == 1 ? -1 : axis})};
}
Tensors dot(const Saved& saved) { return over_last(saved, -2); }
Tensors inner(const Saved& saved) { return over_last(saved, -1); }

}  // namespace

Tensors split_like(const Tensor& x, const std::vector<Like>& likes, const Attribute& axis) {
    const Shape whole = x.shape();
    const std::size_t along = axis.is_none() ? 0 : axis_of(axis.integer(), whole.size());
    Tensors parts;
    std::int64_t start = 0;
    for (const Like& like : likes) {
        Shape lengths = like.shape;
        if (axis.is_none()) lengths = {size_of(like)};
        if (lengths.size() < whole.size()) {
            lengths.insert(lengths.begin(), whole.size() - lengths.size(), 1);
        }
        Index index(along, Slice{});
        index.emplace_back(Slice{.start = start, .stop = start + lengths[along]});
        start += lengths[along];
        parts.push_back(sum_to(reshape(getitem(x, index), like.shape), like));
    }
    return parts;
}

Tensors unstack_like(const Tensor& x, const std::vector<Like>& likes, const Attribute& axis) {
    const std::size_t along = axis_of(axis.integer(), x.shape().size());
    Tensors parts;
    for (std::size_t i = 0; i < likes.size(); ++i) {
        Index index(along, Slice{});
        index.emplace_back(i);
        parts.push_back(sum_to(getitem(x, index), likes[i]));
    }
    return parts;
}

void add_composites(Library& library) {
    library.add_composite("tensordot", tensordot, 2, {{"axes", 2}});
    library.add_composite("dot", dot, 2, {});
    library.add_composite("inner", inner, 2, {});
}

}  // namespace pullback::standalone
