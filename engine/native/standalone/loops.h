// Entry by entry over arrays of one shape and any strides.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pullback/each_row.h"
#include "value.h"

namespace pullback::standalone {

/// An array as a loop reads it: strides of the loop's axes, in elements; zero where it is repeated.
template <int N>
struct Walk {
    Shape shape;
    std::array<std::vector<std::int64_t>, N> strides;

    explicit Walk(Shape over) : shape(std::move(over)) {}

    /// The array, broadcast to the shape. Throws Error where it does not fit.
    void add(int position, const pb_value& value) {
        const Layout& layout = value.layout;
        const auto ndim = static_cast<std::size_t>(layout.ndim());
        std::vector<std::int64_t> own(ndim + 1);
        layout.copy_strides(own.data());
        std::vector<std::int64_t>& steps = strides[static_cast<std::size_t>(position)];
        steps.assign(shape.size(), 0);
        const std::size_t lead = shape.size() - ndim;
        for (std::size_t axis = 0; axis < ndim; ++axis) {
            const std::int64_t extent = layout.shape(static_cast<int>(axis));
            if (ndim > shape.size() || (extent != 1 && extent != shape[lead + axis])) {
                throw Error("ValueError: shape " + layout.shape_text() + " does not broadcast");
            }
            if (extent != 1) steps[lead + axis] = own[axis];
        }
    }

    /// See `pullback::each_row`.
    template <typename Body>
    void each_row(Body&& body) const {
        std::array<const std::int64_t*, N> steps;
        for (std::size_t k = 0; k < N; ++k) steps[k] = strides[k].data();
        pullback::each_row(std::span(shape), steps, body);
    }
};

/// to[i] = function(from[i]...) for every entry of `to`'s shape.
template <typename R, typename... T, typename F>
void map(F&& function, pb_value& to, const std::same_as<pb_value> auto&... from) {
    constexpr int kArrays = 1 + sizeof...(from);
    Walk<kArrays> walk(Shape(to.layout.shape(), to.layout.shape() + to.layout.ndim()));
    int position = 0;
    walk.add(position++, to);
    (walk.add(position++, from), ...);
    const std::array<const char*, sizeof...(from)> data = {from.data...};
    walk.each_row([&](const auto& offsets, const auto& steps, std::int64_t size) {
        R* row = reinterpret_cast<R*>(to.data) + offsets[0];
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            for (std::int64_t i = 0; i < size; ++i) {
                row[i * steps[0]] = function(
                    reinterpret_cast<const T*>(data[K])[offsets[K + 1] + i * steps[K + 1]]...);
            }
        }(std::index_sequence_for<T...>{});
    });
}

/// Calls body with a value of the C++ type of a dtype. Throws Error for one without.
template <typename Body>
decltype(auto) with_type(DLDataType dtype, Body&& body) {
    if (same(dtype, kFloat32)) return body(float{});
    if (same(dtype, kFloat64)) return body(double{});
    if (same(dtype, kInt64)) return body(std::int64_t{});
    if (same(dtype, kBool)) return body(bool{});
    throw Error("TypeError: this engine has tensors of float32, float64, int64 and bool");
}

}  // namespace pullback::standalone
