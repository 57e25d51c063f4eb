// Operators that show the same memory in another shape.
#include <algorithm>

#include "indexing.h"
#include "library.h"

namespace pullback::standalone {
namespace {

Tensors permuted(const Tensor& source, const std::vector<std::size_t>& order) {
    const Place from(*source.get());
    Place to;
    for (const std::size_t axis : order) to.append(from.shape[axis], from.strides[axis]);
    return {view_at(*source.get(), to)};
}

Shape reshaped(const Shape& wanted, std::int64_t size) {
    Shape shape = wanted;
    std::int64_t known = 1;
    std::int64_t* open = nullptr;
    for (std::int64_t& extent : shape) {
        if (extent >= 0) {
            known *= extent;
        } else if (open != nullptr) {
            throw Error("ValueError: a shape with two unknown lengths");
        } else {
            open = &extent;
        }
    }
    if (open != nullptr) *open = known == 0 ? 0 : size / known;
    if (product(shape) != size) {
        throw Error("ValueError: " + std::to_string(size) + " values do not fill shape " +
                    text_of(wanted));
    }
    return shape;
}

Tensors reshape(const Saved& saved) {
    const Tensor source = contiguous(saved.operand());
    const Shape shape = reshaped(saved.attribute("shape").integers(), source.get()->layout.size());
    return {view_over(*source.get(), source.get()->data, layout_of({source.dtype(), shape}))};
}

Tensors transpose(const Saved& saved) {
    const Tensor source = saved.operand();
    const auto ndim = static_cast<std::size_t>(source.ndim());
    std::vector<std::size_t> order = axes_of(saved.attribute("axes"), ndim);
    if (order.size() != ndim) throw Error("ValueError: transpose names each axis once");
    if (saved.attribute("axes").is_none()) std::reverse(order.begin(), order.end());
    return permuted(source, order);
}

Tensors swapaxes(const Saved& saved) {
    const Tensor source = saved.operand();
    const auto ndim = static_cast<std::size_t>(source.ndim());
    std::vector<std::size_t> order = axes_of({}, ndim);
    std::swap(order[axis_of(saved.attribute("axis1").integer(), ndim)],
              order[axis_of(saved.attribute("axis2").integer(), ndim)]);
    return permuted(source, order);
}

Tensors moveaxis(const Saved& saved) {
    const Tensor source = saved.operand();
    const auto ndim = static_cast<std::size_t>(source.ndim());
    return permuted(source, moved(ndim, axes_of(saved.attribute("source").integers(), ndim),
                                  axes_of(saved.attribute("destination").integers(), ndim)));
}

Tensors flip(const Saved& saved) {
    const Tensor source = saved.operand();
    Place place(*source.get());
    for (const std::size_t axis : axes_of(saved.attribute("axis"), place.ndim())) {
        if (place.shape[axis] > 0) place.offset += (place.shape[axis] - 1) * place.strides[axis];
        place.strides[axis] = -place.strides[axis];
    }
    return {view_at(*source.get(), place)};
}

Tensors broadcast_to_shape(const Tensor& source, const Shape& shape) {
    const Place from(*source.get());
    if (broadcast(from.shape, shape) != shape) {
        throw Error("ValueError: shape " + text_of(from.shape) + " does not broadcast to " +
                    text_of(shape));
    }
    Place to;
    const std::size_t lead = shape.size() - from.ndim();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool own = axis >= lead && from.shape[axis - lead] == shape[axis];
        to.append(shape[axis], own ? from.strides[axis - lead] : 0);
    }
    return {view_at(*source.get(), to)};
}

Tensors broadcast_to(const Saved& saved) {
    return broadcast_to_shape(saved.operand(), saved.attribute("shape").integers());
}

Tensors broadcast_like(const Saved& saved) {
    const Like& like = saved.attribute("like").like();
    return broadcast_to_shape(as_dtype(saved.operand(), like.dtype), like.shape);
}

Tensors expect_like(const Saved& saved) {
    const Like& like = saved.attribute("like").like();
    const Tensor source = saved.operand();
    const Shape have = Place(*source.get()).shape;
    if (have != like.shape) {
        throw Error("GradientShapeError: an output has shape " + text_of(like.shape) +
                    ", its part of v " + text_of(have));
    }
    return {as_dtype(source, like.dtype)};
}

Tensors expand_dims(const Saved& saved) {
    const Tensor source = saved.operand();
    const Place from(*source.get());
    const Shape given = saved.attribute("axis").integers();
    const std::vector<std::size_t> axes = axes_of(given, from.ndim() + given.size());
    Place to;
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < from.ndim() + given.size(); ++axis) {
        if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
            to.append(1, 0);
        } else {
            to.append(from.shape[next], from.strides[next]);
            ++next;
        }
    }
    return {view_at(*source.get(), to)};
}

Tensors squeeze(const Saved& saved) {
    const Tensor source = saved.operand();
    const Place from(*source.get());
    const Attribute& given = saved.attribute("axis");
    const std::vector<std::size_t> axes = axes_of(given, from.ndim());
    Place to;
    for (std::size_t axis = 0; axis < from.ndim(); ++axis) {
        const bool named = std::find(axes.begin(), axes.end(), axis) != axes.end();
        if (named && !given.is_none() && from.shape[axis] != 1) {
            throw Error("ValueError: squeeze of an axis of length " +
                        std::to_string(from.shape[axis]));
        }
        if (!named || from.shape[axis] != 1) to.append(from.shape[axis], from.strides[axis]);
    }
    return {view_at(*source.get(), to)};
}

Tensors getitem(const Saved& saved) {
    const Tensor source = saved.operand();
    return {
        view_at(*source.get(), indexed(Place(*source.get()), saved.attribute("index").index()))};
}

Tensors diagonal(const Saved& saved) {
    const Tensor source = saved.operand();
    return {view_at(*source.get(), diagonal_of(Place(*source.get()), saved))};
}

Tensors stop_gradient(const Saved& saved) { return {saved.operand()}; }

}  // namespace

std::vector<std::size_t> moved(std::size_t ndim, const std::vector<std::size_t>& source,
                               const std::vector<std::size_t>& destination) {
    if (source.size() != destination.size()) {
        throw Error("ValueError: moveaxis of as many axes as places");
    }
    constexpr auto kOpen = static_cast<std::size_t>(-1);
    std::vector<std::size_t> order(ndim, kOpen);
    for (std::size_t i = 0; i < source.size(); ++i) order[destination[i]] = source[i];
    std::size_t place = 0;
    for (std::size_t axis = 0; axis < ndim; ++axis) {
        if (std::find(source.begin(), source.end(), axis) != source.end()) continue;
        while (order[place] != kOpen) ++place;
        order[place] = axis;
    }
    return order;
}

Place diagonal_of(const Place& from, const Saved& saved) {
    const std::size_t row = axis_of(saved.attribute("axis1").integer(), from.ndim());
    const std::size_t column = axis_of(saved.attribute("axis2").integer(), from.ndim());
    if (row == column) throw Error("ValueError: the diagonal of two different axes");
    const std::int64_t offset = saved.attribute("offset").integer();
    const std::int64_t down = std::max<std::int64_t>(-offset, 0);
    const std::int64_t right = std::max<std::int64_t>(offset, 0);
    Place to;
    to.offset = from.offset;
    for (std::size_t axis = 0; axis < from.ndim(); ++axis) {
        if (axis != row && axis != column) to.append(from.shape[axis], from.strides[axis]);
    }
    const std::int64_t length =
        std::max<std::int64_t>(std::min(from.shape[row] - down, from.shape[column] - right), 0);
    if (length > 0) to.offset += down * from.strides[row] + right * from.strides[column];
    to.append(length, from.strides[row] + from.strides[column]);
    return to;
}

void add_views(Library& library) {
    library.add_primitive("reshape", reshape);
    library.add_primitive("transpose", transpose);
    library.add_primitive("swapaxes", swapaxes);
    library.add_primitive("moveaxis", moveaxis);
    library.add_primitive("flip", flip);
    library.add_primitive("broadcast_to", broadcast_to);
    library.add_primitive("broadcast_like", broadcast_like);
    library.add_primitive("expect_like", expect_like);
    library.add_primitive("expand_dims", expand_dims);
    library.add_primitive("squeeze", squeeze);
    library.add_primitive("getitem", getitem);
    library.add_primitive("diagonal", diagonal);
    library.add_constant("stop_gradient", stop_gradient, 1);
}

}  // namespace pullback::standalone
