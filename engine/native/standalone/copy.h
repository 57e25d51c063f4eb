// Copies between arrays of any strides and dtypes.
#pragma once

#include "value.h"

namespace pullback::standalone {

/// Broadcasts and casts the values into `to`'s memory.
void copy_values(const pb_value& from, pb_value& to);
void fill(pb_value& to, double number);

}  // namespace pullback::standalone
