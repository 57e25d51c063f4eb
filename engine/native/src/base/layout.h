// Shape, strides and element type of a tensor.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/dtype.h"

namespace pullback {

/// Shape, strides and element type. C order of at most four axes needs no memory of its own.
class Layout {
  public:
    static constexpr int kInline = 4;
    static constexpr std::int64_t kMostInLoop = 1 << 14;  // more are worth letting the GIL go

    Layout() = default;
    Layout(const Layout& other) : head_(other.head_), inline_(other.inline_) {
        if (other.heap_ != nullptr) [[unlikely]]
            copy_heap(other);
    }
    Layout(Layout&& other) noexcept { take(other); }
    ~Layout() { clear(); }
    Layout& operator=(const Layout& other) {
        if (this != &other) {
            clear();
            copy(other);
        }
        return *this;
    }
    Layout& operator=(Layout&& other) noexcept {
        if (this != &other) {
            clear();
            take(other);
        }
        return *this;
    }

    /// C order.
    static Layout c_order(DType dtype, int ndim, const std::int64_t* shape);
    /// Any order; strides count elements. `regular`: aligned, in native byte order, with strides of
    /// whole elements.
    static Layout strided(DType dtype, int ndim, const std::int64_t* shape,
                          const std::int64_t* strides, bool regular);

    int ndim() const { return head_.ndim; }
    DType dtype() const { return head_.dtype; }
    /// C order, aligned.
    bool contiguous() const { return head_.contiguous; }
    bool regular() const { return head_.regular; }
    /// Of floats in C order, aligned and regular: their bits, as the loop of a pointwise kernel
    /// takes them (`pb_flat_function`). Zero for what it doesn't take.
    int loop_bits() const { return head_.loop_bits; }
    /// The elements of what such a loop takes at once; more than `kMostInLoop` for all else.
    std::int64_t loop_size() const { return head_.loop_size; }
    const std::int64_t* shape() const { return heap_ != nullptr ? heap_ : inline_.data(); }
    std::int64_t shape(int axis) const { return shape()[axis]; }
    std::span<const std::int64_t> extents() const {
        return {shape(), static_cast<std::size_t>(ndim())};
    }
    /// The strides of a layout that is not contiguous; NULL stands for C order.
    const std::int64_t* strides() const { return head_.contiguous ? nullptr : heap_ + head_.ndim; }
    /// In elements, C order or not: `strides` has an entry for every axis.
    void copy_strides(std::int64_t* strides) const;

    std::int64_t size() const {
        std::int64_t product = 1;
        const std::int64_t* extents = shape();
        for (int axis = 0; axis < head_.ndim; ++axis) product *= extents[axis];
        return product;
    }
    bool same_shape(const Layout& other) const {
        return head_.ndim == other.head_.ndim && same_extents(other);
    }
    /// Both in C order and regular, of one shape and dtype.
    bool twin_of(const Layout& other) const {
        return head_.contiguous && head_.regular && twin_of_loop(other);
    }
    /// The same, where the other is one that a loop takes (`loop_bits`), and so is known to be
    /// both.
    bool twin_of_loop(const Layout& other) const {
        return std::bit_cast<std::uint64_t>(head_) == std::bit_cast<std::uint64_t>(other.head_) &&
               (heap_ == nullptr ? same_inline(other) : same_extents(other));
    }
    /// As Python prints a shape: "(2, 3)".
    std::string shape_text() const;

    /// Makes an empty layout this one.
    void fill(const Layout& other) { copy(other); }
    /// Empty, to be filled or to go.
    void clear() {
        if (heap_ != nullptr) [[unlikely]] {
            delete[] heap_;
            heap_ = nullptr;
        }
        head_.ndim = 0;
    }

  private:
    struct Head {
        DType dtype = 0;
        std::int8_t ndim = 0;
        bool contiguous = true;
        bool regular = true;
        std::uint8_t loop_bits = 0;
        std::uint16_t loop_size = kNoLoop;
    };
    static constexpr std::uint16_t kNoLoop = 0xffff;
    /// Both without a heap.
    bool same_inline(const Layout& other) const {
        std::int64_t differ = 0;
        for (std::size_t axis = 0; axis < kInline; ++axis)
            differ |= inline_[axis] ^ other.inline_[axis];
        return differ == 0;
    }
    /// Of so many axes as the other.
    bool same_extents(const Layout& other) const {
        const std::int64_t *mine = shape(), *theirs = other.shape();
        for (int axis = 0; axis < head_.ndim; ++axis) {
            if (mine[axis] != theirs[axis]) return false;
        }
        return true;
    }
    void copy(const Layout& other) {
        head_ = other.head_;
        if (other.heap_ != nullptr) [[unlikely]] {
            copy_heap(other);
        } else {
            inline_ = other.inline_;
        }
    }
    void take(Layout& other) {
        head_ = other.head_;
        heap_ = std::exchange(other.heap_, nullptr);
        inline_ = other.inline_;
        other.head_.ndim = 0;
    }
    void copy_heap(const Layout& other);

    Head head_;
    std::int64_t* heap_ = nullptr;                // shape, then strides
    std::array<std::int64_t, kInline> inline_{};  // zeros for axes that aren't there: compared too
};

}  // namespace pullback
