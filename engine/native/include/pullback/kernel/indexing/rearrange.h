// Definitions for kernel/indexing/index.h: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_REARRANGE_H_
#define PULLBACK_KERNEL_REARRANGE_H_

#include "pullback/kernel/indexing/index.h"
#include "pullback/kernel/loops/passes.h"

namespace pb {

// Python's rule for one bound of a slice.
PB_RUNTIME int64_t clamp(int64_t bound, int64_t missing, int64_t low, int64_t high,
                         int64_t extent) {
    if (bound == kNone) return missing;
    if (bound < 0) bound += extent;
    return bound < low ? low : bound > high ? high : bound;
}

PB_RUNTIME void take_slice(Outcome& outcome, AnyView& result, int64_t extent, int64_t stride,
                           const Index& item, int64_t item_bytes) {
    const int to = result.shape.ndim++;
    if (!outcome.require(item.step != 0, PB_INVALID, "a slice with step 0")) return;
    const bool forward = item.step > 0;
    const int64_t low = forward ? 0 : -1;
    const int64_t high = forward ? extent : extent - 1;
    const int64_t start = clamp(item.start, forward ? low : high, low, high, extent);
    const int64_t stop = clamp(item.stop, forward ? high : low, low, high, extent);
    const int64_t span = forward ? stop - start + item.step - 1 : start - stop - item.step - 1;
    const int64_t length = span / (forward ? item.step : -item.step);
    result.shape.at[to] = length > 0 ? length : 0;
    result.strides[to] = stride * item.step;
    if (result.data && length > 0) result.data += start * stride * item_bytes;
}

PB_RUNTIME Shape completed(Outcome& outcome, Shape shape, int64_t size) {
    int64_t known = 1;
    int open = -1;
    for (int d = 0; d < shape.ndim; ++d) {
        if (shape.at[d] == -1 && open < 0)
            open = d;
        else
            known *= shape.at[d];
    }
    if (open >= 0 && known > 0) shape.at[open] = size / known;
    outcome.require(shape.size() == size && (open < 0 || known > 0), PB_INVALID, "cannot reshape");
    return shape;
}

PB_RUNTIME Shape part_of(const Shape& shape, const Index& slice) {
    Shape part;
    const int64_t stop = clamp(slice.stop, shape.ndim, 0, shape.ndim, shape.ndim);
    for (int64_t d = clamp(slice.start, 0, 0, shape.ndim, shape.ndim); d < stop; ++d) {
        part.at[part.ndim++] = shape.at[d];
    }
    return part;
}

PB_RUNTIME Shape after_each_other(Outcome& outcome, Shape first, const Shape& second) {
    const bool fits = first.ndim + second.ndim <= PB_MAX_DIMS;
    if (!outcome.require(fits, PB_UNSUPPORTED, "more than 8 axes")) return first;
    for (int d = 0; d < second.ndim; ++d) first.at[first.ndim++] = second.at[d];
    return first;
}

namespace any {

PB_RUNTIME AnyView take(Outcome& outcome, const AnyView& view, const Index* items, int count,
                        int64_t item_bytes) {
    AnyView result{view.data, {}, {}};
    int named = 0;
    int added = 0;
    bool open = true;
    for (int k = 0; k < count; ++k) {
        named += items[k].kind == Index::kAt || items[k].kind == Index::kSlice;
        added += items[k].kind == Index::kNewAxis;
        open = open && items[k].kind != Index::kEllipsis;
    }
    outcome.require(named <= view.shape.ndim, PB_INVALID, "too many indices");
    outcome.require(view.shape.ndim + added <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes");
    if (!outcome.ok()) return view;
    int from = 0;
    const auto keep = [&](int axes) {
        for (; axes > 0; --axes, ++from) {
            const int to = result.shape.ndim++;
            result.shape.at[to] = view.shape.at[from];
            result.strides[to] = view.strides[from];
        }
    };
    for (int k = 0; k < count; ++k) {
        const Index& item = items[k];
        if (item.kind == Index::kEllipsis) {
            keep(view.shape.ndim - named);
        } else if (item.kind == Index::kNewAxis) {
            result.shape.at[result.shape.ndim] = 1;
            result.strides[result.shape.ndim++] = 0;
        } else if (item.kind == Index::kSlice) {
            take_slice(outcome, result, view.shape.at[from], view.strides[from], item, item_bytes);
            ++from;
        } else {
            const int64_t position = item.start < 0 ? item.start + view.shape.at[from] : item.start;
            const bool inside = position >= 0 && position < view.shape.at[from];
            if (!outcome.require(inside, PB_INVALID, "index out of bounds")) return view;
            if (result.data) result.data += position * view.strides[from] * item_bytes;
            ++from;
        }
    }
    if (open) keep(view.shape.ndim - named);
    return result;
}

template <typename T>
void copy_rows(Space& space, const AnyView& from, const AnyView& to) {
    static constexpr Rows<const T> source{0};
    static constexpr Rows<T> target{1};
    space.read(source, typed<const T>(from));
    space.write(target, typed<T>(to));
    space.each([=](Loop& loop) {
        while (loop.next()) {
            __builtin_memcpy(loop.row(target), loop.row(source),
                             static_cast<size_t>(loop.size) * sizeof(T));
        }
    });
}

PB_RUNTIME void copy(Context& context, const AnyView& from, const AnyView& to, int64_t item) {
    Passes<1, 2> passes(context);
    Space& space = passes.space(to.shape);
    if (item == 8)
        copy_rows<int64_t>(space, from, to);
    else if (item == 4)
        copy_rows<int32_t>(space, from, to);
    else
        copy_rows<char>(space, from, to);
    passes.run();
}

PB_RUNTIME Shape joined(Outcome& outcome, const Shape* parts, int count, int axis, bool stacked) {
    Shape result = parts[0];
    const int d = axis_of(outcome, axis, result.ndim + (stacked ? 1 : 0));
    if (!outcome.ok()) return result;
    for (int k = 1; k < count; ++k) {
        Shape part = parts[k];
        if (!stacked && part.ndim == result.ndim) {
            result.at[d] += part.at[d];
            part.at[d] = result.at[d];
        }
        outcome.require(part == result, PB_INVALID, "arrays to be joined differ in shape");
    }
    if (!stacked) return result;
    outcome.require(result.ndim < PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes");
    if (outcome.ok()) {
        for (int to = result.ndim++; to > d; --to) result.at[to] = result.at[to - 1];
        result.at[d] = count;
    }
    return result;
}

PB_RUNTIME AnyView joined_part(Outcome& outcome, const AnyView& whole, const Shape* parts, int k,
                               int axis, bool stacked, int64_t item) {
    if (!outcome.ok()) return whole;
    const int d = axis_of(outcome, axis, whole.shape.ndim);
    int64_t start = 0;
    for (int before = 0; before < k; ++before) start += stacked ? 1 : parts[before].at[d];
    const AnyView stretch = part(outcome, whole, d, start, stacked ? 1 : parts[k].at[d], item);
    return stacked ? squeeze(outcome, stretch, 1u << d) : stretch;
}

PB_RUNTIME AnyView reshape(Context& context, const AnyView& view, const Shape& shape,
                           int64_t item) {
    const Shape target = completed(context, shape, view.shape.size());
    const AnyView spare = context.any_scratch(view.shape, item, 1);
    if (!context.ok() || contiguous(view)) return in_c_order(view.data, target);
    copy(context, view, spare, item);
    return in_c_order(spare.data, target);
}

}  // namespace any
}  // namespace pb

#endif  // PULLBACK_KERNEL_REARRANGE_H_
