// A small network learns the sine. Its loss and the gradients of its weights are the kernels that
// pullback made of examples/cpp/mlp.py. There is no Python in this program, and no library to link:
//
//   pullback transpile examples/cpp/mlp.py -o cpp_out --order 1
//   g++ -std=c++20 -O3 -I engine/native/include examples/cpp/mlp.cpp cpp_out/mlp.cpp -o mlp
//   ./mlp
//
// With CMake: examples/cpp/CMakeLists.txt.
#include <pullback/kernel_caller.h>

#include <cmath>
#include <cstdio>
#include <random>

extern "C" {
int mlp_forward_infer(pb_infer* query);
int mlp_forward_run(const pb_call* call);
int mlp_backward_infer(pb_infer* query);
int mlp_backward_run(const pb_call* call);
}

namespace {

using Values = std::vector<float>;
using pullback::Array;

constexpr std::size_t kPoints = 64, kUnits = 32;

Values random_values(std::mt19937& generator, std::size_t count, float scale) {
    std::uniform_real_distribution<float> distribution(-scale, scale);
    Values values(count);
    for (float& value : values) value = distribution(generator);
    return values;
}

/// A step of gradient descent.
void step(Values& weights, const Values& gradient, float rate) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= rate * gradient[i];
}

}  // namespace

int main() {
    std::mt19937 generator(0);
    Values w1 = random_values(generator, kUnits, 1.0F), b1 = random_values(generator, kUnits, 1.0F);
    Values w2 = random_values(generator, kUnits, 0.2F);
    Values x, y;
    for (std::size_t i = 0; i < kPoints; ++i) {
        x.push_back(static_cast<float>(i) / 10.0F - 3.2F);
        y.push_back(std::sin(x.back()));
    }
    // What the kernels write: the loss, what the forward keeps for the backward, gradients.
    Values loss(1), hidden(kPoints * kUnits), error(kPoints), one = {1.0F};
    Values grad_w1(kUnits), grad_b1(kUnits), grad_w2(kUnits);

    // Views of the vectors above, with their shapes.
    const Array inputs(x, {kPoints, 1}), targets(y, {kPoints, 1});
    const Array to_hidden(w1, {1, kUnits}), bias(b1), to_output(w2, {kUnits, 1});
    const Array loss_of_all(loss, {}), kept(hidden, {kPoints, kUnits}), errors(error, {kPoints, 1});
    const Array seed(one, {}), by_w1(grad_w1, {1, kUnits}), by_b1(grad_b1);
    const Array by_w2(grad_w2, {kUnits, 1});

    for (int epoch = 0; epoch <= 400; ++epoch) {
        // loss, hidden, error = mlp(x, y, w1, b1, w2)
        pullback::call(mlp_forward_infer, mlp_forward_run,
                       {inputs, targets, to_hidden, bias, to_output}, {loss_of_all, kept, errors});
        // grad_x, grad_y, grad_w1, grad_b1, grad_w2 = mlp_backward(x, w1, w2, hidden, error, grad),
        // of which nobody needs the first two; it asks for the shapes of y and b1 too.
        pullback::call(mlp_backward_infer, mlp_backward_run,
                       {inputs, to_hidden, to_output, kept, errors, targets, bias, seed},
                       {{}, {}, by_w1, by_b1, by_w2});
        step(w1, grad_w1, 0.003F);
        step(b1, grad_b1, 0.003F);
        step(w2, grad_w2, 0.003F);
        if (epoch % 100 == 0) std::printf("loss %d %.4f\n", epoch, static_cast<double>(loss[0]));
    }
    return 0;
}
