// Operators that join tensors.
#include "copy.h"
#include "kernels.h"
#include "library.h"
#include "pullback/operators.h"
#include "shapes.h"

namespace pullback::standalone {
namespace {

Tensor joined(Tensors parts, const Attribute& given) {
    if (parts.empty()) throw Error("ValueError: at least one tensor is needed to join");
    const DLDataType dtype = promoted(parts);
    for (Tensor& part : parts) part = as_dtype(part, dtype);
    if (given.is_none()) {
        for (Tensor& part : parts) part = reshape(part, {-1});
    }
    const Shape first = parts[0].shape();
    const std::size_t axis = axis_of(given.is_none() ? 0 : given.integer(), first.size());
    Shape shape = first;
    shape[axis] = 0;
    for (const Tensor& part : parts) {
        Shape own = part.shape();
        const std::int64_t length = own.size() > axis ? own[axis] : 0;
        if (own.size() > axis) own[axis] = first[axis];
        if (own != first) {
            throw Error("ValueError: tensors of shapes " + text_of(first) + " and " +
                        text_of(part.shape()) + " differ in another axis than " +
                        std::to_string(axis) + ", along which they are joined");
        }
        shape[axis] += length;
    }
    const Tensor whole = allocate(Like{dtype, shape});
    Place place(*whole.get());
    for (const Tensor& part : parts) {
        place.shape[axis] = part.shape()[axis];
        const Tensor target = view_at(*whole.get(), place);
        copy_values(*part.get(), *target.get());
        place.offset += place.shape[axis] * place.strides[axis];
    }
    return whole;
}

Tensors concatenate(const Saved& saved) {
    return {joined(saved.inputs(), saved.attribute("axis"))};
}

Tensors stack(const Saved& saved) {
    Tensors parts = saved.inputs();
    for (Tensor& part : parts) part = expand_dims(part, saved.attribute("axis"));
    return {joined(parts, saved.attribute("axis"))};
}

Tensors vstack(const Saved& saved) {
    Tensors parts = saved.inputs();
    for (Tensor& part : parts) {
        if (part.ndim() == 0) part = reshape(part, {1});
        if (part.ndim() == 1) part = expand_dims(part, 0);
    }
    return {joined(parts, 0)};
}

Tensors hstack(const Saved& saved) {
    Tensors parts = saved.inputs();
    for (Tensor& part : parts) {
        if (part.ndim() == 0) part = reshape(part, {1});
    }
    return {joined(parts, parts.empty() || parts[0].ndim() == 1 ? 0 : 1)};
}

}  // namespace

void add_joins(Library& library) {
    library.add_primitive("concatenate", concatenate);
    library.add_primitive("stack", stack);
    library.add_primitive("vstack", vstack);
    library.add_primitive("hstack", hstack);
}

}  // namespace pullback::standalone
