// Hooks of tensors and nodes, in the order that `pullback.engine.core.hooks` states; and where
// gradients end: in a tensor's grad.
#pragma once

#include "backward/derivative.h"

namespace pullback {

/// Calls the tensors' hooks on each gradient, then gives it to tensors that retain theirs. Throws
/// ErrorSet.
void call_tensor_hooks(Node& node, Received& received, bool create_graph);
/// Calls the hooks before the node. Throws ErrorSet.
void call_prehooks(Node& node, Received& received, bool create_graph);
/// The gradients of the results as the hooks after the node will see them; none without such.
/// Throws ErrorSet.
PyRef for_posthooks(const Node& node, const Received& received, bool create_graph);
/// Calls the hooks after the node; `made` is what the node sends on. Throws ErrorSet.
void call_posthooks(Node& node, PyObject* grad_outputs, std::vector<SentGradient>& made,
                    bool create_graph);

/// A gradient to store in `grad`: memory of its own, unless it is part of a graph. Throws ErrorSet.
Ref<Tensor> owned(Ref<Tensor> gradient, bool create_graph);
/// A gradient for a tensor's `grad`, which people write to: another one may be the same tensor.
/// Throws ErrorSet.
Ref<Tensor> for_grad(Ref<Tensor> gradient, bool create_graph);
/// Adds to a tensor's grad, into a new tensor where somebody holds the old one, and calls the hooks
/// after that. Throws ErrorSet.
void accumulate(Tensor& tensor, Ref<Tensor> gradient, bool create_graph);

}  // namespace pullback
