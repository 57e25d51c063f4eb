#include "core/copied.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/without_gil.h"
#include "runtime/copy.h"

namespace pullback {
namespace {

/// The axes from the outermost in memory to the innermost. Those of entries that are repeated have
/// no place there: then they are in their order.
void sort_axes(std::span<const std::int64_t> shape, const std::int64_t* strides, int* axes) {
    const auto ndim = static_cast<int>(shape.size());
    std::iota(axes, axes + ndim, 0);
    for (int axis = 0; axis < ndim; ++axis) {
        if (strides[axis] == 0 && shape[static_cast<std::size_t>(axis)] > 1) return;
    }
    std::stable_sort(axes, axes + ndim, [&](int one, int other) {
        return std::abs(strides[one]) > std::abs(strides[other]);
    });
}

}  // namespace

Ref<Tensor> copied(Tensor& tensor) {
    const Layout& layout = tensor.layout;
    const std::size_t item = item_size(layout.dtype());
    if (!layout.regular() || !copies(item)) {
        return Tensor::of_array(checked(PyArray_NewCopy(as_array(tensor.array()), NPY_CORDER)));
    }
    const auto ndim = static_cast<std::size_t>(layout.ndim());
    std::int64_t strides[NPY_MAXDIMS], shape[NPY_MAXDIMS], from[NPY_MAXDIMS], to[NPY_MAXDIMS];
    int axes[NPY_MAXDIMS];
    layout.copy_strides(strides);
    sort_axes(layout.extents(), strides, axes);
    for (std::size_t k = 0; k < ndim; ++k) {
        shape[k] = layout.shape(axes[k]);
        from[k] = strides[axes[k]];
    }
    const Layout dense = Layout::c_order(layout.dtype(), layout.ndim(), shape);
    dense.copy_strides(to);
    Ref<Tensor> made = Tensor::allocate(dense);
    void* const target = made->data();
    run_without_gil(layout.size(), [&, source = tensor.data()] {
        copy_elements(item, {shape, ndim}, source, from, target, to);
    });
    if (std::is_sorted(axes, axes + ndim)) return made;
    for (std::size_t k = 0; k < ndim; ++k) strides[axes[k]] = to[k];
    return Tensor::view_of(
        made->storage, target,
        Layout::strided(layout.dtype(), layout.ndim(), layout.shape(), strides, true));
}

}  // namespace pullback
