// Attributes of the tensor for the engine's own Python alone.
#pragma once

#include <Python.h>

#include <span>

namespace pullback {

/// Methods and properties of the tensor type whose names begin with an underscore.
std::span<const PyMethodDef> internal_methods();
std::span<const PyGetSetDef> internal_properties();

}  // namespace pullback
