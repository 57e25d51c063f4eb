// Operators with attributes whose kernels are made for certain values of these.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/operator.h"

namespace pullback {

/// Values of the attributes, and the operator for them.
struct AttributeForm {
    static constexpr std::size_t kMost = 4;  // attributes
    using Values = std::array<std::int64_t, kMost>;

    Values values{};
    bool known = false;            // whether it was asked for
    OperatorInfo* info = nullptr;  // none where the build has no kernels
};

/// The forms of an operator of one input: operators without attributes, with kernels of their own.
struct AttributeForms {
    std::vector<PyRef> names;                 // interned
    std::size_t axis = AttributeForm::kMost;  // which attribute is one, counted from either end
    AttributeForm::Values defaults{};
    std::vector<AttributeForm> forms;

    /// Those of `pullback.engine.native.kernels.attribute_forms`; none where there are none.
    /// Throws ErrorSet.
    static std::unique_ptr<AttributeForms> of(const OperatorInfo& info);

    /// The form for attributes by keyword; NULL where there is none. Throws ErrorSet.
    AttributeForm* find(int ndim, std::span<PyObject* const> keywords, PyObject* const* given);
};

}  // namespace pullback
