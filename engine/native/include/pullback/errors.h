// Exceptions of `pullback.engine.errors`, raised from C++.
#pragma once

#include <string>

#include "pullback/object.h"

namespace pullback {

/// Sets Python's error indicator to pullback.engine.errors.<name> and throws ErrorSet.
[[noreturn]] void raise(const char* name, const std::string& message);
/// The same for a built-in exception.
[[noreturn]] void raise(PyObject* exception, const std::string& message);

/// A member of a module of ours, looked up once by each caller that keeps it.
PyRef import_from(const char* module, const char* name);

/// str(object) as UTF-8, for messages.
std::string text_of(PyObject* object);

}  // namespace pullback
