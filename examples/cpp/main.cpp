// Calls the C++ that pullback made of examples/simple.py. No Python, no library to link:
//
//   pullback transpile examples/simple.py -o cpp_out
//   g++ -std=c++20 -O3 -I engine/native/include examples/cpp/main.cpp cpp_out/simple.cpp
//   ./a.out
#include <pullback/kernel_caller.h>

#include <cstdio>

extern "C" {
int simple_forward_infer(pb_infer* query);
int simple_forward_run(const pb_call* call);
int simple_backward_infer(pb_infer* query);
int simple_backward_run(const pb_call* call);
}

void print(const char* name, const std::vector<double>& numbers) {
    std::printf("%s", name);
    for (const double number : numbers) std::printf(" %.4f", number);
    std::printf("\n");
}

int main() {
    std::vector<double> a = {0.3605, 0.9889, 0.8768, 0.5413};
    std::vector<double> b = {0.2517, 0.3470, 0.8960, 0.3315};
    std::vector<double> r(4), grad(4, 1.0), grad_a(4), grad_b(4);

    // r = simple(a, b)
    pullback::call(simple_forward_infer, simple_forward_run, {a, b}, {r});

    // grad_a, grad_b = simple_backward(a, b, grad), which computes a + b again: that is cheaper
    // than to write and read it.
    pullback::call(simple_backward_infer, simple_backward_run, {a, b, grad}, {grad_a, grad_b});

    print("simple(a, b)", r);
    print("dL/da", grad_a);
    print("dL/db", grad_b);
    return 0;
}
