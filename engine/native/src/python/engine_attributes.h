// Attributes of engine_api.h as Python's values.
#pragma once

#include <span>

#include "base/object.h"
#include "pullback/engine_api.h"

namespace pullback {

/// A dict by name. Throws ErrorSet.
PyRef keywords_of(std::span<const pb_attribute> attributes);

}  // namespace pullback
