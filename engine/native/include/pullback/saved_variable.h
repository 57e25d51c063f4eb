// A value that waits for the backward.
#pragma once

#include <cstdint>
#include <string>

#include "pullback/launch.h"
#include "pullback/pool.h"
#include "pullback/tensor.h"

namespace pullback {

struct OperatorInfo;

/// An input, an output or a plain value of an operator, kept by its node.
///
/// An input is kept as the tensor. An output is kept as memory and its place
/// among the node's outputs, never as the tensor: the tensor holds the node
/// already, and the cycle would outlive the graph. Numbers, sizes and arrays of
/// the caller are kept as they are; a list of tensors as a list of these.
class SavedVariable {
  public:
    /// Nothing: no derivative reads this one.
    SavedVariable() = default;
    /// A tensor, a list of inputs, or any other value. Throws ErrorSet.
    static SavedVariable input(PyObject* value);
    /// An output by its number; the tensor must be without history.
    static SavedVariable output(Ref<Tensor> memory, std::int32_t number);
    static SavedVariable plain(PyRef value);
    /// Shape and dtype of the input with this number, which wants a gradient: its edge knows them.
    static SavedVariable like(std::int32_t input);

    SavedVariable(SavedVariable&& other) noexcept;
    SavedVariable& operator=(SavedVariable&&) = delete;
    ~SavedVariable();

    /// More than a size or a number: let go after a backward.
    bool holds_array() const;

    /// The value for a derivative: with its place in the graph where that is `recorded`, else
    /// arrays. `name` is its name in the formula. Throws ErrorSet, with SavedVariableError where
    /// the memory was written since.
    PyRef unpack(Node& node, const std::string& name, bool recorded) const;

    /// The value for a kernel, borrowed. Throws like `unpack`.
    Operand operand(Node& node, const std::string& name) const;

    /// For the cycle collector.
    int traverse(visitproc visit, void* arg) const;

  private:
    enum class Held : std::uint8_t { nothing, plain, like, input, output, list };

    void check(Node& node, const std::string& name) const;
    void watch(Storage& storage);

    Held held_ = Held::nothing;
    std::int32_t number_ = 0;    // of an output
    std::uint32_t version_ = 0;  // of the memory when it was saved
    Ref<Tensor> tensor_;         // of an output: one without history, for its memory
    PyRef value_;
    std::unique_ptr<InlineVector<SavedVariable, 4>> list_;
};

}  // namespace pullback
