// Definitions for kernel/tensor.h: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_VIEWS_H_
#define PULLBACK_KERNEL_VIEWS_H_

#include "pullback/kernel/tensor.h"

namespace pb {

PB_RUNTIME bool operator==(const Shape& a, const Shape& b) {
    if (a.ndim != b.ndim) return false;
    for (int d = 0; d < a.ndim; ++d) {
        if (a.at[d] != b.at[d]) return false;
    }
    return true;
}

PB_RUNTIME bool within(const Shape& part, const Shape& whole) {
    if (part.ndim > whole.ndim) return false;
    for (int d = 1; d <= part.ndim; ++d) {
        if (part[-d] != 1 && part[-d] != whole[-d]) return false;
    }
    return true;
}

namespace any {

PB_RUNTIME bool contiguous(const AnyView& view) {
    int64_t expected = 1;
    for (int d = view.shape.ndim - 1; d >= 0; --d) {
        if (view.shape.at[d] != 1 && view.strides[d] != expected) return false;
        expected *= view.shape.at[d];
    }
    return true;
}

PB_RUNTIME AnyView in_c_order(char* data, const Shape& shape) {
    AnyView view{data, shape, {}};
    int64_t stride = 1;
    for (int d = shape.ndim - 1; d >= 0; --d) {
        view.strides[d] = stride;
        stride *= shape.at[d];
    }
    return view;
}

}  // namespace any

PB_RUNTIME int axis_of(Outcome& outcome, int64_t axis, int ndim) {
    const int64_t counted = axis < 0 ? axis + ndim : axis;
    const bool inside = counted >= 0 && counted < ndim;
    outcome.require(inside, PB_INVALID, "an axis is out of bounds");
    return inside ? static_cast<int>(counted) : 0;
}

PB_RUNTIME unsigned axis_set(Outcome& outcome, const int* axes, int count, int ndim) {
    unsigned set = 0;
    for (int k = 0; k < count; ++k) {
        const unsigned bit = 1u << axis_of(outcome, axes[k], ndim);
        outcome.require(!(set & bit), PB_INVALID, "an axis is named twice");
        set |= bit;
    }
    return set;
}

PB_RUNTIME Shape reduced(const Shape& shape, unsigned axes, bool keepdims) {
    Shape result;
    for (int d = 0; d < shape.ndim; ++d) {
        const bool gone = (axes >> d) & 1u;
        if (!gone || keepdims) result.at[result.ndim++] = gone ? 1 : shape.at[d];
    }
    return result;
}

PB_RUNTIME unsigned unit_axes(const Shape& shape) {
    unsigned set = 0;
    for (int d = 0; d < shape.ndim; ++d) set |= (shape.at[d] == 1 ? 1u : 0u) << d;
    return set;
}

PB_RUNTIME bool broadcasts(const Shape& from, const Shape& to) {
    const int lead = to.ndim - from.ndim;
    if (lead < 0) return false;
    for (int d = 0; d < from.ndim; ++d) {
        if (from.at[d] != 1 && from.at[d] != to.at[lead + d]) return false;
    }
    return true;
}

PB_RUNTIME bool join(Shape& shape, const Shape& other) {
    Shape result = shape.ndim >= other.ndim ? shape : other;
    const Shape& small = shape.ndim >= other.ndim ? other : shape;
    const int lead = result.ndim - small.ndim;
    for (int d = 0; d < small.ndim; ++d) {
        int64_t& extent = result.at[lead + d];
        if (extent == 1)
            extent = small.at[d];
        else if (small.at[d] != 1 && small.at[d] != extent)
            return false;
    }
    shape = result;
    return true;
}

PB_RUNTIME Shape broadcast_all(Outcome& outcome, const Shape* const* shapes, int count) {
    Shape result;
    for (int k = 0; k < count; ++k) {
        outcome.fits(join(result, *shapes[k]), "shapes do not broadcast");
    }
    return result;
}

namespace any {

PB_RUNTIME AnyView expand_dims(const AnyView& view, unsigned axes) {
    AnyView result{view.data, {}, {}};
    for (int from = 0; from < view.shape.ndim || (axes >> result.shape.ndim);) {
        const int to = result.shape.ndim++;
        const bool inserted = (axes >> to) & 1u;
        result.shape.at[to] = inserted ? 1 : view.shape.at[from];
        result.strides[to] = inserted ? 0 : view.strides[from];
        from += inserted ? 0 : 1;
    }
    return result;
}

PB_RUNTIME AnyView squeeze(Outcome& outcome, const AnyView& view, unsigned axes) {
    AnyView result{view.data, {}, {}};
    for (int d = 0; d < view.shape.ndim; ++d) {
        if ((axes >> d) & 1u) {
            outcome.require(view.shape.at[d] == 1, PB_INVALID,
                            "a squeezed axis is longer than one");
            continue;
        }
        const int to = result.shape.ndim++;
        result.shape.at[to] = view.shape.at[d];
        result.strides[to] = view.strides[d];
    }
    return result;
}

PB_RUNTIME AnyView swapaxes(Outcome& outcome, const AnyView& view, int axis1, int axis2) {
    const int i = axis_of(outcome, axis1, view.shape.ndim);
    const int j = axis_of(outcome, axis2, view.shape.ndim);
    AnyView result = view;
    result.shape.at[i] = view.shape.at[j];
    result.strides[i] = view.strides[j];
    result.shape.at[j] = view.shape.at[i];
    result.strides[j] = view.strides[i];
    return result;
}

PB_RUNTIME AnyView transpose(Outcome& outcome, const AnyView& view, const int* axes, int count) {
    if (!outcome.require(count == view.shape.ndim, PB_INVALID, "axes do not match the array"))
        return view;
    axis_set(outcome, axes, count, count);
    AnyView result = view;
    for (int d = 0; d < count; ++d) {
        const int from = axis_of(outcome, axes[d], count);
        result.shape.at[d] = view.shape.at[from];
        result.strides[d] = view.strides[from];
    }
    return result;
}

PB_RUNTIME AnyView transpose(const AnyView& view) {
    AnyView result = view;
    for (int d = 0; d < view.shape.ndim; ++d) {
        result.shape.at[d] = view.shape.at[view.shape.ndim - 1 - d];
        result.strides[d] = view.strides[view.shape.ndim - 1 - d];
    }
    return result;
}

PB_RUNTIME AnyView moveaxis(Outcome& outcome, const AnyView& view, const int* from, const int* to,
                            int count) {
    const int ndim = view.shape.ndim;
    const unsigned moved = axis_set(outcome, from, count, ndim);
    const unsigned taken = axis_set(outcome, to, count, ndim);
    AnyView result = view;
    if (!outcome.ok()) return result;
    int next = 0;
    for (int d = 0; d < ndim; ++d) {
        int source = next;
        if ((taken >> d) & 1u) {
            for (int k = 0; k < count; ++k) {
                if (axis_of(outcome, to[k], ndim) == d) source = axis_of(outcome, from[k], ndim);
            }
        } else {
            while ((moved >> next) & 1u) ++next;
            source = next++;
        }
        result.shape.at[d] = view.shape.at[source];
        result.strides[d] = view.strides[source];
    }
    return result;
}

PB_RUNTIME AnyView flip(const AnyView& view, unsigned axes, int64_t item) {
    AnyView result = view;
    for (int d = 0; d < view.shape.ndim; ++d) {
        if (!((axes >> d) & 1u)) continue;
        if (view.data && view.shape.at[d] > 0)
            result.data += (view.shape.at[d] - 1) * view.strides[d] * item;
        result.strides[d] = -view.strides[d];
    }
    return result;
}

PB_RUNTIME AnyView broadcast_to(Outcome& outcome, const AnyView& view, const Shape& shape) {
    AnyView result{view.data, shape, {}};
    if (!outcome.fits(broadcasts(view.shape, shape), "shapes do not broadcast")) return result;
    const int lead = shape.ndim - view.shape.ndim;
    for (int d = lead; d < shape.ndim; ++d) {
        result.strides[d] = view.shape.at[d - lead] == 1 ? 0 : view.strides[d - lead];
    }
    return result;
}

PB_RUNTIME AnyView part(Outcome& outcome, const AnyView& view, int axis, int64_t start,
                        int64_t extent, int64_t item) {
    const int d = axis_of(outcome, axis, view.shape.ndim);
    AnyView result = view;
    if (view.data) result.data += start * view.strides[d] * item;
    result.shape.at[d] = extent;
    return result;
}

}  // namespace any
}  // namespace pb

#endif  // PULLBACK_KERNEL_VIEWS_H_
