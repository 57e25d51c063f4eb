// Shapes and views of a generated kernel, and the operators that only move strides about.
#ifndef PULLBACK_KERNEL_TENSOR_H_
#define PULLBACK_KERNEL_TENSOR_H_

#include "pullback/kernel_abi.h"

// Set-up code: one small copy of it, so that the compiler's time goes to the loops.
#define PB_SETUP __attribute__((noinline, cold))
// Functions that are called from several places and compiled once.
#define PB_ONCE __attribute__((noinline))
// Functions that all kernels share: compiled with each, or once for many (kernel/runtime.h).
#ifdef PB_SEPARATE_RUNTIME
#define PB_RUNTIME
#define PB_APART PB_ONCE
#else
#define PB_RUNTIME inline
#define PB_APART
#endif

namespace pb {

// How a kernel fares. The first failure is kept; what follows it does nothing.
struct Outcome {
    int status = PB_OK;
    const char* text = nullptr;

    // True if a length was guessed: how many entries of a mask are true is not known while shapes
    // are worked out, and taken to be as many as there may be.
    bool guessed = false;

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
    // True if shapes fit each other, which nobody knows of guessed ones.
    bool fits(bool condition, const char* because) {
        return require(condition || guessed, PB_INVALID, because);
    }
};

struct Shape {
    int ndim = 0;
    int64_t at[PB_MAX_DIMS] = {};

    int64_t size() const {
        int64_t product = 1;
        for (int d = 0; d < ndim; ++d) product *= at[d];
        return product;
    }
    int64_t operator[](int64_t axis) const { return at[axis < 0 ? axis + ndim : axis]; }
};

PB_RUNTIME bool operator==(const Shape& a, const Shape& b);
inline bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

// True if something of a shape broadcasts to another one.
PB_RUNTIME bool within(const Shape& part, const Shape& whole);

// True if all shapes are one.
template <typename... Shapes>
bool alike(const Shape& first, const Shapes&... others) {
    return (... && (others == first));
}

// A shape from its extents: `shape_of(2, n)`.
template <typename... Extents>
Shape shape_of(Extents... extents) {
    static_assert(sizeof...(extents) <= PB_MAX_DIMS, "too many axes");
    return Shape{static_cast<int>(sizeof...(extents)), {static_cast<int64_t>(extents)...}};
}

// The extent of an axis, counted from the end where it is negative.
inline int64_t extent(Outcome& outcome, const Shape& shape, int64_t axis) {
    const int64_t place = axis < 0 ? axis + shape.ndim : axis;
    const bool there = place >= 0 && place < shape.ndim;
    return outcome.require(there, PB_INVALID, "no such axis") ? shape.at[place] : 0;
}

// The length of Python's `range`.
inline int64_t length_of_range(Outcome& outcome, int64_t start, int64_t stop, int64_t step) {
    if (!outcome.require(step != 0, PB_INVALID, "a step of zero")) return 0;
    const int64_t span = step > 0 ? stop - start : start - stop;
    const int64_t size = step > 0 ? step : -step;
    return span > 0 ? (span + size - 1) / size : 0;
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

    bool contiguous() const;
    View<const T> read_only() const;
};

// The same where the type of its elements does not matter.
using AnyView = View<char>;

template <typename T>
AnyView erased(const View<T>& view) {
    AnyView result;
    __builtin_memcpy(static_cast<void*>(&result), &view, sizeof result);
    return result;
}
template <typename T>
View<T> typed(const AnyView& view) {
    View<T> result;
    __builtin_memcpy(static_cast<void*>(&result), &view, sizeof result);
    return result;
}

namespace any {

PB_RUNTIME bool contiguous(const AnyView& view);
PB_APART PB_RUNTIME AnyView in_c_order(char* data, const Shape& shape);

}  // namespace any

template <typename T>
View<T> in_c_order(T* data, const Shape& shape);

// An axis as NumPy counts it: a negative one from the end.
PB_RUNTIME int axis_of(Outcome& outcome, int64_t axis, int ndim);

// Several axes: bit d is set where axis d is named.
PB_RUNTIME unsigned axis_set(Outcome& outcome, const int* axes, int count, int ndim);
template <int N>
unsigned axis_set(Outcome& outcome, const int (&axes)[N], int ndim) {
    return axis_set(outcome, axes, N, ndim);
}
inline unsigned all_axes(int ndim) { return (1u << ndim) - 1u; }

// The shape that a reduction over `axes` leaves.
PB_RUNTIME Shape reduced(const Shape& shape, unsigned axes, bool keepdims);

// All axes of length one, for `squeeze` without an axis.
PB_RUNTIME unsigned unit_axes(const Shape& shape);

// True if the shape broadcasts to the other.
PB_RUNTIME bool broadcasts(const Shape& from, const Shape& to);

// Joins `other` into `shape` by broadcasting; false where they do not fit.
PB_RUNTIME bool join(Shape& shape, const Shape& other);

// The shape that all of these broadcast to.
PB_RUNTIME Shape broadcast_all(Outcome& outcome, const Shape* const* shapes, int count);
template <typename... Shapes>
Shape broadcast(Outcome& outcome, const Shapes&... shapes) {
    const Shape* all[] = {&shapes...};
    return broadcast_all(outcome, all, sizeof...(shapes));
}

namespace any {

PB_APART PB_RUNTIME AnyView expand_dims(const AnyView& view, unsigned axes);
PB_APART PB_RUNTIME AnyView squeeze(Outcome& outcome, const AnyView& view, unsigned axes);
PB_APART PB_RUNTIME AnyView swapaxes(Outcome& outcome, const AnyView& view, int axis1, int axis2);
PB_APART PB_RUNTIME AnyView transpose(Outcome& outcome, const AnyView& view, const int* axes,
                                      int count);
PB_APART PB_RUNTIME AnyView transpose(const AnyView& view);
PB_APART PB_RUNTIME AnyView moveaxis(Outcome& outcome, const AnyView& view, const int* from,
                                     const int* to, int count);
PB_APART PB_RUNTIME AnyView flip(const AnyView& view, unsigned axes, int64_t item);
PB_APART PB_RUNTIME AnyView broadcast_to(Outcome& outcome, const AnyView& view, const Shape& shape);
PB_APART PB_RUNTIME AnyView part(Outcome& outcome, const AnyView& view, int axis, int64_t start,
                                 int64_t extent, int64_t item);

}  // namespace any

// The view with axes of length one inserted, so that they stand at `axes` of the result.
template <typename T>
View<T> expand_dims(const View<T>& view, unsigned axes);

template <typename T, int N>
View<T> expand_dims(Outcome& outcome, const View<T>& view, const int (&axes)[N]) {
    const int ndim = view.shape.ndim + N;
    if (!outcome.require(ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes")) return view;
    return expand_dims(view, axis_set(outcome, axes, ndim));
}

// The view without `axes`, each of length one.
template <typename T>
View<T> squeeze(Outcome& outcome, const View<T>& view, unsigned axes);

template <typename T>
View<T> swapaxes(Outcome& outcome, const View<T>& view, int axis1, int axis2);

template <typename T, int N>
View<T> transpose(Outcome& outcome, const View<T>& view, const int (&axes)[N]) {
    return typed<T>(any::transpose(outcome, erased(view), axes, N));
}
template <typename T>
View<T> transpose(const View<T>& view);

// Axes `from` moved to `to`; the others keep their order.
template <typename T, int N>
View<T> moveaxis(Outcome& outcome, const View<T>& view, const int (&from)[N], const int (&to)[N]) {
    return typed<T>(any::moveaxis(outcome, erased(view), from, to, N));
}

// The view read backwards along axes.
template <typename T>
View<T> flip(const View<T>& view, unsigned axes);

// The view repeated along leading axes and axes of length one.
template <typename T>
View<T> broadcast_to(Outcome& outcome, const View<T>& view, const Shape& shape);

// `start:start + extent` of one axis: a part of a concatenation.
template <typename T>
View<T> part(Outcome& outcome, const View<T>& view, int axis, int64_t start, int64_t extent);

}  // namespace pb

#endif  // PULLBACK_KERNEL_TENSOR_H_
