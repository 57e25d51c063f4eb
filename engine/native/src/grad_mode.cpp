// Whether operators are recorded: a context variable of Python's.
#include <Python.h>

// Python 3.11's own view of a context variable costs nothing; the public one is a call.
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000 && \
    __has_include(<internal/pycore_context.h>)
#define PULLBACK_CONTEXT_OF_3_11
#define Py_BUILD_CORE 1
#include <internal/pycore_context.h>
#undef Py_BUILD_CORE
#endif

#include "pullback/engine.h"
#include "pullback/errors.h"

namespace pullback {
namespace {

PyObject* enabled_variable() {
    static PyObject* variable = import_from("pullback.engine.grad_mode", "ENABLED").release();
    return variable;
}

#ifdef PULLBACK_CONTEXT_OF_3_11

/// The value that this thread read or set last, borrowed; NULL where that was in another context.
PyObject* remembered(PyObject* variable) {
    const auto* known = reinterpret_cast<const struct _pycontextvarobject*>(variable);
    const PyThreadState* thread = PyThreadState_Get();
    const bool holds =
        known->var_cached_tsid == thread->id && known->var_cached_tsver == thread->context_ver;
    return holds ? known->var_cached : nullptr;
}

/// Python remembers what is set, and looks for a default each time. Throws ErrorSet.
void remember(PyObject* variable, PyObject* value) {
    if (remembered(variable) == nullptr) checked(PyContextVar_Set(variable, value));
}

#else

PyObject* remembered(PyObject*) { return nullptr; }
void remember(PyObject*, PyObject*) {}

#endif

}  // namespace

bool grad_enabled() {
    PyObject* variable = enabled_variable();
    if (PyObject* value = remembered(variable)) [[likely]]
        return value == Py_True;
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

GradModeGuard::GradModeGuard(bool enabled)
    : token_(checked(PyContextVar_Set(enabled_variable(), enabled ? Py_True : Py_False))) {}

GradModeGuard::~GradModeGuard() {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyContextVar_Reset(enabled_variable(), token_.get());
    PyErr_Restore(kind, value, trace);
}

}  // namespace pullback
