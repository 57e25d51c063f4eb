#include "base/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/inline_vector.h"

namespace pullback {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kClasses = 4 * 64;
constexpr std::size_t kAlwaysKept = std::size_t{64} << 20;

/// The size class of a block: bytes rounded up to a quarter of a power of two.
struct SizeClass {
    std::size_t index;
    std::size_t bytes;
};

SizeClass class_of(std::size_t bytes) {
    const std::size_t size = std::max(bytes, kLine);
    const auto power = static_cast<std::size_t>(std::bit_width(size) - 1);
    const std::size_t quarter = std::max(kLine, (std::size_t{1} << power) / 4);
    const std::size_t rounded = (size + quarter - 1) / quarter * quarter;
    const auto top = static_cast<std::size_t>(std::bit_width(rounded) - 1);
    return {4 * top + ((rounded >> (top - 2)) & 3), rounded};
}

char* from_system(std::size_t bytes) {
    if (bytes < kHugePage) return static_cast<char*>(std::aligned_alloc(kLine, bytes));
    const std::size_t whole = (bytes + kLine - 1) / kLine * kLine;
    void* block = nullptr;
    if (posix_memalign(&block, kHugePage, whole) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
    madvise(block, whole, MADV_HUGEPAGE);
#endif
    return static_cast<char*>(block);
}

class Allocator {
  public:
    char* take(std::size_t bytes) {
        const SizeClass size = class_of(bytes);
        const std::lock_guard lock(mutex_);
        if (stats_.limit != 0 && stats_.in_use + size.bytes > stats_.limit) return nullptr;
        std::vector<char*>& waiting = waiting_[size.index];
        char* block = nullptr;
        if (!waiting.empty()) {
            block = waiting.back();
            waiting.pop_back();
            stats_.cached -= size.bytes;
            ++stats_.reused;
        } else {
            block = fresh(size.bytes);
            if (block == nullptr) return nullptr;
        }
        ++stats_.taken;
        stats_.in_use += size.bytes;
        stats_.peak_in_use = std::max(stats_.peak_in_use, stats_.in_use);
        return block;
    }

    void give(char* block, std::size_t bytes) {
        const SizeClass size = class_of(bytes);
        const std::lock_guard lock(mutex_);
        stats_.in_use -= size.bytes;
        if (!kReuseMemory) {
            std::free(block);
            return;
        }
        waiting_[size.index].push_back(block);
        stats_.cached += size.bytes;
    }

    std::size_t release() {
        const std::lock_guard lock(mutex_);
        return let_go();
    }

    MemoryStats stats() {
        const std::lock_guard lock(mutex_);
        return stats_;
    }

    void reset_peak() {
        const std::lock_guard lock(mutex_);
        stats_.peak_in_use = stats_.in_use;
    }

    void set_limit(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        stats_.limit = bytes;
    }

  private:
    /// Sizes that change from step to step must not leave a trail of blocks: what waits is let go
    /// before memory grows beyond what was ever in use.
    char* fresh(std::size_t bytes) {
        const std::size_t ever = std::max(stats_.peak_in_use, stats_.in_use + bytes);
        const bool beyond_limit =
            stats_.limit != 0 && stats_.in_use + stats_.cached + bytes > stats_.limit;
        if (beyond_limit || (stats_.cached > kAlwaysKept && stats_.in_use + stats_.cached > ever)) {
            let_go();
        }
        char* block = from_system(bytes);
        if (block != nullptr || stats_.cached == 0) return block;
        let_go();
        return from_system(bytes);
    }

    std::size_t let_go() {
        for (std::vector<char*>& waiting : waiting_) {
            for (char* block : waiting) std::free(block);
            waiting.clear();
        }
        return std::exchange(stats_.cached, 0);
    }

    std::mutex mutex_;
    std::array<std::vector<char*>, kClasses> waiting_;
    MemoryStats stats_;
};

/// Never destroyed: tensors may outlive static objects.
Allocator& allocator() {
    static auto* made = new Allocator;
    return *made;
}

}  // namespace

char* take_block(std::size_t bytes) { return allocator().take(bytes); }
void give_block(char* block, std::size_t bytes) { allocator().give(block, bytes); }
MemoryStats memory_stats() { return allocator().stats(); }
void reset_memory_peak() { allocator().reset_peak(); }
void set_memory_limit(std::size_t bytes) { allocator().set_limit(bytes); }
std::size_t release_cached_memory() { return allocator().release(); }

}  // namespace pullback
