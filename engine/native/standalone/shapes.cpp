#include "shapes.h"

#include <algorithm>

namespace pullback::standalone {

Place::Place(const pb_value& value)
    : shape(shape_of(value)), strides(static_cast<std::size_t>(value.layout.ndim())) {
    value.layout.copy_strides(strides.data());
}

Tensor view_at(const pb_value& source, const Place& place) {
    const DType dtype = source.layout.dtype();
    const int ndim = static_cast<int>(place.ndim());
    std::int64_t dense = 1;
    bool in_order = true;
    for (std::size_t axis = place.ndim(); axis-- > 0;) {
        in_order = in_order && (place.shape[axis] == 1 || place.strides[axis] == dense);
        dense *= place.shape[axis];
    }
    const Layout layout = in_order || dense == 0 ? Layout::c_order(dtype, ndim, place.shape.data())
                                                 : Layout::strided(dtype, ndim, place.shape.data(),
                                                                   place.strides.data(), true);
    const auto bytes = static_cast<std::int64_t>(item_size(dtype));
    return view_over(source, source.data + place.offset * bytes, layout);
}

std::int64_t product(const Shape& shape) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    return size;
}

std::string text_of(const Shape& shape) {
    return Layout::c_order(0, static_cast<int>(shape.size()), shape.data()).shape_text();
}

Shape shape_of(const pb_value& value) {
    return Shape(value.layout.shape(), value.layout.shape() + value.layout.ndim());
}

std::size_t axis_of(std::int64_t axis, std::size_t ndim) {
    const auto rank = static_cast<std::int64_t>(ndim);
    if (axis < -rank || axis >= rank) {
        throw Error("ValueError: there is no axis " + std::to_string(axis) + " among " +
                    std::to_string(ndim));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<std::size_t> axes_of(const Attribute& axes, std::size_t ndim) {
    std::vector<std::size_t> found;
    if (axes.is_none()) {
        for (std::size_t axis = 0; axis < ndim; ++axis) found.push_back(axis);
        return found;
    }
    for (const std::int64_t axis : axes.integers()) {
        found.push_back(axis_of(axis, ndim));
        if (std::count(found.begin(), found.end(), found.back()) > 1) {
            throw Error("ValueError: axis " + std::to_string(axis) + " is given twice");
        }
    }
    return found;
}

Shape broadcast(const Shape& a, const Shape& b) {
    const Shape& longer = a.size() >= b.size() ? a : b;
    const Shape& shorter = a.size() >= b.size() ? b : a;
    Shape result = longer;
    const std::size_t lead = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& extent = result[lead + i];
        if (extent == 1) {
            extent = shorter[i];
        } else if (shorter[i] != 1 && shorter[i] != extent) {
            throw Error("ValueError: shapes " + text_of(a) + " and " + text_of(b) +
                        " do not broadcast");
        }
    }
    return result;
}

}  // namespace pullback::standalone
