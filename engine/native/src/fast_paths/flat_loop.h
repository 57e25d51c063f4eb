// Calls of a pointwise kernel's loop on small arrays of one shape, and numbers among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/layout.h"
#include "core/link.h"

namespace pullback {

/// The elements of a block of spare memory.
inline constexpr std::int64_t kMostSpare = 1 << 10;

/// The arrays of a loop, but for their number. Spare memory is for what a loop wants in
/// full and has only one value, or no reader.
struct LoopMemory {
    struct Number {
        void* place;
        double value;
    };

    const void* inputs[kMostArrays];
    Number numbers[kMostArrays];
    std::size_t n_numbers = 0;
    std::size_t n_spare = 0;

    /// A block of `kMostSpare` doubles, of `kMostArrays`. The GIL guards them.
    static void* spare(std::size_t block) { return memory[block]; }
    /// NULL where there is no more.
    void* take_spare() { return n_spare < kMostArrays ? spare(n_spare++) : nullptr; }
    /// A number in the place of an array; false where no spare memory is left.
    [[gnu::noinline]] bool add_number(std::size_t at, double value) {
        void* const place = take_spare();
        if (place == nullptr) return false;
        numbers[n_numbers++] = {place, value};
        inputs[at] = place;
        return true;
    }
    [[gnu::noinline]] void fill_numbers(int bits, std::int64_t size) const {
        for (std::size_t i = 0; i < n_numbers; ++i) {
            const Number& number = numbers[i];
            if (bits == 32) {
                std::fill_n(static_cast<float*>(number.place), size,
                            static_cast<float>(number.value));
            } else {
                std::fill_n(static_cast<double*>(number.place), size, number.value);
            }
        }
    }

  private:
    alignas(64) static inline double memory[kMostArrays][kMostSpare];
};

/// A loop over arrays of one shape. Apart from their memory: where all is inlined, the fields are
/// registers.
class Flat {
  public:
    explicit Flat(LoopMemory& memory) : memory_(memory) {}

    /// True if an array is like those before.
    bool takes(const Layout& layout) {
        if (layout_ != nullptr) return layout.twin_of_loop(*layout_);
        layout_ = &layout;
        size_ = layout.loop_size();
        return size_ <= Layout::kMostInLoop;
    }
    /// The next input; false where it is no array like those before.
    bool add(const Layout& layout, const void* data) {
        memory_.inputs[count_++] = some_ = data;
        return takes(layout);
    }
    /// A number in the place of an array; false where no spare memory is left.
    bool add_number(double value) { return memory_.add_number(count_++, value); }
    /// An input that was found to be like those before; NULL for one that no gradient
    /// depends on.
    void add_or_skip(const void* data) {
        if (data != nullptr) {
            some_ = data;
        } else {
            absent_ = true;
        }
        memory_.inputs[count_++] = data;
    }
    /// Once all inputs are in: whether the loop may run.
    bool ready() const {
        return layout_ != nullptr && (memory_.n_numbers == 0 || size_ <= kMostSpare);
    }
    /// False where the kernel is not compiled for this type; then nothing was done.
    bool run(pb_flat_function loop, void* const* outputs) {
        const void** const inputs = memory_.inputs;
        if (absent_) [[unlikely]]
            std::replace(inputs, inputs + count_, static_cast<const void*>(nullptr), some_);
        if (memory_.n_numbers != 0) [[unlikely]]
            memory_.fill_numbers(layout_->loop_bits(), size_);
        return loop(layout_->loop_bits(), inputs, outputs, size_) == PB_OK;
    }
    /// Memory for an output that nobody needs; NULL where there is too little.
    void* unneeded() { return size_ > kMostSpare ? nullptr : memory_.take_spare(); }

    const Layout& layout() const { return *layout_; }
    std::size_t bytes() const {
        return static_cast<std::size_t>(size_ * (layout_->loop_bits() / 8));
    }

  private:
    LoopMemory& memory_;
    const Layout* layout_ = nullptr;
    std::int64_t size_ = 0;
    std::size_t count_ = 0;
    bool absent_ = false;         // an input has no values
    const void* some_ = nullptr;  // an input to read in the place of those that aren't used
};

}  // namespace pullback
