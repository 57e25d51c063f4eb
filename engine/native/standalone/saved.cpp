#include "saved.h"

#include "node.h"

namespace pullback::standalone {

Saved::Saved(const Node& node, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
             std::span<const Tensor> gradients, std::span<const std::uint8_t> needed)
    : operator_(*node.op),
      inputs_(inputs),
      node_(&node),
      outputs_(outputs),
      gradients_(gradients),
      needed_(needed),
      attributes_(node.attributes) {}

Tensor Saved::operand() const {
    const Tensor& input = inputs_[0];
    return value_of(input).is_number ? as_dtype(input, kFloat64) : input;
}

const Layout& Saved::layout(std::size_t position) const { return node_->layout(position); }

Like Saved::like(std::size_t position) const {
    const Layout& layout = this->layout(position);
    return {to_dlpack(layout.dtype()), Shape(layout.shape(), layout.shape() + layout.ndim())};
}

std::vector<Like> Saved::likes() const {
    std::vector<Like> all;
    for (std::size_t i = 0; i < inputs_.size(); ++i) all.push_back(like(i));
    return all;
}

const Attribute& Saved::attribute(const char* name) const {
    return attributes_[operator_.place_of(name)];
}

}  // namespace pullback::standalone
