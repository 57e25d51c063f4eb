// Axes, shapes and strides.
#pragma once

#include <string>
#include <vector>

#include "value.h"

namespace pullback::standalone {

/// Shape and strides of a view that is being made.
struct Place {
    Shape shape;
    Shape strides;  // in elements
    std::int64_t offset = 0;

    explicit Place(const pb_value& value);
    Place() = default;
    std::size_t ndim() const { return shape.size(); }
    void append(std::int64_t extent, std::int64_t stride) {
        shape.push_back(extent);
        strides.push_back(stride);
    }
};

/// A view over a tensor's memory.
Tensor view_at(const pb_value& source, const Place& place);

std::int64_t product(const Shape& shape);
std::string text_of(const Shape& shape);
Shape shape_of(const pb_value& value);

/// An axis counted from the front. Throws Error where there is none.
std::size_t axis_of(std::int64_t axis, std::size_t ndim);
/// Axes counted from the front, each once; all of them for nothing.
std::vector<std::size_t> axes_of(const Attribute& axes, std::size_t ndim);
/// What shapes broadcast to. Throws Error where they do not.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace pullback::standalone
