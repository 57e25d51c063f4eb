// The grouping of passes that go through memory together: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_PASSES_H_
#define PULLBACK_KERNEL_PASSES_H_

#include "pullback/kernel/loops/group.h"

namespace pb {

PB_RUNTIME Space& PassList::space(const Shape& shape) {
    Space& space = spaces_[count_] = Space{};
    space.operands =
        count_ == 0 ? operands_ : spaces_[count_ - 1].operands + spaces_[count_ - 1].count;
    space.shape = shape;
    space.context = &context_;
    ++count_;
    return space;
}

PB_RUNTIME void Space::no_loop() {
    each([](Loop& loop) {
        while (loop.next()) {
        }
    });
}

// The leading axes along which a lone pass is split: not those of its reductions if that is enough.
PB_RUNTIME int own_axes(const Space& space) {
    if (space.shape.size() == 0) return 0;  // one row of nothing, whose totals are due
    int64_t rows = 1;
    for (int d = 0; d < space.shape.ndim; ++d) {
        bool splits = true;
        for (int k = 0; k < space.count; ++k) {
            const Operand& operand = space.operands[k];
            splits =
                splits && (!operand.reducer || operand.strides[d] != 0 || space.shape.at[d] == 1);
        }
        if (!splits) return rows >= 4 * kParts ? d : space.shape.ndim;
        rows *= space.shape.at[d];
    }
    return space.shape.ndim;
}

PB_RUNTIME int64_t rows_of(const Shape& shape, int axes) {
    int64_t rows = 1;
    for (int d = 0; d < axes; ++d) rows *= shape.at[d];
    return rows;
}

// Fewer axes where parts of all of them would add to totals of which there is one copy.
PB_RUNTIME int parted_axes(const Space* spaces, int count, int axes) {
    for (; axes > 1 && rows_of(spaces[0].shape, axes - 1) >= kParts; --axes) {
        bool adds = false;
        for (int p = 0; p < count; ++p) {
            for (int k = 0; k < spaces[p].count; ++k) {
                const Operand& operand = spaces[p].operands[k];
                adds = adds || (operand.reducer && operand.copies == 1 &&
                                operand.strides[axes - 1] == 0 && spaces[p].shape.at[axes - 1] > 1);
            }
        }
        if (!adds) break;
    }
    return axes;
}

// True if the group can run; it does not begin where a loop is compiled for other rows.
PB_RUNTIME bool PassList::prepare(Group& group) {
    group.prepare();
    context_.other_loops = !group.is_compiled();
    return context_.require(!context_.other_loops, PB_UNSUPPORTED, "compiled for other rows");
}

// Gradients and hidden outputs may be nobody's: what only they need is not computed.
PB_RUNTIME void PassList::keep_needed() {
    int count = 0;
    for (int p = 0; p < count_; ++p) {
        if (!spaces_[p].is_needed()) continue;
        if (count < p) spaces_[count] = spaces_[p];
        ++count;
    }
    count_ = count;
}

PB_RUNTIME void PassList::run() {
    if (!context_.ok() || context_.dry()) return;
    keep_needed();
    for (int first = 0; first < count_;) {
        int axes = spaces_[first].shape.ndim;
        int last = first + 1;
        for (; last < count_; ++last) {
            int joint = axes;
            for (int p = first; p < last; ++p)
                joint = common_axes(spaces_[p], spaces_[last], joint);
            if (rows_of(spaces_[first].shape, joint) < 2) break;
            axes = joint;
        }
        if (last == first + 1)
            axes = own_axes(spaces_[first]);
        else
            axes = parted_axes(spaces_ + first, last - first, axes);
        Group group(spaces_ + first, last - first, axes);
        if (!prepare(group)) return;
        group.run(context_.runtime(), 0, rows_of(spaces_[first].shape, axes));
        first = last;
    }
}

PB_RUNTIME void PassList::run_units() {
    const Shape& shape = spaces_[0].shape;
    context_.units = shape.size();
    if (!context_.ok() || context_.dry() || context_.units == 0) return;
    const int64_t end = context_.end() < context_.units ? context_.end() : context_.units;
    Group group(spaces_, 1, shape.ndim);
    if (!prepare(group)) return;
    group.run(context_.runtime(), context_.begin(), end);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_PASSES_H_
