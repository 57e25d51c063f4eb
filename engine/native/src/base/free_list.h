// A free list: dead objects of a kind for the next ones.
#pragma once

#include "base/inline_vector.h"

namespace pullback {

/// They stay constructed, and empty. T has a `T* next_free`. For one thread at a time.
template <typename T, int Most = 1 << 16>
class FreeList {
  public:
    /// One that waits here; NULL where there is none.
    T* take() {
        T* const object = first_;
        if (object == nullptr) [[unlikely]]
            return nullptr;
        first_ = object->next_free;
        --count_;
        return object;
    }
    /// False where it is the caller's to delete.
    bool give(T* object) {
        if (!kReuseMemory || count_ == Most) [[unlikely]]
            return false;
        object->next_free = first_;
        first_ = object;
        ++count_;
        return true;
    }

  private:
    T* first_ = nullptr;
    int count_ = 0;
};

}  // namespace pullback
