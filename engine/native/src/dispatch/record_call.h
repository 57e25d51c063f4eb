// The node of a call of an operator: where gradients go from it, and what its derivative reads.
#pragma once

#include <vector>

#include "core/node.h"
#include "core/operator.h"

namespace pullback {

using Outputs = InlineVector<Ref<Tensor>, 4>;  // none: a hidden output of a branch not taken

/// The arguments of a call, and its outputs.
struct Call {
    PyObject* inputs;
    PyObject* attributes;
    const Outputs& outputs;
    // All values, by Python; NULL where the engine finds those that are no arrays.
    PyObject* computed;
    const std::vector<PyRef>& plain_outputs;
};

/// The value of the attribute at this place of a dict.
PyObject* nth_value(PyObject* dict, std::int32_t place);

/// The node of this call, with the values that its derivative reads.
Ref<Node> record_call(OperatorInfo& info, const Mask& needed, const Mask& differentiable,
                      const Call& call);

}  // namespace pullback
