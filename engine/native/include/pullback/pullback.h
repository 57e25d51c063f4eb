// Tensors, operators and gradients of any order in C++. No Python.
//
//     const pullback::Tensor x({1.0, 2.0}, {2}, true);
//     const pullback::Tensor y = sum(x * exp(x));
//     const pullback::Tensor dx = pullback::gradients(y, {x})[0];
//
// Link `pullback::pullback` of CMake's `find_package(pullback)`, or what `pullback config` prints.
// Operators are in operators.h, under NumPy's names; define_operator.h makes new ones. A tensor
// belongs to one thread at a time. What fails throws pullback::Error.
#pragma once

#include "pullback/define_operator.h"  // IWYU pragma: export
#include "pullback/operators.h"        // IWYU pragma: export
#include "pullback/surface_tensor.h"   // IWYU pragma: export

namespace pullback {

/// The same values in C order.
inline Tensor contiguous(const Tensor& x) { return reshape(reshape(x, {-1}), x.shape()); }

/// A gradient of the output per input. With `create_graph` they can be differentiated again.
inline std::vector<Tensor> gradients(const Tensor& output, const std::vector<Tensor>& inputs,
                                     const Tensor& seed = {}, bool retain_graph = false,
                                     bool create_graph = false) {
    std::vector<pb_value*> from, found(inputs.size());
    for (const Tensor& input : inputs) from.push_back(input.get());
    detail::checked(detail::api().gradients(output.get(), seed.get(), from.data(), from.size(),
                                            retain_graph, create_graph, found.data()));
    std::vector<Tensor> result;
    for (pb_value* value : found) result.push_back(Tensor::adopt(value));
    return result;
}

}  // namespace pullback
