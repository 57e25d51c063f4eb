/* A call from Python without the dispatcher, where the dispatcher would come to the kernel. */
#ifndef PULLBACK_TORCH_DIRECT_H_
#define PULLBACK_TORCH_DIRECT_H_

#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/record_function.h>
#include <Python.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <structmember.h>

#include <algorithm>
#include <cstddef>

#include "operator.h"

namespace pullback_torch {

/* A callable of Python: an operator, and the function that takes what is no plain call. */
struct Direct {
    PyObject_HEAD vectorcallfunc call;
    Operator* op;  // nullptr: every call goes to `other`
    PyObject* other;
    bool is_tuple;  // of one result
};

constexpr int64_t kWorthOfLock = 1 << 14;  // elements above which Python's lock is given up

/* The arguments of a call as the dispatcher has them, and those of its keys that tensors have;
   false for what is no plain call. */
inline bool taken(const Operator& op, PyObject* const* args, size_t count, torch::jit::Stack& stack,
                  c10::DispatchKeySet& keys) {
    if (count > op.positional) return false;
    for (size_t k = 0; k < op.arguments.size(); ++k) {
        const Argument kind = op.arguments[k];
        if (k >= count) {
            if (!op.defaults[k].has_value()) return false;
            stack.emplace_back(*op.defaults[k]);
        } else if (kind == Argument::kTensor && THPVariable_CheckExact(args[k])) {
            const Tensor& x = THPVariable_Unpack(args[k]);
            keys = keys | x.key_set();
            stack.emplace_back(x);
        } else if (kind == Argument::kNumber && PyFloat_CheckExact(args[k])) {
            stack.emplace_back(PyFloat_AS_DOUBLE(args[k]));
        } else {
            return false;
        }
    }
    return true;
}

/* True where the dispatcher would come to the bridge with tensors of these keys: nothing traces,
   transforms, casts, profiles or overrides the call. */
inline bool is_undisturbed(c10::DispatchKeySet& keys) {
    constexpr c10::DispatchKeySet allowed({c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU,
                                           c10::DispatchKey::CUDA, c10::DispatchKey::AutogradCUDA,
                                           c10::DispatchKey::ADInplaceOrView,
                                           c10::DispatchKey::BackendSelect});
    const auto local = c10::impl::tls_local_dispatch_key_set();
    keys = (keys | local.included_) - local.excluded_;
    return (keys.raw_repr() & ~allowed.raw_repr()) == 0 && !at::hasCallbacks() &&
           !at::impl::torch_function_mode_enabled() &&
           !c10::impl::TorchDispatchModeTLS::any_modes_set();
}

inline bool is_large(const torch::jit::Stack& stack) {
    return std::any_of(stack.begin(), stack.end(), [](const c10::IValue& value) {
        return value.isTensor() && value.toTensor().numel() > kWorthOfLock;
    });
}

/* Python's lock given up for a call that takes long. */
class Unlocked {
  public:
    explicit Unlocked(bool is_long) : state_(is_long ? PyEval_SaveThread() : nullptr) {}
    ~Unlocked() {
        if (state_ != nullptr) PyEval_RestoreThread(state_);
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

  private:
    PyThreadState* state_;
};

/* Room for a call's values: that of the last call in this thread, where it is free. */
struct SpareStack {
    SpareStack() { stack.swap(left()); }
    ~SpareStack() {
        stack.clear();
        stack.swap(left());
    }
    SpareStack(const SpareStack&) = delete;
    SpareStack& operator=(const SpareStack&) = delete;

    torch::jit::Stack stack;

  private:
    static torch::jit::Stack& left() {
        thread_local torch::jit::Stack room;
        return room;
    }
};

inline PyObject* called(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
    const auto* direct = reinterpret_cast<Direct*>(self);
    HANDLE_TH_ERRORS
    bool done = false;
    SpareStack spare;
    torch::jit::Stack& stack = spare.stack;
    if (names == nullptr && direct->op != nullptr) {
        stack.reserve(direct->op->arguments.size());
        c10::DispatchKeySet keys;
        const auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
        if (taken(*direct->op, args, count, stack, keys) && is_undisturbed(keys)) {
            const Unlocked unlocked(is_large(stack));
            done = by_kernel(*direct->op, stack,
                             keys.has(c10::DispatchKey::AutogradCPU) ||
                                 keys.has(c10::DispatchKey::AutogradCUDA));
        }
    }
    if (!done) return PyObject_Vectorcall(direct->other, args, flags, names);
    if (stack.size() == 1 && !direct->is_tuple) {
        return THPVariable_Wrap(std::move(stack[0]).toTensor());
    }
    Object made = checked(PyTuple_New(static_cast<Py_ssize_t>(stack.size())));
    for (size_t k = 0; k < stack.size(); ++k) {
        PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(k),
                         checked(THPVariable_Wrap(std::move(stack[k]).toTensor())).release());
    }
    return made.release();
    END_HANDLE_TH_ERRORS
}

/* Python's type of direct calls, which others may derive from; nullptr, with Python's error, for
   none. Objects of a type that `calls_directly` was called for are called here. */
inline PyObject* direct_type() {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(Direct, call), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr}};
    const auto free = [](PyObject* self) {
        PyTypeObject* type = Py_TYPE(self);
        Py_CLEAR(reinterpret_cast<Direct*>(self)->other);
        type->tp_free(self);
        Py_DECREF(type);
    };
    static PyType_Slot slots[] = {{Py_tp_members, members},
                                  {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                  {Py_tp_dealloc, reinterpret_cast<void*>(+free)},
                                  {0, nullptr}};
    static PyType_Spec spec{"pullback.torch.bridge.Direct", sizeof(Direct), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
                            slots};
    return PyType_FromSpec(&spec);
}

/* Sets what an object of such a type calls. */
inline void set_direct(PyObject* object, Operator* op, PyObject* other, bool is_tuple) {
    auto* direct = reinterpret_cast<Direct*>(object);
    direct->call = called;
    direct->op = op;
    direct->is_tuple = is_tuple;
    Py_XSETREF(direct->other, Py_NewRef(other));
}

/* Lets objects of a type that derives from it be called by C, though its text has a `__call__`,
   which torch.compile reads. */
inline void calls_directly(PyTypeObject* type) {
    type->tp_call = PyVectorcall_Call;
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(type);
}

}  // namespace pullback_torch

#endif
