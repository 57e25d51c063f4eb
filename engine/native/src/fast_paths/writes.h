// Common parts of writes into memory: where one may go, what it writes, and the history that it
// leaves.
#pragma once

#include "core/tensor.h"
#include "runtime/sweep.h"

namespace pullback {

/// True if the memory is in C order and may be written to.
bool writable(const Tensor& tensor);

/// True if a loop can run over the memory: floats in C order.
bool is_plain(const Layout& layout);

/// An operand as a loop reads it; false where it can't.
bool read(PyObject* value, const Layout& like, SweepInput& input);

/// True if a write here may have a history: a leaf that requires grad has none, nor does a view of
/// one, or one whose history is not that of a part of its base.
bool may_record(const Tensor& target);

/// The base has the history of values that were written to a region of it: a tensor's, or none of a
/// number. Throws ErrorSet.
void rebase(Tensor& base, PyObject* result, PyObject* region);

/// The same after a write into a view of it.
void rebase_base(Tensor& view, PyObject* result);

}  // namespace pullback
