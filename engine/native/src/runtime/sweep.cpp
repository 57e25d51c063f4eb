#include "runtime/sweep.h"

#include <algorithm>

#include "runtime/processor_levels.h"
#include "runtime/workers.h"

namespace pullback {
namespace {

constexpr std::int64_t kPiece = 1024;     // elements: what a number fills, and stays in cache
constexpr std::int64_t kGrain = 1 << 14;  // elements of a range
constexpr std::size_t kMostInputs = 2;

/// The elements of a piece, of the loop's type.
class Piece {
  public:
    void fill(int bits, double value) {
        if (bits == 32) {
            std::fill_n(reinterpret_cast<float*>(memory_), kPiece, static_cast<float>(value));
        } else {
            std::fill_n(memory_, kPiece, value);
        }
    }
    void* data() { return memory_; }

  private:
    alignas(64) double memory_[kPiece];
};

char* at(const void* memory, std::int64_t element, int bits) {
    return const_cast<char*>(static_cast<const char*>(memory)) + element * (bits / 8);
}

PB_LEVELS void add_scaled(float* __restrict target, const float* __restrict other, float factor,
                          std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) target[i] += factor * other[i];
}

PB_LEVELS void add_scaled(double* __restrict target, const double* __restrict other, double factor,
                          std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) target[i] += factor * other[i];
}

/// Calls body(begin, size) for pieces that cover the elements, on several threads.
template <typename Body>
void each_piece(std::int64_t size, const Body& body) {
    struct All {
        const Body& body;
        std::int64_t size;
    } all{body, size};
    const auto range = [](void* argument, std::int64_t begin, std::int64_t end) {
        const All& given = *static_cast<All*>(argument);
        const std::int64_t last = std::min(end * kPiece, given.size);
        for (std::int64_t i = begin * kPiece; i < last; i += kPiece) {
            given.body(i, std::min(kPiece, last - i));
        }
    };
    parallel_for(nullptr, (size + kPiece - 1) / kPiece, kGrain / kPiece, range, &all);
}

}  // namespace

void sweep(pb_flat_function loop, int bits, std::span<const SweepInput> inputs, void* output,
           std::int64_t size) {
    Piece numbers[kMostInputs];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (inputs[k].data == nullptr) numbers[k].fill(bits, inputs[k].number);
    }
    each_piece(size, [&](std::int64_t begin, std::int64_t count) {
        const void* read[kMostInputs] = {};
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const void* data = inputs[k].data;
            read[k] = data == nullptr ? numbers[k].data() : at(data, begin, bits);
        }
        void* const written[] = {at(output, begin, bits)};
        loop(bits, read, written, count);
    });
}

void sweep_scaled(int bits, void* target, const void* other, double factor, std::int64_t size) {
    each_piece(size, [&](std::int64_t begin, std::int64_t count) {
        if (bits == 32) {
            add_scaled(static_cast<float*>(target) + begin,
                       static_cast<const float*>(other) + begin, static_cast<float>(factor), count);
        } else {
            add_scaled(static_cast<double*>(target) + begin,
                       static_cast<const double*>(other) + begin, factor, count);
        }
    });
}

}  // namespace pullback
