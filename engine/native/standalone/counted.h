// A pointer to something that counts its owners. A count belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <utility>

namespace pullback::standalone {

/// T has `std::uint32_t owners` and a static `destroy(T*)`.
template <typename T>
class Owned {
  public:
    Owned() = default;
    /// Takes over a count that somebody holds.
    static Owned adopt(T* object) {
        Owned owned;
        owned.object_ = object;
        return owned;
    }
    static Owned share(T* object) {
        if (object != nullptr) ++object->owners;
        return adopt(object);
    }
    Owned(const Owned& other) : object_(other.object_) {
        if (object_ != nullptr) ++object_->owners;
    }
    Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Owned& operator=(Owned other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Owned() { drop(object_); }

    static void drop(T* object) {
        if (object != nullptr && --object->owners == 0) T::destroy(object);
    }

    T* get() const { return object_; }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }
    explicit operator bool() const { return object_ != nullptr; }
    T* release() { return std::exchange(object_, nullptr); }

  private:
    T* object_ = nullptr;
};

}  // namespace pullback::standalone
