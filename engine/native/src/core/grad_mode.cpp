#include "core/grad_mode.h"

#include "base/errors.h"
#include "base/switches.h"

namespace pullback {

#ifdef PULLBACK_CONTEXT_OF_3_11
struct _pycontextvarobject* grad_mode = nullptr;
#endif

namespace {

PyObject* enabled_variable() {
    static PyObject* variable = nullptr;
    import_once(variable, "pullback.engine.core.grad_mode", "ENABLED");
    return variable;
}

#ifdef PULLBACK_CONTEXT_OF_3_11

/// Python remembers what is set, and looks for a default each time. Throws ErrorSet.
void remember(PyObject* variable, PyObject* value) {
    grad_mode = reinterpret_cast<struct _pycontextvarobject*>(variable);
    if (remembered_mode(PyThreadState_Get()) == nullptr) checked(PyContextVar_Set(variable, value));
}

#else

void remember(PyObject*, PyObject*) {}

#endif

}  // namespace

bool find_grad_mode() {
    PyObject* variable = enabled_variable();
    PyObject* found = nullptr;
    checked(PyContextVar_Get(variable, nullptr, &found));
    const PyRef value = PyRef::steal(found);
    remember(variable, value.get());
    return value.get() == Py_True;
}

bool in_inference_mode() {
    PyObject* value = nullptr;
    checked(PyContextVar_Get(enabled_variable(), nullptr, &value));
    const PyRef mode = PyRef::steal(value);
    return !PyBool_Check(mode.get());  // an `Inference`
}

PyRef GradModeGuard::mode(bool enabled) {
    if (switches.inference && in_inference_mode()) [[unlikely]] {
        const PyRef inference = import_from("pullback.engine.core.grad_mode", "Inference");
        return attribute(inference.get(), enabled ? "GRAD_ENABLED" : "GRAD_DISABLED");
    }
    return PyRef::borrow(enabled ? Py_True : Py_False);
}

GradModeGuard::GradModeGuard(bool enabled)
    : token_(checked(PyContextVar_Set(enabled_variable(), mode(enabled).get()))) {}

GradModeGuard::~GradModeGuard() {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyContextVar_Reset(enabled_variable(), token_.get());
    PyErr_Restore(kind, value, trace);
}

}  // namespace pullback
