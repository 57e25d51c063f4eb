// Shape, strides and element type of a tensor.
#pragma once

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

    int ndim() const { return ndim_; }
    DType dtype() const { return dtype_; }
    /// C order, aligned.
    bool contiguous() const { return contiguous_; }
    bool regular() const { return regular_; }
    const std::int64_t* shape() const { return heap_ != nullptr ? heap_ : inline_; }
    std::int64_t shape(int axis) const { return shape()[axis]; }
    /// Where the layout is not contiguous; NULL stands for C order.
    const std::int64_t* strides() const { return contiguous_ ? nullptr : heap_ + ndim_; }
    /// In elements, C order or not: `strides` has room for every axis.
    void copy_strides(std::int64_t* strides) const;

    std::int64_t size() const {
        std::int64_t product = 1;
        const std::int64_t* extents = shape();
        for (int axis = 0; axis < ndim_; ++axis) product *= extents[axis];
        return product;
    }
    bool same_shape(const Layout& other) const {
        if (ndim_ != other.ndim_) return false;
        const std::int64_t *mine = shape(), *theirs = other.shape();
        for (int axis = 0; axis < ndim_; ++axis) {
            if (mine[axis] != theirs[axis]) return false;
        }
        return true;
    }
    /// Both in C order and regular, of one shape and dtype.
    bool twin_of(const Layout& other) const {
        return head() == other.head() && contiguous_ && regular_ && same_shape(other);
    }
    /// As Python prints a shape: "(2, 3)".
    std::string shape_text() const;

    /// Back to what `Layout()` is.
    void clear() {
        if (heap_ != nullptr) [[unlikely]] {
            delete[] heap_;
            heap_ = nullptr;
        }
        ndim_ = 0;
    }

  private:
    std::uint64_t head() const {
        return std::uint64_t(std::uint16_t(dtype_)) | std::uint64_t(std::uint8_t(ndim_)) << 16 |
               std::uint64_t(contiguous_) << 24 | std::uint64_t(regular_) << 25;
    }
    void copy_head(const Layout& other) {
        dtype_ = other.dtype_;
        ndim_ = other.ndim_;
        contiguous_ = other.contiguous_;
        regular_ = other.regular_;
    }
    void copy(const Layout& other) {
        copy_head(other);
        if (other.heap_ != nullptr) [[unlikely]] {
            copy_heap(other);
        } else {
            std::memcpy(inline_, other.inline_, sizeof inline_);
        }
    }
    void take(Layout& other) {
        copy_head(other);
        heap_ = std::exchange(other.heap_, nullptr);
        std::memcpy(inline_, other.inline_, sizeof inline_);
        other.ndim_ = 0;
    }
    void copy_heap(const Layout& other);

    DType dtype_ = 0;
    std::int8_t ndim_ = 0;
    bool contiguous_ = true;
    bool regular_ = true;
    std::int64_t* heap_ = nullptr;  // shape, then strides
    std::int64_t inline_[kInline];
};

}  // namespace pullback
