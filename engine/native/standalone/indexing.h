// Which part of an array an index shows.
#pragma once

#include "saved.h"
#include "shapes.h"

namespace pullback::standalone {

/// The part that an index of places, ranges and new axes shows. Throws Error where it does not fit.
Place indexed(const Place& from, const Index& index);
/// The diagonal that the attributes name.
Place diagonal_of(const Place& from, const Saved& saved);
/// The order of axes after some of them moved.
std::vector<std::size_t> moved(std::size_t ndim, const std::vector<std::size_t>& source,
                               const std::vector<std::size_t>& destination);

}  // namespace pullback::standalone
