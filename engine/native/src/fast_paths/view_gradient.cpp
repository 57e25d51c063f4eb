#include "fast_paths/view_gradient.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/numpy_api.h"
#include "base/switches.h"
#include "base/without_gil.h"
#include "runtime/copy.h"
#include "runtime/each_row.h"

namespace pullback {
namespace {

constexpr int kMost = 8;  // axes

/// The entries of a gradient, and where each belongs. Strides count elements.
struct Walk {
    int ndim = 0;
    std::int64_t shape[kMost];
    std::int64_t from[kMost];
    std::int64_t to[kMost];
};

template <typename T>
void add_to(const Walk& walk, const void* from, void* to) {
    const std::span shape(walk.shape, static_cast<std::size_t>(walk.ndim));
    const std::array<const std::int64_t*, 2> strides = {walk.from, walk.to};
    each_row(shape, strides, [&](const auto& offsets, const auto& steps, std::int64_t count) {
        const T* const read = static_cast<const T*>(from) + offsets[0];
        T* const written = static_cast<T*>(to) + offsets[1];
        if (steps[0] == 1 && steps[1] == 1) {
            for (std::int64_t i = 0; i < count; ++i) written[i] += read[i];
        } else {
            for (std::int64_t i = 0; i < count; ++i) written[i * steps[1]] += read[i * steps[0]];
        }
    });
}

Layout c_order_of(const Layout& layout) {
    return Layout::c_order(layout.dtype(), layout.ndim(), layout.shape());
}

/// Where the view has every entry once: the gradient with its axes as those of the input. None
/// where the view mixes axes.
Ref<Tensor> looked_back(const Walk& walk, const Tensor& gradient, const Layout& input) {
    if (gradient.layout.contiguous() && std::equal(walk.to, walk.to + walk.ndim, walk.from)) {
        return Tensor::view_of(gradient.storage, gradient.data(), c_order_of(input));
    }
    std::int64_t strides[kMost];
    std::int64_t stride = 1;
    for (int axis = input.ndim() - 1; axis >= 0; --axis) {
        const std::int64_t length = input.shape(axis);
        strides[axis] = 0;
        if (length == 1) continue;
        int same = 0;
        while (same < walk.ndim && (walk.shape[same] != length || walk.to[same] != stride)) ++same;
        if (same == walk.ndim) return {};
        strides[axis] = walk.from[same];
        stride *= length;
    }
    return Tensor::view_of(
        gradient.storage, gradient.data(),
        Layout::strided(input.dtype(), input.ndim(), input.shape(), strides, true));
}

/// Adds to the gradient that waits for more; false where somebody else holds that.
bool add_to_waiting(const Walk& walk, const Tensor& gradient, Ref<Tensor>* before,
                    std::int64_t start) {
    if (before == nullptr || !*before || !(*before)->exclusive()) return false;
    const Layout& layout = (*before)->layout;
    if (!layout.contiguous() || !layout.regular()) return false;
    if (layout.dtype() != gradient.layout.dtype()) return false;
    void* const place = static_cast<char*>((*before)->data()) +
                        start * static_cast<std::int64_t>(item_size(layout.dtype()));
    run_without_gil(gradient.layout.size(), [&] {
        layout.dtype() == NPY_FLOAT ? add_to<float>(walk, gradient.data(), place)
                                    : add_to<double>(walk, gradient.data(), place);
    });
    return true;
}

Ref<Tensor> among_zeros(const Walk& walk, const Tensor& gradient, const Layout& input,
                        std::int64_t start) {
    Ref<Tensor> made = Tensor::allocate(c_order_of(input));
    const std::size_t item = item_size(input.dtype());
    const auto bytes = static_cast<std::size_t>(input.size()) * item;
    char* const place = static_cast<char*>(made->data()) + start * static_cast<std::int64_t>(item);
    run_without_gil(input.size(), [&] {
        if (gradient.layout.size() < input.size()) std::memset(made->data(), 0, bytes);
        copy_elements(item, {walk.shape, static_cast<std::size_t>(walk.ndim)}, gradient.data(),
                      walk.from, place, walk.to);
    });
    return made;
}

}  // namespace

bool differentiate_view(Node& node, Received& received, std::vector<SentGradient>& made,
                        Arrivals* waiting) {
    if (node.shows < 0 || node.freed || !received[0]) return false;
    if (!switches.has(FastPath::view_gradient)) return false;
    const Tensor& gradient = *received[0];
    const Layout& view = node.outputs[0].layout;
    const Layout& input = node.layout_of_input(0);
    const DType dtype = input.dtype();
    const bool fits = gradient.layout.same_shape(view) && gradient.layout.regular() &&
                      gradient.layout.dtype() == dtype &&
                      (dtype == NPY_FLOAT || dtype == NPY_DOUBLE) && view.ndim() <= kMost &&
                      input.ndim() <= kMost;
    if (!fits) return false;
    Walk walk;
    walk.ndim = view.ndim();
    std::copy(view.shape(), view.shape() + view.ndim(), walk.shape);
    gradient.layout.copy_strides(walk.from);
    view.copy_strides(walk.to);

    const Edge& edge = node.edges[0];
    Ref<Tensor> found;
    if (view.size() == input.size() && view.size() > 0) found = looked_back(walk, gradient, input);
    if (!found) {
        Ref<Tensor>* const before = waiting == nullptr ? nullptr : waiting->at(edge);
        if (add_to_waiting(walk, gradient, before, node.shows)) {
            found = std::move(*before);
        } else {
            found = among_zeros(walk, gradient, input, node.shows);
        }
    }
    made.push_back({&edge, std::move(found)});
    return true;
}

}  // namespace pullback
