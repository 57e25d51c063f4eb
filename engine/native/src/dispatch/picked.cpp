#include "dispatch/picked.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/numpy_api.h"
#include "base/without_gil.h"
#include "core/view_spec.h"

namespace pullback {
namespace {

/// The rows that integers count, from the beginning or the end.
struct ByIntegers {
    std::span<const std::int64_t> numbers;
    std::int64_t length;

    bool in_bounds() const {
        return std::all_of(numbers.begin(), numbers.end(), [this](std::int64_t number) {
            return -length <= number && number < length;
        });
    }
    template <typename Body>
    void each(Body&& body) const {
        for (const std::int64_t number : numbers) body(number < 0 ? number + length : number);
    }
};

/// The rows where a mask is true.
struct ByMask {
    std::span<const npy_bool> mask;

    std::int64_t count() const {
        return std::count_if(mask.begin(), mask.end(), [](npy_bool one) { return one != 0; });
    }
    template <typename Body>
    void each(Body&& body) const {
        for (std::size_t i = 0; i < mask.size(); ++i) {
            if (mask[i] != 0) body(static_cast<std::int64_t>(i));
        }
    }
};

template <typename T, typename Rows>
void copy_entries(const Rows& rows, const void* from, void* to) {
    T* place = static_cast<T*>(to);
    rows.each([&](std::int64_t row) { *place++ = static_cast<const T*>(from)[row]; });
}

template <typename Rows>
void copy_rows(const Rows& rows, const void* from, void* to, std::size_t bytes) {
    char* place = static_cast<char*>(to);
    rows.each([&](std::int64_t row) {
        std::memcpy(place, static_cast<const char*>(from) + row * std::int64_t(bytes), bytes);
        place += bytes;
    });
}

/// Rows of so many elements into a new array of this shape.
template <typename Rows>
Ref<Tensor> copied(const Tensor& source, const ViewSpec& shape, std::int64_t width,
                   const Rows& rows) {
    const DType dtype = source.layout.dtype();
    Ref<Tensor> made = Tensor::allocate(Layout::c_order(dtype, shape.ndim, shape.shape));
    const std::size_t bytes = static_cast<std::size_t>(width) * item_size(dtype);
    const void* const from = source.data();
    void* const to = made->data();
    run_without_gil(made->layout.size(), [&] {
        if (bytes == sizeof(float)) {
            copy_entries<float>(rows, from, to);
        } else if (bytes == sizeof(double)) {
            copy_entries<double>(rows, from, to);
        } else {
            copy_rows(rows, from, to, bytes);
        }
    });
    return made;
}

/// The shape of the rows that are picked: the first axes, and those of the array behind them.
bool append_rest(ViewSpec& shape, const Layout& layout, int first, std::int64_t& width) {
    width = 1;
    for (int axis = first; axis < layout.ndim(); ++axis) {
        width *= layout.shape(axis);
        if (!shape.add(layout.shape(axis), 0)) return false;
    }
    return true;
}

}  // namespace

Ref<Tensor> picked(const Tensor& source, PyObject* index) {
    const Layout& layout = source.layout;
    if (index == nullptr || !PyArray_CheckExact(index)) return {};
    PyArrayObject* const array = as_array(index);
    const int ndim = PyArray_NDIM(array);
    const bool plain = PyArray_ISCARRAY_RO(array) && PyArray_ISNOTSWAPPED(array) && ndim > 0;
    if (!plain || !layout.contiguous() || !layout.regular() || layout.ndim() == 0) return {};
    if (item_size(layout.dtype()) == 0) return {};
    const npy_intp* const lengths = PyArray_DIMS(array);
    const auto size = static_cast<std::size_t>(PyArray_SIZE(array));
    ViewSpec shape;
    std::int64_t width = 0;
    if (PyArray_TYPE(array) == NPY_INT64) {
        const ByIntegers rows{{static_cast<const std::int64_t*>(PyArray_DATA(array)), size},
                              layout.shape(0)};
        for (int axis = 0; axis < ndim; ++axis) {
            if (!shape.add(lengths[axis], 0)) return {};
        }
        if (!rows.in_bounds() || !append_rest(shape, layout, 1, width)) return {};
        return copied(source, shape, width, rows);
    }
    if (PyArray_TYPE(array) != NPY_BOOL || ndim > layout.ndim()) return {};
    if (!std::equal(lengths, lengths + ndim, layout.shape())) return {};
    const ByMask rows{{static_cast<const npy_bool*>(PyArray_DATA(array)), size}};
    shape.add(rows.count(), 0);
    if (!append_rest(shape, layout, ndim, width)) return {};
    return copied(source, shape, width, rows);
}

}  // namespace pullback
