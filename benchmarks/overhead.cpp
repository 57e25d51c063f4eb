// The row "native in C++" of overhead.py: a chain of multiplications through the C++ surface.
//   overhead LENGTH ROUNDS   prints medians, ns per operator: forward backward
#include <pullback/pullback.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

double nanoseconds(Clock::duration time, int length) {
    return std::chrono::duration<double, std::nano>(time).count() / length;
}

}  // namespace

int main(int argc, char** argv) try {
    const int length = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 30;
    const pullback::Session session;
    const std::vector<float> ones(4, 1.0F);
    const pullback::Tensor x(ones, {4}, true), b(ones, {4}), seed(ones, {4});
    std::vector<double> forward, backward;
    for (int round = 0; round <= rounds; ++round) {
        const auto begun = Clock::now();
        pullback::Tensor y = x;
        for (int i = 0; i < length; ++i) y = y * b;
        const auto between = Clock::now();
        gradients(y, {x}, seed);
        const auto done = Clock::now();
        if (round == 0) continue;  // what is looked up once
        forward.push_back(nanoseconds(between - begun, length));
        backward.push_back(nanoseconds(done - between, length));
    }
    std::printf("%.1f %.1f\n", median(forward), median(backward));
    return 0;
} catch (const pullback::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
