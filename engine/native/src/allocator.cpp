#include "pullback/allocator.h"

#include <cstdlib>

#include "pullback/pool.h"

namespace pullback {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmall = 16;  // units: one KiB
constexpr int kKept = 64;

/// Small blocks wait for the next tensor of their size.
char* kept[kSmall][kKept];
int counts[kSmall];

std::size_t units_of(std::size_t bytes) {
    return bytes == 0 ? 1 : (bytes + kAlignment - 1) / kAlignment;
}

}  // namespace

char* take_block(std::size_t bytes) {
    const std::size_t units = units_of(bytes);
    if (units <= kSmall && counts[units - 1] > 0) return kept[units - 1][--counts[units - 1]];
    return static_cast<char*>(std::aligned_alloc(kAlignment, units * kAlignment));
}

void give_block(char* block, std::size_t bytes) {
    const std::size_t units = units_of(bytes);
    if (kReuseMemory && units <= kSmall && counts[units - 1] < kKept) {
        kept[units - 1][counts[units - 1]++] = block;
    } else {
        std::free(block);
    }
}

}  // namespace pullback
