#include "python/direct_call.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/switches.h"
#include "core/attribute_forms.h"
#include "dispatch/arguments.h"
#include "fast_paths/named_operator.h"
#include "fast_paths/remembered_calls.h"
#include "fast_paths/small_pointwise.h"

namespace pullback {
namespace {

/// A name, an operator or a function is set, or none of them.
struct DirectCall {
    PyObject ob_base;
    vectorcallfunc vectorcall;
    PyObject* operator_object;
    OperatorInfo* info;
    PyObject* name;  // of the named operator, a str
    NamedOperator* named;
    int axes_of_product;          // up to which it is the product of matrices, else 0
    PyObject* written;            // a function that is written with operators
    std::size_t most;             // arguments by position that it takes
    RememberedCalls* remembered;  // or NULL
};

DirectCall* cast(PyObject* object) { return reinterpret_cast<DirectCall*>(object); }

/// The call without Python in between; NULL where it must go the general path. Throws ErrorSet.
PyObject* call_fast(OperatorInfo& info, std::span<PyObject* const> args, PyObject* names) {
    if (names == nullptr) {
        if (PyObject* result = call_small_pointwise(info, args)) return result;
    }
    if (!info.forms || switches.observer != nullptr) [[likely]]
        return nullptr;
    if (names == nullptr) return call_form(info, args, {}, nullptr);
    const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(names));
    return call_form(info, args, {&PyTuple_GET_ITEM(names, 0), count}, args.data() + args.size());
}

/// The axes up to which two arrays of floats have the same product under this name as under
/// `matmul`.
int axes_of_product(const std::string& name) {
    if (name == "dot") return 2;
    return name == "vdot" || name == "inner" ? 1 : 0;
}

/// The product of two tensors that is one of matrices; NULL where it is not. Throws ErrorSet.
PyObject* call_product(const DirectCall& call, std::span<PyObject* const> args, PyObject* names) {
    if (args.size() != 2 || names != nullptr) return nullptr;
    for (PyObject* value : args) {
        if (!Tensor::check(value)) return nullptr;
        const Layout& layout = Tensor::cast(value)->layout;
        if (!is_float(layout.dtype()) || layout.ndim() < 1 || layout.ndim() > call.axes_of_product)
            return nullptr;
    }
    static NamedOperator matmul("matmul");
    return matmul.call_in_order(args, nullptr);
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
    DirectCall* call = cast(self);
    const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags));
    if (count > 0) [[likely]] {
        if (call->written != nullptr && count <= call->most && is_for_tensors({args, count}, names))
            return PyObject_Vectorcall(call->written, args, count, names);
        try {
            OperatorInfo* info = call->named != nullptr ? call->named->info() : call->info;
            if (info != nullptr) {
                PyObject* result = call_fast(*info, {args, count}, names);
                if (result != nullptr) return result;
            }
            if (info == nullptr && call->axes_of_product > 0) {
                PyObject* result = call_product(*call, {args, count}, names);
                if (result != nullptr) return result;
            }
            if (call->remembered != nullptr) {
                PyObject* result = call->remembered->call({args, count}, names);
                if (result != nullptr) return result;
            }
            if (call->named != nullptr) {
                PyObject* result = call->named->call_in_order({args, count}, names);
                if (result != nullptr) return result;
            }
        } catch (const ErrorSet&) {
            return nullptr;
        }
    }
    static PyObject* general = PyUnicode_InternFromString("_call");
    constexpr std::size_t kOnStack = 8;
    const std::size_t all = count + (names == nullptr ? 0 : std::size_t(PyTuple_GET_SIZE(names)));
    PyObject* stack[kOnStack + 1];
    std::unique_ptr<PyObject*[]> heap;
    PyObject** with_self = stack;
    if (all > kOnStack) {
        heap = std::make_unique<PyObject*[]>(all + 1);
        with_self = heap.get();
    }
    with_self[0] = self;
    for (std::size_t i = 0; i < all; ++i) with_self[i + 1] = args[i];
    return PyObject_VectorcallMethod(general, with_self, count + 1, names);
}

PyObject* make(PyTypeObject* type, PyObject*, PyObject*) {
    PyObject* object = type->tp_alloc(type, 0);
    if (object != nullptr) cast(object)->vectorcall = vectorcall;
    return object;
}

void release(DirectCall* call) {
    Py_CLEAR(call->operator_object);
    call->info = nullptr;
    delete std::exchange(call->named, nullptr);
    call->axes_of_product = 0;
    Py_CLEAR(call->written);
    Py_CLEAR(call->name);
}

void dealloc(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    release(cast(object));
    delete cast(object)->remembered;
    type->tp_free(object);
    Py_DECREF(type);
}

PyObject* set_operator(PyObject* self, PyObject* operator_object) {
    return to_python([&] {
        release(cast(self));
        if (operator_object != Py_None) {
            cast(self)->info = &OperatorInfo::of(operator_object);
            cast(self)->operator_object = Py_NewRef(operator_object);
        }
        return Py_NewRef(Py_None);
    });
}

PyObject* set_name(PyObject* self, PyObject* args) {
    PyObject* name = nullptr;
    int whole = 0;
    if (!PyArg_ParseTuple(args, "Up", &name, &whole)) return nullptr;
    const char* text = PyUnicode_AsUTF8(name);
    if (text == nullptr) return nullptr;
    release(cast(self));
    cast(self)->name = Py_NewRef(name);
    cast(self)->named = new NamedOperator(text, whole != 0);
    cast(self)->axes_of_product = axes_of_product(text);
    return Py_NewRef(Py_None);
}

PyObject* set_written(PyObject* self, PyObject* args) {
    PyObject* function = nullptr;
    Py_ssize_t most = 0;
    if (!PyArg_ParseTuple(args, "On", &function, &most)) return nullptr;
    release(cast(self));
    cast(self)->written = Py_NewRef(function);
    cast(self)->most = static_cast<std::size_t>(most);
    return Py_NewRef(Py_None);
}

PyObject* remember(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return to_python([&] {
        constexpr Py_ssize_t kCount = 6;
        if (count != kCount) raise(PyExc_TypeError, "_remember takes 6 arguments");
        RememberedCalls*& calls = cast(self)->remembered;
        if (calls == nullptr) calls = new RememberedCalls;
        calls->add(args[0], args[1], args[2], args[3], args[4], args[5] == Py_True);
        return Py_NewRef(Py_None);
    });
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
    return instance == nullptr ? Py_NewRef(self) : PyMethod_New(self, instance);
}

/// Python before 3.12 has subclasses called by a tuple. Those of a class with `binds=True` are
/// methods, which a call finds without an object that holds both them and the instance.
PyObject* init_subclass(PyObject* type, PyObject*, PyObject* kwargs) {
    auto* made = reinterpret_cast<PyTypeObject*>(type);
    made->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyObject* binds = kwargs == nullptr ? nullptr : PyDict_GetItemString(kwargs, "binds");
    if (binds == Py_True) {
        made->tp_descr_get = bind;
        made->tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR;
    }
    return Py_NewRef(Py_None);
}

PyMethodDef methods[] = {
    {"_set_operator", set_operator, METH_O,
     "Call this operator, or none, by fast paths where they apply."},
    {"_set_name", set_name, METH_VARARGS,
     "Call the operator of this name, by fast paths where they apply."},
    {"_set_written", set_written, METH_VARARGS,
     "Call this function on tensors, with so many arguments by position at most."},
    {"_remember", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(remember)),
     METH_FASTCALL, "Calls with such arguments come to this operator."},
    {"__init_subclass__",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(init_subclass)),
     METH_VARARGS | METH_KEYWORDS | METH_CLASS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(DirectCall, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

constexpr const char* kDocumentation =
    "A callable that calls an operator by a fast path where one applies, else its method `_call`.";

}  // namespace

PyTypeObject* define_direct_call_type() {
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void*>(make)},
        {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
        {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
        {Py_tp_methods, methods},
        {Py_tp_members, members},
        {Py_tp_doc, const_cast<char*>(kDocumentation)},
        {0, nullptr},
    };
    PyType_Spec spec = {"pullback.engine.native._native.DirectCall", sizeof(DirectCall), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
                        slots};
    return reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
}

}  // namespace pullback
