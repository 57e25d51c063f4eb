#include "base/errors.h"

namespace pullback {

PyRef import_from(const char* module, const char* name) {
    const PyRef imported = checked(PyImport_ImportModule(module));
    return attribute(imported.get(), name);
}

void raise(const char* name, const std::string& message) {
    const PyRef exception = import_from("pullback.engine.core.errors", name);
    raise(exception.get(), message);
}

void raise(PyObject* exception, const std::string& message) {
    PyErr_SetString(exception, message.c_str());
    throw ErrorSet{};
}

std::string text_of(PyObject* object) {
    const PyRef text = checked(PyObject_Str(object));
    Py_ssize_t length = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(text.get(), &length);
    if (utf8 == nullptr) throw ErrorSet{};
    return {utf8, static_cast<std::size_t>(length)};
}

}  // namespace pullback
