#include "pullback/engine.h"
#include "pullback/errors.h"

namespace pullback {
namespace {

PyObject* enabled_variable() {
    static PyObject* variable = import_from("pullback.engine.grad_mode", "ENABLED").release();
    return variable;
}

}  // namespace

bool grad_enabled() {
    PyObject* value = nullptr;
    checked(PyContextVar_Get(enabled_variable(), nullptr, &value));
    return PyRef::steal(value).get() == Py_True;
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
