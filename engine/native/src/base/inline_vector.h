// A vector that starts inside its owner.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace pullback {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kReuseMemory = false;  // what is used after its end is to be seen
#else
inline constexpr bool kReuseMemory = true;
#endif

/// A vector whose first N elements need no allocation.
template <typename T, std::uint32_t N>
class InlineVector {
  public:
    InlineVector() = default;
    InlineVector(const InlineVector&) = delete;
    InlineVector& operator=(const InlineVector&) = delete;
    ~InlineVector() {
        clear();
        if (data_ != inline_data()) ::operator delete(data_);
    }

    /// The element that a function returns, made in its place.
    template <typename Make>
    T& emplace_made(Make&& make) {
        if (size_ == capacity_) [[unlikely]]
            grow();
        T* made = new (data_ + size_) T(make());
        ++size_;
        return *made;
    }
    template <typename... Args>
    T& emplace_back(Args&&... args) {
        return emplace_made([&] { return T{std::forward<Args>(args)...}; });
    }

    /// Adds what the function returns for 0, 1 and so on, made in its place.
    template <typename Make>
    void emplace_each(std::uint32_t count, Make&& make) {
        reserve(size_ + count);
        for (std::uint32_t i = 0; i < count; ++i, ++size_) new (data_ + size_) T(make(i));
    }

    /// Reserves memory for so many: elements up to that count stay where they are made.
    void reserve(std::uint32_t count) {
        while (count > capacity_) grow();
    }

    void clear() {
        T* const first = data_;
        for (std::uint32_t left = std::exchange(size_, 0U); left > 0;)
            std::destroy_at(first + --left);
    }

    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

  private:
    T* inline_data() { return reinterpret_cast<T*>(inline_); }

    [[gnu::noinline]] void grow() {
        T* larger = static_cast<T*>(::operator new(sizeof(T) * 2 * capacity_));
        std::uninitialized_move(begin(), end(), larger);
        std::destroy(begin(), end());
        if (data_ != inline_data()) ::operator delete(data_);
        data_ = larger;
        capacity_ *= 2;
    }

    T* data_ = inline_data();
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = N;
    alignas(T) unsigned char inline_[sizeof(T) * N];
};

}  // namespace pullback
