// Operators that put entries of their inputs into a new array: joined, rolled, repeated, tiled,
// among zeros, picked by integers or by a mask.
#pragma once

#include "core/operator.h"
#include "core/tensor.h"
#include "core/view_spec.h"

namespace pullback {

/// The result of such an operator on normalized inputs, without history; none where this is not for
/// the fast path. Throws ErrorSet.
Ref<Tensor> moved(const OperatorInfo& info, PyObject* inputs, const Attributes& attributes);

/// Entries moved by `shift` places along `axis`, round the end, or back by as many; none where the
/// attributes are not for the fast path. Throws ErrorSet.
Ref<Tensor> rolled(const Ref<Tensor>& source, PyObject* shift, PyObject* axis, bool back);

}  // namespace pullback
