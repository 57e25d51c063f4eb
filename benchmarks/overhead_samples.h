// What the C++ rows of overhead.py share: rounds of a chain, each with its nanoseconds.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace overhead {

/// Calls take(forward, backward) per round, with nanoseconds per operator. `forward(length)`
/// computes a chain, `backward(result)` goes back through it.
template <typename Forward, typename Backward, typename Take>
void sample(int length, int rounds, Forward forward, Backward backward, Take take) {
    using Clock = std::chrono::steady_clock;
    const auto nanoseconds = [=](Clock::duration time) {
        return std::chrono::duration<double, std::nano>(time).count() / length;
    };
    for (int round = 0; round <= rounds; ++round) {
        const auto begun = Clock::now();
        auto result = forward(length);
        const auto between = Clock::now();
        backward(result);
        const auto done = Clock::now();
        if (round == 0) continue;  // what is looked up once
        take(nanoseconds(between - begun), nanoseconds(done - between));
    }
}

/// program LENGTH ROUNDS: a line per round.
template <typename Forward, typename Backward>
void print_samples(int argc, char** argv, Forward forward, Backward backward) {
    const int length = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 30;
    sample(length, rounds, forward, backward,
           [](double there, double back) { std::printf("%.1f %.1f\n", there, back); });
}

}  // namespace overhead
