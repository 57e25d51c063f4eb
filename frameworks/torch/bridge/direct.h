/* A call from Python without the dispatcher, where the dispatcher would come to the kernel. */
#ifndef PULLBACK_TORCH_DIRECT_H_
#define PULLBACK_TORCH_DIRECT_H_

#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>

#include "operator.h"

namespace pullback_torch {

/* A function of Python: an operator, and its overload in torch.ops for what is no plain call. */
struct Direct {
    Operator* op;
    PyObject* overload;
};

constexpr const char* kDirect = "pullback.torch direct call";
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

inline PyObject* called(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const auto* direct = static_cast<Direct*>(PyCapsule_GetPointer(self, kDirect));
    if (direct == nullptr) return nullptr;
    HANDLE_TH_ERRORS
    torch::jit::Stack stack;
    stack.reserve(direct->op->arguments.size());
    c10::DispatchKeySet keys;
    bool done = false;
    if (names == nullptr &&
        taken(*direct->op, args, static_cast<size_t>(count), stack, keys) && is_undisturbed(keys)) {
        const Unlocked unlocked(is_large(stack));
        done = by_kernel(
            *direct->op, stack,
            keys.has(c10::DispatchKey::AutogradCPU) || keys.has(c10::DispatchKey::AutogradCUDA));
    }
    if (!done) {
        return PyObject_Vectorcall(direct->overload, args, static_cast<size_t>(count), names);
    }
    if (stack.size() == 1) return THPVariable_Wrap(std::move(stack[0]).toTensor());
    Object made = checked(PyTuple_New(static_cast<Py_ssize_t>(stack.size())));
    for (size_t k = 0; k < stack.size(); ++k) {
        PyTuple_SET_ITEM(made.get(), static_cast<Py_ssize_t>(k),
                         checked(THPVariable_Wrap(std::move(stack[k]).toTensor())).release());
    }
    return made.release();
    END_HANDLE_TH_ERRORS
}

/* The function for an operator; nullptr, with Python's error, where there is none. */
inline PyObject* direct_function(Operator* op, PyObject* overload) {
    static PyMethodDef method{"call",
                              reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(called)),
                              METH_FASTCALL | METH_KEYWORDS, nullptr};
    const auto free = [](PyObject* capsule) {
        const auto* direct = static_cast<Direct*>(PyCapsule_GetPointer(capsule, kDirect));
        Py_DECREF(direct->overload);
        delete direct;
    };
    const Object capsule(PyCapsule_New(new Direct{op, Py_NewRef(overload)}, kDirect, +free));
    return capsule == nullptr ? nullptr : PyCFunction_New(&method, capsule.get());
}

}  // namespace pullback_torch

#endif
