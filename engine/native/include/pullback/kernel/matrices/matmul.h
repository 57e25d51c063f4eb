// Matrix products, of stacks and vectors too.
#ifndef PULLBACK_KERNEL_LINALG_H_
#define PULLBACK_KERNEL_LINALG_H_

#include "pullback/kernel/indexing/index.h"
#include "pullback/kernel/matrices/product.h"

namespace pb {

// The extent of an axis counted from the end; 1 where the view has none.
template <typename T>
int64_t extent_at(const View<T>& view, int back) {
    return back <= view.shape.ndim ? view.shape[-back] : 1;
}

// The step along such an axis; 0 where it has one place.
template <typename T>
int64_t step_at(const View<T>& view, int back) {
    return extent_at(view, back) == 1 ? 0 : view.strides[view.shape.ndim - back];
}

// The shape of `matmul(a, b)`: vectors lose their axis, stacks broadcast.
PB_SETUP inline Shape matmul_shape(Outcome& outcome, const Shape& a, const Shape& b) {
    Shape result;
    if (!outcome.require(a.ndim > 0 && b.ndim > 0, PB_INVALID, "matmul of a scalar")) return result;
    const int64_t terms = b[b.ndim > 1 ? -2 : -1];
    if (!outcome.require(a[-1] == terms, PB_INVALID, "matmul of shapes that do not fit"))
        return result;
    Shape stack = a;
    stack.ndim = a.ndim > 2 ? a.ndim - 2 : 0;
    Shape other = b;
    other.ndim = b.ndim > 2 ? b.ndim - 2 : 0;
    outcome.require(join(stack, other), PB_INVALID, "stacks of matrices do not broadcast");
    result = stack;
    if (a.ndim > 1) result.at[result.ndim++] = a[-2];
    if (b.ndim > 1) result.at[result.ndim++] = b[-1];
    return result;
}

// The matrices with each entry once, where rows or columns repeat in memory, as those of a gradient
// that was spread over a sum: each repetition would be a product of its own. Stacks still repeat.
template <typename T>
View<const T> with_own_entries(Context& context, View<const T> view) {
    bool repeats = false;
    View<const T> part = view;
    for (int d = 0; d < view.shape.ndim; ++d) {
        if (view.strides[d] != 0 || view.shape.at[d] <= 1) continue;
        if (d >= view.shape.ndim - 2) repeats = true;
        if (d < view.shape.ndim - 2) part.shape.at[d] = 1;
    }
    if (!repeats) return view;
    const View<T> own = context.scratch<T>(part.shape);
    if (own.data) copy(context, part, own);
    for (int d = 0; d < view.shape.ndim; ++d) {
        view.strides[d] = part.shape.at[d] == view.shape.at[d] ? own.strides[d] : 0;
    }
    view.data = own.data;
    return view;
}

// Writes `matmul(a, b)` to `result`, summed over the axes that the result does not have; with `add`
// on top of what is there.
template <typename A, typename B, typename T>
PB_SETUP void matmul(Context& context, const View<A>& x1, const View<B>& x2, View<T> result,
                     bool add = false) {
    const Shape whole = matmul_shape(context, x1.shape, x2.shape);
    context.require(broadcasts(result.shape, whole), PB_INVALID, "a product of another shape");
    if (!context.ok()) return;
    View<const T> a = x1.read_only();
    View<const T> b = x2.read_only();
    if (whole.size() * a.shape[-1] >= kSmallProduct) {
        a = with_own_entries(context, a);
        b = with_own_entries(context, b);
    }
    if (!context.ok() || context.dry() || !result.data) return;
    if (b.shape.ndim == 1) {
        b = expand_dims(b, 2u);
        result = expand_dims(result, 1u << result.shape.ndim);
    }
    if (a.shape.ndim == 1) {
        a = expand_dims(a, 1u);
        if (result.shape.ndim > 0) result = expand_dims(result, 1u << (result.shape.ndim - 1));
    }
    ProductAxes axes;
    axes.at[axes.count++] = {a.shape[-2], step_at(result, 2), step_at(a, 2), 0};
    axes.at[axes.count++] = {b.shape[-1], step_at(result, 1), 0, step_at(b, 1)};
    axes.at[axes.count++] = {a.shape[-1], 0, step_at(a, 1), step_at(b, 2)};
    const int ndim = a.shape.ndim > b.shape.ndim ? a.shape.ndim : b.shape.ndim;
    for (int back = 3; back <= ndim; ++back) {
        const int64_t extent = extent_at(a, back) == 1 ? extent_at(b, back) : extent_at(a, back);
        axes.at[axes.count++] = {extent, step_at(result, back), step_at(a, back), step_at(b, back)};
    }
    multiply(context.runtime(), axes, 8 * static_cast<int>(sizeof(T)), result.data, a.data, b.data,
             add);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_LINALG_H_
