#include "pullback/saved_variable.h"

#include "pullback/errors.h"
#include "pullback/node.h"
#include "pullback/numpy_api.h"

namespace pullback {

SavedVariable::SavedVariable(SavedVariable&& other) noexcept
    : held_(std::exchange(other.held_, Held::nothing)),
      number_(other.number_),
      version_(other.version_),
      tensor_(std::move(other.tensor_)),
      value_(std::move(other.value_)),
      list_(std::move(other.list_)) {}

SavedVariable::~SavedVariable() {
    if (tensor_) tensor_->storage->release();
}

void SavedVariable::watch(Storage& storage) {
    version_ = storage.version;
    storage.keep();
}

SavedVariable SavedVariable::input(PyObject* value) {
    SavedVariable saved;
    if (Tensor::check(value)) {
        saved.held_ = Held::input;
        saved.tensor_ = Ref<Tensor>::borrow(Tensor::cast(value));
        saved.watch(*saved.tensor_->storage);
    } else if (PyList_Check(value)) {
        saved.held_ = Held::list;
        saved.list_ = std::make_unique<InlineVector<SavedVariable, 4>>();
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
            saved.list_->emplace_back(input(PyList_GET_ITEM(value, i)));
        }
    } else {
        return plain(PyRef::borrow(value));
    }
    return saved;
}

SavedVariable SavedVariable::output(Ref<Tensor> memory, std::int32_t number) {
    SavedVariable saved;
    saved.held_ = Held::output;
    saved.number_ = number;
    saved.tensor_ = std::move(memory);
    saved.watch(*saved.tensor_->storage);
    return saved;
}

SavedVariable SavedVariable::plain(PyRef value) {
    SavedVariable saved;
    saved.held_ = Held::plain;
    saved.value_ = std::move(value);
    return saved;
}

SavedVariable SavedVariable::like(std::int32_t input) {
    SavedVariable saved;
    saved.held_ = Held::like;
    saved.number_ = input;
    return saved;
}

bool SavedVariable::holds_array() const {
    switch (held_) {
        case Held::nothing:
        case Held::like:
            return false;
        case Held::plain:
            return PyArray_Check(value_.get()) && PyArray_NDIM(as_array(value_.get())) > 0;
        case Held::list:
            for (const SavedVariable& item : *list_) {
                if (item.holds_array()) return true;
            }
            return false;
        case Held::input:
        case Held::output:
            break;
    }
    return true;
}

int SavedVariable::traverse(visitproc visit, void* arg) const {
    Py_VISIT(tensor_.object());
    Py_VISIT(value_.get());
    if (!list_) return 0;
    for (const SavedVariable& item : *list_) {
        if (const int stop = item.traverse(visit, arg)) return stop;
    }
    return 0;
}

void SavedVariable::check(Node& node, const std::string& name) const {
    const Storage& storage = *tensor_->storage;
    if (storage.version == version_) return;
    std::string what = held_ == Held::input ? "its input" : "its output";
    if (held_ == Held::input && tensor_->extras && tensor_->extras->name) {
        what += " (tensor '" + text_of(tensor_->extras->name.get()) + "')";
    }
    const PyRef dtype = attribute(tensor_->object(), "dtype");
    const PyRef span = attribute(node.operator_object.get(), "span");
    const std::string written =
        storage.written_at ? ", last at " + text_of(storage.written_at.get()) : "";
    raise("SavedVariableError",
          node.name() + " saved " + what + " '" + name + "' of shape " +
              tensor_->layout.shape_text() + " and dtype " + text_of(dtype.get()) +
              " for its backward, and it was changed in place afterwards" + written + ": version " +
              std::to_string(storage.version) + ", saved at version " + std::to_string(version_) +
              ".\n  called at " + node.called_at() + ", formula at " + text_of(span.get()) +
              "\n  help: write x = x + y for x += y, or change a copy");
}

namespace {

/// What the edge of an input knows of it.
const Layout& input_layout(const Node& node, std::int32_t input) {
    const Edge& edge = node.edges[node.inputs[static_cast<std::size_t>(input)].begin];
    return edge.node->outputs[static_cast<std::size_t>(edge.output)].layout;
}

/// pullback.engine.plumbing.Like(shape, dtype).
PyRef python_like(const Layout& layout) {
    static PyObject* type = import_from("pullback.engine.plumbing", "Like").release();
    const PyRef shape = checked(PyTuple_New(layout.ndim));
    for (int axis = 0; axis < layout.ndim; ++axis) {
        PyObject* length = checked(PyLong_FromLongLong(layout.shape[axis])).release();
        PyTuple_SET_ITEM(shape.get(), axis, length);
    }
    const PyRef dtype = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(layout.dtype)));
    return checked(PyObject_CallFunctionObjArgs(type, shape.get(), dtype.get(), nullptr));
}

}  // namespace

Operand SavedVariable::operand(Node& node, const std::string& name) const {
    switch (held_) {
        case Held::input:
        case Held::output:
            check(node, name);
            return {tensor_.get(), nullptr, nullptr};
        case Held::like:
            return {nullptr, &input_layout(node, number_), nullptr};
        case Held::plain:
            return {nullptr, nullptr, value_.get()};
        case Held::nothing:
        case Held::list:
            break;
    }
    return {};
}

PyRef SavedVariable::unpack(Node& node, const std::string& name, bool recorded) const {
    switch (held_) {
        case Held::nothing:
            return PyRef::borrow(Py_None);
        case Held::plain:
            return value_;
        case Held::like:
            return python_like(input_layout(node, number_));
        case Held::list: {
            PyRef list = checked(PyList_New(list_->size()));
            for (std::uint32_t i = 0; i < list_->size(); ++i) {
                PyList_SET_ITEM(list.get(), i, (*list_)[i].unpack(node, name, recorded).release());
            }
            return list;
        }
        case Held::input:
        case Held::output:
            break;
    }
    check(node, name);
    if (!recorded) return PyRef::borrow(tensor_->array());
    if (held_ == Held::input) return PyRef::borrow(tensor_.object());
    Ref<Tensor> tensor = tensor_->detach();
    const auto output = static_cast<std::uint32_t>(number_);
    if (node.outputs[output].differentiable) {
        tensor->hang_on(Ref<Node>::borrow(&node), number_);
    }
    return PyRef::steal(tensor.release_object());
}

}  // namespace pullback
