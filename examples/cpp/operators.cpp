// Operators with a forward and a backward in C++, for Python:
//
//   c++ -O2 $(pullback config --operator-flags) examples/cpp/operators.cpp -o liboperators.so
//   python -c "import pullback as pb; cube = pb.load_operator('liboperators.so', 'cube')"
#include <pullback/pullback.h>

using pullback::Context;
using pullback::Like;
using pullback::Tensor;
using pullback::Tensors;

namespace {

// x^3. Its forward works on memory: that is a kernel's place. Its backward is written with
// operators, so that it can be differentiated.
template <typename T>
Tensor cubed(const Tensor& x) {
    Tensor y = Tensor::empty(like(x));
    const T* from = x.data<T>();
    T* to = y.data<T>();
    for (std::int64_t i = 0; i < x.size(); ++i) to[i] = from[i] * from[i] * from[i];
    return y;
}

Tensors cube_forward(const Tensors& inputs) {
    const Tensor x = contiguous(inputs[0]);
    return {x.dtype().bits == 32 ? cubed<float>(x) : cubed<double>(x)};
}

Tensors cube_backward(const Context& context) {
    const Tensor x = context.input(0);
    return {context.gradient(0) * 3.0 * x * x};
}

// (a + b) b, which keeps the sum t for its backward. A gradient reaches t when that backward is
// differentiated: t is named in the definition, and its gradient goes on to a and b.
Tensors simple_forward(const Tensors& inputs) {
    const Tensor t = inputs[0] + inputs[1];
    return {t * inputs[1], t};
}

Tensors simple_backward(const Context& context) {
    const Tensor b = context.input(1), t = context.intermediate(0);
    const Tensor grad = context.gradient(0), grad_t = context.gradient_of_intermediate(0);
    Tensor by_t = grad * b;
    if (grad_t) by_t = by_t + grad_t;
    return {by_t, by_t + grad * t};
}

}  // namespace

const pullback::Operator cube =
    pullback::define_operator("cube", {"x"}, cube_forward, cube_backward);
const pullback::Operator simple = pullback::define_operator(
    "simple", {"a", "b"}, simple_forward, simple_backward, {.intermediates = {"t"}});
