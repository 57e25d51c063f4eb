#include "runtime/copy.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <utility>

#include "runtime/each_row.h"

namespace pullback {
namespace {

constexpr std::size_t kMostAxes = 64;   // of an array of NumPy
constexpr int kBlock = 4;               // rows and columns that registers hold
constexpr std::int64_t kColumns = 256;  // a cache line of each is 16 KiB

template <typename T>
void copy_row(const T* __restrict from, std::int64_t from_step, T* __restrict to,
              std::int64_t to_step, std::int64_t count) {
    if (to_step != 1) {
        for (std::int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
    } else if (from_step == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    } else if (from_step == 0) {
        std::fill_n(to, count, *from);
    } else if (from_step == -1) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[-i];
    } else if (from_step == 2) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[2 * i];
    } else if (from_step == 3) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[3 * i];
    } else {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * from_step];
    }
}

/// A square whose columns are read along memory, and whose rows are written along it.
template <typename T>
void transpose_block(const T* __restrict from, std::int64_t from_step, T* __restrict to,
                     std::int64_t to_step) {
    T block[kBlock][kBlock];
    for (int column = 0; column < kBlock; ++column) {
        for (int row = 0; row < kBlock; ++row) block[column][row] = from[row + column * from_step];
    }
    for (int row = 0; row < kBlock; ++row) {
        for (int column = 0; column < kBlock; ++column)
            to[row * to_step + column] = block[column][row];
    }
}

/// A matrix like that, by squares, so many columns at a time that what is read stays in a cache.
template <typename T>
void transpose(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
               std::int64_t rows, std::int64_t columns) {
    const std::int64_t whole_rows = rows - rows % kBlock;
    const std::int64_t whole_columns = columns - columns % kBlock;
    for (std::int64_t left = 0; left < whole_columns; left += kColumns) {
        const std::int64_t right = std::min(whole_columns, left + kColumns);
        for (std::int64_t row = 0; row < whole_rows; row += kBlock) {
            for (std::int64_t column = left; column < right; column += kBlock) {
                transpose_block(from + row + column * from_step, from_step,
                                to + row * to_step + column, to_step);
            }
        }
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = row < whole_rows ? whole_columns : 0; column < columns; ++column)
            to[row * to_step + column] = from[row + column * from_step];
    }
}

/// The same elements, of as few axes as they can have: neighbours that lie one behind the other,
/// where they are read and where they are written, are one. They are written forwards. Strides and
/// offsets count elements.
struct Merged {
    std::size_t ndim = 0;
    std::int64_t shape[kMostAxes], from[kMostAxes], to[kMostAxes];
    std::int64_t from_offset = 0, to_offset = 0;

    Merged(std::span<const std::int64_t> extents, const std::int64_t* from_strides,
           const std::int64_t* to_strides) {
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (extents[axis] == 1) continue;
            add(extents[axis], from_strides[axis], to_strides[axis]);
        }
    }
    void add(std::int64_t length, std::int64_t from_stride, std::int64_t to_stride) {
        if (to_stride < 0) {
            from_offset += (length - 1) * from_stride;
            to_offset += (length - 1) * to_stride;
            from_stride = -from_stride;
            to_stride = -to_stride;
        }
        const bool goes_on = ndim > 0 && from[ndim - 1] == from_stride * length &&
                             to[ndim - 1] == to_stride * length;
        if (!goes_on) shape[ndim++] = 1;
        shape[ndim - 1] *= length;
        from[ndim - 1] = from_stride;
        to[ndim - 1] = to_stride;
    }
    /// The axis, none of the last, whose entries are next to each other where they are read; the
    /// last one where there is no such.
    std::size_t along() const {
        std::size_t found = ndim - 1;
        for (std::size_t axis = 0; axis + 1 < ndim && from[ndim - 1] != 1; ++axis) {
            if (from[axis] == 1) found = axis;
        }
        return found;
    }
};

template <typename T>
void copy_all(Merged& axes, const T* from, T* to) {
    if (axes.ndim == 0) {
        *to = *from;
        return;
    }
    const std::size_t along = axes.along();
    const bool turned = along + 1 < axes.ndim && axes.to[axes.ndim - 1] == 1;
    const std::int64_t rows = std::exchange(axes.shape[along], turned ? 1 : axes.shape[along]);
    each_row(std::span<const std::int64_t>(axes.shape, axes.ndim),
             std::array<const std::int64_t*, 2>{axes.from, axes.to},
             [&](const auto& offsets, const auto& steps, std::int64_t count) {
                 const T* const read = from + offsets[0];
                 T* const written = to + offsets[1];
                 if (turned) {
                     transpose(read, steps[0], written, axes.to[along], rows, count);
                 } else {
                     copy_row(read, steps[0], written, steps[1], count);
                 }
             });
}

}  // namespace

bool copies(std::size_t item) {
    return item == 1 || item == 2 || item == 4 || item == 8 || item == 16;
}

void copy_elements(std::size_t item, std::span<const std::int64_t> shape, const void* from,
                   const std::int64_t* from_strides, void* to, const std::int64_t* to_strides) {
    Merged axes(shape, from_strides, to_strides);
    const auto copy = [&]<typename T>(T /*of this size*/) {
        copy_all(axes, static_cast<const T*>(from) + axes.from_offset,
                 static_cast<T*>(to) + axes.to_offset);
    };
    if (item == 1) copy(std::uint8_t{});
    if (item == 2) copy(std::uint16_t{});
    if (item == 4) copy(std::uint32_t{});
    if (item == 8) copy(std::uint64_t{});
    if (item == 16) copy(std::complex<double>{});
}

}  // namespace pullback
