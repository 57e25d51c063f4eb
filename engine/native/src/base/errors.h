// Exceptions of `pullback.engine.core.errors`, raised from C++.
#pragma once

#include <string>

#include "base/object.h"

namespace pullback {

/// Sets Python's error indicator to pullback.engine.core.errors.<name> and throws ErrorSet.
[[noreturn]] void raise(const char* name, const std::string& message);
/// The same for a built-in exception.
[[noreturn]] void raise(PyObject* exception, const std::string& message);

/// A member of a module of ours.
PyRef import_from(const char* module, const char* name);

/// The same, cached in a static variable: who waits for the initializer of one
/// holds Python's lock, which an import that runs there gives away and wants back.
inline void import_once(PyObject*& cached, const char* module, const char* name) {
    if (cached != nullptr) [[likely]]
        return;
    PyRef found = import_from(module, name);
    if (cached == nullptr) cached = found.release();  // unless another thread was faster
}

/// str(object) as UTF-8, for messages.
std::string text_of(PyObject* object);

}  // namespace pullback
