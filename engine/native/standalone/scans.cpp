// Operators that run along an axis.
#include "kernels.h"
#include "library.h"
#include "loops.h"
#include "pullback/operators.h"
#include "shapes.h"

namespace pullback::standalone {
namespace {

/// combine(sum so far, next) along an axis; without one, along all values in C order.
template <typename Combine>
Tensors scan(const Saved& saved, Combine&& combine) {
    const Attribute& given = saved.attribute("axis");
    Tensor a = saved.operand();
    if (same(a.dtype(), kBool)) a = as_dtype(a, kInt64);
    if (given.is_none()) a = reshape(a, {-1});
    a = contiguous(a);
    const Shape shape = a.shape();
    const std::size_t axis = axis_of(given.is_none() ? 0 : given.integer(), shape.size());
    std::int64_t width = 1;
    for (std::size_t k = axis + 1; k < shape.size(); ++k) width *= shape[k];
    const std::int64_t length = shape[axis];
    Tensor made = allocate(a.get()->layout);
    with_type(a.dtype(), [&](auto type) {
        using T = decltype(type);
        const T* from = elements<const T>(a);
        T* to = elements<T>(made);
        for (std::int64_t i = 0; i < a.get()->layout.size(); ++i) {
            const bool first = i / width % length == 0;
            to[i] = first ? from[i] : static_cast<T>(combine(to[i - width], from[i]));
        }
    });
    return {made};
}

Tensors cumsum(const Saved& saved) {
    return scan(saved, [](auto a, auto b) { return a + b; });
}
Tensors cumprod(const Saved& saved) {
    return scan(saved, [](auto a, auto b) { return a * b; });
}

Tensors linear_recurrence(const Saved& saved) {
    const Tensor operands[] = {saved.input(0), saved.input(1)};
    const DLDataType dtype = promoted(operands);
    Tensor a = as_dtype(operands[0], dtype), b = as_dtype(operands[1], dtype);
    const Shape shape = broadcast(a.shape(), b.shape());
    if (shape.empty()) throw Error("ValueError: linear_recurrence of a single value");
    a = contiguous(broadcast_to(a, shape));
    b = contiguous(broadcast_to(b, shape));
    const std::int64_t length = shape.back();
    const bool reverse = saved.attribute("reverse").truth();
    Tensor made = allocate(b.get()->layout);
    with_type(dtype, [&](auto type) {
        using T = decltype(type);
        const T* factors = elements<const T>(a);
        const T* terms = elements<const T>(b);
        T* to = elements<T>(made);
        for (std::int64_t row = 0; row < b.get()->layout.size(); row += length) {
            T carried{};
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t at = row + (reverse ? length - 1 - i : i);
                to[at] = carried = static_cast<T>(terms[at] + factors[at] * carried);
            }
        }
    });
    return {made};
}

}  // namespace

void add_scans(Library& library) {
    library.add_primitive("cumsum", cumsum);
    library.add_primitive("cumprod", cumprod);
    library.add_primitive("linear_recurrence", linear_recurrence);
}

}  // namespace pullback::standalone
