// affine: operators with derivatives of every order. From affine.py.

#define AT_PER_OPERATOR_HEADERS  // a header for each operator, not all of them

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/real.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/select.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/swapaxes.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/unsqueeze.h>
#include <c10/core/SymInt.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/Exception.h>
#include <c10/util/accumulate.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace affine_operators {
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

std::vector<Like> likes(at::TensorList list) {
    std::vector<Like> made;
    made.reserve(list.size());
    for (const auto& x : list) {
        made.push_back(like(x));
    }
    return made;
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

// The number as a tensor.
at::Tensor number(const at::Scalar& value) {
    return at::scalar_tensor(value, at::dtype(value.isBoolean() ? at::kBool : at::kDouble));
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

// The same of each element of two lists.
std::vector<at::Tensor> added_lists(at::TensorList x, at::TensorList y) {
    if (x.empty() || y.empty()) {
        return (x.empty() ? y : x).vec();
    }
    std::vector<at::Tensor> made;
    for (size_t k = 0; k < x.size(); ++k) {
        made.push_back(added(x[k], y[k]));
    }
    return made;
}

// The tensor without these axes, which must have length one.
at::Tensor without_axes(const at::Tensor& x, at::IntArrayRef axes) {
    for (const int64_t axis : axes) {
        TORCH_CHECK_VALUE(x.sym_size(axis) == 1, "an axis of ", x.sym_sizes(),
                          " that is not of length one cannot be removed");
    }
    return at::squeeze(x, axes);
}

// The axes in the reverse order.
at::Tensor reversed_axes(const at::Tensor& x) {
    std::vector<int64_t> axes(static_cast<size_t>(x.dim()));
    std::iota(axes.rbegin(), axes.rend(), 0);
    return at::permute(x, axes);
}

// The slices of `x` along an axis: the adjoint of `stack`.
std::vector<at::Tensor> unstack_like(const at::Tensor& x, const std::vector<Like>& likes,
                                     int64_t axis) {
    std::vector<at::Tensor> parts;
    for (size_t k = 0; k < likes.size(); ++k) {
        parts.push_back(sum_to(at::select(x, axis, static_cast<int64_t>(k)), likes[k]));
    }
    return parts;
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

// The derivative of `affine`, right to every order.
struct Affine : torch::autograd::Function<Affine> {
    static variable_list forward(AutogradContext* ctx, const at::Tensor& w, at::TensorList rows,
            const std::optional<at::Tensor>& b_or_none, double scale) {
        const at::Tensor b = b_or_none.value_or(at::Tensor());
        const Like like_w = like(w);
        const Like like_b = like(b);
        // affine.py:10  x = np.stack(rows)
        const at::Tensor x = at::stack(rows);
        const std::vector<Like> like_rows = likes(rows);
        // affine.py:11  t = np.tanh(x @ w)
        const Like like_x = like(x);
        const int64_t x_ndim = x.dim();
        const int64_t w_ndim = w.dim();
        const bool x1_ndim_equal = x_ndim == 1;
        const bool x2_ndim_equal = w_ndim == 1;
        const at::Tensor t = at::tanh(at::matmul(x, w));
        // affine.py:18  return (t * scale if b is None else t * scale + b),...
        const bool is_none_1 = !b.defined();
        ctx->set_materialize_grads(false);
        ctx->saved_data["b_given"] = b.defined();
        variable_list saved{w, x, t};
        saved.insert(saved.end(), rows.begin(), rows.end());
        ctx->save_for_backward(saved);
        ctx->saved_data["rows_count"] = static_cast<int64_t>(rows.size());
        ctx->saved_data["scale"] = scale;
        ctx->saved_data["x1_ndim_equal"] = x1_ndim_equal;
        ctx->saved_data["x2_ndim_equal"] = x2_ndim_equal;
        ctx->saved_data["like_x"] = packed(like_x);
        ctx->saved_data["like_w"] = packed(like_w);
        ctx->saved_data["like_rows"] = packed(like_rows);
        ctx->saved_data["is_none_1"] = is_none_1;
        ctx->saved_data["like_b"] = packed(like_b);
        return {(is_none_1 ? t * scale : t * scale + b).clone(), x, t};
    }

    static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
        const variable_list saved = ctx->get_saved_variables();
        const at::Tensor& w = saved[0];
        const at::Tensor& x = saved[1];
        const at::Tensor& t = saved[2];
        const int64_t rows_count = ctx->saved_data["rows_count"].toInt();
        const bool b_given = ctx->saved_data["b_given"].toBool();
        const variable_list rows(saved.begin() + 3, saved.begin() + 3 + rows_count);
        const double scale = ctx->saved_data["scale"].toDouble();
        const bool x1_ndim_equal = ctx->saved_data["x1_ndim_equal"].toBool();
        const bool x2_ndim_equal = ctx->saved_data["x2_ndim_equal"].toBool();
        const Like like_x = unpacked<Like>(ctx->saved_data["like_x"]);
        const Like like_w = unpacked<Like>(ctx->saved_data["like_w"]);
        const std::vector<Like> like_rows =
            unpacked<std::vector<Like>>(ctx->saved_data["like_rows"]);
        const bool is_none_1 = ctx->saved_data["is_none_1"].toBool();
        const Like like_b = unpacked<Like>(ctx->saved_data["like_b"]);
        const at::Tensor& grad = grads[0];
        const at::Tensor& grad_x = grads[1];
        const at::Tensor& grad_t = grads[2];
        std::vector<at::Tensor> grad_rows;
        at::Tensor grad_w, grad_b;
        if (grad.defined()) {
            // affine.py:14  d = grad * scale * (1 - t * t)
            const at::Tensor d = grad * scale * (1 - t * t);
            if (ctx->needs_input_grad({{size_t{1}, size_t{1} +
                static_cast<size_t>(rows_count)}})) {
                // affine.py:15  u = d @ w.T
                const at::Tensor u = at::matmul(d, reversed_axes(w));
                // affine.py:16  return [u[k] for k in range(len(rows))], x.T @ d, (N...
                const int64_t _5 = static_cast<int64_t>(rows.size());
                std::vector<at::Tensor> grad_rows_2;
                for (int64_t k = 0; k < _5; ++k) {
                    grad_rows_2.push_back(at::select(u, 0, k));
                }
                grad_rows = grad_rows_2;
            }
            if (ctx->needs_input_grad(0)) {
                grad_w = sum_to(at::matmul(reversed_axes(x), d), like_w);
            }
            if (b_given && ctx->needs_input_grad(size_t{1} + static_cast<size_t>(rows_count))) {
                at::Tensor _9;
                if (is_none_1) {
                    const at::Tensor zeros_2 = broadcast_like(number(0.0), like_b);
                    _9 = zeros_2;
                } else {
                    _9 = at::sum(grad, 0);
                }
                grad_b = sum_to(_9, like_b);
            }
        }
        if (grad_x.defined()) {
            if (ctx->needs_input_grad({{size_t{1}, size_t{1} +
                static_cast<size_t>(rows_count)}})) {
                // affine.py:10  x = np.stack(rows)
                grad_rows = added_lists(grad_rows, unstack_like(grad_x, like_rows, 0));
            }
        }
        if (grad_t.defined()) {
            // affine.py:11  t = np.tanh(x @ w)
            const at::Tensor _3 = grad_t * (1 - t * t);
            const at::Tensor columns = x2_ndim_equal ? at::unsqueeze(_3, -1) : _3;
            const at::Tensor g = x1_ndim_equal ? at::unsqueeze(columns, -2) : columns;
            if (ctx->needs_input_grad({{size_t{1}, size_t{1} +
                static_cast<size_t>(rows_count)}})) {
                const at::Tensor b_1 = x2_ndim_equal ? at::unsqueeze(w, 1) : w;
                const at::Tensor grad_a = at::matmul(g, at::swapaxes(b_1, -1, -2));
                const at::Tensor grad_x_3 = sum_to(grad_a, like_x);
                // affine.py:10  x = np.stack(rows)
                grad_rows = added_lists(grad_rows, unstack_like(grad_x_3, like_rows, 0));
            }
            if (ctx->needs_input_grad(0)) {
                // affine.py:11  t = np.tanh(x @ w)
                const at::Tensor a = x1_ndim_equal ? at::unsqueeze(x, 0) : x;
                const at::Tensor grad_b_4 = at::matmul(at::swapaxes(a, -1, -2), g);
                const at::Tensor grad_b_1 = x2_ndim_equal ? without_axes(grad_b_4, -1) : grad_b_4;
                grad_w = added(grad_w, sum_to(grad_b_1, like_w));
            }
        }
        variable_list made{grad_w};
        grad_rows.resize(static_cast<size_t>(rows_count));
        made.insert(made.end(), grad_rows.begin(), grad_rows.end());
        made.push_back(grad_b);
        made.resize(made.size() + 1);
        return made;
    }
};

at::Tensor affine(at::TensorList rows, const at::Tensor& w, const std::optional<at::Tensor>& b,
        double scale) {
    for (const at::Tensor& element : rows) {
        check_inputs("affine", {{"rows", element}});
    }
    check_inputs("affine", {{"w", w}, {"b", b.value_or(at::Tensor())}});
    return Affine::apply(w, rows, b, scale)[0];
}

}  // namespace
}  // namespace affine_operators

TORCH_LIBRARY_FRAGMENT(affine, m) {
    m.def("affine(Tensor[] rows, Tensor w, Tensor? b=None, *, float scale=1.0) -> Tensor",
        affine_operators::affine);
}
