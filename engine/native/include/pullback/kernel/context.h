// A call of a kernel: typed views of its arguments, scratch memory, and the two entry points.
//
// A kernel is a struct with a name, a code per input and a template `apply`. The same `apply`
// serves `infer`, where no data is there and loops do nothing, and `run`. So both agree by
// construction.
#ifndef PULLBACK_KERNEL_CONTEXT_H_
#define PULLBACK_KERNEL_CONTEXT_H_

#include "pullback/kernel/tensor.h"

#define PB_EXPORT extern "C" __attribute__((visibility("default")))

// Define PB_ONLY_BITS as 32 or 64 to compile kernels for one float type alone.
#ifndef PB_ONLY_BITS
#define PB_ONLY_BITS 0
#endif

// With that, define PB_ONLY_ROWS as 1 to compile loops that may go by rows (kernel/loops/once.h)
// for long rows alone, or as 0 for short ones alone.

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
    View<const T> input(int k);

    // A gradient that may be undefined, and is then a zero of no axes, which broadcasts.
    template <typename T>
    View<const T> gradient(int k);

    // Shape of a T whose data was not kept.
    template <typename T>
    Shape like(int k);

    // A shape that came as that of a tensor.
    Shape shape(int k);

    // The same, or a shape without axes where none came.
    Shape shape_if_any(int k);

    int64_t integer(int k) const { return (query_ ? query_->attrs : call_->attrs)[k].i; }
    double number(int k) const { return (query_ ? query_->attrs : call_->attrs)[k].f; }

    // An output; `data` is null where nobody needs it.
    template <typename T>
    View<T> output(int k, const Shape& shape);

    // True if the caller wants the output added to what it holds. Asking says that this can be; of
    // outputs from 64 on, it never is.
    bool adds(int k) {
        if (k >= 64) return false;
#ifdef PB_ONLY_ROWS
        (void)k;  // what may begin again from the start cannot add
        return false;
#else
        if (query_) query_->can_add |= uint64_t{1} << k;
        return call_ && (call_->add >> k & 1) != 0;
#endif
    }

    // A value that is no array: `infer` gives it in place of the shape of output k.
    void output_value(int k, int64_t value) {
        if (query_) query_->outputs[k] = {{value}, 1, TypeOf<int64_t>::kDtype};
    }
    void output_value(int k, double value) {
        int64_t bits;
        __builtin_memcpy(&bits, &value, sizeof bits);
        output_value(k, bits);
    }

    // An output that the kernel reads again: it has memory where the caller needs none of it too.
    template <typename T>
    View<T> readable_output(int k, const Shape& shape);

    // Memory from the workspace, in C order.
    template <typename T>
    View<T> scratch(const Shape& shape);

    // Memory for so many arrays of a shape.
    PB_APART AnyView any_scratch(const Shape& shape, int64_t item, int64_t copies);

    size_t workspace_bytes() const { return used_; }

    // True if lengths depend on the entries of a mask, and outputs may be smaller than was said.
    bool varies = false;
    bool smaller() const { return smaller_; }

    // True if elements may end a loop, whose arrays have room for iterations that may not come.
    bool ends_early = false;

    // True if it stopped before something that is compiled for other rows or shapes than these.
    bool other_loops = false;

    // Asked where shapes are not what they mostly are: whether the kernel has no way for them. It
    // stops then.
    bool is_only_likely() {
#ifdef PB_ONLY_LIKELY
        other_loops = true;
        fail(PB_UNSUPPORTED, "compiled for other shapes");
        return true;
#else
        return false;
#endif
    }

    // True if an input was NULL, so that shapes may have come out smaller than they are.
    bool some_undefined = false;

    // The range of units to do. One unit is everything unless the kernel is a single loop.
    int64_t units = 1;
    int64_t begin() const { return call_->begin; }
    int64_t end() const { return call_->end; }

  private:
    const DLTensor* argument(int k) const { return (query_ ? query_->inputs : call_->inputs)[k]; }
    PB_APART AnyView any_input(int k, DLDataType dtype);
    PB_APART AnyView any_gradient(int k, DLDataType dtype);
    PB_APART Shape any_like(int k, DLDataType dtype);
    PB_APART AnyView any_output(int k, const Shape& shape, DLDataType dtype);
    PB_APART AnyView any_readable_output(int k, const Shape& shape, DLDataType dtype);
    AnyView wrap(const DLTensor& tensor, DLDataType dtype);

    pb_infer* query_;
    const pb_call* call_;
    size_t used_ = 0;
    bool smaller_ = false;
};

// A kernel that is compiled for less has its twins from whoever loaded it: for the other float
// type, and for all rows and shapes.
struct Twin {
    pb_infer_function infer;
    pb_run_function run;
    pb_flat_function flat;
};
enum class Lacks { kType, kLoops };
using Supply = int (*)(const char* kernel, Lacks what, Twin* twin);

// What a kernel struct says of itself. The code of an input is 'T' for the kernel's float type,
// else 'f' float32, 'd' float64, 'i' int64, 'b' bool, 's' for a shape.
struct Signature {
    const char* name;
    const char* inputs;
    int attrs;
    int outputs;
    void (*of_float)(Context& context);   // `apply<float>`, or null
    void (*of_double)(Context& context);  // `apply<double>`, or null
    Twin* twins;                          // where they are kept, and who has them, or null
    const Supply* supply;
};

PB_RUNTIME int infer(pb_infer* query, const Signature& signature);
PB_RUNTIME int run(const pb_call* call, const Signature& signature);
// The kernel for what this one lacks, or null.
PB_RUNTIME const Twin* twin_of(const Signature& signature, Lacks what);
// The float type of arguments, in bits: that of the first input of the kernel's type. 64 where none
// has one, -1 where it is no float.
PB_RUNTIME int bits_of(const char* codes, int count, const DLTensor* const* inputs);

}  // namespace pb

#if PB_ONLY_BITS
// Whoever loads the kernels may set this to find twins. They are asked for when first needed.
PB_EXPORT pb::Supply pb_supply;
pb::Supply pb_supply = nullptr;
#endif

namespace pb {

#if PB_ONLY_BITS
template <typename Kernel>
Twin kTwins[2] = {};
#endif

template <typename Kernel>
constexpr Signature kSignature = {
    Kernel::kName,
    Kernel::kInputs,
    Kernel::kAttrs,
    Kernel::kOutputs,
#if PB_ONLY_BITS == 0
    Kernel::template apply<float>,
    Kernel::template apply<double>,
    nullptr,
    nullptr,
#elif PB_ONLY_BITS == 32
    Kernel::template apply<float>,
    nullptr,
    kTwins<Kernel>,
    &pb_supply,
#else
    nullptr,        Kernel::template apply<double>,
    kTwins<Kernel>, &pb_supply,
#endif
};

template <typename Kernel>
int infer(pb_infer* query) {
    return infer(query, kSignature<Kernel>);
}

template <typename Kernel>
int run(const pb_call* call) {
    return run(call, kSignature<Kernel>);
}

// The loop of a pointwise kernel on arrays of `bits` floats, see pb_flat_function.
template <typename Kernel>
int flat(int32_t bits, const void* const* inputs, void* const* outputs, int64_t size) {
#if PB_ONLY_BITS
    if (bits != PB_ONLY_BITS) {
        const Twin* twin = twin_of(kSignature<Kernel>, Lacks::kType);
        return twin && twin->flat ? twin->flat(bits, inputs, outputs, size) : PB_UNSUPPORTED;
    }
#endif
#if PB_ONLY_BITS != 64
    if (bits == 32) Kernel::template flat<float>(inputs, outputs, size);
#endif
#if PB_ONLY_BITS != 32
    if (bits != 32) Kernel::template flat<double>(inputs, outputs, size);
#endif
    return PB_OK;
}

}  // namespace pb

#endif  // PULLBACK_KERNEL_CONTEXT_H_
