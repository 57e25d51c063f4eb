// Memory for values: results, promoted values, gradients and workspaces of kernels.
//
// Blocks come in size classes, four per power of two, and wait for the next one of their class
// when they are given back: fresh pages cost more than the arithmetic that fills them. Large ones
// ask for huge pages. A few values have no block of their own: see Storage.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pullback {

/// At least this many bytes, aligned to a cache line; NULL where memory is out or the limit is
/// reached. From any thread.
char* take_block(std::size_t bytes);
/// Takes back what `take_block` gave for this many bytes. From any thread.
void give_block(char* block, std::size_t bytes);
/// Bytes and counts since the process began; peaks since `reset_memory_peak`.
struct MemoryStats {
    std::size_t in_use = 0;
    std::size_t cached = 0;  // waiting for the next block of their class
    std::size_t peak_in_use = 0;
    std::size_t limit = 0;     // 0: none
    std::uint64_t taken = 0;   // blocks
    std::uint64_t reused = 0;  // of them, those that waited
};

MemoryStats memory_stats();
void reset_memory_peak();
/// No more than so many bytes in use; 0 for no limit. Waiting blocks are let go before one fails.
void set_memory_limit(std::size_t bytes);
/// Gives the blocks that wait back to the system: how many bytes.
std::size_t release_cached_memory();

}  // namespace pullback
