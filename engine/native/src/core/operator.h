// The facts that the engine has read of a Python `Operator`, looked up once per operator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mask.h"
#include "base/object.h"
#include "core/launch.h"
#include "core/link.h"

namespace pullback {

enum class SavedSource : std::uint8_t { input, output, plain };

/// How a plain value follows from a call: it is an attribute, or a fact of one or of an input.
enum class PlainRule : std::uint8_t { unknown, attribute, is_none, like, shape, ndim };

struct SavedEntry {
    SavedSource source;
    std::int32_t index;  // among inputs, results and hidden outputs, or plain values
    std::string name;
    PlainRule rule = PlainRule::unknown;
    std::string of;  // the attribute or input of the rule
};

/// The slot of a saved value in a node: a place among those that it saves, nowhere, or
/// (below that) not at all, because the edge of an input knows its shape and dtype.
using Slot = std::int16_t;
inline constexpr Slot kNotSaved = -1;
constexpr Slot like_of(std::int32_t input) { return static_cast<Slot>(-2 - input); }
constexpr std::int32_t input_of(Slot slot) { return -2 - slot; }

/// The source of a value that a node saves. A plain value is the shape and dtype of the input
/// `index`.
struct SavedPlace {
    SavedSource source;
    bool relied;
    std::int32_t index;
};

/// A backward for one pattern of defined gradients and of inputs that need one.
struct Variant {
    // Borrowed: a list in the operator's attributes owns them.
    PyObject* call = nullptr;              // on tensors, to be recorded
    PyObject* closure = nullptr;           // on arrays
    PyObject* made = nullptr;              // what `operator.backward` gave
    std::unique_ptr<KernelLayout> kernel;  // once it is to run: for arrays that it takes, or none
    bool has_layout = false;               // the kernel was asked for
    std::vector<std::int32_t> reads;
    std::vector<bool> relied;  // by saved value: the gradients depend on it, not only the kernel
    bool is_flat = false;      // the kernel is a loop, see `call_small_pointwise`
    std::vector<Slot> slots;   // of a node that is recorded for this pattern: by saved value
    std::vector<SavedPlace> saved_places;  // of such a node, by slot
    mutable Link link;                     // of such a node in a chain; found when one first runs
    Mask materialize;
    Mask defined;
    Mask needed;
};

struct AttributeForm;
struct AttributeForms;

/// The static side of an operator. It hangs on the operator as an attribute and dies with it; what
/// it needs of Python is owned by the operator too, where the cycle collector sees it.
struct OperatorInfo {
    PyObject* object = nullptr;  // borrowed: the operator, in its compiled form where there is one
    std::string name;
    Mask differentiable_inputs;
    Mask list_inputs;  // which take a list of tensors
    std::int32_t n_inputs = 0;
    std::int32_t n_results = 0;
    std::int32_t n_hidden = 0;
    std::int32_t n_plain = 0;
    bool result_is_tuple = false;
    Mask nondifferentiable;
    Mask differentiable_outputs;  // results and hidden ones
    Mask differentiable_results;
    Mask passed_on;  // inputs whose gradient is that of the only result, where shapes are the same
    std::vector<SavedEntry> saved;
    bool plain_views = false;    // results over an input's memory are ordinary views of it
    bool has_barrier = false;    // second derivatives are refused
    bool takes_complex = false;  // its backward holds for complex values too
    bool has_attributes = false;
    struct Attribute {
        PyObject* name;   // a str; borrowed, as the default
        PyObject* value;  // its default; NULL where it has none
    };
    std::vector<Attribute> attributes;
    std::unique_ptr<AttributeForms> forms;  // for certain values of these, or none
    std::unique_ptr<KernelLayout> kernel;   // of the forward, or none
    std::size_t flat_inputs = 0;  // of a kernel that is a loop, see `call_small_pointwise`; else 0
    PyObject* other_dtypes = nullptr;  // what is called on arrays of dtypes of no kernel, or NULL
    PyObject* forward = nullptr;  // the forward for arrays that the kernel doesn't take; borrowed

    /// Reads the operator's attributes. What is needed of Python goes into the list `owned`. Throws
    /// ErrorSet.
    OperatorInfo(PyObject* operator_object, PyObject* owned);
    ~OperatorInfo();
    OperatorInfo(const OperatorInfo&) = delete;
    OperatorInfo& operator=(const OperatorInfo&) = delete;

    /// Name of an input, for messages. Throws ErrorSet.
    std::string input_name(std::int32_t index) const;

    std::int32_t n_outputs() const { return n_results + n_hidden; }

    /// operator.backward(defined, needed), asked once per pattern. Throws ErrorSet.
    const Variant& variant(const Mask& defined, const Mask& needed) {
        return own_variant(defined, needed);
    }

    /// The same with its kernel, which may have to be compiled. Throws ErrorSet.
    const Variant& variant_to_run(const Mask& defined, const Mask& needed) {
        Variant& found = own_variant(defined, needed);
        if (!found.has_layout) [[unlikely]]
            lay_out(found);
        return found;
    }

    /// The entry of an operator, or of its compiled form; made at its first use. Throws ErrorSet.
    static OperatorInfo& of(PyObject* operator_object);
    /// That of the formula which stands for a name in the table of operators now. Throws ErrorSet.
    static OperatorInfo& of_name(const char* name);
    /// The sum of two gradients.
    static OperatorInfo& accumulate();

    /// The operator of a form; NULL where it has no kernels. Throws ErrorSet.
    OperatorInfo* known_form(AttributeForm& form);

  private:
    Variant& own_variant(const Mask& defined, const Mask& needed) {
        if (last_ != nullptr && last_->defined == defined && last_->needed == needed) [[likely]]
            return *last_;
        return find_variant(defined, needed);
    }
    Variant& find_variant(const Mask& defined, const Mask& needed);
    Variant* known_variant(const Mask& defined, const Mask& needed);
    void lay_out(Variant& variant);
    void find_slots(Variant& variant) const;
    PyObject* own(PyRef reference);
    std::unique_ptr<KernelLayout> kernel_layout(const char* which, PyObject* variant);

    PyObject* owned_ = nullptr;  // the list, borrowed
    std::vector<std::unique_ptr<Variant>> variants_;
    Variant* last_ = nullptr;  // the one that was asked for last
};

}  // namespace pullback
