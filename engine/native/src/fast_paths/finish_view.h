// The tensor made of a view's layout, and recorded.
#pragma once

#include "core/operator.h"
#include "core/view_spec.h"

namespace pullback {

/// True if the fast path is open: nothing watches, and nobody forbids writing.
bool is_usual(Tensor& tensor);

/// The view, or the copy of a single entry, recorded as a call of the operator; none where this is
/// not for the fast path. `info` may be NULL. Throws ErrorSet.
Ref<Tensor> finish_view(OperatorInfo* info, Tensor& source, const ViewSpec& spec,
                        const Attributes& attributes);

}  // namespace pullback
