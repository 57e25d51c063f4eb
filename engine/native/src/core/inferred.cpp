#include "core/inferred.h"

#include <algorithm>

namespace pullback {
namespace {

/// Calls visit(number) for all that an answer depends on, until that returns false; true if it
/// never did. Each argument's numbers say how many more follow.
template <typename Visit>
bool each_number(const pb_infer& query, const Visit& visit) {
    for (std::int32_t k = 0; k < query.n_inputs; ++k) {
        const DLTensor* const input = query.inputs[k];
        if (input == nullptr) {
            if (!visit(std::int64_t{-1})) return false;
            continue;
        }
        const DLDataType dtype = input->dtype;
        const bool has_data = input->data != nullptr, has_strides = input->strides != nullptr;
        const std::int64_t type = dtype.code << 16 | dtype.bits << 4 | has_data << 1 | has_strides;
        if (!visit(std::int64_t{input->ndim} << 32 | type)) return false;
        for (std::int32_t d = 0; d < input->ndim; ++d) {
            if (!visit(input->shape[d])) return false;
            if (has_strides && !visit(input->strides[d])) return false;
        }
    }
    for (std::int32_t k = 0; k < query.n_attrs; ++k) {
        if (!visit(query.attrs[k].i)) return false;
    }
    return true;
}

}  // namespace

bool Inferred::Answer::is_for(const pb_infer& query) const {
    const std::int64_t* at = arguments.data();
    const std::int64_t* const end = at + arguments.size();
    const bool same =
        each_number(query, [&](std::int64_t number) { return at != end && *at++ == number; });
    return same && at == end;
}

int Inferred::answer(pb_infer_function infer, pb_infer& query) {
    for (const Answer& known : answers_) {
        if (known.arguments.empty() || !known.is_for(query)) continue;
        std::copy(known.outputs.begin(), known.outputs.end(), query.outputs);
        query.workspace_bytes = known.workspace_bytes;
        query.units = known.units;
        query.can_add = known.can_add;
        return PB_OK;
    }
    const int status = infer(&query);
    if (status != PB_OK) return status;
    Answer& made = answers_[next_];
    next_ = (next_ + 1) % answers_.size();
    made.arguments.clear();
    each_number(query, [&](std::int64_t number) {
        made.arguments.push_back(number);
        return true;
    });
    made.outputs.assign(query.outputs, query.outputs + query.n_outputs);
    made.workspace_bytes = query.workspace_bytes;
    made.units = query.units;
    made.can_add = query.can_add;
    return PB_OK;
}

}  // namespace pullback
