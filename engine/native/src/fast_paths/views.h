// The fast path of views: a part of a tensor's memory, and a node for it, without NumPy.
//
// Where it doesn't take what it is given, the general path (apply.cpp on the operator's formula)
// gives the same result.
#pragma once

#include <span>

#include "fast_paths/named_operator.h"

namespace pullback {

/// `tensor[index]`. NULL with an error set.
PyObject* get_item(PyObject* tensor, PyObject* index);

/// The memory that an index of whole numbers, slices, None and Ellipsis picks, without history;
/// none where this is not for the fast path. Throws ErrorSet.
Ref<Tensor> part_of(Tensor& tensor, PyObject* index);

/// Methods and properties of the tensor type that are views of its memory in another order.
std::span<const PyMethodDef> view_methods();
std::span<const PyGetSetDef> view_properties();

}  // namespace pullback
