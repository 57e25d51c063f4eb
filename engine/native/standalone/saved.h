// What a forward or a backward of the library sees of a call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pullback/surface_tensor.h"
#include "value.h"

namespace pullback::standalone {

struct LibraryOperator;
struct Node;

/// Attributes, in the order of the operator's.
using Attributes = std::vector<Attribute>;

class Saved {
  public:
    /// Of a forward.
    Saved(const LibraryOperator& op, std::span<const Tensor> inputs, const Attributes& attributes)
        : operator_(op), inputs_(inputs), attributes_(attributes) {}
    /// Of a backward: layouts are there for all inputs and outputs, values for those it reads.
    Saved(const Node& node, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
          std::span<const Tensor> gradients, std::span<const std::uint8_t> needed);

    const LibraryOperator& of() const { return operator_; }
    Tensor input(std::size_t position) const { return inputs_[position]; }
    /// The first input as a tensor: a number becomes one of float64.
    Tensor operand() const;
    Tensors inputs() const { return {inputs_.begin(), inputs_.end()}; }
    Tensor output(std::size_t position) const { return outputs_[position]; }
    Tensor gradient(std::size_t position) const { return gradients_[position]; }
    bool needs(std::size_t position) const { return needed_[position] != 0; }

    Like like(std::size_t position) const;
    const Layout& layout(std::size_t position) const;
    std::vector<Like> likes() const;
    Like like_of_output(std::size_t position) const { return like(inputs_.size() + position); }

    const Attribute& attribute(const char* name) const;

    std::span<const Tensor> all_inputs() const { return inputs_; }
    std::span<const Tensor> all_outputs() const { return outputs_; }
    std::span<const Tensor> all_gradients() const { return gradients_; }
    std::span<const std::uint8_t> all_needed() const { return needed_; }

  private:
    const LibraryOperator& operator_;
    std::span<const Tensor> inputs_;
    const Node* node_ = nullptr;  // of a backward: has the layouts of inputs, then of outputs
    std::span<const Tensor> outputs_;
    std::span<const Tensor> gradients_;
    std::span<const std::uint8_t> needed_;
    const Attributes& attributes_;
};

}  // namespace pullback::standalone
