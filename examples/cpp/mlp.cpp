// A small network learns a function. There is no Python: not in this file, and not in the program.
//
//   cmake -S examples/cpp -B build/cpp -Dpullback_DIR=$(pullback config --cmakedir)
//   cmake --build build/cpp
//   build/cpp/mlp
#include <pullback/pullback.h>

#include <cmath>
#include <cstdio>
#include <random>

using pullback::Tensor;

namespace {

/// Values between -scale and scale.
Tensor random_tensor(std::mt19937& generator, std::int64_t rows, std::int64_t columns) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(rows));
    std::uniform_real_distribution<float> distribution(-scale, scale);
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (float& value : values) value = distribution(generator);
    return Tensor(values, {rows, columns}, true);
}

Tensor loss_of(const Tensor& x, const Tensor& y, const std::vector<Tensor>& weights) {
    const Tensor hidden = tanh(matmul(x, weights[0]) + weights[1]);
    const Tensor error = matmul(hidden, weights[2]) - y;
    return sum(error * error) / 64.0;
}

}  // namespace

int main() try {
    std::mt19937 generator(0);
    const std::vector<Tensor> weights = {random_tensor(generator, 1, 32),
                                         random_tensor(generator, 1, 32),
                                         random_tensor(generator, 32, 1)};
    std::vector<float> points, sines;
    for (int i = 0; i < 64; ++i) {
        points.push_back(static_cast<float>(i) / 10.0F - 3.2F);
        sines.push_back(std::sin(points.back()));
    }
    const Tensor x(points, {64, 1}), y(sines, {64, 1});

    for (int epoch = 0; epoch <= 400; ++epoch) {
        const Tensor loss = loss_of(x, y, weights);
        loss.backward();
        for (const Tensor& weight : weights) weight.step(0.1);
        if (epoch % 100 == 0) std::printf("loss %d %.4f\n", epoch, loss.item());
    }

    // Derivatives of any order: the slope of a slope.
    const Tensor at({0.5}, {}, true);
    const Tensor slope = gradients(at * at * at, {at}, {}, true, true)[0];
    std::printf("second derivative of x^3 at 0.5: %.4f\n", gradients(slope, {at})[0].item());
    return 0;
} catch (const pullback::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
