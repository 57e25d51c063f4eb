#include "backward/nested.h"

#include "base/errors.h"

namespace pullback {
namespace {

PyObject* call_back(PyObject* capsule, PyObject*) {
    return to_python([&] {
        void* run = PyCapsule_GetPointer(capsule, nullptr);
        (*static_cast<const std::function<void()>*>(run))();
        return Py_NewRef(Py_None);
    });
}

PyMethodDef definition = {"run_backward", call_back, METH_NOARGS, nullptr};

}  // namespace

void on_a_fresh_thread(const std::function<void()>& run) {
    void* address = const_cast<void*>(static_cast<const void*>(&run));
    const PyRef capsule = checked(PyCapsule_New(address, nullptr, nullptr));
    const PyRef function = checked(PyCFunction_New(&definition, capsule.get()));
    const PyRef call = import_from("pullback.engine.core.reentrant", "on_a_fresh_thread");
    checked(PyObject_CallOneArg(call.get(), function.get()));
}

}  // namespace pullback
