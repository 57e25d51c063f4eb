#include "core/saved_variable.h"

#include <algorithm>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/caller.h"
#include "core/node.h"

namespace pullback {

/// The place in the graph of an unpacked value.
struct SavedVariable::Place {
    Edge edge;                 // of an input that requires grad
    std::int32_t output = -1;  // of an output
    bool is_tensor = true;     // else an array, whatever the derivative is run on
};

PyRef SavedVariable::packed_by_hooks(const Ref<Tensor>& tensor) {
    PyRef value = checked(PyObject_CallOneArg(switches.pack, tensor.object()));
    return value.get() == Py_None ? PyRef() : value;
}

SavedVariable SavedVariable::packed(PyRef value, Place place) {
    SavedVariable saved;
    saved.held_ = Held::packed;
    saved.object_ = value.release();
    saved.data_ = new Place(std::move(place));
    return saved;
}

void SavedVariable::raise_inference(Tensor& tensor) {
    const PyRef described = import_from("pullback.engine.mutation.views", "described");
    const PyRef text = checked(PyObject_CallOneArg(described.get(), tensor.object()));
    raise("InferenceTensorError",
          "this " + text_of(text.get()) +
              " was made in inference mode and can't be saved for a "
              "backward: use x.copy() of it, or make it under pb.no_grad()");
}

SavedVariable SavedVariable::input(PyObject* value, bool relied) {
    if (Tensor::check(value)) {
        Tensor& tensor = *Tensor::cast(value);
        refuse_inference(tensor);
        if (switches.pack != nullptr) [[unlikely]] {
            if (PyRef made = packed_by_hooks(tensor.detach())) {
                return packed(std::move(made), {edge_of(tensor)});
            }
        }
        return input(tensor, relied);
    }
    if (!PyList_Check(value)) return plain(PyRef::borrow(value));
    SavedVariable saved;
    auto list = std::make_unique<List>();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
        list->emplace_back(input(PyList_GET_ITEM(value, i), relied));
    }
    saved.held_ = Held::list;
    saved.data_ = list.release();
    return saved;
}

SavedVariable SavedVariable::output(Tensor& tensor, std::int32_t number, bool relied) {
    refuse_inference(tensor);
    if (switches.pack != nullptr) [[unlikely]] {
        if (PyRef made = packed_by_hooks(tensor.detach())) {
            return packed(std::move(made), {{}, number});
        }
    }
    SavedVariable saved;
    saved.number_ = static_cast<std::int16_t>(number);
    if (tensor.layout.regular()) {
        saved.held_ = Held::output;
        saved.data_ = tensor.data();
        saved.object_ = Ref<Storage>(tensor.storage).release_object();
    } else {
        saved.held_ = Held::odd_output;
        saved.object_ = tensor.detach().release_object();
    }
    if (relied) saved.watch(*tensor.storage);
    return saved;
}

SavedVariable SavedVariable::plain(PyRef value) {
    if (switches.pack != nullptr && PyArray_Check(value.get()) &&
        PyArray_NDIM(as_array(value.get())) > 0) [[unlikely]] {
        if (PyRef made = packed_by_hooks(Tensor::of_array(to_array(value)))) {
            return packed(std::move(made), {{}, -1, false});
        }
    }
    SavedVariable saved;
    saved.held_ = Held::plain;
    saved.object_ = value.release();
    return saved;
}

void SavedVariable::let_go() {
    if (holds_memory()) {
        if (version_ != kUnwatched) storage().release();
    } else if (held_ == Held::list) {
        delete static_cast<List*>(data_);
    } else if (held_ == Held::packed) {
        delete static_cast<Place*>(data_);
    }
    Py_XDECREF(object_);
}

void SavedVariable::forget_history(const Storage& written) {
    if (held_ == Held::list) {
        for (SavedVariable& item : *static_cast<List*>(data_)) item.forget_history(written);
    } else if (held_ == Held::input && &storage() == &written && version_ != written.version) {
        PyObject* before = std::exchange(object_, tensor().detach().release_object());
        Py_DECREF(before);
    }
}

bool SavedVariable::holds_array() const {
    switch (held_) {
        case Held::nothing:
            return false;
        case Held::plain:
            return PyArray_Check(object_) && PyArray_NDIM(as_array(object_)) > 0;
        case Held::list:
            for (const SavedVariable& item : list()) {
                if (item.holds_array()) return true;
            }
            return false;
        case Held::input:
        case Held::output:
        case Held::odd_output:
        case Held::packed:
            break;
    }
    return true;
}

bool SavedVariable::holds_packed() const {
    if (held_ != Held::list) return held_ == Held::packed;
    return std::any_of(list().begin(), list().end(),
                       [](const SavedVariable& item) { return item.holds_packed(); });
}

PyRef SavedVariable::shown(const Node& node) const {
    switch (held_) {
        case Held::nothing:
            return PyRef::borrow(Py_None);
        case Held::output:
        case Held::odd_output:
            return python_like(node.outputs[std::size_t(number_)].layout);
        case Held::list: {
            PyRef made = checked(PyList_New(list().size()));
            for (std::uint32_t i = 0; i < list().size(); ++i) {
                PyList_SET_ITEM(made.get(), i, list()[i].shown(node).release());
            }
            return made;
        }
        case Held::plain:
        case Held::input:
        case Held::packed:
            break;
    }
    return PyRef::borrow(object_);
}

int SavedVariable::traverse(visitproc visit, void* arg) const {
    Py_VISIT(object_);
    if (held_ == Held::packed) Py_VISIT(static_cast<const Place*>(data_)->edge.node.object());
    if (held_ != Held::list) return 0;
    for (const SavedVariable& item : list()) {
        if (const int stop = item.traverse(visit, arg)) return stop;
    }
    return 0;
}

void SavedVariable::raise_changed(Node& node, const std::string& name) const {
    const Storage& memory = storage();
    std::string what = held_ == Held::input ? "its input" : "its output";
    if (held_ == Held::input && tensor().extras && tensor().extras->name) {
        what += " (tensor '" + text_of(tensor().extras->name.get()) + "')";
    }
    const Layout& layout =
        held_ == Held::input ? tensor().layout : node.outputs[std::size_t(number_)].layout;
    const PyRef dtype = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(layout.dtype())));
    const PyRef span = attribute(node.operator_object.get(), "span");
    raise("SavedVariableError",
          node.name() + " saved " + what + " '" + name + "' of shape " + layout.shape_text() +
              " and dtype " + text_of(dtype.get()) +
              " for its backward, and it was changed in place afterwards\n  saved at version " +
              std::to_string(version_) + ", at " + node.called_at() + " by " + node.name() +
              " (formula at " + text_of(span.get()) + ")\n  now at version " +
              std::to_string(memory.version) + ", changed at " + memory.last_write() +
              "\n  help: write x = x + y for x += y, or change a copy");
}

Operand SavedVariable::peek(const Node& node, bool relied) const {
    switch (held_) {
        case Held::input:
        case Held::odd_output:
            if (relied && changed()) break;
            return {&tensor().layout, tensor().data(), nullptr};
        case Held::output:
            if (relied && changed()) break;
            return {&node.outputs[std::size_t(number_)].layout, data_, nullptr};
        case Held::plain:
            return {nullptr, nullptr, object_};
        case Held::nothing:
        case Held::list:
        case Held::packed:  // see Node::packed
            break;
    }
    return {};
}

PyRef SavedVariable::unpack_packed(Node& node, bool recorded) const {
    PyRef value = checked(PyObject_CallMethod(object_, "tensor", nullptr));
    auto tensor = Ref<Tensor>::borrow(Tensor::cast(value.get()));
    const Place& place = *static_cast<const Place*>(data_);
    if (!recorded || !place.is_tensor) return PyRef::borrow(tensor->array());
    if (place.output >= 0 && node.outputs[std::size_t(place.output)].differentiable) {
        tensor->hang_on(Ref<Node>::borrow(&node), place.output);
    } else if (place.edge) {
        tensor->hang_on(place.edge.node, place.edge.output);
    }
    return value;
}

PyRef SavedVariable::unpack(Node& node, const std::string& name, bool recorded, bool relied) const {
    switch (held_) {
        case Held::nothing:
            return PyRef::borrow(Py_None);
        case Held::plain:
            return PyRef::borrow(object_);
        case Held::list: {
            PyRef made = checked(PyList_New(list().size()));
            for (std::uint32_t i = 0; i < list().size(); ++i) {
                PyList_SET_ITEM(made.get(), i,
                                list()[i].unpack(node, name, recorded, relied).release());
            }
            return made;
        }
        case Held::packed:
            return unpack_packed(node, recorded);
        case Held::input:
        case Held::output:
        case Held::odd_output:
            break;
    }
    if (relied) check(node, name);
    if (held_ == Held::input) return PyRef::borrow(recorded ? object_ : tensor().array());
    const Output& output = node.outputs[std::size_t(number_)];
    const auto shared = Ref<Storage>::borrow(&storage());
    Ref<Tensor> unpacked = held_ == Held::odd_output
                               ? tensor().detach()
                               : Tensor::view_of(shared, data_, output.layout);
    if (!recorded) return PyRef::borrow(unpacked->array());
    if (output.differentiable) unpacked->hang_on(Ref<Node>::borrow(&node), number_);
    return PyRef::steal(unpacked.release_object());
}

}  // namespace pullback
