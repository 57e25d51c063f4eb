#include "kernels.h"

#include <algorithm>
#include <cstdlib>

#include "pullback/blas.h"
#include "pullback/services.h"

namespace pullback::standalone {
namespace {

constexpr std::size_t kMost = 8;  // inputs of a kernel of the library, or outputs

/// Memory, threads, and a BLAS where PULLBACK_BLAS names one.
const pb_runtime* runtime() {
    static const pb_runtime table = [] {
        if (const char* path = std::getenv("PULLBACK_BLAS")) set_blas_libraries({path});
        pb_runtime services_here = *services(nullptr);
        if (blas_library().empty()) services_here.gemm = nullptr;
        return services_here;
    }();
    return &table;
}

int rank_of(DLDataType dtype) {
    if (same(dtype, kFloat64)) return 3;
    if (same(dtype, kFloat32)) return 2;
    if (same(dtype, kInt64)) return 1;
    return 0;
}

/// The type of a kernel's floats for these inputs.
DLDataType float_type(const LibraryOperator& op, std::span<const Tensor> inputs) {
    Tensors floats;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (op.kernel[i] == 'T') floats.push_back(inputs[i]);
    }
    const DLDataType dtype = promoted(floats);
    if (dtype.code == kDLFloat) return dtype;
    if (op.makes_floats) return kFloat64;
    throw Error("TypeError: " + op.name + " of integers needs the Python engine");
}

/// The inputs as the kernel takes them: those of its type cast, numbers too.
Tensors cast(const LibraryOperator& op, std::span<const Tensor> inputs) {
    const DLDataType type = float_type(op, inputs);
    Tensors ready;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        ready.push_back(as_dtype(inputs[i], op.kernel[i] == 'T' ? type : kBool));
    }
    return ready;
}

/// A call of a kernel: arguments, and the outputs that are wanted.
struct Launch {
    std::size_t n_inputs = 0;
    std::size_t n_outputs = 0;
    DLTensor views[kMost];
    const DLTensor* inputs[kMost];
    bool wanted[kMost];
    Tensor made[kMost];
    char text[256] = "";

    void take(const DLTensor& view) {
        views[n_inputs] = view;
        inputs[n_inputs] = &views[n_inputs];
        ++n_inputs;
    }

    /// False with `text` where the kernel refuses.
    bool run(const BuiltinKernel& kernel) {
        pb_spec specs[kMost];
        pb_infer query{};
        query.abi = PB_KERNEL_ABI;
        query.n_inputs = static_cast<std::int32_t>(n_inputs);
        query.n_outputs = static_cast<std::int32_t>(n_outputs);
        query.inputs = inputs;
        query.outputs = specs;
        query.error = text;
        query.error_bytes = sizeof text;
        if (kernel.infer(&query) != PB_OK) return false;

        DLTensor results[kMost];
        const DLTensor* outputs[kMost];
        for (std::size_t i = 0; i < n_outputs; ++i) {
            outputs[i] = nullptr;
            if (!wanted[i]) continue;
            const pb_spec& spec = specs[i];
            made[i] = allocate(Layout::c_order(from_dlpack(spec.dtype), spec.ndim, spec.shape));
            results[i] = dl_of(*made[i].get());
            outputs[i] = &results[i];
        }
        const Owned<Storage> workspace = Storage::allocate(query.workspace_bytes);
        pb_call call{};
        call.abi = PB_KERNEL_ABI;
        call.n_inputs = query.n_inputs;
        call.n_outputs = query.n_outputs;
        call.inputs = inputs;
        call.outputs = outputs;
        call.workspace = workspace->begin;
        call.workspace_bytes = query.workspace_bytes;
        call.end = std::max<std::int64_t>(query.units, 1);
        call.runtime = runtime();
        call.error = text;
        call.error_bytes = sizeof text;
        return kernel.run(&call) == PB_OK;
    }
};

/// The tensor that an argument of a backward's kernel stands for; empty for a shape.
const Tensor& tensor_at(const Saved& saved, const KernelArgument& argument) {
    static const Tensor none;
    switch (argument.kind) {
        case 'i':
            return saved.all_inputs()[argument.position];
        case 'o':
            return saved.all_outputs()[argument.position];
        case 'g':
            return saved.all_gradients()[argument.position];
        default:
            return none;
    }
}

/// What a backward's kernel made, to the inputs that need it.
void hand_out(const Saved& saved, Tensor* made, std::span<Tensor> gradients) {
    for (const std::size_t input : saved.of().gradient_inputs) {
        if (saved.needs(input)) gradients[input] = std::move(*made);
        ++made;
    }
}

}  // namespace

bool run_backward_kernel(const Saved& saved, std::span<Tensor> gradients) {
    const LibraryOperator& op = saved.of();
    const Tensor& gradient = saved.all_gradients()[0];
    if (op.compiled_backward == nullptr || !gradient || gradient.get()->is_number) return false;
    const DLDataType dtype = gradient.get()->dtype();
    if (dtype.code != kDLFloat) return false;

    Launch launch;
    Tensor kept[kMost];  // until the kernel has run
    for (const KernelArgument& argument : op.arguments) {
        if (argument.kind == 'l') {
            const Layout& layout = saved.layout(argument.position);
            if (!same(to_dlpack(layout.dtype()), dtype)) return false;
            launch.take(dl_of(nullptr, layout));
            continue;
        }
        Tensor value = tensor_at(saved, argument);
        if (!value) return false;
        if (value.get()->is_number) value = as_dtype(value, dtype);
        const DLDataType found = value.get()->dtype();
        if (!same(found, kBool) && !same(found, dtype)) return false;
        kept[launch.n_inputs] = value;
        launch.take(dl_of(*value.get()));
    }
    for (const std::size_t input : op.gradient_inputs) {
        launch.wanted[launch.n_outputs++] = saved.needs(input);
    }
    if (!launch.run(*op.compiled_backward)) return false;
    hand_out(saved, launch.made, gradients);
    return true;
}

Tensor run_kernel(const LibraryOperator& op, std::span<const Tensor> inputs) {
    for (const Tensor& input : inputs) value_of(input);
    const Tensors ready = cast(op, inputs);
    Launch launch;
    for (const Tensor& input : ready) launch.take(dl_of(*input.get()));
    launch.wanted[launch.n_outputs++] = true;
    if (!launch.run(*op.compiled)) throw Error("ValueError: " + op.name + ": " + launch.text);
    return std::move(launch.made[0]);
}

DLDataType promoted(std::span<const Tensor> tensors) {
    DLDataType found = kFloat64;
    int best = -1;
    bool single = false, whole = false;
    for (const Tensor& tensor : tensors) {
        if (!tensor || tensor.get()->is_number) continue;
        const DLDataType dtype = tensor.get()->dtype();
        single |= same(dtype, kFloat32);
        whole |= same(dtype, kInt64);
        if (rank_of(dtype) > best) {
            best = rank_of(dtype);
            found = dtype;
        }
    }
    return single && whole ? kFloat64 : found;
}

}  // namespace pullback::standalone
