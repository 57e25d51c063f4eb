// Operators by their names, as Python calls them; the slots behind the tensor's operators.
#pragma once

#include <Python.h>

#include <span>

#include "dispatch/apply.h"

namespace pullback {

/// An operator by its name in the table of operators, and the formula that stands for it now.
class NamedOperator {
  public:
    explicit NamedOperator(const char* name) : name_(name) {}

    /// The operator's entry, NULL where a call is more than the call of an operator. Throws
    /// ErrorSet.
    OperatorInfo* info() {
        if (generation_ != generation) [[unlikely]]
            resolve();
        return info_;
    }
    /// Calls it on values, one of them a tensor. NULL with an error set.
    PyObject* call(std::span<PyObject* const> args);

    /// Has every operator resolved again: a formula was replaced.
    static void forget() { ++generation; }

  private:
    void resolve();
    /// A call that is not for the fast path. Throws ErrorSet; NULL with an error set too.
    PyObject* call_generally(OperatorInfo* found, std::span<PyObject* const> args);

    static unsigned generation;
    const char* name_;
    unsigned generation_ = 0;
    PyObject* operator_ = nullptr;  // owned
    OperatorInfo* info_ = nullptr;
};

/// Slots of the tensor type for `+` and its like.
std::span<const PyType_Slot> number_slots();

}  // namespace pullback
