#include "core/node.h"

#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "core/caller.h"

namespace pullback {

PyTypeObject* Node::type = nullptr;
Pool<Node> Node::pool;
std::uint64_t Node::next_sequence = 0;

void raise_barrier(const Node& node) {
    const PyRef message = attribute(node.operator_object.get(), "barrier");
    raise("BarrierError", node.formula_place() + ": second derivative of " + node.info->name +
                              ": " + text_of(message.get()));
}

namespace {

/// Nodes whose last reference went while another node is being destroyed: a chain of a million
/// nodes is taken down one after the other, not one inside the other.
std::vector<Node*> dying;
bool destroying = false;

/// Empties a node that is not tracked any more.
void destroy(Node* node) {
    if (node->weak_references != nullptr) [[unlikely]] {
        PyObject_ClearWeakRefs(node->object());
        node->weak_references = nullptr;
    }
    node->outputs.clear();
    node->edges.clear();
    node->saved.clear();
    node->ranges.clear();
    Py_XDECREF(node->operator_object.release());
    Py_XDECREF(node->caller.release());
    if (node->leaf) node->leaf = nullptr;
    if (node->extras) node->extras.reset();
    node->freed = node->keeps_arrays = node->packed = node->uniform = false;
    node->mark = 0;
    node->shows = -1;
    node->info = nullptr;
    node->recorded = nullptr;
    Node::pool.give(node);
}

void dealloc(PyObject* object) {
    Node* node = reinterpret_cast<Node*>(object);
    untrack(object);
    // The leaf must not find a node that only waits for its end.
    if (node->leaf) node->leaf->leaf_node = nullptr;
    if (destroying) {
        dying.push_back(node);
        return;
    }
    destroying = true;
    destroy(node);
    while (!dying.empty()) {
        Node* next = dying.back();
        dying.pop_back();
        destroy(next);
    }
    destroying = false;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
    Node* node = reinterpret_cast<Node*>(object);
    Py_VISIT(Py_TYPE(object));
    for (const Edge& edge : node->edges) Py_VISIT(edge.node.object());
    Py_VISIT(node->operator_object.get());
    Py_VISIT(node->leaf.object());
    for (const SavedVariable& saved : node->saved) {
        if (const int stop = saved.traverse(visit, arg)) return stop;
    }
    if (node->extras) {
        for (const auto& [output, hooks] : node->extras->hooks) Py_VISIT(hooks.get());
        Py_VISIT(node->extras->prehooks.get());
        Py_VISIT(node->extras->posthooks.get());
    }
    return 0;
}

int clear(PyObject* object) {
    Node* node = reinterpret_cast<Node*>(object);
    if (node->extras) {
        node->extras->hooks.clear();
        node->extras->prehooks = node->extras->posthooks = nullptr;
    }
    return 0;
}

Node* node_of(PyObject* object) { return reinterpret_cast<Node*>(object); }

PyObject* get_name(PyObject* self, void*) {
    return to_python([&] { return PyUnicode_FromString(node_of(self)->name().c_str()); });
}

PyObject* get_called_at(PyObject* self, void*) {
    return to_python([&] { return PyUnicode_FromString(node_of(self)->called_at().c_str()); });
}

PyObject* get_operator(PyObject* self, void*) {
    PyObject* object = node_of(self)->operator_object.get();
    return Py_NewRef(object == nullptr ? Py_None : object);
}

PyObject* get_next_functions(PyObject* self, void*) {
    const Node* node = node_of(self);
    return to_python([&] {
        const PyRef functions = checked(PyList_New(0));
        node->for_each_edge([&](const Edge& edge) {
            PyObject* next = edge ? edge.node.object() : Py_None;
            const PyRef pair = checked(Py_BuildValue("(Oi)", next, edge ? edge.output : 0));
            checked(PyList_Append(functions.get(), pair.get()));
        });
        return PyList_AsTuple(functions.get());
    });
}

PyObject* repr(PyObject* self) {
    return to_python([&] { return PyUnicode_FromFormat("<%s>", node_of(self)->name().c_str()); });
}

const std::string& saved_name(const Node& node, std::int32_t index) {
    return node.info->saved[static_cast<std::size_t>(index)].name;
}

PyObject* get_tensor(PyObject* self, void*) {
    PyObject* leaf = node_of(self)->leaf.object();
    return Py_NewRef(leaf == nullptr ? Py_None : leaf);
}

PyObject* get_forward_stack(PyObject* self, void*) {
    const Node* node = node_of(self);
    if (node->extras && node->extras->stack) return Py_NewRef(node->extras->stack.get());
    return PyUnicode_FromString("");
}

PyObject* get_saved(PyObject* self, void*) {
    const Node* node = node_of(self);
    return to_python([&] {
        const PyRef values = checked(PyList_New(0));
        if (node->recorded == nullptr || node->freed) return PyList_AsTuple(values.get());
        for (const Slot slot : node->recorded->slots) {
            PyRef value = PyRef::borrow(Py_None);
            if (slot >= 0) value = node->saved[static_cast<std::size_t>(slot)].shown(*node);
            checked(PyList_Append(values.get(), value.get()));
        }
        return PyList_AsTuple(values.get());
    });
}

/// Adds a hook to a dict, which is made where there is none: the handle that takes it away.
PyObject* add_hook(PyRef& hooks, PyObject* hook) {
    if (!hooks) hooks = checked(PyDict_New());
    const PyRef handle = import_from("pullback.engine.core.hooks", "HookHandle");
    return PyObject_CallFunctionObjArgs(handle.get(), hooks.get(), hook, nullptr);
}

PyObject* register_prehook(PyObject* self, PyObject* hook) {
    return to_python([&] { return add_hook(node_of(self)->more().prehooks, hook); });
}

PyObject* register_posthook(PyObject* self, PyObject* hook) {
    return to_python([&] { return add_hook(node_of(self)->more().posthooks, hook); });
}

PyObject* refuse(PyObject* self, PyObject*) {
    return to_python([&]() -> PyObject* { raise_barrier(*node_of(self)); });
}

PyObject* get_is_barrier(PyObject* self, void*) {
    return PyBool_FromLong(node_of(self)->kind == NodeKind::barrier);
}

PyMethodDef methods[] = {
    {"register_prehook", register_prehook, METH_O,
     "Call hook(grad_outputs) before the node runs; a tuple that it returns takes their place."},
    {"register_hook", register_posthook, METH_O,
     "Call hook(grad_inputs, grad_outputs) after the node ran; a tuple that it returns takes the "
     "place of the first."},
    {"refuse", refuse, METH_NOARGS, "Raise what a barrier raises."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"name", get_name, nullptr, "Name of the operator.", nullptr},
    {"next_functions", get_next_functions, nullptr,
     "The older nodes and which output of each, flat, as in torch.", nullptr},
    {"called_at", get_called_at, nullptr, "file:line of the call.", nullptr},
    {"operator", get_operator, nullptr, "The operator that was called, or None.", nullptr},
    {"saved", get_saved, nullptr, "What it keeps, by the operator's saved values.", nullptr},
    {"tensor", get_tensor, nullptr, "Of a leaf's node, the leaf; else None.", nullptr},
    {"is_barrier", get_is_barrier, nullptr, "Whether it refuses to be differentiated.", nullptr},
    {"forward_stack", get_forward_stack, nullptr, "The stack of the call, in anomaly mode.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyRef python_like(const Layout& layout) {
    static PyObject* type = nullptr;
    import_once(type, "pullback.engine.primitives.plumbing", "Like");
    const PyRef shape = checked(PyTuple_New(layout.ndim()));
    for (int axis = 0; axis < layout.ndim(); ++axis) {
        PyObject* length = checked(PyLong_FromLongLong(layout.shape(axis))).release();
        PyTuple_SET_ITEM(shape.get(), axis, length);
    }
    const PyRef dtype = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(layout.dtype())));
    // A named tuple's own `__new__` is Python, and makes no more of two values.
    const PyRef pair = checked(PyTuple_Pack(2, shape.get(), dtype.get()));
    const PyRef args = checked(PyTuple_Pack(1, pair.get()));
    return checked(PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type), args.get(), nullptr));
}

std::string Node::name() const {
    switch (kind) {
        case NodeKind::call:
            return info->name;
        case NodeKind::barrier:
            return info->name + " barrier";
        case NodeKind::leaf:
            break;
    }
    return "leaf";
}

std::string Node::formula_place() const {
    return text_of(attribute(operator_object.get(), "span").get());
}

std::string Node::called_at() const {
    if (!caller) return "?";
    return place_of(caller.get(), caller_instruction);
}

NodeExtras& Node::more() {
    if (!extras) extras = std::make_unique<NodeExtras>();
    return *extras;
}

PyRef Node::unpack(std::int32_t index, bool record, bool relied) {
    const Slot slot = recorded->slots[static_cast<std::size_t>(index)];
    if (slot == kNotSaved) return PyRef::borrow(Py_None);
    if (slot < 0) return python_like(layout_of_input(input_of(slot)));
    return saved[static_cast<std::size_t>(slot)].unpack(*this, saved_name(*this, index), record,
                                                        relied);
}

Operand Node::operand(std::int32_t index, bool relied) {
    const Operand found = peek(index, relied);
    const Slot slot = recorded->slots[static_cast<std::size_t>(index)];
    if (relied && slot >= 0)
        saved[static_cast<std::size_t>(slot)].check(*this, saved_name(*this, index));
    return found;
}

Operand Node::peek(std::int32_t index, bool relied) const {
    const Slot slot = recorded->slots[static_cast<std::size_t>(index)];
    if (slot == kNotSaved) return {};
    if (slot < 0) return {&layout_of_input(input_of(slot)), nullptr, nullptr};
    return saved[static_cast<std::size_t>(slot)].peek(*this, relied);
}

void define_node_type() {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
        {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(clear)},
        {Py_tp_repr, reinterpret_cast<void*>(repr)},
        {Py_tp_getset, properties},
        {Py_tp_methods, methods},
        {Py_tp_members, members},
        {0, nullptr},
    };
    PyType_Spec spec = {"pullback.engine.native.Node", sizeof(Node), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    Node::type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
}

}  // namespace pullback
