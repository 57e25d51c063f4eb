#include "pullback/allocator.h"

#include <cstdlib>
#include <map>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "pullback/pool.h"

namespace pullback {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmall = 16;  // units: one KiB
constexpr int kKept = 64;
constexpr std::size_t kLarge = std::size_t{1} << 16;  // bytes, from where on fresh pages cost
constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Small blocks wait for the next tensor of their size.
char* kept[kSmall][kKept];
int counts[kSmall];

std::size_t units_of(std::size_t bytes) {
    return bytes == 0 ? 1 : (bytes + kAlignment - 1) / kAlignment;
}

/// Large blocks wait by size, up to a quarter of the machine's memory: fresh pages cost more than
/// the arithmetic on them.
class LargeBlocks {
  public:
    char* take(std::size_t bytes) {
        const std::size_t size = rounded(bytes);
        const auto found = waiting_.find(size);
        if (found != waiting_.end() && !found->second.empty()) {
            char* block = found->second.back();
            found->second.pop_back();
            held_ -= size;
            return block;
        }
        const bool huge = size >= kHugePage;
        char* block = static_cast<char*>(std::aligned_alloc(huge ? kHugePage : kAlignment, size));
        if (block == nullptr && held_ > 0) {
            release();
            block = static_cast<char*>(std::aligned_alloc(huge ? kHugePage : kAlignment, size));
        }
#ifdef MADV_HUGEPAGE
        if (block != nullptr && huge) madvise(block, size, MADV_HUGEPAGE);
#endif
        return block;
    }

    void give(char* block, std::size_t bytes) {
        const std::size_t size = rounded(bytes);
        if (held_ + size > limit()) release();
        if (!kReuseMemory || size > limit()) {
            std::free(block);
            return;
        }
        waiting_[size].push_back(block);
        held_ += size;
    }

    void release() {
        for (auto& [size, blocks] : waiting_) {
            for (char* block : blocks) std::free(block);
        }
        waiting_.clear();
        held_ = 0;
    }

  private:
    /// A size with few neighbours, so that a block is found again: an eighth of a power of two.
    static std::size_t rounded(std::size_t bytes) {
        std::size_t step = kLarge / 8;
        while (step * 16 <= bytes) step *= 2;
        if (bytes >= kHugePage && step < kHugePage) step = kHugePage;
        return (bytes + step - 1) / step * step;
    }

    static std::size_t limit() {
        static const std::size_t bytes = [] {
#ifdef __linux__
            const long pages = sysconf(_SC_PHYS_PAGES);
            const long size = sysconf(_SC_PAGESIZE);
            if (pages > 0 && size > 0) return std::size_t(pages) * std::size_t(size) / 4;
#endif
            return std::size_t{1} << 30;
        }();
        return bytes;
    }

    std::map<std::size_t, std::vector<char*>> waiting_;
    std::size_t held_ = 0;
};

LargeBlocks& large() {
    static LargeBlocks& made = *new LargeBlocks;
    return made;
}

}  // namespace

char* take_block(std::size_t bytes) {
    if (bytes >= kLarge) return large().take(bytes);
    const std::size_t units = units_of(bytes);
    if (units <= kSmall && counts[units - 1] > 0) return kept[units - 1][--counts[units - 1]];
    return static_cast<char*>(std::aligned_alloc(kAlignment, units * kAlignment));
}

void give_block(char* block, std::size_t bytes) {
    if (bytes >= kLarge) {
        large().give(block, bytes);
        return;
    }
    const std::size_t units = units_of(bytes);
    if (kReuseMemory && units <= kSmall && counts[units - 1] < kKept) {
        kept[units - 1][counts[units - 1]++] = block;
    } else {
        std::free(block);
    }
}

void release_blocks() { large().release(); }

}  // namespace pullback
