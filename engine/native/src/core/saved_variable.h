// A value that waits for the backward.
#pragma once

#include <cstdint>
#include <string>

#include "base/pool.h"
#include "core/launch.h"
#include "core/tensor.h"

namespace pullback {

struct OperatorInfo;

/// An input, an output or a plain value of an operator, saved by its node.
///
/// An input is saved as the tensor. An output is saved as its memory and its place
/// among the node's outputs, never as the tensor: the tensor holds the node
/// already, and the cycle would outlive the graph. Numbers, sizes and arrays of
/// the caller are saved as they are; a list of tensors as a list of these.
class SavedVariable {
  public:
    /// Nothing: no derivative reads this one.
    SavedVariable() = default;
    /// A tensor, a list of inputs, or any other value. One that is not `relied` on may be written
    /// meanwhile: a kernel takes it, but the gradients that are needed don't depend on it. Throws
    /// ErrorSet.
    static SavedVariable input(PyObject* value, bool relied);
    /// An input that is a tensor.
    static SavedVariable input(Tensor& tensor, bool relied) {
        refuse_inference(tensor);
        Storage& memory = *tensor.storage;
        ++memory.n_saved;
        if (relied) memory.protect();
        return SavedVariable(Held::input, Py_NewRef(tensor.object()),
                             relied ? memory.version : kUnwatched);
    }
    /// An output by its number.
    static SavedVariable output(Tensor& tensor, std::int32_t number, bool relied);
    static SavedVariable plain(PyRef value);

    SavedVariable(SavedVariable&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)),
          data_(other.data_),
          version_(other.version_),
          number_(other.number_),
          held_(std::exchange(other.held_, Held::nothing)) {}
    SavedVariable& operator=(SavedVariable&&) = delete;
    ~SavedVariable() {
        if (held_ == Held::nothing) return;
        if (held_ == Held::input) [[likely]] {
            let_input_go();
        } else {
            let_go();
        }
    }

    /// True if a pack hook gave it, or part of it.
    bool holds_packed() const;
    /// A view of it for inspection: the tensor or value, a `Like`, a `Packed`, a list of these.
    /// Throws ErrorSet.
    PyRef shown(const Node& node) const;
    /// More than a size or a number: let go after a backward.
    bool holds_array() const;

    /// The value for a derivative: with its place in the graph where that is `recorded`, else
    /// arrays. `name` is its name in the formula. Throws ErrorSet, with SavedVariableError where
    /// the memory was written since.
    PyRef unpack(Node& node, const std::string& name, bool recorded, bool relied) const;

    /// The value for a kernel, borrowed; empty where its memory was written since and that matters.
    Operand peek(const Node& node, bool relied) const;
    /// The values of a tensor; NULL where it is none or its memory was written since and that
    /// matters.
    const void* values(bool relied) const {
        if (held_ != Held::input && held_ != Held::output) return nullptr;
        if (relied && changed()) [[unlikely]]
            return nullptr;
        return held_ == Held::input ? tensor().data() : data_;
    }
    /// Throws ErrorSet, with SavedVariableError, where the memory was written since.
    void check(Node& node, const std::string& name) const {
        if (holds_memory() && changed()) [[unlikely]]
            raise_changed(node, name);
    }

    /// After a write into this memory, which gave tensors over it another history: an input over it
    /// that was saved before is saved without history from now on. Throws ErrorSet.
    void forget_history(const Storage& written);

    /// For the cycle collector.
    int traverse(visitproc visit, void* arg) const;

  private:
    enum class Held : std::uint8_t { nothing, plain, input, output, odd_output, list, packed };
    using List = InlineVector<SavedVariable, 4>;
    static constexpr std::uint32_t kUnwatched = ~std::uint32_t{0};
    struct Place;  // of what is packed

    SavedVariable(Held held, PyObject* object, std::uint32_t version)
        : object_(object), version_(version), held_(held) {}

    /// The value that the hooks make of a tensor without history; none where there are no hooks.
    /// Throws ErrorSet.
    static PyRef packed_by_hooks(const Ref<Tensor>& tensor);
    static SavedVariable packed(PyRef value, Place place);
    /// Throws ErrorSet for memory that was made in inference mode.
    static void refuse_inference(Tensor& tensor) {
        if (tensor.storage->inference) [[unlikely]]
            raise_inference(tensor);
    }
    [[noreturn]] static void raise_inference(Tensor& tensor);
    PyRef unpack_packed(Node& node, bool recorded) const;

    bool holds_memory() const {
        return held_ == Held::input || held_ == Held::output || held_ == Held::odd_output;
    }
    const List& list() const { return *static_cast<const List*>(data_); }
    Tensor& tensor() const { return *Tensor::cast(object_); }
    Storage& storage() const {
        return held_ == Held::output ? *reinterpret_cast<Storage*>(object_) : *tensor().storage;
    }
    bool changed() const { return storage().version != version_ && version_ != kUnwatched; }
    [[noreturn]] void raise_changed(Node& node, const std::string& name) const;
    void watch(Storage& storage) {
        version_ = storage.version;
        storage.protect();
    }
    void let_input_go() {
        Storage& memory = *tensor().storage;
        if (version_ != kUnwatched) memory.release();
        --memory.n_saved;
        Py_DECREF(object_);
    }
    void let_go();

    // Owned: a tensor, the storage of an output, or a plain value. Of an output in memory that a
    // layout doesn't describe (unaligned, swapped bytes), a tensor without history. What is packed
    // is a `saved_hooks.Packed`.
    PyObject* object_ = nullptr;
    void* data_ = nullptr;                // of an output, its first element; a list; a Place
    std::uint32_t version_ = kUnwatched;  // of the memory when it was saved
    std::int16_t number_ = 0;             // of an output
    Held held_ = Held::nothing;
};

}  // namespace pullback
