// Loops of kernel/loops/loop.h over rows: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_ROWS_H_
#define PULLBACK_KERNEL_ROWS_H_

#include "pullback/kernel/loops/loop.h"
#include "pullback/kernel/loops/moves.h"

namespace pb {

constexpr int64_t kStretch = 1024;  // elements of a buffered row, at most
// The same where results go past the caches: so few that the processor computes the next ones while
// these are on their way to memory.
constexpr int64_t kStreamStretch = 96;
constexpr int64_t kStreamFew = 256;  // for at most three operands
constexpr int64_t kBuffers = 32768;  // bytes of all buffers, about
constexpr int64_t kTileRows = 16;    // of a tile whose rows lie across those of some operand
constexpr int64_t kItem = 8;         // bytes of the largest element

// True if rows of the space lie across an operand's memory, so that tiles are worth it.
PB_RUNTIME bool lies_across(const Operand& operand, int inner) {
    if (inner < 1) return false;
    const int64_t along = operand.steps[inner] < 0 ? -operand.steps[inner] : operand.steps[inner];
    return along > operand.item && operand.steps[inner - 1] == operand.item;
}

PB_RUNTIME void Loop::start(const Space& space, const Memory& memory, int64_t begin) {
    space_ = &space;
    rows_ = memory.rows;
    held_ = memory.held;
    buffers_ = memory.buffers;
    bases_ = memory.totals;
    buffer_bytes_ = memory.stretch * kItem;
    position_ = end_ = begin;
    stretch_rows_ = 1;
    width_ = 0;
    const Shape& shape = space.merged;
    inner_ = shape.ndim - 1;
    extent_ = inner_ < 0 ? 1 : shape.at[inner_];
    bool buffered = false;
    bool across = false;
    bool totals_of_rows = false;
    for (int k = 0; k < space.count; ++k) {
        const Operand& operand = space.operands[k];
        const bool of_rows = operand.reducer && inner_ >= 0 && operand.steps[inner_] == 0;
        totals_of_rows = totals_of_rows || of_rows;
        buffered = buffered || !operand.unit;
        across = across || lies_across(operand, inner_);
    }
    flat_ = is_flat(space);
    streams_ = !flat_ && only_streams(space);
    longest_ = buffered ? memory.stretch : extent_;
    together_ = extent_ > 0 && extent_ <= memory.stretch / 2 ? memory.stretch / extent_ : 1;
    // Where no row goes through a buffer, none bounds how many are done at once. A long row that is
    // summed is in parts still, which rounds less.
    if (space.buffers == 0 && inner_ > 0 && (extent_ <= longest_ || !totals_of_rows)) {
        longest_ = extent_;
        together_ = shape.at[inner_ - 1];
    }
    if (across && together_ < kTileRows && shape.at[inner_ - 1] >= kTileRows / 2) {
        together_ = kTileRows;
        longest_ = memory.stretch / kTileRows;
    }
    // Where many rows follow along an axis, stretches end with it, and all are about as long: what
    // is the same along the axis stays in its buffer from one to the next.
    const int64_t along = inner_ > 0 ? shape.at[inner_ - 1] : 0;
    ends_with_axis_ = together_ > 1 && along >= 2 * together_;
    if (ends_with_axis_) {
        const int64_t stretches = (along + together_ - 1) / together_;
        together_ = (along + stretches - 1) / stretches;
    }
    int64_t rest = extent_ > 0 ? begin / extent_ : 0;
    for (int d = inner_ - 1; d >= 0; --d) {
        index_[d] = rest > 0 ? rest % shape.at[d] : 0;
        rest = rest > 0 ? rest / shape.at[d] : 0;
    }
    column_ = last_column_ = extent_ > 0 ? begin % extent_ : 0;
}

PB_RUNTIME bool Loop::is_flat(const Space& space) const {
    bool flat = inner_ == 0;
    for (int k = 0; k < space.count; ++k) flat = flat && space.operands[k].flat;
    return flat;
}

PB_RUNTIME bool Loop::only_streams(const Space& space) const {
    bool only = inner_ == 0;
    for (int k = 0; k < space.count; ++k) {
        const Operand& operand = space.operands[k];
        const bool streams = operand.streams && operand.dense;
        const bool unneeded = !operand.reads && !operand.reducer && !operand.data;
        const bool number = operand.reads && operand.steps[0] == 0;
        only = only && (operand.flat || streams || unneeded || number);
    }
    return only;
}

PB_RUNTIME bool Loop::next_of_flat() {
    if (position_ >= end_) return false;
    for (int k = 0; k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        rows_[k] = operand.data + position_ * operand.item;
    }
    size = end_ - position_;
    position_ = end_;
    return true;
}

PB_RUNTIME bool Loop::next_of_streams() {
    for (int k = 0; size > 0 && k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        if (!operand.streams) continue;
        char* const to = operand.data + (position_ - size) * operand.item;
        stream_row(rows_[k], to, size * operand.item);
    }
    width_ = size = end_ - position_ < longest_ ? end_ - position_ : longest_;
    for (int k = 0; k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        if (operand.flat) {
            rows_[k] = operand.data + position_ * operand.item;
            if (operand.reads) ask_for_next(rows_[k], size * operand.item);
        } else {
            rows_[k] = buffer_of(k);
            if (operand.reads && size > held_size_) load(k);
        }
    }
    if (size > held_size_) held_size_ = size;
    position_ += size;
    return size > 0;
}

PB_RUNTIME void Loop::go_on(int64_t end) {
    end_ = end;
    size = 0;
    held_size_ = 0;
    for (int k = 0; k < space_->count; ++k) held_[k] = nullptr;
}

PB_RUNTIME bool Loop::next() {
    if (flat_) return next_of_flat();
    if (streams_) return next_of_streams();
    if (size > 0) finish_stretch();
    if (column_ == last_column_) {
        if (position_ >= end_) return false;
        begin_rows();
    }
    width_ = last_column_ - column_;
    if (width_ > longest_) width_ = longest_;
    size = stretch_rows_ * width_;
    for (int k = 0; k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        if (lies_there(operand)) {
            rows_[k] = address_of(k, index_);
            if (operand.reads && space_->streams) ask_for_next(rows_[k], size * operand.item);
        } else {
            rows_[k] = buffer_of(k);
            if (operand.reads) load(k);
        }
    }
    return true;
}

// The next rows: several whole ones, one, or the part of one that is left.
PB_RUNTIME void Loop::begin_rows() {
    const int64_t left = end_ - position_;
    column_ = column_ == extent_ ? 0 : column_;
    stretch_rows_ = 1;
    last_column_ = extent_;
    if (column_ == 0 && left >= extent_) {
        stretch_rows_ = left / extent_ < together_ ? left / extent_ : together_;
        const int64_t along = rows_along(index_);
        if (ends_with_axis_ && stretch_rows_ > along) stretch_rows_ = along;
    } else if (left < extent_ - column_) {
        last_column_ = column_ + left;
    }
    position_ += stretch_rows_ * (last_column_ - column_);
}

PB_RUNTIME char* Loop::address_of(int k, const int64_t* index) const {
    const Operand& operand = space_->operands[k];
    char* address = operand.reducer ? bases_[k] : operand.data;
    if (!address) return nullptr;
    for (int d = 0; d < inner_; ++d) address += index[d] * operand.steps[d];
    return inner_ < 0 ? address : address + column_ * operand.steps[inner_];
}

PB_RUNTIME void Loop::advance(int64_t* index, int64_t by) const {
    for (int d = inner_ - 1; d >= 0 && by > 0; --d) {
        index[d] += by;
        by = 0;
        while (index[d] >= space_->merged.at[d]) {
            index[d] -= space_->merged.at[d];
            ++by;
        }
    }
}

// Calls move(rows, address, count, step) for rows that are `step` bytes apart at the address.
template <typename Move>
void Loop::each_run(int k, char* rows, const Move& move) const {
    const Operand& operand = space_->operands[k];
    if (inner_ < 1) {
        move(rows, address_of(k, index_), stretch_rows_, int64_t{0});
        return;
    }
    int64_t index[PB_MAX_DIMS];
    for (int d = 0; d < inner_; ++d) index[d] = index_[d];
    for (int64_t done = 0; done < stretch_rows_;) {
        int64_t run = rows_along(index);
        if (run > stretch_rows_ - done) run = stretch_rows_ - done;
        move(rows, address_of(k, index), run, operand.steps[inner_ - 1]);
        rows += run * width_ * operand.row_item;
        advance(index, run);
        done += run;
    }
}

// What is the same for every row of this stretch and of the last one stays in its buffer.
PB_RUNTIME void Loop::load(int k) {
    const Operand& operand = space_->operands[k];
    const int64_t stride = inner_ < 0 ? 0 : operand.steps[inner_];
    const char* first = address_of(k, index_);
    bool same = stride == 0 || width_ == extent_;
    if (inner_ > 0 && stretch_rows_ > 1) {
        const bool one_run = rows_along(index_) >= stretch_rows_;
        bool nowhere = true;  // no step from row to row at all
        for (int d = 0; d < inner_; ++d) nowhere = nowhere && operand.steps[d] == 0;
        same = same && (nowhere || (one_run && operand.steps[inner_ - 1] == 0));
    }
    if (same && held_[k] == first && held_size_ >= size) return;
    const Moves& moves = moves_of(operand.item);
    const bool tiles = lies_across(operand, inner_);
    const int64_t width = width_;
    each_run(k, buffer_of(k), [&](char* rows, const char* from, int64_t count, int64_t step) {
        if (tiles && count > 1) return moves.load_tile(rows, from, count, width, stride);
        if (step == 0) {
            moves.load(rows, from, stride, width);
            return repeat_row(rows, width * operand.item, count);
        }
        if (stride == 0) return moves.spread(rows, from, step, width, count);
        if (stride == operand.item && step == stride * width) {
            return moves.load(rows, from, stride, count * width);
        }
        for (int64_t r = 0; r < count; ++r)
            moves.load(rows + r * width * operand.item, from + r * step, stride, width);
    });
    held_[k] = same ? first : nullptr;
}

PB_RUNTIME void Loop::store(int k, char* stored) const {
    const Operand& operand = space_->operands[k];
    const int64_t stride = inner_ < 0 ? 0 : operand.steps[inner_];
    const int64_t width = width_;
    if (operand.reducer) {
        each_run(k, stored, [&](const char* rows, char* to, int64_t count, int64_t step) {
            operand.reducer->accumulate(rows, width, count, to, stride, step);
        });
        return;
    }
    if (operand.streams && operand.dense && (stretch_rows_ == 1 || width == extent_)) {
        const int64_t bytes = stretch_rows_ * width * operand.item;
        return stream_row(stored, address_of(k, index_), bytes);
    }
    const Moves& moves = moves_of(operand.item);
    const bool tiles = lies_across(operand, inner_);
    each_run(k, stored, [&](const char* rows, char* to, int64_t count, int64_t step) {
        if (tiles && count > 1) return moves.store_tile(rows, to, count, width, stride);
        for (int64_t r = 0; r < count; ++r) {
            const char* row = rows + r * width * operand.item;
            if (operand.streams && stride == operand.item)
                stream_row(row, to + r * step, width * operand.item);
            else
                moves.store(row, to + r * step, stride, width);
        }
    });
}

PB_RUNTIME void Loop::finish_stretch() {
    for (int k = 0; k < space_->count; ++k) {
        const Operand& operand = space_->operands[k];
        const bool there = operand.reducer ? bases_[k] != nullptr : operand.data != nullptr;
        const int source = operand.source;
        if (operand.reads || !there || lies_there(operand)) continue;
        store(k, source < 0 ? buffer_of(k) : rows_[source]);
    }
    held_size_ = size;
    column_ += width_;
    if (column_ == extent_) advance(index_, stretch_rows_);
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_ROWS_H_
