#include "fast_paths/index_gradient.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/numpy_api.h"
#include "base/switches.h"
#include "base/without_gil.h"

namespace pullback {
namespace {

/// The integers that a call was indexed by; none where its index is another one.
std::span<const std::int64_t> integers_of(const Node& node) {
    const std::vector<SavedEntry>& saved = node.info->saved;
    const auto found = std::find_if(saved.begin(), saved.end(), [](const SavedEntry& entry) {
        return entry.source == SavedSource::plain && entry.name == "index";
    });
    if (found == saved.end()) return {};
    PyObject* const index = node.peek(static_cast<std::int32_t>(found - saved.begin()), true).value;
    if (index == nullptr || !PyArray_CheckExact(index)) return {};
    PyArrayObject* const array = as_array(index);
    if (PyArray_TYPE(array) != NPY_INT64 || !PyArray_ISCARRAY_RO(array)) return {};
    return {static_cast<const std::int64_t*>(PyArray_DATA(array)),
            static_cast<std::size_t>(PyArray_SIZE(array))};
}

/// True if each integer counts one of so many rows from their beginning or their end.
bool in_bounds(std::span<const std::int64_t> integers, std::int64_t rows) {
    return std::all_of(integers.begin(), integers.end(),
                       [=](std::int64_t row) { return -rows <= row && row < rows; });
}

/// Adds each row to the row that its integer counts, the first ones first.
template <typename T>
void add_rows(std::span<const std::int64_t> integers, const void* gradient, void* sums,
              std::int64_t rows, std::int64_t width) {
    const T* from = static_cast<const T*>(gradient);
    std::fill_n(static_cast<T*>(sums), rows * width, T{0});
    for (const std::int64_t row : integers) {
        T* const to = static_cast<T*>(sums) + (row < 0 ? row + rows : row) * width;
        for (std::int64_t i = 0; i < width; ++i) to[i] += from[i];
        from += width;
    }
}

}  // namespace

bool differentiate_index(Node& node, const Received& received, std::vector<SentGradient>& made) {
    if (!node.info->plain_views || node.info->name != "getitem") return false;
    if (!received[0] || !switches.has(FastPath::index_gradient)) return false;
    const Tensor& gradient = *received[0];
    const Layout& input = node.layout_of_input(0);
    const DType dtype = input.dtype();
    if ((dtype != NPY_FLOAT && dtype != NPY_DOUBLE) || gradient.layout.dtype() != dtype ||
        !gradient.layout.contiguous() || !gradient.layout.regular() || input.size() == 0)
        return false;
    const std::span<const std::int64_t> integers = integers_of(node);
    const std::int64_t rows = input.shape(0), width = input.size() / rows;
    if (integers.empty() ||
        gradient.layout.size() != static_cast<std::int64_t>(integers.size()) * width ||
        !in_bounds(integers, rows))
        return false;
    Ref<Tensor> sums = Tensor::allocate(Layout::c_order(dtype, input.ndim(), input.shape()));
    const void* const from = gradient.data();
    void* const to = sums->data();
    run_without_gil(input.size(), [&] {
        dtype == NPY_FLOAT ? add_rows<float>(integers, from, to, rows, width)
                           : add_rows<double>(integers, from, to, rows, width);
    });
    made.push_back({&node.edges[0], std::move(sums)});
    return true;
}

}  // namespace pullback
