// layer_norm: operators with derivatives of every order. From layer_norm.py.

#define AT_PER_OPERATOR_HEADERS  // a header for each operator, not all of them

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/real.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sqrt.h>
#include <c10/core/SymInt.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/Exception.h>
#include <c10/util/accumulate.h>
#include <c10/util/generic_math.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace layer_norm_operators {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Shape, dtype and device of a tensor, without its data.
struct Like {
    std::vector<c10::SymInt> sizes;
    at::ScalarType dtype = at::kDouble;
    at::Device device = at::kCPU;

    at::TensorOptions options() const { return at::device(device).dtype(dtype); }
};

Like like(const at::Tensor& x) {
    if (!x.defined()) {
        return {};
    }
    return {x.sym_sizes().vec(), x.scalar_type(), x.device()};
}

// The number of entries; where sizes are symbols, what is traced holds for this number.
int64_t numel(const at::Tensor& x) {
    return x.sym_numel().guard_int(__FILE__, __LINE__);
}

// Values as `saved_data` holds them, and back.
c10::IValue packed(const Like& x) {
    return c10::ivalue::Tuple::create(c10::SymIntArrayRef(x.sizes), x.dtype, x.device);
}

template <class T>
struct HoldsLikes : std::is_same<T, Like> {};
template <class T>
struct HoldsLikes<std::vector<T>> : HoldsLikes<T> {};

template <class T>
c10::IValue packed(const std::vector<T>& values) {
    c10::impl::GenericList list(c10::AnyType::get());
    for (const T& value : values) {
        if constexpr (HoldsLikes<T>::value) {
            list.push_back(packed(value));
        } else {
            list.push_back(c10::IValue(value));
        }
    }
    return list;
}

template <class T>
T unpacked(const c10::IValue& saved) {
    if constexpr (std::is_same_v<T, Like>) {
        const auto parts = saved.toTuple();
        return {parts->elements()[0].toSymIntVector(), parts->elements()[1].toScalarType(),
                parts->elements()[2].toDevice()};
    } else {
        T made;
        for (const c10::IValue& value : saved.toListRef()) {
            if constexpr (HoldsLikes<T>::value) {
                made.push_back(unpacked<typename T::value_type>(value));
            } else {
                made.push_back(value.to<typename T::value_type>());
            }
        }
        return made;
    }
}

// To a dtype, by the real part where it is real.
at::Tensor cast(const at::Tensor& x, at::ScalarType dtype) {
    return (x.is_complex() && !c10::isComplexType(dtype) ? at::real(x) : x).to(dtype);
}

// The gradient summed over the axes along which an operand was broadcast to it, in its dtype.
at::Tensor sum_to(const at::Tensor& x, const Like& like) {
    if (x.dim() == 0 && c10::multiply_integers(like.sizes) == 1) {
        return cast(at::reshape_symint(x, like.sizes), like.dtype);
    }
    return cast(x.sum_to_size_symint(like.sizes), like.dtype);
}

// The value repeated to a shape, in its dtype: the adjoint of `sum_to`.
at::Tensor broadcast_like(const at::Tensor& x, const Like& like) {
    const at::Tensor value = cast(x, like.dtype).to(like.device);
    if (like.sizes.empty() && value.sym_numel() == 1) {
        return at::reshape(value, at::IntArrayRef{});
    }
    return value.expand_symint(like.sizes);
}

// The sum of two parts of a gradient, of which one may be undefined.
at::Tensor added(const at::Tensor& x, const at::Tensor& y) {
    if (!x.defined() || !y.defined()) {
        return x.defined() ? x : y;
    }
    return x + y;
}

// Refuses operands that PyTorch would compute with in another dtype than NumPy.
void check_inputs(const char* name, const std::vector<std::pair<const char*, at::Tensor>>& given) {
    for (const auto& [key, x] : given) {
        if (!x.defined()) {
            continue;
        }
        TORCH_CHECK_TYPE(!x.is_complex(), name, ": `", key, "` is ", x.scalar_type(),
                         ": the formula's gradients are those of real inputs");
        TORCH_CHECK_TYPE(x.is_floating_point() || x.scalar_type() == at::kBool, name, ": `", key,
                         "` is ", x.scalar_type(), ": NumPy makes double of it, PyTorch does not");
        for (const auto& [_, other] : given) {
            if (x.dim() > 0 || !other.defined() || other.dim() == 0 ||
                x.scalar_type() == at::kBool || !other.is_floating_point()) {
                continue;
            }
            TORCH_CHECK_TYPE(other.element_size() >= x.element_size(), name, ": NumPy makes ",
                             x.scalar_type(), " of the 0-d `", key, "` and ", other.scalar_type(),
                             ", PyTorch does not: convert one");
        }
    }
}

// The derivative of `layer_norm`, right to every order.
struct LayerNorm : torch::autograd::Function<LayerNorm> {
    static variable_list forward(AutogradContext* ctx, const at::Tensor& x,
            const at::Tensor& weight, const at::Tensor& bias, double eps) {
        const Like like_x = like(x);
        const Like like_weight = like(weight);
        const Like like_bias = like(bias);
        // layer_norm.py:16  centered = x - np.mean(x, axis=-1, keepdims=True)
        const at::Tensor mean = at::mean(x, -1, true);
        const int64_t r_size_1 = numel(mean);
        const int64_t x_size_1 = numel(x);
        const at::Tensor centered = x - mean;
        const Like like_y_3 = like(mean);
        // layer_norm.py:17  variance = np.mean(centered * centered, axis=-1,...
        const at::Tensor product = centered * centered;
        const at::Tensor variance = at::mean(product, -1, true);
        const int64_t variance_size_1 = numel(variance);
        const int64_t a_size_1 = numel(product);
        // layer_norm.py:18  s = 1 / np.sqrt(variance + eps)
        const at::Tensor sqrt_1 = at::sqrt(variance + eps);
        const at::Tensor s = 1 / sqrt_1;
        // layer_norm.py:19  n = centered * s
        const at::Tensor n = centered * s;
        // layer_norm.py:20  y = n * weight + bias
        const at::Tensor y = n * weight + bias;
        ctx->set_materialize_grads(false);
        ctx->save_for_backward({weight, centered, sqrt_1, s, n});
        ctx->saved_data["like_y_3"] = packed(like_y_3);
        ctx->saved_data["variance_size_1"] = variance_size_1;
        ctx->saved_data["a_size_1"] = a_size_1;
        ctx->saved_data["like_x"] = packed(like_x);
        ctx->saved_data["r_size_1"] = r_size_1;
        ctx->saved_data["x_size_1"] = x_size_1;
        ctx->saved_data["like_weight"] = packed(like_weight);
        ctx->saved_data["like_bias"] = packed(like_bias);
        return {y, centered, sqrt_1, s, n};
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        const variable_list saved = ctx->get_saved_variables();
        const at::Tensor& weight = saved[0];
        const at::Tensor& centered = saved[1];
        const at::Tensor& sqrt_1 = saved[2];
        const at::Tensor& s = saved[3];
        const at::Tensor& n = saved[4];
        const Like like_y_3 = unpacked<Like>(ctx->saved_data["like_y_3"]);
        const int64_t variance_size_1 = ctx->saved_data["variance_size_1"].toInt();
        const int64_t a_size_1 = ctx->saved_data["a_size_1"].toInt();
        const Like like_x = unpacked<Like>(ctx->saved_data["like_x"]);
        const int64_t r_size_1 = ctx->saved_data["r_size_1"].toInt();
        const int64_t x_size_1 = ctx->saved_data["x_size_1"].toInt();
        const Like like_weight = unpacked<Like>(ctx->saved_data["like_weight"]);
        const Like like_bias = unpacked<Like>(ctx->saved_data["like_bias"]);
        const at::Tensor& grad = grads[0];
        const at::Tensor& grad_centered = grads[1];
        const at::Tensor& grad_sqrt_1 = grads[2];
        const at::Tensor& grad_s = grads[3];
        const at::Tensor& grad_n = grads[4];
        at::Tensor grad_x, grad_weight, grad_bias;
        if (grad.defined()) {
            if (ctx->needs_input_grad(0)) {
                // layer_norm.py:23  g = grad * weight
                const at::Tensor g = grad * weight;
                // layer_norm.py:24  along_n = np.mean(g * n, axis=-1, keepdims=True)
                const at::Tensor along_n = at::mean(g * n, -1, true);
                // layer_norm.py:25  grad_x = s * (g - np.mean(g, axis=-1, keepdims=T...
                const at::Tensor grad_x_1 = s * (g - at::mean(g, -1, true) - n * along_n);
                grad_x = sum_to(grad_x_1, like_x);
            }
            if (ctx->needs_input_grad(1)) {
                // layer_norm.py:26  return grad_x, grad * n, grad
                grad_weight = sum_to(grad * n, like_weight);
            }
            if (ctx->needs_input_grad(2)) {
                grad_bias = sum_to(grad, like_bias);
            }
        }
        if (grad_centered.defined()) {
            if (ctx->needs_input_grad(0)) {
                // layer_norm.py:16  centered = x - np.mean(x, axis=-1, keepdims=True)
                const at::Tensor grad_y = sum_to(-grad_centered, like_y_3);
                const int64_t terms_1 =
                    r_size_1 != 0 ? c10::div_floor_integer(x_size_1, r_size_1) : 1;
                const at::Tensor grad_x_1 = broadcast_like(grad_y, like_x) / terms_1;
                grad_x = added(grad_x, grad_centered + grad_x_1);
            }
        }
        if (grad_sqrt_1.defined()) {
            if (ctx->needs_input_grad(0)) {
                // layer_norm.py:17  variance = np.mean(centered * centered, axis=-1,...
                int64_t terms{};
                if (variance_size_1 != 0) {
                    terms = c10::div_floor_integer(a_size_1, variance_size_1);
                } else {
                    terms = 1;
                }
                const at::Tensor _6 =
                    broadcast_like(grad_sqrt_1 / (2 * sqrt_1), like_x) / terms * centered;
                const at::Tensor grad_centered_4 = _6 + _6;
                // layer_norm.py:16  centered = x - np.mean(x, axis=-1, keepdims=True)
                const at::Tensor grad_y = sum_to(-grad_centered_4, like_y_3);
                const int64_t terms_1 =
                    r_size_1 != 0 ? c10::div_floor_integer(x_size_1, r_size_1) : 1;
                const at::Tensor grad_x_1 = broadcast_like(grad_y, like_x) / terms_1;
                grad_x = added(grad_x, grad_centered_4 + grad_x_1);
            }
        }
        if (grad_s.defined()) {
            if (ctx->needs_input_grad(0)) {
                // layer_norm.py:17  variance = np.mean(centered * centered, axis=-1,...
                int64_t terms{};
                if (variance_size_1 != 0) {
                    terms = c10::div_floor_integer(a_size_1, variance_size_1);
                } else {
                    terms = 1;
                }
                const at::Tensor _8 =
                    broadcast_like(-grad_s * s / sqrt_1 / (2 * sqrt_1), like_x) / terms;
                const at::Tensor _9 = _8 * centered;
                const at::Tensor grad_centered_5 = _9 + _9;
                // layer_norm.py:16  centered = x - np.mean(x, axis=-1, keepdims=True)
                const at::Tensor grad_y = sum_to(-grad_centered_5, like_y_3);
                const int64_t terms_1 =
                    r_size_1 != 0 ? c10::div_floor_integer(x_size_1, r_size_1) : 1;
                const at::Tensor grad_x_1 = broadcast_like(grad_y, like_x) / terms_1;
                grad_x = added(grad_x, grad_centered_5 + grad_x_1);
            }
        }
        if (grad_n.defined()) {
            if (ctx->needs_input_grad(0)) {
                // layer_norm.py:19  n = centered * s
                const at::Tensor grad_s_3 = sum_to(grad_n * centered, like_y_3);
                // layer_norm.py:17  variance = np.mean(centered * centered, axis=-1,...
                int64_t terms{};
                if (variance_size_1 != 0) {
                    terms = c10::div_floor_integer(a_size_1, variance_size_1);
                } else {
                    terms = 1;
                }
                const at::Tensor _10 =
                    broadcast_like(-grad_s_3 * s / sqrt_1 / (2 * sqrt_1), like_x) / terms;
                const at::Tensor _11 = _10 * centered;
                const at::Tensor grad_centered_6 = grad_n * s + _11;
                const at::Tensor grad_centered_1 = grad_centered_6 + _11;
                // layer_norm.py:16  centered = x - np.mean(x, axis=-1, keepdims=True)
                const at::Tensor grad_y = sum_to(-grad_centered_1, like_y_3);
                const int64_t terms_1 =
                    r_size_1 != 0 ? c10::div_floor_integer(x_size_1, r_size_1) : 1;
                const at::Tensor grad_x_1 = broadcast_like(grad_y, like_x) / terms_1;
                grad_x = added(grad_x, grad_centered_1 + grad_x_1);
            }
        }
        return {grad_x, grad_weight, grad_bias, at::Tensor()};
    }
};

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
        double eps) {
    check_inputs("layer_norm", {{"x", x}, {"weight", weight}, {"bias", bias}});
    return LayerNorm::apply(x, weight, bias, eps)[0];
}

}  // namespace
}  // namespace layer_norm_operators

TORCH_LIBRARY_FRAGMENT(layer_norm, m) {
    m.def("layer_norm(Tensor x, Tensor weight, Tensor bias, *, float eps=1e-05) -> Tensor",
        layer_norm_operators::layer_norm);
}
