// NumPy's functions on tensors: `np.exp(x)` and `np.sum(x)` without Python in between.
#pragma once

#include <Python.h>

#include <span>

namespace pullback {

/// The methods of the tensor type that NumPy asks: `__array_ufunc__`, `__array_function__`.
std::span<const PyMethodDef> protocol_methods();

}  // namespace pullback
