// Memory for values: results, promoted values, gradients and workspaces of kernels.
#pragma once

#include <cstddef>

namespace pullback {

/// At least this many bytes, aligned to a cache line; NULL where memory is out. The GIL guards it.
char* take_block(std::size_t bytes);
/// Takes back what `take_block` gave for this many bytes.
void give_block(char* block, std::size_t bytes);
/// Gives large blocks that wait for their next use back to the system.
void release_blocks();

}  // namespace pullback
