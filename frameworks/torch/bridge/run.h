/* A call of a kernel: on the CPU in parts on several threads where it is large, or on a GPU. */
#ifndef PULLBACK_TORCH_RUN_H_
#define PULLBACK_TORCH_RUN_H_

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>

#include "cuda.h"
#include "description.h"
#include "values.h"

namespace pullback_torch {

constexpr int64_t kWorthAThread = 1 << 20;  // bytes
inline const pb_runtime* runtime_of_process = nullptr;

inline pb_scalar number(const Value& value, Role role) {
    pb_scalar made{};
    made.i = value.kind == Kind::kAbsent ? 0 : value.spec.shape[0];
    if (role == Role::kDouble && value.kind == Kind::kInteger) made.f = static_cast<double>(made.i);
    return made;
}

/* A workspace of 64-byte alignment, small ones without the allocator. */
class Workspace {
  public:
    explicit Workspace(size_t bytes) {
        if (bytes > sizeof small_) large_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
        failed_ = bytes > sizeof small_ && large_ == nullptr;
    }
    void* data() { return large_ != nullptr ? large_.get() : small_; }
    bool failed() const { return failed_; }

  private:
    struct Free {
        void operator()(void* pointer) const { std::free(pointer); }
    };
    alignas(64) char small_[1024];
    std::unique_ptr<void, Free> large_;
    bool failed_ = false;
};

using Specs = c10::SmallVector<pb_spec, 4>;

/* Runs a pointwise kernel's loop: all arrays have one shape in C order, and one float type. */
inline bool run_flat(const Kernel& kernel, const Value* const* values, uint64_t wanted,
                     Tensors& outputs) {
    if (wanted != (uint64_t{1} << kernel.outputs) - 1) return false;  // the loop writes all of them
    const Tensor* first = nullptr;
    const void* inputs[kMost];
    size_t count = 0;
    for (const Entry& entry : kernel.entries) {
        const Value& value = *values[count];
        if (entry.role == Role::kLike || value.kind == Kind::kPlain) {
            inputs[count++] = nullptr;
            continue;
        }
        if (entry.role != Role::kArray || value.kind != Kind::kTensor) return false;
        const Tensor& x = value.tensor;
        if (first == nullptr) {
            first = &x;
            if (x.scalar_type() == at::kBool) return false;
        } else if (x.scalar_type() != first->scalar_type() || x.sizes() != first->sizes()) {
            return false;
        }
        if (!x.is_contiguous()) return false;
        inputs[count++] = x.const_data_ptr();
    }
    if (first == nullptr) return false;
    // Shapes stand for tensors of this shape alone.
    count = 0;
    for (const Entry& entry : kernel.entries) {
        const Value& value = *values[count++];
        if (entry.role == Role::kArray && value.kind == Kind::kTensor) continue;
        const pb_spec& spec = value.kind == Kind::kTensor ? like(value.tensor) : value.spec;
        if (value.kind != Kind::kTensor && value.kind != Kind::kPlain) return false;
        if (c10::IntArrayRef(spec.shape, static_cast<size_t>(spec.ndim)) != first->sizes())
            return false;
        if (scalar_type(spec.dtype) != first->scalar_type()) return false;
    }
    void* results[kMost] = {};
    for (int64_t k = 0; k < kernel.outputs; ++k) {
        outputs[static_cast<size_t>(k)] =
            at::detail::empty_cpu(first->sizes(), first->scalar_type());
        results[k] = outputs[static_cast<size_t>(k)].mutable_data_ptr();
    }
    const int32_t bits = first->scalar_type() == at::kFloat ? 32 : 64;
    const int64_t size = first->numel();
    const int64_t grain = kWorthAThread / 8;
    if (size <= grain) return kernel.flat(bits, inputs, results, size) == PB_OK;
    std::atomic<bool> done{true};
    at::parallel_for(0, size, grain, [&](int64_t begin, int64_t end) {
        const void* from[kMost];
        void* to[kMost];
        for (size_t k = 0; k < kernel.entries.size(); ++k) {
            from[k] = inputs[k] == nullptr ? nullptr
                                           : static_cast<const char*>(inputs[k]) + begin * bits / 8;
        }
        for (int64_t k = 0; k < kernel.outputs; ++k)
            to[k] = static_cast<char*>(results[k]) + begin * bits / 8;
        if (kernel.flat(bits, from, to, end - begin) != PB_OK) done = false;
    });
    return done;
}

/* The device of the first tensor. */
inline c10::Device device_of(const Kernel& kernel, const Value* const* values) {
    for (size_t k = 0; k < kernel.entries.size(); ++k) {
        if (values[k]->kind == Kind::kTensor) return values[k]->tensor.device();
    }
    return at::kCPU;
}

/* Starts the kernels of a call that is described on a GPU. False where they are for other inputs.
 */
inline bool run_there(const Kernel& kernel, pb_call& call, c10::Device device) {
    const auto bytes = static_cast<int64_t>(call.workspace_bytes);
    Tensor workspace;
    if (bytes > 0) {
        workspace = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device));
        call.workspace = workspace.mutable_data_ptr();
    }
    Started started{*kernel.module, device, nullptr, {}};
    const int32_t status = Driver::loaded().stream(device.index(), &started.stream);
    TORCH_CHECK(status == 0, "pullback: PyTorch has no current stream");
    pb_runtime runtime{};
    runtime.context = &started;
    runtime.launch = launch;
    runtime.zero = zeros_on(device);
    runtime.threads = kThreads;
    call.runtime = &runtime;
    const bool done = kernel.run(&call) == PB_OK;
    if (started.failed) std::rethrow_exception(started.failed);
    return done;
}

/* Runs a kernel on a value per entry. False where it does not take them; then nothing was done.
   `outputs` has a tensor per wanted output, `plain` a value per output behind those. */
inline bool run(const Kernel& kernel, const Value* const* values, uint64_t wanted, Tensors& outputs,
                Specs& plain) {
    outputs.assign(static_cast<size_t>(kernel.outputs), Tensor());
    if (kernel.flat != nullptr && kernel.plain == 0 && run_flat(kernel, values, wanted, outputs))
        return true;
    const c10::Device device = device_of(kernel, values);
    if (device.is_cpu() != (kernel.module == nullptr)) return false;
    // The CPU's tensors are made without the dispatcher.
    std::optional<at::AutoDispatchBelowADInplaceOrView> below;
    c10::OptionalDeviceGuard guard;
    if (!device.is_cpu()) {
        below.emplace();
        guard.reset_device(device);
    }
    DLTensor tensors[kMost];
    const DLTensor* inputs[kMost];
    pb_scalar numbers[kMost];
    int32_t n_inputs = 0, n_numbers = 0;
    int64_t bytes = 0;
    for (size_t k = 0; k < kernel.entries.size(); ++k) {
        const Entry& entry = kernel.entries[k];
        const Value& value = *values[k];
        if (entry.role == Role::kInteger || entry.role == Role::kDouble) {
            if (value.kind == Kind::kTensor || value.kind == Kind::kPlain) return false;
            numbers[n_numbers++] = number(value, entry.role);
            continue;
        }
        if (value.kind == Kind::kAbsent && entry.role == Role::kArray) {
            inputs[n_inputs++] = nullptr;
            continue;
        }
        if (value.kind == Kind::kInteger || value.kind == Kind::kDouble) return false;
        DLTensor& made = tensors[n_inputs];
        made = {};
        made.device = {kDLCPU, 0};
        if (value.kind == Kind::kTensor) {
            const Tensor& x = value.tensor;
            if (x.device() != device) return false;
            made.ndim = static_cast<int32_t>(x.dim());
            made.dtype = data_type(x.scalar_type());
            made.shape = const_cast<int64_t*>(x.sizes().data());
            made.strides = const_cast<int64_t*>(x.strides().data());
            if (entry.role == Role::kArray) {
                made.data = const_cast<void*>(x.const_data_ptr());
                bytes += static_cast<int64_t>(x.nbytes());
            }
        } else {
            made.ndim = value.spec.ndim;
            made.dtype = value.spec.dtype;
            made.shape = const_cast<int64_t*>(value.spec.shape);
            if (made.dtype.bits == 0) made.dtype = {kDLFloat, 64, 1};
        }
        inputs[n_inputs] = &made;
        ++n_inputs;
    }
    const auto n_specs = static_cast<size_t>(kernel.outputs + kernel.plain);
    Specs specs(n_specs + 1);
    pb_infer query{};
    query.abi = PB_KERNEL_ABI;
    query.n_inputs = n_inputs;
    query.n_attrs = n_numbers;
    query.n_outputs = static_cast<int32_t>(n_specs);
    query.inputs = inputs;
    query.attrs = numbers;
    query.outputs = specs.data();
    if (kernel.infer(&query) != PB_OK) return false;

    DLTensor made[kMost];
    const DLTensor* results[kMost] = {};
    for (size_t k = 0; k < static_cast<size_t>(kernel.outputs); ++k) {
        if ((wanted >> k & 1) == 0) continue;
        outputs[k] = empty(specs[k], device);
        made[k] = {};
        made[k].data = outputs[k].mutable_data_ptr();
        made[k].device = {kDLCPU, 0};
        made[k].ndim = specs[k].ndim;
        made[k].dtype = specs[k].dtype;
        made[k].shape = specs[k].shape;
        results[k] = &made[k];
        bytes += static_cast<int64_t>(outputs[k].nbytes());
    }
    pb_call call{};
    call.abi = PB_KERNEL_ABI;
    call.n_inputs = n_inputs;
    call.n_attrs = n_numbers;
    call.n_outputs = query.n_outputs;
    call.inputs = inputs;
    call.attrs = numbers;
    call.outputs = results;
    call.workspace_bytes = query.workspace_bytes;
    call.end = query.units;
    plain.assign(specs.begin() + kernel.outputs, specs.begin() + kernel.outputs + kernel.plain);
    if (kernel.module != nullptr) return run_there(kernel, call, device);
    Workspace workspace(query.workspace_bytes);
    if (workspace.failed()) return false;
    call.workspace = workspace.data();
    call.runtime = runtime_of_process;
    const int64_t parts = query.workspace_bytes != 0
                              ? 1
                              : std::min({static_cast<int64_t>(at::get_num_threads()), query.units,
                                          bytes / kWorthAThread});
    if (parts <= 1) {
        if (kernel.run(&call) != PB_OK) return false;
    } else {
        std::atomic<bool> done{true};
        at::parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
            pb_call mine = call;
            mine.begin = query.units * begin / parts;
            mine.end = query.units * end / parts;
            if (kernel.run(&mine) != PB_OK) done = false;
        });
        if (!done) return false;
    }
    return true;
}

}  // namespace pullback_torch

#endif
