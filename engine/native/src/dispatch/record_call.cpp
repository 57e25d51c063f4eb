#include "dispatch/record_call.h"

#include <span>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/caller.h"
#include "dispatch/arguments.h"

namespace pullback {
namespace {

/// Hidden outputs of branches that were not taken.
Mask absent(const Outputs& outputs) {
    Mask absent;
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i]) absent.add(i);
    }
    return absent;
}

int number_of_axes(PyObject* input) {
    if (Tensor::check(input)) return Tensor::cast(input)->layout.ndim();
    return PyArray_Check(input) ? PyArray_NDIM(as_array(input)) : 0;
}

/// The number of elements of an input, or of an output, counted after the inputs.
PyRef size_of(std::int32_t place, PyObject* inputs, const Outputs& outputs) {
    const Py_ssize_t n_inputs = PyTuple_GET_SIZE(inputs);
    if (place >= n_inputs) {
        const Ref<Tensor>& output = outputs[static_cast<std::size_t>(place - n_inputs)];
        return checked(PyLong_FromLongLong(output->layout.size()));
    }
    PyObject* input = PyTuple_GET_ITEM(inputs, place);
    if (Tensor::check(input))
        return checked(PyLong_FromLongLong(Tensor::cast(input)->layout.size()));
    return checked(PyLong_FromSsize_t(PyArray_Check(input) ? PyArray_SIZE(as_array(input)) : 1));
}

/// A value that is no array, of a call whose kernel ran.
PyRef plain_value(const KernelLayout& kernel, std::size_t index, const Call& call) {
    const std::int32_t place = kernel.plain_likes[index];
    if (place < 0) return PyRef::borrow(nth_value(call.attributes, -1 - place));
    switch (const std::int32_t rank = kernel.plain_ranks[index]) {
        case KernelLayout::kPlainOutput:
            return call.plain_outputs[static_cast<std::size_t>(place)];
        case KernelLayout::kSize:
            return size_of(place, call.inputs, call.outputs);
        case KernelLayout::kNone:
            return PyRef::steal(PyBool_FromLong(PyTuple_GET_ITEM(call.inputs, place) == Py_None));
        case KernelLayout::kLike:
            return like(PyTuple_GET_ITEM(call.inputs, place));
        default: {
            const int axes = number_of_axes(PyTuple_GET_ITEM(call.inputs, place));
            return PyRef::steal(PyBool_FromLong(axes == rank));
        }
    }
}

/// The value of an entry, which some derivative reads.
void save(Node& node, const SavedEntry& entry, bool relied, const Call& call) {
    const auto index = static_cast<std::size_t>(entry.index);
    if (entry.source == SavedSource::input) {
        PyObject* input = PyTuple_GET_ITEM(call.inputs, entry.index);
        node.saved.emplace_back(SavedVariable::input(input, relied));
        return;
    }
    if (entry.source == SavedSource::plain) {
        PyRef value = call.computed == nullptr
                          ? plain_value(*node.info->kernel, index, call)
                          : PyRef::borrow(PyTuple_GET_ITEM(call.computed,
                                                           node.info->n_outputs() + entry.index));
        node.saved.emplace_back(SavedVariable::plain(std::move(value)));
        return;
    }
    const Ref<Tensor>& output = call.outputs[index];
    if (output) {
        node.saved.emplace_back(SavedVariable::output(*output, entry.index, relied));
    } else {
        node.saved.emplace_back();
    }
}

/// An edge per input, or per tensor of a list; empty for those that no gradient is needed of.
void add_edges(Node& node, PyObject* inputs, const Mask& needed) {
    const OperatorInfo& info = *node.info;
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        const bool needs_gradient = needed.has(i);
        PyObject* value = PyTuple_GET_ITEM(inputs, i);
        if (info.list_inputs.empty()) {
            node.edges.emplace_back(needs_gradient ? edge_of(*Tensor::cast(value)) : Edge{});
            continue;
        }
        EdgeRange range{node.edges.size(), 0};
        if (needs_gradient) {
            for_each_tensor(value, [&](Tensor* tensor) {
                node.edges.emplace_back(tensor == nullptr ? Edge{} : edge_of(*tensor));
            });
        }
        range.count = node.edges.size() - range.begin;
        node.ranges.emplace_back(range);
    }
}

/// True if no entry of the memory stands in two places of a view: axes along which it is repeated
/// have no stride, and windows that overlap have more entries than what they are taken of.
bool has_each_once(const Layout& view, const Layout& source) {
    if (!view.regular() || view.size() > source.size()) return false;
    const std::span<const std::int64_t> extents = view.extents();
    std::int64_t strides[NPY_MAXDIMS];
    view.copy_strides(strides);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (extents[axis] > 1 && strides[axis] == 0) return false;
    }
    return true;
}

/// Says of the node of a plain view where in its input the view begins: that is all that its
/// gradient needs (view_gradient.h).
void show(Node& node, const Call& call) {
    const OperatorInfo& info = *node.info;
    PyObject* input = PyTuple_GET_ITEM(call.inputs, 0);
    if (!info.plain_views || info.n_inputs != 1 || info.n_outputs() != 1) return;
    if (!Tensor::check(input) || !call.outputs[0]) return;
    const Tensor& source = *Tensor::cast(input);
    const Tensor& view = *call.outputs[0];
    const auto item = static_cast<std::int64_t>(item_size(source.layout.dtype()));
    if (view.storage.get() != source.storage.get() || item == 0) return;
    if (!source.layout.contiguous() || !has_each_once(view.layout, source.layout)) return;
    node.shows =
        (static_cast<const char*>(view.data()) - static_cast<const char*>(source.data())) / item;
}

}  // namespace

PyObject* nth_value(PyObject* dict, std::int32_t place) {
    PyObject *key, *value = nullptr;
    Py_ssize_t position = 0;
    for (std::int32_t i = 0; i <= place; ++i) {
        if (!PyDict_Next(dict, &position, &key, &value)) return nullptr;
    }
    return value;
}

Ref<Node> record_call(OperatorInfo& info, const Mask& needed, const Mask& differentiable,
                      const Call& call) {
    const Outputs& outputs = call.outputs;
    Ref<Node> node = Node::make(NodeKind::call);
    node->operator_object = PyRef::borrow(info.object);
    node->info = &info;
    add_edges(*node, call.inputs, needed);
    // Leaves that are met for the first time have their numbers now: the node comes after them.
    node->renumber();
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
        Output& output = node->outputs.emplace_back();
        output.differentiable = differentiable.has(i);
        if (outputs[i]) output.layout = outputs[i]->layout;
    }
    show(*node, call);
    remember_caller(*node);
    if (switches.anomaly) remember_stack(*node);

    // Other patterns of gradients read no more than this one: what a branch that was not taken
    // leaves out counts as defined, for it may be filled with zeros.
    const Variant& variant = info.variant(differentiable | absent(outputs), needed);
    node->recorded = &variant;
    for (const std::int32_t read : variant.reads) {
        if (variant.slots[static_cast<std::size_t>(read)] < 0) continue;
        const auto index = static_cast<std::size_t>(read);
        save(*node, info.saved[index], variant.relied[index], call);
        const SavedVariable& saved = node->saved[node->saved.size() - 1];
        node->keeps_arrays = node->keeps_arrays || saved.holds_array();
        node->packed = node->packed || saved.holds_packed();
    }
    return node;
}

}  // namespace pullback
