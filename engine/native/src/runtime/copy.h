// Copies of elements between memory of any strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pullback {

/// True for elements of so many bytes that `copy_elements` takes.
bool copies(std::size_t item);

/// Copies elements of `item` bytes. Strides count elements.
void copy_elements(std::size_t item, std::span<const std::int64_t> shape, const void* from,
                   const std::int64_t* from_strides, void* to, const std::int64_t* to_strides);

}  // namespace pullback
