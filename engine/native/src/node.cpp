#include "pullback/node.h"

#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <vector>

#include "pullback/errors.h"

namespace pullback {

PyTypeObject* Node::type = nullptr;

namespace {

FreeList<Node> free_nodes;
std::uint64_t next_sequence = 0;

/// Nodes whose last reference went while another node is being destroyed: a chain of a million
/// nodes is taken down one after the other, not one inside the other.
std::vector<Node*> dying;
bool destroying = false;

void destroy(Node* node) {
    PyObject_GC_UnTrack(node->object());
    if (node->weak_references != nullptr) PyObject_ClearWeakRefs(node->object());
    free_nodes.recycle(node);
}

void dealloc(PyObject* object) {
    Node* node = reinterpret_cast<Node*>(object);
    // The leaf must not find a node that only waits for its end.
    if (node->leaf && node->leaf->extras) node->leaf->extras->leaf_node = nullptr;
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
    }
    return 0;
}

int clear(PyObject* object) {
    Node* node = reinterpret_cast<Node*>(object);
    if (node->extras) node->extras->hooks.clear();
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
    PyObject* functions = PyTuple_New(node->edges.size());
    for (std::uint32_t i = 0; functions != nullptr && i < node->edges.size(); ++i) {
        const Edge& edge = node->edges[i];
        PyObject* next = edge ? edge.node.object() : Py_None;
        PyObject* pair = Py_BuildValue("(Oi)", next, edge ? edge.output : 0);
        if (pair == nullptr)
            Py_CLEAR(functions);
        else
            PyTuple_SET_ITEM(functions, i, pair);
    }
    return functions;
}

PyObject* repr(PyObject* self) {
    return to_python([&] { return PyUnicode_FromFormat("<%s>", node_of(self)->name().c_str()); });
}

PyGetSetDef properties[] = {
    {"name", get_name, nullptr, "Name of the operator.", nullptr},
    {"next_functions", get_next_functions, nullptr,
     "The older nodes and which output of each, flat, as in torch.", nullptr},
    {"called_at", get_called_at, nullptr, "file:line of the call.", nullptr},
    {"operator", get_operator, nullptr, "The operator that was called, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

Ref<Node> Node::make(NodeKind kind) {
    auto node = Ref<Node>::steal(free_nodes.make(Node::type));
    if (!node) throw ErrorSet{};
    node->kind = kind;
    node->sequence = next_sequence++;
    PyObject_GC_Track(node->object());
    return node;
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

std::string Node::called_at() const {
    if (!caller) return "?";
    auto* code = reinterpret_cast<PyCodeObject*>(caller.get());
    return text_of(code->co_filename) + ":" +
           std::to_string(PyCode_Addr2Line(code, caller_instruction));
}

NodeExtras& Node::more() {
    if (!extras) extras = std::make_unique<NodeExtras>();
    return *extras;
}

void Node::free_saved() {
    if (!keeps_arrays) return;
    saved.clear();
    freed = true;
}

void define_node_type() {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
        {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(clear)},
        {Py_tp_repr, reinterpret_cast<void*>(repr)},
        {Py_tp_getset, properties},
        {Py_tp_members, members},
        {0, nullptr},
    };
    PyType_Spec spec = {"pullback.engine.native.Node", sizeof(Node), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    Node::type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
}

}  // namespace pullback
