// Operators by their names, as Python calls them; the slots behind the tensor's operators.
#pragma once

#include <Python.h>

#include <span>
#include <vector>

#include "dispatch/apply.h"

namespace pullback {

/// An operator by its name in the table of operators, and the formula that stands for it now.
class NamedOperator {
  public:
    /// With `whole`, it takes what NumPy's function of this name takes; else what the formula does.
    explicit NamedOperator(const char* name, bool whole = true) : name_(name), whole_(whole) {}

    /// The operator's entry, NULL where a call is more than the call of an operator. Throws
    /// ErrorSet.
    OperatorInfo* info() {
        if (generation_ != generation) [[unlikely]]
            resolve();
        return info_;
    }
    /// Calls it on values, one of them a tensor. NULL with an error set.
    PyObject* call(std::span<PyObject* const> args);
    /// The call of NumPy's function of this name on arguments as a vectorcall has them; NULL where
    /// it must go through Python. Throws ErrorSet.
    PyObject* call_in_order(std::span<PyObject* const> args, PyObject* names);

    /// Has every operator resolved again: a formula was replaced.
    static void forget() { ++generation; }
    /// How often that happened.
    static unsigned generation;

  private:
    void resolve();
    /// A call that is not for the fast path. Throws ErrorSet; NULL with an error set too.
    PyObject* call_generally(std::span<PyObject* const> args);

    const char* name_;
    bool whole_;
    unsigned generation_ = 0;
    /// The universal function of an operator without a derivative, on the arrays; NULL where this
    /// is not for the fast path. Throws ErrorSet.
    PyObject* call_unrecorded(std::span<PyObject* const> args);

    PyObject* function_ = nullptr;  // owned: such a function, or NULL
    std::size_t operands_ = 0;      // that it takes
    PyObject* written_ = nullptr;   // owned: a function of operators that takes every call, or NULL
    PyObject* operator_ = nullptr;  // owned
    std::vector<PyRef> positions_;  // names of its attributes that NumPy takes by position
    OperatorInfo* info_ = nullptr;
    OperatorInfo* of_floats_ = nullptr;  // takes floats in the place of the function, or NULL
};

/// Slots of the tensor type for `+` and its like.
std::span<const PyType_Slot> number_slots();

}  // namespace pullback
