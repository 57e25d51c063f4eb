// Definitions for kernel/context.h: part of kernel/runtime.h.
#ifndef PULLBACK_KERNEL_CALLS_H_
#define PULLBACK_KERNEL_CALLS_H_

#include "pullback/kernel/context.h"

namespace pb {

alignas(16) inline constexpr char kZero[16] = {};  // zero in every type

PB_RUNTIME AnyView Context::any_input(int k, DLDataType dtype) {
    const DLTensor* tensor = argument(k);
    if (!require(tensor != nullptr, PB_UNSUPPORTED, "an input is missing")) return {};
    const AnyView view = wrap(*tensor, dtype);
    return tensor->data || dry() ? view : AnyView{const_cast<char*>(kZero), view.shape, {}};
}

PB_RUNTIME AnyView Context::any_gradient(int k, DLDataType dtype) {
    if (argument(k)) return any_input(k, dtype);
    some_undefined = true;
    return AnyView{const_cast<char*>(kZero), {}, {}};
}

PB_RUNTIME Shape Context::any_like(int k, DLDataType dtype) {
    const DLTensor* tensor = argument(k);
    const bool fits = tensor && same(tensor->dtype, dtype);
    require(fits, PB_UNSUPPORTED, "a saved shape is missing or of an unexpected dtype");
    return shape(k);
}

PB_RUNTIME Shape Context::shape(int k) {
    const DLTensor* tensor = argument(k);
    Shape result;
    if (!require(tensor != nullptr, PB_UNSUPPORTED, "a saved shape is missing")) return result;
    if (!require(tensor->ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes")) return result;
    result.ndim = tensor->ndim;
    for (int d = 0; d < result.ndim; ++d) result.at[d] = tensor->shape[d];
    return result;
}

PB_RUNTIME Shape Context::shape_if_any(int k) { return argument(k) ? shape(k) : Shape{}; }

PB_RUNTIME AnyView Context::any_output(int k, const Shape& shape, DLDataType dtype) {
    const AnyView absent = any::in_c_order(nullptr, shape);
    if (!ok()) return absent;
    if (query_) {
        pb_spec& spec = query_->outputs[k];
        spec.ndim = shape.ndim;
        for (int d = 0; d < shape.ndim; ++d) spec.shape[d] = shape.at[d];
        spec.dtype = dtype;
        return absent;
    }
    const DLTensor* tensor = call_->outputs[k];
    if (!tensor) return absent;
    const AnyView view = wrap(*tensor, dtype);
    if (varies && view.shape != shape && view.shape.ndim == shape.ndim && view.contiguous() &&
        shape.size() <= view.shape.size()) {
        for (int d = 0; d < shape.ndim; ++d) tensor->shape[d] = shape.at[d];
        smaller_ = true;
        return any::in_c_order(view.data, shape);
    }
    require(view.shape == shape, PB_INVALID, "an output has another shape than `infer` said");
    return view;
}

PB_RUNTIME AnyView Context::any_readable_output(int k, const Shape& shape, DLDataType dtype) {
    const AnyView view = any_output(k, shape, dtype);
    const AnyView spare = any_scratch(shape, dtype.bits / 8, 1);
    return view.data ? view : spare;
}

PB_RUNTIME AnyView Context::any_scratch(const Shape& shape, int64_t item, int64_t copies) {
    const size_t offset = used_;
    used_ += (static_cast<size_t>(shape.size() * item * copies) + 63) & ~size_t{63};
    if (!call_) return any::in_c_order(nullptr, shape);
    require(used_ <= call_->workspace_bytes, PB_INVALID,
            "the workspace is smaller than `infer` said");
    if (!ok()) return any::in_c_order(nullptr, shape);
    return any::in_c_order(static_cast<char*>(call_->workspace) + offset, shape);
}

PB_RUNTIME AnyView Context::wrap(const DLTensor& tensor, DLDataType dtype) {
    AnyView view;
    if (!require(tensor.device.device_type == kDLCPU, PB_UNSUPPORTED,
                 "a tensor is not on the CPU") ||
        !require(tensor.ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes") ||
        !require(same(tensor.dtype, dtype), PB_UNSUPPORTED, "unexpected dtype")) {
        return view;
    }
    view.shape.ndim = tensor.ndim;
    for (int d = 0; d < tensor.ndim; ++d) view.shape.at[d] = tensor.shape[d];
    view = any::in_c_order(static_cast<char*>(tensor.data) + tensor.byte_offset, view.shape);
    if (tensor.strides) {
        for (int d = 0; d < tensor.ndim; ++d) view.strides[d] = tensor.strides[d];
    }
    return view;
}

PB_RUNTIME int report(const Outcome& outcome, char* error, size_t bytes) {
    if (outcome.ok() || !error || bytes == 0) return outcome.status;
    size_t length = 0;
    for (; outcome.text[length] && length + 1 < bytes; ++length)
        error[length] = outcome.text[length];
    error[length] = '\0';
    return outcome.status;
}

PB_RUNTIME int bits_of(const char* codes, int count, const DLTensor* const* inputs) {
    for (int k = 0; k < count && codes[k]; ++k) {
        if (codes[k] != 'T' || !inputs[k]) continue;
        const DLDataType dtype = inputs[k]->dtype;
        return dtype.code == kDLFloat ? dtype.bits : -1;
    }
    return 64;
}

PB_RUNTIME const Twin* twin_of(const Signature& signature, Lacks what) {
    if (!signature.twins) return nullptr;
    Twin* twin = signature.twins + static_cast<int>(what);
    if (!twin->infer && *signature.supply) (*signature.supply)(signature.name, what, twin);
    return twin->infer ? twin : nullptr;
}

// The same where it was asked for before.
PB_RUNTIME const Twin* known_twin(const Signature& signature, Lacks what) {
    const Twin* twin = signature.twins ? signature.twins + static_cast<int>(what) : nullptr;
    return twin && twin->infer ? twin : nullptr;
}

// `apply` for the float type of the inputs, after a look at what came with them.
template <typename Call>
void dispatch(Context& context, const Call& call, const Signature& signature, int bits) {
    int count = 0;
    while (signature.inputs[count]) ++count;
    const auto apply = bits == 32 ? signature.of_float : bits == 64 ? signature.of_double : nullptr;
    if (call.abi != PB_KERNEL_ABI) {
        context.fail(PB_ABI_MISMATCH, "caller and kernel were built for different interfaces");
    } else if (call.n_inputs != count || call.n_attrs != signature.attrs ||
               call.n_outputs != signature.outputs) {
        context.fail(PB_INVALID, "wrong number of arguments");
    } else if (apply) {
        apply(context);
    } else {
        context.fail(PB_UNSUPPORTED, "compiled for float32 and float64 only");
    }
}

// The twin where arguments are of the float type that this kernel is not compiled for, else null.
PB_RUNTIME const Twin* twin_for(const Signature& signature, int bits) {
    const bool lacks = bits == 32 ? !signature.of_float : bits == 64 && !signature.of_double;
    return lacks ? twin_of(signature, Lacks::kType) : nullptr;
}

// The memory that a call takes, in bytes.
inline constexpr size_t kMostRoom = size_t{1} << 30;
PB_RUNTIME size_t bytes_of(const pb_infer& query) {
    size_t total = query.workspace_bytes;
    for (int k = 0; k < query.n_outputs; ++k) {
        size_t bytes = query.outputs[k].dtype.bits / 8;
        for (int d = 0; d < query.outputs[k].ndim; ++d)
            bytes *= static_cast<size_t>(query.outputs[k].shape[d]);
        total += bytes;
    }
    return total;
}

PB_RUNTIME int infer(pb_infer* query, const Signature& signature) {
    const int bits = bits_of(signature.inputs, query->n_inputs, query->inputs);
    if (const Twin* twin = twin_for(signature, bits)) return twin->infer(query);
    Context context(query, nullptr);
    dispatch(context, *query, signature, bits);
    if (context.other_loops) {
        if (const Twin* twin = twin_of(signature, Lacks::kLoops)) return twin->infer(query);
    }
    query->workspace_bytes = context.workspace_bytes();
    query->units = context.units;
    if (context.ok() && context.ends_early)  // else there are outputs that nothing described
        context.require(bytes_of(*query) <= kMostRoom, PB_UNSUPPORTED,
                        "room for iterations that may not come");
    return report(context, query->error, query->error_bytes);
}

PB_RUNTIME int run(const pb_call* call, const Signature& signature) {
    const int bits = bits_of(signature.inputs, call->n_inputs, call->inputs);
    if (const Twin* twin = twin_for(signature, bits)) return twin->run(call);
    if (call->begin >= call->end) return PB_OK;
    if (const Twin* twin = known_twin(signature, Lacks::kLoops)) return twin->run(call);
    Context context(nullptr, call);
    dispatch(context, *call, signature, bits);
    int status = report(context, call->error, call->error_bytes);
    if (context.other_loops) {
        // It wrote to outputs at most, none of which was an input: the twin begins from the start.
        if (const Twin* twin = twin_of(signature, Lacks::kLoops)) status = twin->run(call);
    }
    return status == PB_OK && context.smaller() ? PB_SMALLER : status;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_CALLS_H_
