// The row "libtorch in C++" of overhead.py: the same chain with PyTorch's C++ library.
//
// program LENGTH ROUNDS: a line per round, with nanoseconds per operator, forward and backward.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    using at::Tensor;
    using Clock = std::chrono::steady_clock;
    const int length = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 30;
    const auto nanoseconds = [=](Clock::duration time) {
        return std::chrono::duration<double, std::nano>(time).count() / length;
    };

    at::set_num_threads(1);
    const Tensor x = at::ones({4}, at::kFloat).set_requires_grad(true);
    const Tensor b = at::ones({4}, at::kFloat), seed = at::ones({4}, at::kFloat);
    for (int round = 0; round <= rounds; ++round) {
        const auto begun = Clock::now();
        Tensor y = x;
        for (int i = 0; i < length; ++i) y = y * b;
        const auto between = Clock::now();
        torch::autograd::grad({y}, {x}, {seed});
        const auto done = Clock::now();
        if (round == 0) continue;  // what is looked up once
        std::printf("%.1f %.1f\n", nanoseconds(between - begun), nanoseconds(done - between));
    }
    return 0;
}
