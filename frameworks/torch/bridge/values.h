/* What kernels are called with: tensors, shapes, numbers. */
#ifndef PULLBACK_TORCH_VALUES_H_
#define PULLBACK_TORCH_VALUES_H_

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/util/SmallVector.h>
#include <pullback/kernel_abi.h>

#include <cstring>

namespace pullback_torch {

using at::Tensor;

constexpr size_t kMost = 64;  // tensors of a call: patterns are bits of a word

enum class Kind : uint8_t { kAbsent, kTensor, kPlain, kInteger, kDouble };

/* An argument or a saved value: a tensor, a shape with its dtype, or a number in `spec.shape[0]`.
 */
struct Value {
    Kind kind = Kind::kAbsent;
    Tensor tensor;
    pb_spec spec{};
};
using Values = c10::SmallVector<Value, 4>;
using Tensors = c10::SmallVector<Tensor, 4>;

/* Keys of tensors of the CPU and of GPUs that are strided, and nobody's subclass or wrapper. */
constexpr c10::DispatchKeySet kPlainKeys({c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU,
                                          c10::DispatchKey::AutocastCPU, c10::DispatchKey::CUDA,
                                          c10::DispatchKey::AutogradCUDA,
                                          c10::DispatchKey::AutocastCUDA,
                                          c10::DispatchKey::ADInplaceOrView});

/* True for a tensor whose memory a kernel can read. */
inline bool is_plain(const Tensor& x) {
    constexpr c10::DispatchKeySet allowed = kPlainKeys;
    if ((x.key_set().raw_repr() & ~allowed.raw_repr()) != 0 || x.dim() > PB_MAX_DIMS) return false;
    const auto type = x.scalar_type();
    return (type == at::kFloat || type == at::kDouble || type == at::kBool) &&
           !x._fw_grad(0).defined();
}

inline DLDataType data_type(at::ScalarType type) {
    if (type == at::kFloat) return {kDLFloat, 32, 1};
    if (type == at::kDouble) return {kDLFloat, 64, 1};
    if (type == at::kBool) return {kDLBool, 8, 1};
    return {kDLInt, 64, 1};
}

inline at::ScalarType scalar_type(const DLDataType& type) {
    if (type.code == kDLFloat) return type.bits == 32 ? at::kFloat : at::kDouble;
    return type.code == kDLBool ? at::kBool : at::kLong;
}

inline pb_spec like(const Tensor& x) {
    pb_spec made{};
    made.ndim = static_cast<int32_t>(x.dim());
    made.dtype = data_type(x.scalar_type());
    for (int64_t axis = 0; axis < x.dim(); ++axis) made.shape[axis] = x.size(axis);
    return made;
}

inline Tensor empty(const pb_spec& spec, c10::Device device) {
    const c10::IntArrayRef shape(spec.shape, static_cast<size_t>(spec.ndim));
    if (device.is_cpu()) return at::detail::empty_cpu(shape, scalar_type(spec.dtype));
    return at::empty(shape, at::TensorOptions().dtype(scalar_type(spec.dtype)).device(device));
}

inline int64_t of_double(double value) {
    int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

}  // namespace pullback_torch

#endif
