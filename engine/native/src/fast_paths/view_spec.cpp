#include "fast_paths/view_spec.h"

#include <cstring>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/caller.h"
#include "core/grad_mode.h"
#include "dispatch/arguments.h"

namespace pullback {
namespace {

PyRef shape_of(const Tensor& tensor) { return tuple_of(tensor.layout.extents()); }

/// A plain value that a formula of `a` saves, by its name there; none for one that isn't known
/// here.
PyRef plain_value(std::string_view name, Tensor& source, const Attributes& attributes) {
    constexpr std::string_view kIsNone = "_is_none";
    if (name.starts_with("like_")) return like(source.object());
    if (name == "a_shape") return shape_of(source);
    if (name == "a_ndim") return checked(PyLong_FromLong(source.layout.ndim()));
    if (name.ends_with(kIsNone)) {
        PyObject* const value = attributes[name.substr(0, name.size() - kIsNone.size())];
        return PyRef::borrow(value == nullptr ? nullptr : value == Py_None ? Py_True : Py_False);
    }
    PyObject* const value = attributes[name];
    // What a caller may change is kept as it is now.
    if (value != nullptr && PyList_CheckExact(value)) return checked(PySequence_Tuple(value));
    return PyRef::borrow(value);
}

/// The node of a view, or of a copy of an entry; false where the formula saves something else.
bool record(OperatorInfo& info, Tensor& source, Tensor& view, const ViewSpec& spec,
            const Attributes& attributes) {
    const Variant& variant = info.variant(Mask{1}, Mask{1});
    std::vector<PyRef> saved;
    for (const std::int32_t read : variant.reads) {
        const SavedEntry& entry = info.saved[static_cast<std::size_t>(read)];
        if (entry.source != SavedSource::plain) return false;
        if (variant.slots[static_cast<std::size_t>(read)] < 0) continue;
        PyRef value = plain_value(entry.name, source, attributes);
        if (!value) return false;
        saved.push_back(std::move(value));
    }
    Ref<Node> node = Node::make(NodeKind::call);
    node->operator_object = PyRef::borrow(info.object);
    node->info = &info;
    node->recorded = &variant;
    node->edges.emplace_back(edge_of(source));
    node->renumber();
    node->outputs.emplace_back(view.layout, true);
    const auto item = static_cast<std::int64_t>(item_size(source.layout.dtype()));
    if (source.layout.contiguous() && item > 0 && !spec.repeats) {
        node->shows = (spec.data - static_cast<char*>(source.data())) / item;
    }
    remember_caller(*node);
    for (PyRef& value : saved) node->saved.emplace_back(SavedVariable::plain(std::move(value)));
    view.hang_on(node, 0);
    return true;
}

}  // namespace

bool is_usual(Tensor& tensor) {
    if (!switches.takes(FastPath::views)) return false;
    tensor.refresh();
    return !tensor.cached_array || PyArray_ISWRITEABLE(as_array(tensor.cached_array.get()));
}

Ref<Tensor> finish_view(OperatorInfo* info, Tensor& source, const ViewSpec& spec,
                        const Attributes& attributes) {
    if (info == nullptr || !info->plain_views || info->n_inputs != 1 || info->n_hidden != 0) {
        return {};
    }
    const bool recording = grad_enabled();
    const Layout layout = spec.layout(source.layout.dtype());
    Ref<Tensor> made;
    if (spec.single) {
        if (spec.item == 0) return {};
        made = Tensor::allocate(layout, static_cast<std::size_t>(spec.item));
        std::memcpy(made->data(), spec.data, static_cast<std::size_t>(spec.item));
    } else {
        made = Tensor::view_of(source.storage, spec.data, layout);
        made->show_part_of(source, recording ? Made::plain : Made::unrecorded);
    }
    if (spec.repeats) PyArray_CLEARFLAGS(as_array(made->array()), NPY_ARRAY_WRITEABLE);
    if (recording && source.requires_grad && !record(*info, source, *made, spec, attributes))
        return {};
    return made;
}

Attributes::Attributes(PyObject* dict) {
    PyObject *name, *value;
    Py_ssize_t position = 0;
    if (PyDict_GET_SIZE(dict) > static_cast<Py_ssize_t>(kMost)) return;
    while (PyDict_Next(dict, &position, &name, &value)) {
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
        if (text == nullptr) throw ErrorSet{};
        named_[count_++] = {{text, static_cast<std::size_t>(size)}, value};
    }
}

int whole_numbers(PyObject* sequence, std::int64_t* numbers) {
    if (!PyTuple_CheckExact(sequence) && !PyList_CheckExact(sequence)) return -1;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    if (count > ViewSpec::kMost) return -1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
        if (!PyLong_CheckExact(item)) return -1;
        int overflow = 0;
        numbers[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
        if (overflow != 0) return -1;
    }
    return static_cast<int>(count);
}

}  // namespace pullback
