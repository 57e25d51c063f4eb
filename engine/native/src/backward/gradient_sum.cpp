#include "backward/gradient_sum.h"

#include "base/errors.h"
#include "base/numpy_api.h"
#include "core/grad_mode.h"
#include "fast_paths/flat_loop.h"

namespace pullback {
namespace {

/// The sum by its kernel, in the engine's memory; none where it doesn't take these types.
Ref<Tensor> add_by_kernel(Ref<Tensor>& before, const Tensor& gradient) {
    OperatorInfo& info = OperatorInfo::accumulate();
    if (!info.kernel || !before->layout.twin_of(gradient.layout)) return {};
    Launch launch(*info.kernel);
    const KernelArgument* const arguments = info.kernel->arguments.data();
    if (!launch.add(arguments[0], Operand::of(*before)) ||
        !launch.add(arguments[1], Operand::of(gradient))) {
        return {};
    }
    if (before->exclusive()) launch.write_over(0, before);
    LaunchOutputs sum;
    return launch.run(sum) ? std::move(sum[0]) : Ref<Tensor>{};
}

}  // namespace

Ref<Tensor> add_directly(Ref<Tensor>& before, const Ref<Tensor>& gradient) {
    const OperatorInfo& info = OperatorInfo::accumulate();
    if (info.flat_inputs == 0) return {};
    LoopMemory memory;
    Flat flat(memory);
    if (!flat.add(before->layout, before->data()) ||
        !flat.add(gradient->layout, gradient->data())) {
        return {};
    }
    const bool in_place = before->exclusive();
    Ref<Tensor> sum = in_place ? before : Tensor::allocate(flat.layout(), flat.bytes());
    void* const outputs[] = {sum->data()};
    if (!flat.run(info.kernel->flat, outputs)) return {};
    if (in_place) before = {};
    return sum;
}

Ref<Tensor> sum_of(Ref<Tensor>& before, const Ref<Tensor>& gradient, bool create_graph) {
    if (!create_graph) {
        if (Ref<Tensor> sum = add_directly(before, gradient)) return sum;
        if (Ref<Tensor> sum = add_by_kernel(before, *gradient)) return sum;
        return Tensor::of_array(
            to_array(checked(PyNumber_Add(before->array(), gradient->array()))));
    }
    static PyObject* call = nullptr;
    import_once(call, "pullback.engine.calls.call", "call");
    const Ref<Tensor> first = before;
    const PyRef sum = checked(
        PyObject_CallFunction(call, "sOO", "accumulate", first.object(), gradient.object()));
    return Ref<Tensor>::borrow(Tensor::cast(sum.get()));
}

}  // namespace pullback
