// The table of engine_api.h as Python hands it out.
#pragma once

#include "base/object.h"

namespace pullback {

/// A capsule that holds the table. Throws ErrorSet.
PyRef engine_capsule();

}  // namespace pullback
