// The layout of a part of an array on its way to a tensor, and the attributes that describe it.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "core/tensor.h"

namespace pullback {

/// Shape and strides on the way to a layout; strides count elements.
struct ViewSpec {
    static constexpr int kMost = 8;  // axes

    char* data = nullptr;
    std::int64_t item = 0;
    int ndim = 0;
    bool single = false;   // an entry without axes: a copy, as in NumPy
    bool repeats = false;  // an entry stands in several places, so that nobody may write it
    std::int64_t shape[kMost];
    std::int64_t strides[kMost];

    bool start(const Tensor& tensor) {
        const Layout& layout = tensor.layout;
        if (layout.ndim() > kMost || !layout.regular()) return false;
        data = static_cast<char*>(tensor.data());
        item = static_cast<std::int64_t>(item_size(layout.dtype()));
        ndim = layout.ndim();
        for (int axis = 0; axis < ndim; ++axis) shape[axis] = layout.shape(axis);
        layout.copy_strides(strides);
        return true;
    }
    bool add(std::int64_t length, std::int64_t stride) {
        if (ndim == kMost) return false;
        shape[ndim] = length;
        strides[ndim++] = stride;
        return true;
    }
    Layout layout(DType dtype) const {
        std::int64_t expected = 1;
        bool contiguous = true;
        for (int axis = ndim - 1; axis >= 0; --axis) {
            contiguous = contiguous && (shape[axis] == 1 || strides[axis] == expected);
            expected *= shape[axis];
        }
        return contiguous || expected == 0 ? Layout::c_order(dtype, ndim, shape)
                                           : Layout::strided(dtype, ndim, shape, strides, true);
    }
};

/// Takes the part that an index of whole numbers, slices, None and Ellipsis picks; false where it
/// has others, or what it names is not there.
bool apply_index(ViewSpec& spec, PyObject* index);

/// Attributes of a call by their names, which it only borrows.
class Attributes {
  public:
    using Named = std::pair<std::string_view, PyObject*>;

    Attributes(std::initializer_list<Named> named) {
        for (const Named& one : named) named_[count_++] = one;
    }
    /// Those of a dict; of one of many, none.
    explicit Attributes(PyObject* dict);
    /// Borrowed; NULL for a name that is none.
    PyObject* operator[](std::string_view name) const {
        for (std::size_t i = 0; i < count_; ++i) {
            if (named_[i].first == name) return named_[i].second;
        }
        return nullptr;
    }

  private:
    static constexpr std::size_t kMost = 6;
    std::size_t count_ = 0;
    std::array<Named, kMost> named_;
};

/// Whole numbers of a tuple or list into `numbers`, which has room for `ViewSpec::kMost`; their
/// count, or -1 where they are none.
int whole_numbers(PyObject* sequence, std::int64_t* numbers);

/// The same of a number too, which is one.
int one_or_more(PyObject* value, std::int64_t* numbers);

}  // namespace pullback
