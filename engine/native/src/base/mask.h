// Sets of an operator's inputs or outputs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pullback {

/// A set of places below 64, as the bits of a number: of what is known to have few.
using Few = std::uint64_t;

/// A set of places among inputs or outputs. Only places from 64 on take memory of their own.
class Mask {
  public:
    Mask() = default;
    explicit Mask(Few places) : low_(places) {}
    Mask(const Mask& other)
        : low_(other.low_), high_(other.high_ ? std::make_unique<Words>(*other.high_) : nullptr) {}
    Mask(Mask&&) = default;
    Mask& operator=(Mask other) {
        low_ = other.low_;
        high_ = std::move(other.high_);
        return *this;
    }
    ~Mask() = default;

    /// The first places.
    static Mask below(std::int64_t count) {
        Mask mask;
        for (std::int64_t place = 0; place < count; ++place) mask.add(place);
        return mask;
    }

    void add(std::int64_t place) {
        if (place < kBits) [[likely]] {
            low_ |= bit_of(place);
            return;
        }
        if (!high_) high_ = std::make_unique<Words>();
        high_->resize(std::max(high_->size(), word_of(place) + 1));
        (*high_)[word_of(place)] |= bit_of(place);
    }
    bool has(std::int64_t place) const {
        if (place < kBits) [[likely]]
            return (low_ & bit_of(place)) != 0;
        return (word(word_of(place)) & bit_of(place)) != 0;
    }
    Few low() const { return low_; }
    bool empty() const { return low_ == 0 && (!high_ || size() == 0); }
    std::int32_t size() const {
        std::int32_t count = std::popcount(low_);
        for (std::size_t k = 0; k < words(); ++k) count += std::popcount(word(k));
        return count;
    }

    friend bool operator==(const Mask& left, const Mask& right) {
        if (left.low_ != right.low_) return false;
        if (!left.high_ && !right.high_) [[likely]]
            return true;
        const std::size_t most = std::max(left.words(), right.words());
        for (std::size_t k = 0; k < most; ++k) {
            if (left.word(k) != right.word(k)) return false;
        }
        return true;
    }
    friend Mask operator|(const Mask& left, const Mask& right) {
        return combined(left, right, [](std::uint64_t a, std::uint64_t b) { return a | b; });
    }
    friend Mask operator&(const Mask& left, const Mask& right) {
        return combined(left, right, [](std::uint64_t a, std::uint64_t b) { return a & b; });
    }
    /// The members of the left one that are not in the right one.
    friend Mask operator-(const Mask& left, const Mask& right) {
        return combined(left, right, [](std::uint64_t a, std::uint64_t b) { return a & ~b; });
    }

  private:
    using Words = std::vector<std::uint64_t>;
    static constexpr std::int64_t kBits = 64;
    static std::uint64_t bit_of(std::int64_t place) { return std::uint64_t{1} << (place % kBits); }
    static std::size_t word_of(std::int64_t place) {
        return static_cast<std::size_t>(place / kBits - 1);
    }

    std::size_t words() const { return high_ ? high_->size() : 0; }
    std::uint64_t word(std::size_t k) const { return k < words() ? (*high_)[k] : 0; }

    template <typename Combine>
    static Mask combined(const Mask& left, const Mask& right, Combine combine) {
        Mask made{combine(left.low_, right.low_)};
        const std::size_t most = std::max(left.words(), right.words());
        if (most > 0) made.high_ = std::make_unique<Words>(most);
        for (std::size_t k = 0; k < most; ++k) {
            (*made.high_)[k] = combine(left.word(k), right.word(k));
        }
        return made;
    }

    Few low_ = 0;
    std::unique_ptr<Words> high_;
};

}  // namespace pullback
