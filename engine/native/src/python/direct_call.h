// The Python type `DirectCall`: a callable that is an operator, without the way through Python.
#pragma once

#include <Python.h>

namespace pullback {

/// Makes the type; throws ErrorSet.
PyTypeObject* define_direct_call_type();

}  // namespace pullback
