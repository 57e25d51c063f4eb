// A chain of multiplications through the C++ surface: a program without Python, and the library
// that overhead.py calls with the native engine of its own process.
#include <pullback/pullback.h>

#include "overhead_samples.h"

namespace {

using pullback::Tensor;

struct Chain {
    const Tensor x, b, seed;

    Tensor forward(int length) const {
        Tensor y = x;
        for (int i = 0; i < length; ++i) y = y * b;
        return y;
    }
    void backward(const Tensor& y) const { gradients(y, {x}, seed); }
};

}  // namespace

#ifdef PULLBACK_OPERATOR_LIBRARY

/// Writes `rounds` pairs of nanoseconds; -1 where something failed. `inputs`: tensors of the
/// engine, of which the first requires grad; the last is the gradient to go back from, which is
/// left out where `go_back` is 0.
extern "C" __attribute__((visibility("default"))) int overhead_samples(const pb_engine_api* engine,
                                                                       pb_value* const* inputs,
                                                                       int length, int rounds,
                                                                       int go_back,
                                                                       double* samples) try {
    pullback::detail::table = engine;
    const Chain chain{Tensor::share(inputs[0]), Tensor::share(inputs[1]), Tensor::share(inputs[2])};
    overhead::sample(
        length, rounds, [&](int count) { return chain.forward(count); },
        [&](const Tensor& y) {
            if (go_back != 0) chain.backward(y);
        },
        [&](double there, double back) {
            *samples++ = there;
            *samples++ = back;
        });
    return 0;
} catch (const pullback::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return -1;
}

#else

// program LENGTH ROUNDS [forward]: with the word it doesn't go back.
int main(int argc, char** argv) try {
    const bool go_back = argc < 4;
    const std::vector<float> ones(4, 1.0F);
    const Chain chain{Tensor(ones, {4}, true), Tensor(ones, {4}), Tensor(ones, {4})};
    overhead::print_samples(
        argc, argv, [&](int length) { return chain.forward(length); },
        [&](const Tensor& y) {
            if (go_back) chain.backward(y);
        });
    return 0;
} catch (const pullback::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

#endif
