// NumPy's C interface, imported once by module.cpp.
#pragma once

#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL pullback_array_api
#ifndef PULLBACK_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace pullback {

inline PyArrayObject* as_array(PyObject* object) {
    return reinterpret_cast<PyArrayObject*>(object);
}

}  // namespace pullback
