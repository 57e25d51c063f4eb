// Shapes and views of a generated kernel, and the operators that only move strides about.
#ifndef PULLBACK_KERNEL_TENSOR_H_
#define PULLBACK_KERNEL_TENSOR_H_

#include "kernel_abi.h"

// Set-up code: one small copy of it, so that the compiler's time goes to the loops.
#define PB_SETUP __attribute__((noinline, cold))

namespace pb {

// How a kernel fares. The first failure is kept; what follows it does nothing.
struct Outcome {
    int status = PB_OK;
    const char* text = nullptr;

    bool ok() const { return status == PB_OK; }
    void fail(int why, const char* because) {
        if (!ok()) return;
        status = why;
        text = because;
    }
    bool require(bool condition, int why, const char* because) {
        if (!condition) fail(why, because);
        return ok();
    }
};

struct Shape {
    int ndim = 0;
    int64_t at[PB_MAX_DIMS] = {};

    PB_SETUP int64_t size() const {
        int64_t product = 1;
        for (int d = 0; d < ndim; ++d) product *= at[d];
        return product;
    }
    int64_t operator[](int64_t axis) const { return at[axis < 0 ? axis + ndim : axis]; }
    PB_SETUP bool operator==(const Shape& other) const {
        if (ndim != other.ndim) return false;
        for (int d = 0; d < ndim; ++d) {
            if (at[d] != other.at[d]) return false;
        }
        return true;
    }
    bool operator!=(const Shape& other) const { return !(*this == other); }
};

// A shape from its extents: `shape_of(2, n)`.
template <typename... Extents>
Shape shape_of(Extents... extents) {
    static_assert(sizeof...(extents) <= PB_MAX_DIMS, "too many axes");
    return Shape{static_cast<int>(sizeof...(extents)), {static_cast<int64_t>(extents)...}};
}

template <typename T>
struct PlainOf {
    using Type = T;
};
template <typename T>
struct PlainOf<const T> {
    using Type = T;
};
template <typename T>
using Plain = typename PlainOf<T>::Type;

// An array that somebody else owns. Strides count elements. `data` is null where only the shape is
// known: an output that nobody needs, a saved `like`, or any array while shapes are inferred.
template <typename T>
struct View {
    T* data = nullptr;
    Shape shape;
    int64_t strides[PB_MAX_DIMS] = {};

    PB_SETUP bool contiguous() const {
        int64_t expected = 1;
        for (int d = shape.ndim - 1; d >= 0; --d) {
            if (shape.at[d] != 1 && strides[d] != expected) return false;
            expected *= shape.at[d];
        }
        return true;
    }
    PB_SETUP View<const T> read_only() const {
        View<const T> view{data, shape, {}};
        for (int d = 0; d < shape.ndim; ++d) view.strides[d] = strides[d];
        return view;
    }
};

template <typename T>
PB_SETUP View<T> in_c_order(T* data, const Shape& shape) {
    View<T> view{data, shape, {}};
    int64_t stride = 1;
    for (int d = shape.ndim - 1; d >= 0; --d) {
        view.strides[d] = stride;
        stride *= shape.at[d];
    }
    return view;
}

// An axis as NumPy counts it: a negative one from the end.
PB_SETUP inline int axis_of(Outcome& outcome, int64_t axis, int ndim) {
    const int64_t counted = axis < 0 ? axis + ndim : axis;
    const bool inside = counted >= 0 && counted < ndim;
    return outcome.require(inside, PB_INVALID, "an axis is out of bounds")
               ? static_cast<int>(counted)
               : 0;
}

// Several axes: bit d is set where axis d is named.
template <int N>
PB_SETUP unsigned axis_set(Outcome& outcome, const int (&axes)[N], int ndim) {
    unsigned set = 0;
    for (int axis : axes) {
        const unsigned bit = 1u << axis_of(outcome, axis, ndim);
        outcome.require(!(set & bit), PB_INVALID, "an axis is named twice");
        set |= bit;
    }
    return set;
}
inline unsigned all_axes(int ndim) { return (1u << ndim) - 1u; }

// The shape that a reduction over `axes` leaves.
PB_SETUP inline Shape reduced(const Shape& shape, unsigned axes, bool keepdims) {
    Shape result;
    for (int d = 0; d < shape.ndim; ++d) {
        const bool gone = (axes >> d) & 1u;
        if (!gone || keepdims) result.at[result.ndim++] = gone ? 1 : shape.at[d];
    }
    return result;
}

// The view with axes of length one inserted, so that they stand at `axes` of the result.
template <typename T>
PB_SETUP View<T> expand_dims(const View<T>& view, unsigned axes) {
    View<T> result{view.data, {}, {}};
    for (int from = 0; from < view.shape.ndim || (axes >> result.shape.ndim);) {
        const int to = result.shape.ndim++;
        const bool inserted = (axes >> to) & 1u;
        result.shape.at[to] = inserted ? 1 : view.shape.at[from];
        result.strides[to] = inserted ? 0 : view.strides[from];
        from += inserted ? 0 : 1;
    }
    return result;
}

template <typename T, int N>
PB_SETUP View<T> expand_dims(Outcome& outcome, const View<T>& view, const int (&axes)[N]) {
    const int ndim = view.shape.ndim + N;
    if (!outcome.require(ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes")) return view;
    return expand_dims(view, axis_set(outcome, axes, ndim));
}

// The view without `axes`, each of length one.
template <typename T>
PB_SETUP View<T> squeeze(Outcome& outcome, const View<T>& view, unsigned axes) {
    View<T> result{view.data, {}, {}};
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

// All axes of length one, for `squeeze` without an axis.
PB_SETUP inline unsigned unit_axes(const Shape& shape) {
    unsigned set = 0;
    for (int d = 0; d < shape.ndim; ++d) set |= (shape.at[d] == 1 ? 1u : 0u) << d;
    return set;
}

template <typename T>
PB_SETUP View<T> swapaxes(Outcome& outcome, View<T> view, int axis1, int axis2) {
    const int i = axis_of(outcome, axis1, view.shape.ndim);
    const int j = axis_of(outcome, axis2, view.shape.ndim);
    const int64_t extent = view.shape.at[i];
    const int64_t stride = view.strides[i];
    view.shape.at[i] = view.shape.at[j];
    view.strides[i] = view.strides[j];
    view.shape.at[j] = extent;
    view.strides[j] = stride;
    return view;
}

template <typename T, int N>
PB_SETUP View<T> transpose(Outcome& outcome, const View<T>& view, const int (&axes)[N]) {
    if (!outcome.require(N == view.shape.ndim, PB_INVALID, "axes do not match the array"))
        return view;
    axis_set(outcome, axes, N);
    View<T> result = view;
    for (int d = 0; d < N; ++d) {
        const int from = axis_of(outcome, axes[d], N);
        result.shape.at[d] = view.shape.at[from];
        result.strides[d] = view.strides[from];
    }
    return result;
}

template <typename T>
PB_SETUP View<T> transpose(const View<T>& view) {
    View<T> result = view;
    for (int d = 0; d < view.shape.ndim; ++d) {
        result.shape.at[d] = view.shape.at[view.shape.ndim - 1 - d];
        result.strides[d] = view.strides[view.shape.ndim - 1 - d];
    }
    return result;
}

// Axes `from` moved to `to`; the others keep their order.
template <typename T, int N>
PB_SETUP View<T> moveaxis(Outcome& outcome, const View<T>& view, const int (&from)[N],
                          const int (&to)[N]) {
    const int ndim = view.shape.ndim;
    const unsigned moved = axis_set(outcome, from, ndim);
    const unsigned taken = axis_set(outcome, to, ndim);
    View<T> result = view;
    if (!outcome.ok()) return result;
    int next = 0;
    for (int d = 0; d < ndim; ++d) {
        int source = next;
        if ((taken >> d) & 1u) {
            for (int k = 0; k < N; ++k) {
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

// The view read backwards along axes.
template <typename T>
PB_SETUP View<T> flip(View<T> view, unsigned axes) {
    for (int d = 0; d < view.shape.ndim; ++d) {
        if (!((axes >> d) & 1u)) continue;
        if (view.data && view.shape.at[d] > 0)
            view.data += (view.shape.at[d] - 1) * view.strides[d];
        view.strides[d] = -view.strides[d];
    }
    return view;
}

// Whether the shape broadcasts to the other.
PB_SETUP inline bool broadcasts(const Shape& from, const Shape& to) {
    const int lead = to.ndim - from.ndim;
    if (lead < 0) return false;
    for (int d = 0; d < from.ndim; ++d) {
        if (from.at[d] != 1 && from.at[d] != to.at[lead + d]) return false;
    }
    return true;
}

// The view repeated along leading axes and axes of length one.
template <typename T>
PB_SETUP View<T> broadcast_to(Outcome& outcome, const View<T>& view, const Shape& shape) {
    View<T> result{view.data, shape, {}};
    if (!outcome.require(broadcasts(view.shape, shape), PB_INVALID, "shapes do not broadcast"))
        return result;
    const int lead = shape.ndim - view.shape.ndim;
    for (int d = lead; d < shape.ndim; ++d) {
        result.strides[d] = view.shape.at[d - lead] == 1 ? 0 : view.strides[d - lead];
    }
    return result;
}

// `start:start + extent` of one axis: a part of a concatenation.
template <typename T>
PB_SETUP View<T> part(Outcome& outcome, View<T> view, int axis, int64_t start, int64_t extent) {
    const int d = axis_of(outcome, axis, view.shape.ndim);
    if (view.data) view.data += start * view.strides[d];
    view.shape.at[d] = extent;
    return view;
}

// Joins `other` into `shape` by broadcasting; false where they do not fit.
PB_SETUP inline bool join(Shape& shape, const Shape& other) {
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

// The shape that all of these broadcast to.
template <typename... Shapes>
Shape broadcast(Outcome& outcome, const Shapes&... shapes) {
    Shape result;
    outcome.require((join(result, shapes) && ...), PB_INVALID, "shapes do not broadcast");
    return result;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_TENSOR_H_
