// `(a + b) * b` as people write it for PyTorch in C++: forward and backward are one loop each where
// nothing records them, and ATen's operators where a second derivative may be asked for.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/utils/pybind.h>

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kGrain = 1 << 15;

bool is_plain(const at::Tensor& x, const at::Tensor& like) {
    return x.scalar_type() == at::kFloat && x.is_contiguous() && x.sizes() == like.sizes();
}

struct Simple : torch::autograd::Function<Simple> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& a, const at::Tensor& b) {
        TORCH_CHECK(is_plain(a, a) && is_plain(b, a), "simple: two float32 tensors of one shape");
        ctx->save_for_backward({a, b});
        at::Tensor r = at::empty_like(a);
        const float* from_a = a.const_data_ptr<float>();
        const float* from_b = b.const_data_ptr<float>();
        float* to = r.mutable_data_ptr<float>();
        at::parallel_for(0, a.numel(), kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) to[i] = (from_a[i] + from_b[i]) * from_b[i];
        });
        return r;
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        const variable_list saved = ctx->get_saved_variables();
        const at::Tensor &a = saved[0], &b = saved[1], &grad = grads[0];
        if (at::GradMode::is_enabled() || !is_plain(grad, a)) {
            const at::Tensor to_a = grad * b;
            return {to_a, grad * (a + b) + to_a};
        }
        at::Tensor to_a = at::empty_like(a), to_b = at::empty_like(b);
        const float* from_a = a.const_data_ptr<float>();
        const float* from_b = b.const_data_ptr<float>();
        const float* g = grad.const_data_ptr<float>();
        float* first = to_a.mutable_data_ptr<float>();
        float* second = to_b.mutable_data_ptr<float>();
        at::parallel_for(0, a.numel(), kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                first[i] = g[i] * from_b[i];
                second[i] = g[i] * (from_a[i] + from_b[i]) + first[i];
            }
        });
        return {to_a, to_b};
    }
};

}  // namespace

PYBIND11_MODULE(torch_functions, m) {
    m.def("simple", [](const at::Tensor& a, const at::Tensor& b) { return Simple::apply(a, b); });
}
