// Operands of a space, and which rows of one pass another needs: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_SPACES_H_
#define PULLBACK_KERNEL_SPACES_H_

#include "pullback/kernel/loops/loop.h"

namespace pb {

constexpr int64_t kGrain = 32768;  // elements; fewer are not worth a part of their own
constexpr int64_t kParts = 16;     // of a job, which threads take one by one

PB_RUNTIME void Space::place(const AnyView& view, int64_t item, int64_t* strides) {
    const int lead = shape.ndim - view.shape.ndim;
    if (!context->fits(broadcasts(view.shape, shape), "shapes do not broadcast")) return;
    for (int d = lead; d < shape.ndim; ++d) {
        const bool repeated = view.shape.at[d - lead] == 1;
        strides[d] = repeated ? 0 : view.strides[d - lead] * item;
    }
}

// What an operand reads, or leaves in memory. A reduction over nothing writes its results too.
PB_RUNTIME Stretch stretch_of(const Operand& operand, const Shape& shape) {
    const char* const array = operand.array();
    if (!array) return {};
    Stretch result{array, array + (operand.reducer ? operand.target_item : operand.item)};
    for (int d = 0; d < shape.ndim; ++d) {
        const int64_t reach = shape.at[d] > 0 ? (shape.at[d] - 1) * operand.array_strides()[d] : 0;
        (reach < 0 ? result.begin : result.end) += reach;
    }
    return result;
}

PB_RUNTIME Operand& Space::begin(int k) {
    count = k + 1;
    return operands[k] = Operand{};
}

PB_RUNTIME void Space::add(int k, const AnyView& view, int64_t item, bool reads) {
    // Passes are joined where one's shape is a part of another's: a loop over no elements never
    // comes to an output that has some.
    context->require(reads || shape.size() > 0 || view.shape.size() == 0, PB_UNSUPPORTED,
                     "an output with elements beside arrays without any");
    Operand& operand = begin(k);
    operand.data = view.data;
    operand.item = operand.row_item = item;
    operand.reads = reads;
    place(view, item, operand.strides);
    operand.stretch = stretch_of(operand, shape);
}

PB_RUNTIME void Space::add_reduction(int k, const Reducer* how, const AnyView& target,
                                     DLDataType dtype, bool mean) {
    const int64_t results = target.shape.size();
    const int front = shape.ndim - target.shape.ndim;
    for (int d = 0; d < shape.ndim && !how->has_identity; ++d) {
        const bool nothing = shape.at[d] == 0 && (d < front || target.shape.at[d - front] == 1);
        context->require(!nothing, PB_INVALID, "a reduction without an identity over nothing");
    }
    const int64_t terms = results > 0 ? shape.size() / results : 1;
    if (same(how->term, dtype) && terms == 1 && shape.size() > 0)
        return add(k, target, how->term_bytes, false);
    Operand& operand = begin(k);
    operand.reducer = how;
    operand.item = how->total_bytes;
    operand.row_item = how->term_bytes;
    operand.target = target;
    operand.target_dtype = dtype;
    operand.target_item = dtype.bits / 8;
    operand.mean = mean;
    int outer = 0;
    while (outer < shape.ndim && shape.at[outer] == 1) ++outer;
    const int lead = shape.ndim - target.shape.ndim;
    const bool across = outer < shape.ndim && (outer < lead || target.shape.at[outer - lead] == 1);
    if (across && shape.size() >= 2 * kGrain && results <= shape.size() / (4 * kParts))
        operand.copies = kParts;
    const AnyView totals = context->any_scratch(target.shape, operand.item, operand.copies);
    operand.data = target.data || context->dry() ? totals.data : nullptr;
    place(totals, operand.item, operand.strides);
    place(target, operand.target_item, operand.target_strides);
    operand.stretch = stretch_of(operand, shape);
}

PB_RUNTIME void Space::cover(const Shape& gradient) {
    if (context->some_undefined) join(shape, gradient);
}

// Along how many leading axes rows of `later` need only the same rows of what `earlier` wrote.
PB_RUNTIME int common_axes(const Space& earlier, const Space& later, int axes) {
    if (axes > later.shape.ndim) axes = later.shape.ndim;
    for (int d = 0; d < axes; ++d) {
        if (earlier.shape.at[d] != later.shape.at[d]) axes = d;
    }
    for (int w = 0; w < earlier.count && axes > 0; ++w) {
        const Operand& written = earlier.operands[w];
        if (written.reads) continue;
        for (int r = 0; r < later.count; ++r) {
            const Operand& other = later.operands[r];
            if (!written.stretch.meets(other.stretch)) continue;
            if (written.array() != other.array()) return 0;
            for (int d = 0; d < axes; ++d) {
                const int64_t stride = written.array_strides()[d];
                const bool follows = stride != 0 || earlier.shape.at[d] == 1;
                if (!follows || stride != other.array_strides()[d]) axes = d;
            }
        }
    }
    return axes;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_SPACES_H_
