// Memory of dead objects for the next ones of their kind, in each thread.
#pragma once

#include <cstddef>
#include <new>

#include "pullback/inline_vector.h"

namespace pullback::standalone {

/// A base of T, whose objects come and go with every operator.
template <typename T>
class Recycled {
  public:
    static void* operator new(std::size_t bytes) {
        if (kReuseMemory && waiting != nullptr) {
            Waiting* memory = waiting;
            waiting = memory->next;
            --count;
            return memory;
        }
        return ::operator new(bytes);
    }
    static void operator delete(void* memory) {
        if (kReuseMemory && count < kMost) {
            waiting = new (memory) Waiting{waiting};
            ++count;
            return;
        }
        ::operator delete(memory);
    }

  private:
    struct Waiting {
        Waiting* next;
    };
    static constexpr int kMost = 1 << 16;
    static inline thread_local Waiting* waiting = nullptr;
    static inline thread_local int count = 0;
};

}  // namespace pullback::standalone
