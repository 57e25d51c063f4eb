#include "fast_paths/move_gradient.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/numpy_api.h"
#include "base/switches.h"
#include "base/without_gil.h"
#include "dispatch/moves.h"

namespace pullback {
namespace {

/// A plain value that the node saved; NULL where it saved none of this name.
PyObject* saved_value(const Node& node, std::string_view name) {
    const std::vector<SavedEntry>& saved = node.info->saved;
    const auto found = std::find_if(saved.begin(), saved.end(), [&](const SavedEntry& entry) {
        return entry.source == SavedSource::plain && entry.name == name;
    });
    if (found == saved.end()) return nullptr;
    return node.peek(static_cast<std::int32_t>(found - saved.begin()), true).value;
}

/// The places that entries of a vector had before they were sorted; none where it was no vector.
std::span<const std::int64_t> places_of(const Node& node, const Layout& input) {
    PyObject* const value = saved_value(node, "places");
    if (value == nullptr || !PyArray_CheckExact(value) || input.ndim() != 1) return {};
    PyArrayObject* const array = as_array(value);
    const bool plain = PyArray_TYPE(array) == NPY_INT64 && PyArray_ISCARRAY_RO(array);
    if (!plain || PyArray_SIZE(array) != input.size()) return {};
    return {static_cast<const std::int64_t*>(PyArray_DATA(array)),
            static_cast<std::size_t>(input.size())};
}

template <typename T>
void put(std::span<const std::int64_t> places, const void* from, void* to) {
    const T* entry = static_cast<const T*>(from);
    for (const std::int64_t place : places) static_cast<T*>(to)[place] = T{0} + *entry++;
}

Ref<Tensor> unsorted(const Node& node, const Tensor& gradient) {
    const std::span<const std::int64_t> places = places_of(node, node.layout_of_input(0));
    if (places.empty()) return {};
    Ref<Tensor> made = Tensor::allocate(gradient.layout);
    const void* const from = gradient.data();
    void* const to = made->data();
    run_without_gil(gradient.layout.size(), [&] {
        gradient.layout.dtype() == NPY_FLOAT ? put<float>(places, from, to)
                                             : put<double>(places, from, to);
    });
    return made;
}

bool is_plain(const Layout& layout) {
    return layout.contiguous() && layout.regular() &&
           (layout.dtype() == NPY_FLOAT || layout.dtype() == NPY_DOUBLE);
}

template <typename From, typename To>
void convert(const void* from, void* to, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i)
        static_cast<To*>(to)[i] = static_cast<To>(static_cast<const From*>(from)[i]);
}

/// In the other dtype of floats.
Ref<Tensor> cast_back(const Tensor& gradient, const Layout& input) {
    if (!is_plain(gradient.layout) || !is_plain(input) || !gradient.layout.same_shape(input) ||
        gradient.layout.dtype() == input.dtype()) {
        return {};
    }
    Ref<Tensor> made = Tensor::allocate(input);
    const void* const from = gradient.data();
    void* const to = made->data();
    run_without_gil(input.size(), [&] {
        input.dtype() == NPY_FLOAT ? convert<double, float>(from, to, input.size())
                                   : convert<float, double>(from, to, input.size());
    });
    return made;
}

Ref<Tensor> moved_back(const Node& node, const Received& received, bool rolls) {
    const Layout& layout = received[0]->layout;
    if (!is_plain(layout) || layout.dtype() != node.layout_of_input(0).dtype()) return {};
    return rolls ? rolled(received[0], saved_value(node, "shift"), saved_value(node, "axis"), true)
                 : unsorted(node, *received[0]);
}

}  // namespace

bool differentiate_move(Node& node, const Received& received, std::vector<SentGradient>& made) {
    if (!node.info->plain_views || !received[0] || !switches.has(FastPath::moves)) return false;
    const bool rolls = node.info->name == "roll";
    const bool casts = node.info->name == "astype";
    if (!rolls && !casts && node.info->name != "sort") return false;
    Ref<Tensor> found = casts ? cast_back(*received[0], node.layout_of_input(0))
                              : moved_back(node, received, rolls);
    if (!found) return false;
    made.push_back({&node.edges[0], std::move(found)});
    return true;
}

}  // namespace pullback
