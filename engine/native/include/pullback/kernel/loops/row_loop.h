// Passes by rows, of kernel/loops/once.h: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_ROW_LOOP_H_
#define PULLBACK_KERNEL_ROW_LOOP_H_

#include "pullback/kernel/loops/once.h"
#include "pullback/kernel/loops/rows.h"

namespace pb {

constexpr int64_t kShortRow = 32;    // elements; shorter ones are better done several at once
constexpr int64_t kWaitingRows = 8;  // that are stored together
constexpr int64_t kAheadRows = 1;    // that are prefetched at once
constexpr int64_t kLine = 64;        // bytes of the cache
// Terms of a row, at most, that its loop adds up in their own type, a few of them to each lane of a
// vector. Such sums are added up in a wider type.
constexpr int64_t kSummed = 1024;

// True if a row is used where it lies.
PB_RUNTIME bool lies_well(const Operand& operand) {
    return operand.unit || (operand.once && operand.data);
}

// True if the loop adds up terms of a row in a type that is narrower than that of the totals.
PB_RUNTIME bool sums_narrowly(const Space& space) {
    bool narrowly = false;
    for (int k = 0; k < space.count; ++k) {
        const Operand& operand = space.operands[k];
        const Reducer* const reducer = operand.once ? operand.reducer : nullptr;
        narrowly = narrowly || (reducer && reducer->total_bytes > reducer->term_bytes);
    }
    return narrowly;
}

// True if a pass goes by rows: these are long, and what the loop takes for one value is one.
PB_RUNTIME bool goes_by_rows(Space& space) {
    const int inner = space.merged.ndim - 1;
    if (!space.may_go_by_rows || inner < 0 || space.merged.at[inner] < kShortRow) return false;
    for (int k = 0; k < space.count; ++k) {
        Operand& operand = space.operands[k];
        operand.still = true;
        for (int d = 0; d < inner; ++d) operand.still = operand.still && operand.steps[d] == 0;
        const bool one = operand.steps[inner] == 0 && (operand.reads || operand.reducer);
        if (operand.once && !one) return false;
    }
    return true;
}

PB_RUNTIME void RowLoop::start(const Space& space, const Memory& memory, int64_t begin) {
    Loop::start(space, memory, begin);
    moves_ = memory.moves;
    longest_ = sums_narrowly(space) && extent_ > kSummed ? kSummed : extent_;
    loads_ = stores_ = false;
    bool lie_well = true;  // all rows that are read
    for (int k = 0; k < space.count; ++k) {
        const Operand& operand = space.operands[k];
        moves_[k] = 0;
        if (lies_well(operand)) {
            if (inner_ > 0) moves_[k] = operand.steps[inner_ - 1];
            continue;
        }
        if (longest_ > memory.stretch) longest_ = memory.stretch;
        lie_well = lie_well && !operand.reads;
        loads_ = loads_ || (operand.reads && !operand.still);
        if (operand.reads || !operand.data) continue;
        stores_ = true;
        moves_[k] = extent_ * operand.row_item;
    }
    most_ = extent_ <= memory.stretch ? memory.stretch / extent_ : 1;
    if (most_ > kWaitingRows) most_ = kWaitingRows;
    for (int k = 0; k < space.count; ++k) {
        if (space.operands[k].source >= 0 && !follows_itself(space.operands[k].source)) most_ = 1;
    }
    waiting_ = 0;
    leaps_ = inner_ == 1 && lie_well && longest_ >= extent_ && space.row % extent_ == 0;
}

// True if each row of an operand begins where the one before ends.
PB_RUNTIME bool RowLoop::follows_itself(int k) const {
    const Operand& operand = space_->operands[k];
    return lies_well(operand) && inner_ > 0 && moves_[k] == extent_ * operand.item;
}

PB_RUNTIME void RowLoop::go_on(int64_t end) {
    Loop::go_on(end);
    done_ = turn_ = 0;
}

// The same as `go_to_next` where nothing is to be brought, and no row is cut.
PB_RUNTIME bool RowLoop::leap() {
    if (stores_ && done_ > 0) {
        waiting_ = done_;
        store_waiting();
    }
    index_[0] += done_;
    done_ = (end_ - position_) / extent_;
    turn_ = 0;
    if (done_ == 0) return false;
    if (stores_ && done_ > most_) done_ = most_;
    if (space_->ask_count > 0 && done_ > kAheadRows) done_ = kAheadRows;
    position_ += done_ * extent_;
    first_[0] = index_[0];
    width_ = size = extent_;
    for (int k = 0; k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        char* const base = operand.reducer ? bases_[k] : operand.data;
        rows_[k] = lies_well(operand) ? base + index_[0] * moves_[k] : buffer_of(k);
    }
    // Not in a function of its own: as it has no result, the compiler would leave out the call.
    const int64_t elements = done_ * extent_;
    for (int k = 0; k < space_->ask_count; ++k) {
        const Space::Ask& ask = space_->asks[k];
        const char* const rows = ask.rows + (position_ - elements) * ask.item;
        for (int64_t at = 0; at < elements * ask.item; at += kLine)
            __builtin_prefetch(rows + at, 0, 2);
    }
    return true;
}

// What is due behind the rows that are done, and the next one.
PB_RUNTIME bool RowLoop::go_to_next() {
    if (leaps_) return leap();
    const bool whole = size == extent_;
    bool follows = false;  // the row before, along the last but one axis
    if (size > 0) {
        waiting_ += done_;
        if (waiting_ >= most_ || !whole) store_waiting();
        column_ += size;
        if (column_ == extent_) {
            column_ = 0;
            advance(index_, done_);
            follows = whole && inner_ > 0 && index_[inner_ - 1] > 0;
        }
    }
    int64_t width = extent_ - column_;
    if (width > longest_) width = longest_;
    if (width > end_ - position_) width = end_ - position_;
    if (waiting_ > 0 && width != extent_) store_waiting();
    if (width == 0) return false;
    if (waiting_ == 0) {
        for (int d = 0; d < inner_; ++d) first_[d] = index_[d];
    }
    width_ = size = width;
    place(follows);
    turn_ = 0;
    done_ = 1;
    if (width == extent_ && inner_ > 0 && !loads_) {
        done_ = (end_ - position_) / extent_;
        const int64_t along = rows_along(index_);
        if (done_ > along) done_ = along;
        if (stores_ && done_ > most_ - waiting_) done_ = most_ - waiting_;
    }
    position_ += done_ * width;
    return true;
}

PB_RUNTIME void RowLoop::place(bool follows) {
    for (int k = 0; k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        if (lies_well(operand)) {
            rows_[k] = follows ? rows_[k] + done_ * moves_[k] : address_of(k, index_);
            continue;
        }
        rows_[k] = buffer_of(k);
        if (!operand.reads)
            rows_[k] += waiting_ * moves_[k];
        else if (!(operand.still && held_[k] && held_size_ >= size && extent_ == size))
            load(k);
    }
    held_size_ = size;
}

// Rows that went through a buffer, from the first that waits.
PB_RUNTIME void RowLoop::store_waiting() {
    if (!stores_) {
        waiting_ = 0;
        return;
    }
    int64_t now[PB_MAX_DIMS];
    for (int d = 0; d < inner_; ++d) {
        now[d] = index_[d];
        index_[d] = first_[d];
    }
    stretch_rows_ = waiting_;
    for (int k = 0; k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        const bool there = operand.reducer ? bases_[k] != nullptr : operand.data != nullptr;
        if (operand.reads || !there || operand.unit || operand.once) continue;
        const int source = operand.source;
        if (source < 0)
            store(k, buffer_of(k));
        else
            store(k, follows_itself(source) ? address_of(source, index_) : rows_[source]);
    }
    stretch_rows_ = 1;
    waiting_ = 0;
    for (int d = 0; d < inner_; ++d) index_[d] = now[d];
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_ROW_LOOP_H_
