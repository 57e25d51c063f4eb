// The row "libtorch in C++" of overhead.py: the same chain with PyTorch's C++ library.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include "overhead_samples.h"

int main(int argc, char** argv) {
    using at::Tensor;
    at::set_num_threads(1);
    const Tensor x = at::ones({4}, at::kFloat).set_requires_grad(true);
    const Tensor b = at::ones({4}, at::kFloat), seed = at::ones({4}, at::kFloat);
    const auto forward = [&](int length) {
        Tensor y = x;
        for (int i = 0; i < length; ++i) y = y * b;
        return y;
    };
    overhead::print_samples(argc, argv, forward,
                            [&](const Tensor& y) { torch::autograd::grad({y}, {x}, {seed}); });
    return 0;
}
