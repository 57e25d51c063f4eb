// Arguments of an operator: sorted, and as the arrays under them.
#pragma once

#include <span>

#include "core/node.h"

namespace pullback {

/// Sorts arguments as the operator does, into a tuple of inputs and a dict of attributes. Throws
/// ErrorSet.
void bind(OperatorInfo& info, PyObject* args, PyObject* kwargs, PyRef& inputs, PyRef& attributes);

/// Sorts arguments as a vectorcall has them: the inputs, then those attributes whose names stand in
/// `positions`, then keywords. False where Python must sort them: one is missing or no attribute,
/// or neither a tensor, an array nor a constant, or no tensor is among them. Throws ErrorSet.
bool bind_in_order(const OperatorInfo& info, std::span<PyObject* const> args, PyObject* names,
                   std::span<const PyRef> positions, PyRef& inputs, PyRef& attributes);

/// True for what a formula takes as it is: a tensor of this engine, an array or number of NumPy or
/// Python, a constant, or a list or tuple of these. `tensors` counts the tensors.
bool is_plain(PyObject* value, int& tensors);

/// True of plain values, as a vectorcall has them, with tensors among them and without `out`.
bool is_for_tensors(std::span<PyObject* const> args, PyObject* names);

/// An input in one of four forms: tensor, array, list of these, or Python number or None.
/// Throws ErrorSet for a tensor of the other engine, and for a list where a tensor is meant.
PyRef normalized(const OperatorInfo& info, std::int32_t index, PyObject* value);

/// The arrays under a normalized input. Throws ErrorSet.
PyRef raw(PyObject* value);

/// Attributes with arrays in the place of tensors. Throws ErrorSet for a tensor that wants a
/// gradient while `recording`: none flows into an attribute.
PyRef raw_attributes(const OperatorInfo& info, PyObject* attributes, bool recording);

/// pullback.engine.primitives.plumbing.like(value): its shape and dtype. Throws ErrorSet.
PyRef like(PyObject* value);

/// True if a normalized input, or a tensor in it, does.
bool requires_grad(PyObject* value);

/// Calls f with each tensor of a normalized input, NULL for what is none.
template <typename F>
void for_each_tensor(PyObject* value, F&& f) {
    if (!PyList_Check(value)) {
        f(Tensor::check(value) ? Tensor::cast(value) : nullptr);
        return;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
        PyObject* item = PyList_GET_ITEM(value, i);
        f(Tensor::check(item) ? Tensor::cast(item) : nullptr);
    }
}

}  // namespace pullback
