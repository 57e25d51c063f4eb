#include "thread.h"

#include <new>

#include "graph.h"

namespace pullback::standalone {
namespace {

constexpr std::align_val_t kAligned{64};

struct End {
    ~End() {
        here.nodes.end();
        here.values.end();
        here.small_values.end();
        here.storages.end();
        here.arrivals.end();
        ::operator delete(here.spare, kAligned);
        here.spare = nullptr;
    }
};

}  // namespace

void free_at_end() { static thread_local const End end; }

void* spare_memory(std::size_t block) {
    if (here.spare == nullptr) [[unlikely]] {
        free_at_end();
        here.spare = static_cast<double*>(
            ::operator new(sizeof(double) * kMostArrays * kMostSpare, kAligned));
    }
    return here.spare + block * kMostSpare;
}

}  // namespace pullback::standalone
