// simple: operators with derivatives of every order. From simple.py.

#define AT_PER_OPERATOR_HEADERS  // a header for each operator, not all of them

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/real.h>
#include <ATen/ops/reshape.h>
#include <c10/core/SymInt.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/Exception.h>
#include <c10/util/accumulate.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace simple_operators {
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

// The derivative of `simple`, right to every order.
struct Simple : torch::autograd::Function<Simple> {
    static variable_list forward(AutogradContext* ctx, const at::Tensor& a, const at::Tensor& b) {
        const Like like_a = like(a);
        const Like like_b = like(b);
        // simple.py:13  t = a + b
        const at::Tensor t = a + b;
        // simple.py:14  r = t * b
        const at::Tensor r = t * b;
        ctx->set_materialize_grads(false);
        ctx->save_for_backward({b, t});
        ctx->saved_data["like_a"] = packed(like_a);
        ctx->saved_data["like_b"] = packed(like_b);
        return {r, t};
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        const variable_list saved = ctx->get_saved_variables();
        const at::Tensor& b = saved[0];
        const at::Tensor& t = saved[1];
        const Like like_a = unpacked<Like>(ctx->saved_data["like_a"]);
        const Like like_b = unpacked<Like>(ctx->saved_data["like_b"]);
        const at::Tensor& grad = grads[0];
        const at::Tensor& grad_t = grads[1];
        at::Tensor grad_a, grad_b;
        if (grad.defined()) {
            // simple.py:17  return grad * b, grad * t + grad * b
            const at::Tensor _1 = grad * b;
            if (ctx->needs_input_grad(0)) {
                grad_a = sum_to(_1, like_a);
            }
            if (ctx->needs_input_grad(1)) {
                grad_b = sum_to(grad * t + _1, like_b);
            }
        }
        if (grad_t.defined()) {
            if (ctx->needs_input_grad(0)) {
                // simple.py:13  t = a + b
                grad_a = added(grad_a, sum_to(grad_t, like_a));
            }
            if (ctx->needs_input_grad(1)) {
                grad_b = added(grad_b, sum_to(grad_t, like_b));
            }
        }
        return {grad_a, grad_b};
    }
};

at::Tensor simple(const at::Tensor& a, const at::Tensor& b) {
    check_inputs("simple", {{"a", a}, {"b", b}});
    return Simple::apply(a, b)[0];
}

}  // namespace
}  // namespace simple_operators

TORCH_LIBRARY_FRAGMENT(simple, m) {
    m.def("simple(Tensor a, Tensor b) -> Tensor", simple_operators::simple);
}
