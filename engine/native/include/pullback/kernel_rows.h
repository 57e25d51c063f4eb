// Loops of kernel_loop.h over rows: part of kernel_runtime.h.
#ifndef PULLBACK_KERNEL_ROWS_H_
#define PULLBACK_KERNEL_ROWS_H_

#include "kernel_loop.h"

namespace pb {

constexpr int64_t kStretch = 1024;  // elements of a buffered row, at most
// The same where results go past the caches: so few that the processor computes the next ones while
// these are on their way to memory.
constexpr int64_t kStreamStretch = 96;
constexpr int64_t kStreamFew = 256;  // for at most three operands
constexpr int64_t kBuffers = 32768;  // bytes of all buffers, about
constexpr int64_t kTileRows = 16;    // of a tile whose rows lie across those of some operand
constexpr int64_t kItem = 8;         // bytes of the largest element

// Elements are moved as words of their size, whatever they are.
template <typename Word>
Word peek(const char* from) {
    Word value;
    __builtin_memcpy(&value, from, sizeof(Word));
    return value;
}
template <typename Word>
void poke(char* to, Word value) {
    __builtin_memcpy(to, &value, sizeof(Word));
}

template <typename Word>
void load_row(char* row, const char* from, int64_t stride, int64_t n) {
    constexpr int64_t kBytes = sizeof(Word);
    if (stride == 0) {
        const Word value = peek<Word>(from);
        for (int64_t i = 0; i < n; ++i) poke(row + i * kBytes, value);
    } else if (stride == kBytes) {
        __builtin_memcpy(row, from, static_cast<size_t>(n * kBytes));
    } else {
        for (int64_t i = 0; i < n; ++i) poke(row + i * kBytes, peek<Word>(from + i * stride));
    }
}

template <typename Word>
void store_row(const char* row, char* to, int64_t stride, int64_t n) {
    constexpr int64_t kBytes = sizeof(Word);
    if (stride == kBytes) {
        __builtin_memcpy(to, row, static_cast<size_t>(n * kBytes));
    } else {
        for (int64_t i = 0; i < n; ++i) poke(to + i * stride, peek<Word>(row + i * kBytes));
    }
}

// Short rows of one element each.
template <typename Word, int kWidth>
void spread_in(char* rows, const char* from, int64_t step, int64_t count) {
    for (int64_t r = 0; r < count; ++r) {
        const Word value = peek<Word>(from + r * step);
        for (int64_t i = 0; i < kWidth; ++i)
            poke(rows + (r * kWidth + i) * static_cast<int64_t>(sizeof(Word)), value);
    }
}

template <typename Word>
void spread(char* rows, const char* from, int64_t step, int64_t width, int64_t count) {
    if (width == 2) return spread_in<Word, 2>(rows, from, step, count);
    if (width == 3) return spread_in<Word, 3>(rows, from, step, count);
    if (width == 4) return spread_in<Word, 4>(rows, from, step, count);
    for (int64_t r = 0; r < count; ++r, rows += width * static_cast<int64_t>(sizeof(Word)))
        load_row<Word>(rows, from + r * step, 0, width);
}

// Rows whose elements lie next to those of the next row: a column of the tile at a time.
template <typename Word>
void load_tile(char* tile, const char* from, int64_t rows, int64_t width, int64_t stride) {
    constexpr int64_t kBytes = sizeof(Word);
    for (int64_t i = 0; i < width; ++i) {
        for (int64_t r = 0; r < rows; ++r)
            poke(tile + (r * width + i) * kBytes, peek<Word>(from + i * stride + r * kBytes));
    }
}

template <typename Word>
void store_tile(const char* tile, char* to, int64_t rows, int64_t width, int64_t stride) {
    constexpr int64_t kBytes = sizeof(Word);
    for (int64_t i = 0; i < width; ++i) {
        for (int64_t r = 0; r < rows; ++r)
            poke(to + i * stride + r * kBytes, peek<Word>(tile + (r * width + i) * kBytes));
    }
}

// What loads and stores need to know of an element is its size.
struct Moves {
    void (*load)(char* row, const char* from, int64_t stride, int64_t n);
    void (*store)(const char* row, char* to, int64_t stride, int64_t n);
    void (*spread)(char* rows, const char* from, int64_t step, int64_t width, int64_t count);
    void (*load_tile)(char* tile, const char* from, int64_t rows, int64_t width, int64_t stride);
    void (*store_tile)(const char* tile, char* to, int64_t rows, int64_t width, int64_t stride);
};
template <typename T>
inline constexpr Moves kMoves = {load_row<T>, store_row<T>, spread<T>, load_tile<T>, store_tile<T>};

PB_RUNTIME const Moves& moves_of(int64_t item) {
    return item == 8 ? kMoves<int64_t> : item == 4 ? kMoves<int32_t> : kMoves<char>;
}

// Stores past the caches, as <emmintrin.h> has them.
#if defined(__AVX512F__)
constexpr int64_t kLane = 64;
#elif defined(__AVX__)
constexpr int64_t kLane = 32;
#else
constexpr int64_t kLane = 16;
#endif
#if defined(__SSE2__)
using Lane __attribute__((vector_size(kLane))) = long long;
#if defined(__clang__)
#define PB_STREAM(to, value) __builtin_nontemporal_store(value, to)
#elif defined(__AVX512F__)
#define PB_STREAM(to, value) __builtin_ia32_movntdq512(to, value)
#elif defined(__AVX__)
#define PB_STREAM(to, value) __builtin_ia32_movntdq256(to, value)
#else
#define PB_STREAM(to, value) __builtin_ia32_movntdq(to, value)
#endif
#endif

// A row of adjacent elements, past the caches.
PB_RUNTIME void stream_row(const char* row, char* to, int64_t bytes) {
    int64_t at = 0;
#ifdef PB_STREAM
    at = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) & 63);
    if (at > bytes) at = bytes;
    __builtin_memcpy(to, row, static_cast<size_t>(at));
    for (; at + 64 <= bytes; at += 64) {
        for (int64_t part = at; part < at + 64; part += kLane) {
            Lane value;
            __builtin_memcpy(&value, row + part, sizeof value);
            PB_STREAM(reinterpret_cast<Lane*>(to + part), value);
        }
    }
#endif
    __builtin_memcpy(to + at, row + at, static_cast<size_t>(bytes - at));
}

PB_RUNTIME void end_streams() {
#ifdef PB_STREAM
    __builtin_ia32_sfence();
#endif
}

// Whether rows of the space lie across an operand's memory, so that tiles are worth it.
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
    for (int k = 0; k < space.count; ++k) {
        buffered = buffered || !space.operands[k].unit;
        across = across || lies_across(space.operands[k], inner_);
    }
    flat_ = is_flat(space);
    streams_ = !flat_ && only_streams(space);
    longest_ = buffered ? memory.stretch : extent_;
    together_ = extent_ > 0 && extent_ <= memory.stretch / 2 ? memory.stretch / extent_ : 1;
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

// What follows a stretch: what processors fetch by themselves ends with a page, and where a loop
// computes long.
PB_RUNTIME void ask_for_next(const char* rows, int64_t bytes) {
    for (int64_t at = bytes; at < 2 * bytes; at += 64) __builtin_prefetch(rows + at);
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

// A row, so many times one behind the other.
PB_RUNTIME void repeat_row(char* rows, int64_t bytes, int64_t count) {
    const int64_t all = bytes * count;
    for (int64_t done = bytes; done < all;) {
        const int64_t more = done < all - done ? done : all - done;
        __builtin_memcpy(rows + done, rows, static_cast<size_t>(more));
        done += more;
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
