// Shape, strides and element type of a tensor.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "pullback/dtype.h"

namespace pullback {

/// How elements lie in memory. C order of at most four axes needs no memory of its own.
class Layout {
  public:
    static constexpr int kInline = 4;

    Layout() = default;
    Layout(const Layout& other) { copy(other); }
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
    const std::int64_t* shape() const { return heap_ != nullptr ? heap_ : inline_; }
    std::int64_t shape(int axis) const { return shape()[axis]; }
    /// Where the layout is not contiguous; NULL stands for C order.
    const std::int64_t* strides() const { return head_.contiguous ? nullptr : heap_ + head_.ndim; }
    /// In elements, C order or not: `strides` has room for every axis.
    void copy_strides(std::int64_t* strides) const;

    std::int64_t size() const {
        std::int64_t product = 1;
        const std::int64_t* extents = shape();
        for (int axis = 0; axis < head_.ndim; ++axis) product *= extents[axis];
        return product;
    }
    bool same_shape(const Layout& other) const {
        if (head_.ndim != other.head_.ndim) return false;
        const std::int64_t *mine = shape(), *theirs = other.shape();
        for (int axis = 0; axis < head_.ndim; ++axis) {
            if (mine[axis] != theirs[axis]) return false;
        }
        return true;
    }
    /// Both in C order and regular, of one shape and dtype.
    bool twin_of(const Layout& other) const {
        return std::bit_cast<std::uint64_t>(head_) == std::bit_cast<std::uint64_t>(other.head_) &&
               head_.contiguous && head_.regular && same_shape(other);
    }
    /// As Python prints a shape: "(2, 3)".
    std::string shape_text() const;

    /// Makes an empty layout this one.
    void fill(const Layout& other) { copy(other); }
    /// Back to what `Layout()` is.
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
        std::uint8_t unused[3] = {};  // compared too
    };
    void copy(const Layout& other) {
        head_ = other.head_;
        if (other.heap_ != nullptr) [[unlikely]] {
            copy_heap(other);
        } else {
            std::memcpy(inline_, other.inline_, sizeof inline_);
        }
    }
    void take(Layout& other) {
        head_ = other.head_;
        heap_ = std::exchange(other.heap_, nullptr);
        std::memcpy(inline_, other.inline_, sizeof inline_);
        other.head_.ndim = 0;
    }
    void copy_heap(const Layout& other);

    Head head_;
    std::int64_t* heap_ = nullptr;  // shape, then strides
    std::int64_t inline_[kInline];
};

}  // namespace pullback
