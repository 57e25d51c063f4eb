// A call of a kernel: typed views of its arguments, scratch memory, and the two entry points.
//
// A kernel is a struct with a name, a code per input and a template `apply`. The same `apply`
// serves `infer`, where no data is there and loops do nothing, and `run`. So both agree by
// construction.
#ifndef PULLBACK_KERNEL_CONTEXT_H_
#define PULLBACK_KERNEL_CONTEXT_H_

#include "kernel_tensor.h"

#define PB_EXPORT extern "C" __attribute__((visibility("default")))

namespace pb {

template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
    static constexpr DLDataType kDtype = {kDLFloat, 32, 1};
};
template <>
struct TypeOf<double> {
    static constexpr DLDataType kDtype = {kDLFloat, 64, 1};
};
template <>
struct TypeOf<int64_t> {
    static constexpr DLDataType kDtype = {kDLInt, 64, 1};
};
template <>
struct TypeOf<bool> {
    static constexpr DLDataType kDtype = {kDLBool, 8, 1};
};

inline bool same(DLDataType a, DLDataType b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

class Context : public Outcome {
  public:
    Context(pb_infer* query, const pb_call* call) : query_(query), call_(call) {}

    // True in `infer`: shapes are worked out, no data is touched.
    bool dry() const { return query_ != nullptr; }
    const pb_runtime* runtime() const { return call_ ? call_->runtime : nullptr; }

    // A tensor that must be there. One whose shape is given but no data reads as zeros.
    template <typename T>
    PB_SETUP View<const T> input(int k) {
        const DLTensor* tensor = argument(k);
        if (!require(tensor != nullptr, PB_UNSUPPORTED, "an input is missing")) return {};
        const View<const T> view = wrap<T>(*tensor).read_only();
        return tensor->data || dry() ? view : View<const T>{&kZero<T>, view.shape, {}};
    }

    // A gradient that may be undefined, and is then a zero of no axes, which broadcasts.
    template <typename T>
    PB_SETUP View<const T> gradient(int k) {
        if (argument(k)) return input<T>(k);
        some_undefined = true;
        return View<const T>{&kZero<T>, {}, {}};
    }

    // Shape of a T whose data was not kept.
    template <typename T>
    PB_SETUP Shape like(int k) {
        const DLTensor* tensor = argument(k);
        const bool fits = tensor && same(tensor->dtype, TypeOf<T>::kDtype);
        require(fits, PB_UNSUPPORTED, "a saved shape is missing or of an unexpected dtype");
        return shape(k);
    }

    // A shape that came as that of a tensor.
    PB_SETUP Shape shape(int k) {
        const DLTensor* tensor = argument(k);
        Shape result;
        if (!require(tensor != nullptr, PB_UNSUPPORTED, "a saved shape is missing")) return result;
        if (!require(tensor->ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes"))
            return result;
        result.ndim = tensor->ndim;
        for (int d = 0; d < result.ndim; ++d) result.at[d] = tensor->shape[d];
        return result;
    }

    int64_t integer(int k) const { return (query_ ? query_->attrs : call_->attrs)[k].i; }
    double number(int k) const { return (query_ ? query_->attrs : call_->attrs)[k].f; }

    // An output; `data` is null where nobody needs it.
    template <typename T>
    PB_SETUP View<T> output(int k, const Shape& shape) {
        View<T> view = in_c_order<T>(nullptr, shape);
        if (!ok()) return view;
        if (query_) {
            pb_spec& spec = query_->outputs[k];
            spec.ndim = shape.ndim;
            for (int d = 0; d < shape.ndim; ++d) spec.shape[d] = shape.at[d];
            spec.dtype = TypeOf<T>::kDtype;
            return view;
        }
        const DLTensor* tensor = call_->outputs[k];
        if (!tensor) return view;
        view = wrap<T>(*tensor);
        require(view.shape == shape, PB_INVALID, "an output has another shape than `infer` said");
        return view;
    }

    // The same for an output that the kernel reads again.
    template <typename T>
    PB_SETUP View<T> kept_output(int k, const Shape& shape) {
        View<T> view = output<T>(k, shape);
        const View<T> spare = scratch<T>(shape);
        return view.data ? view : spare;
    }

    // Memory from the workspace, in C order.
    template <typename T>
    PB_SETUP View<T> scratch(const Shape& shape) {
        const size_t offset = used_;
        used_ += (static_cast<size_t>(shape.size()) * sizeof(T) + 63) & ~size_t{63};
        if (!call_) return in_c_order<T>(nullptr, shape);
        require(used_ <= call_->workspace_bytes, PB_INVALID,
                "the workspace is smaller than `infer` said");
        if (!ok()) return in_c_order<T>(nullptr, shape);
        return in_c_order(reinterpret_cast<T*>(static_cast<char*>(call_->workspace) + offset),
                          shape);
    }

    size_t workspace_bytes() const { return used_; }

    // Whether an input was NULL, so that shapes may have come out smaller than they are.
    bool some_undefined = false;

    // The range of units to do. One unit is everything unless the kernel is a single loop.
    int64_t units = 1;
    int64_t begin() const { return call_->begin; }
    int64_t end() const { return call_->end; }

  private:
    template <typename T>
    static constexpr T kZero{};

    const DLTensor* argument(int k) const { return (query_ ? query_->inputs : call_->inputs)[k]; }

    template <typename T>
    PB_SETUP View<T> wrap(const DLTensor& tensor) {
        View<T> view;
        if (!require(tensor.device.device_type == kDLCPU, PB_UNSUPPORTED,
                     "a tensor is not on the CPU") ||
            !require(tensor.ndim <= PB_MAX_DIMS, PB_UNSUPPORTED, "more than 8 axes") ||
            !require(same(tensor.dtype, TypeOf<T>::kDtype), PB_UNSUPPORTED, "unexpected dtype")) {
            return view;
        }
        view.shape.ndim = tensor.ndim;
        for (int d = 0; d < tensor.ndim; ++d) view.shape.at[d] = tensor.shape[d];
        view = in_c_order(
            reinterpret_cast<T*>(static_cast<char*>(tensor.data) + tensor.byte_offset), view.shape);
        if (tensor.strides) {
            for (int d = 0; d < tensor.ndim; ++d) view.strides[d] = tensor.strides[d];
        }
        return view;
    }

    pb_infer* query_;
    const pb_call* call_;
    size_t used_ = 0;
};

PB_SETUP inline int report(const Outcome& outcome, char* error, size_t bytes) {
    if (outcome.ok() || !error || bytes == 0) return outcome.status;
    size_t length = 0;
    for (; outcome.text[length] && length + 1 < bytes; ++length)
        error[length] = outcome.text[length];
    error[length] = '\0';
    return outcome.status;
}

// Runs the kernel for the float type of its inputs. The code of an input is 'T' for that type, else
// 'd' float64, 'i' int64, 'b' bool, 's' for a shape.
template <typename Kernel, typename Call>
int dispatch(Context& context, const Call& call) {
    int bits = 0;
    int count = 0;
    for (; Kernel::kInputs[count]; ++count) {
        if (Kernel::kInputs[count] != 'T' || bits || count >= call.n_inputs || !call.inputs[count])
            continue;
        const DLDataType dtype = call.inputs[count]->dtype;
        bits = dtype.code == kDLFloat ? dtype.bits : -1;
    }
    if (call.abi != PB_KERNEL_ABI) {
        context.fail(PB_ABI_MISMATCH, "caller and kernel were built for different interfaces");
    } else if (call.n_inputs != count || call.n_attrs != Kernel::kAttrs ||
               call.n_outputs != Kernel::kOutputs) {
        context.fail(PB_INVALID, "wrong number of arguments");
    } else if (bits == 32) {
        Kernel::template apply<float>(context);
    } else if (bits == 64 || bits == 0) {
        Kernel::template apply<double>(context);
    } else {
        context.fail(PB_UNSUPPORTED, "compiled for float32 and float64 only");
    }
    return report(context, call.error, call.error_bytes);
}

template <typename Kernel>
int infer(pb_infer* query) {
    Context context(query, nullptr);
    const int status = dispatch<Kernel>(context, *query);
    query->workspace_bytes = context.workspace_bytes();
    query->units = context.units;
    return status;
}

template <typename Kernel>
int run(const pb_call* call) {
    if (call->begin >= call->end) return PB_OK;
    Context context(nullptr, call);
    return dispatch<Kernel>(context, *call);
}

// The loop of a pointwise kernel on arrays of `bits` floats, see pb_flat_function.
template <typename Kernel>
void flat(int32_t bits, const void* const* inputs, void* const* outputs, int64_t size) {
    if (bits == 32) {
        Kernel::template flat<float>(inputs, outputs, size);
    } else {
        Kernel::template flat<double>(inputs, outputs, size);
    }
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_CONTEXT_H_
