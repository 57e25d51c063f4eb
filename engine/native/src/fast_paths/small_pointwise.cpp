#include "fast_paths/small_pointwise.h"

#include <algorithm>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/caller.h"
#include "core/grad_mode.h"
#include "dispatch/arguments.h"
#include "fast_paths/flat_loop.h"

namespace pullback {
namespace {

constexpr std::size_t kMostGradients = 8;  // of a kernel

/// The value of a Python float or of an int that is exact as one.
[[gnu::noinline]] bool is_number(PyObject* value, double& number) {
    if (PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
        return true;
    }
    if (!PyLong_CheckExact(value)) return false;
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(value, &overflow);
    constexpr long long kExact = 1LL << 53;
    number = static_cast<double>(whole);
    return overflow == 0 && whole >= -kExact && whole <= kExact;
}

/// A Python number in the place of an array; false where no spare memory is left, or it is none.
bool add_number(Flat& flat, PyObject* value) {
    double number = 0;
    return is_number(value, number) && flat.add_number(number);
}

using Outputs = std::span<Tensor* const>;

/// The edge to this tensor from a node that was just made.
Edge edge_from(Node& node, Tensor& tensor) {
    if (tensor.grad_fn) [[likely]]
        return {tensor.grad_fn, tensor.output_number};
    Edge edge = edge_of(tensor);
    node.renumber();  // a leaf's node may just have been made
    return edge;
}

/// The value of an entry, as the general path saves it.
void save(Node& node, const SavedPlace& place, PyObject* const* args, Outputs outputs) {
    const auto index = static_cast<std::size_t>(place.index);
    if (place.source == SavedSource::output) {
        node.keeps_arrays = true;
        node.saved.emplace_made(
            [&] { return SavedVariable::output(*outputs[index], place.index, place.relied); });
    } else if (place.source == SavedSource::plain) {
        node.saved.emplace_back(SavedVariable::plain(like(args[index])));
    } else if (Tensor::check(args[index])) [[likely]] {
        node.keeps_arrays = true;
        node.saved.emplace_made(
            [&] { return SavedVariable::input(*Tensor::cast(args[index]), place.relied); });
    } else {
        node.saved.emplace_back(SavedVariable::plain(PyRef::borrow(args[index])));
    }
}

void record(OperatorInfo& info, PyObject* const* args, Few needed, const Layout& layout,
            Outputs outputs, const PyThreadState* thread) {
    const Few results = info.differentiable_results.low();
    if (results == 0) return;
    const Variant& variant = info.variant(info.differentiable_outputs, Mask{needed});
    Ref<Node> node = Node::make(NodeKind::call);
    node->operator_object.adopt(Py_NewRef(info.object));
    node->info = &info;
    node->recorded = &variant;
    node->uniform = true;
    node->edges.emplace_each(static_cast<std::uint32_t>(info.n_inputs), [&](std::uint32_t i) {
        return (needed >> i) & 1 ? edge_from(*node, *Tensor::cast(args[i])) : Edge{};
    });
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        node->outputs.emplace_back(layout, ((info.differentiable_outputs.low() >> i) & 1) != 0);
    }
    remember_caller(*node, thread);
    for (const SavedPlace& place : variant.saved_places) save(*node, place, args, outputs);
    if (info.n_results == 1) [[likely]] {
        outputs[0]->hang_on(std::move(node), 0);
        return;
    }
    for (std::int32_t i = 0; i < info.n_results; ++i) {
        if ((results >> i) & 1) outputs[static_cast<std::size_t>(i)]->hang_on(node, i);
    }
}

/// The end of a call whose kernel has several outputs, or whose result is a tuple.
[[gnu::noinline]] PyObject* several_results(OperatorInfo& info, std::span<PyObject* const> args,
                                            Flat flat, Few needed) {
    const KernelLayout& kernel = *info.kernel;
    const std::size_t count = kernel.outputs.size();
    Ref<Tensor> made[kMostArrays];
    Tensor* results[kMostArrays];
    void* outputs[kMostArrays];
    for (std::size_t k = 0; k < count; ++k) {
        made[k] = Tensor::allocate(flat.layout(), flat.bytes());
        results[k] = made[k].get();
    }
    for (std::size_t k = 0; k < count; ++k) {
        outputs[k] = results[static_cast<std::size_t>(kernel.outputs[k])]->data();
    }
    if (!flat.run(kernel.flat, outputs)) return nullptr;
    const PyThreadState* const thread = PyThreadState_Get();
    if (needed != 0 && grad_enabled(thread)) {
        record(info, args.data(), needed, flat.layout(), {results, count}, thread);
    }
    if (!info.result_is_tuple) return made[0].release_object();
    PyRef tuple = checked(PyTuple_New(info.n_results));
    for (std::int32_t i = 0; i < info.n_results; ++i) {
        PyTuple_SET_ITEM(tuple.get(), i, made[static_cast<std::size_t>(i)].release_object());
    }
    return tuple.release();
}

}  // namespace

// The path of every small operator: one function, without calls but those of Python.
[[gnu::flatten]] PyObject* call_small_pointwise(OperatorInfo& info,
                                                std::span<PyObject* const> args) {
    if (args.size() != info.flat_inputs || !switches.takes(FastPath::pointwise)) return nullptr;
    LoopMemory memory;
    Flat flat(memory);
    Few needed = 0;
    for (const KernelArgument& argument : info.kernel->arguments) {
        PyObject* value = args[static_cast<std::size_t>(argument.index)];
        if (Tensor::check(value)) [[likely]] {
            const Tensor& tensor = *Tensor::cast(value);
            if (tensor.stale()) [[unlikely]]
                return nullptr;
            if (!flat.add(tensor.layout, tensor.data())) return nullptr;
            needed |= Few{tensor.requires_grad} << argument.index;
        } else if (!add_number(flat, value)) {
            return nullptr;
        }
    }
    if (!flat.ready()) return nullptr;

    needed &= info.differentiable_inputs.low();
    if (info.kernel->outputs.size() != 1 || info.result_is_tuple) [[unlikely]]
        return several_results(info, args, flat, needed);
    Ref<Tensor> made = Tensor::allocate(flat.layout(), flat.bytes());
    void* const outputs[] = {made->data()};
    if (!flat.run(info.kernel->flat, outputs)) return nullptr;
    if (needed == 0) return made.release_object();
    const PyThreadState* const thread = PyThreadState_Get();
    if (grad_enabled(thread)) {
        Tensor* const result = made.get();
        record(info, args.data(), needed, flat.layout(), {&result, 1}, thread);
    }
    return made.release_object();
}

bool write_small_pointwise(OperatorInfo& info, Tensor& target, PyObject* other) {
    if (info.flat_inputs != 2 || info.n_outputs() != 1) return false;
    LoopMemory memory;
    Flat flat(memory);
    for (const KernelArgument& argument : info.kernel->arguments) {
        PyObject* value = argument.index == 0 ? target.object() : other;
        if (Tensor::check(value)) {
            if (!flat.add(Tensor::cast(value)->layout, Tensor::cast(value)->data())) return false;
        } else if (!add_number(flat, value)) {
            return false;
        }
    }
    if (!flat.ready()) return false;
    void* const outputs[] = {target.data()};
    flat.run(info.kernel->flat, outputs);
    return true;
}

bool differentiate_small_pointwise(Node& node, const Variant& variant, Received& received,
                                   std::vector<SentGradient>& made) {
    if (!variant.is_flat || !switches.has(FastPath::pointwise_gradient)) return false;
    const KernelLayout& kernel = *variant.kernel;
    LoopMemory memory;
    Flat flat(memory);
    Ref<Tensor>* reusable = nullptr;
    for (const KernelArgument& argument : kernel.arguments) {
        if (argument.is_cotangent) {
            Ref<Tensor>& gradient = received[static_cast<std::size_t>(argument.index)];
            if (!gradient || !flat.add(gradient->layout, gradient->data())) return false;
            if (gradient->exclusive()) reusable = &gradient;
            continue;
        }
        if (!argument.used) {
            flat.add_or_skip(nullptr);
            continue;
        }
        const Operand operand =
            node.peek(argument.index, variant.relied[std::size_t(argument.index)]);
        if (operand.layout != nullptr) {
            if (!flat.takes(*operand.layout)) return false;
            flat.add_or_skip(operand.data);
        } else if (operand.value == nullptr || argument.role != KernelRole::tensor ||
                   !add_number(flat, operand.value)) {
            return false;
        }
    }
    if (!flat.ready() || kernel.outputs.size() > kMostGradients) return false;

    Ref<Tensor> gradients[kMostGradients];
    void* outputs[kMostGradients];
    const bool in_place = kernel.outputs.size() == 1 && reusable != nullptr;
    for (std::size_t k = 0; k < kernel.outputs.size(); ++k) {
        if (kernel.outputs[k] < 0) {
            if ((outputs[k] = flat.unneeded()) == nullptr) return false;
            continue;
        }
        const Layout& expected = node.layout_of_input(kernel.outputs[k]);
        if (expected.dtype() != flat.layout().dtype() || !expected.same_shape(flat.layout()))
            return false;
        if (!in_place) gradients[k] = Tensor::allocate(flat.layout(), flat.bytes());
        outputs[k] = in_place ? (*reusable)->data() : gradients[k]->data();
    }
    if (!flat.run(kernel.flat, outputs)) return false;
    if (in_place) gradients[0] = std::move(*reusable);
    for (std::size_t k = 0; k < kernel.outputs.size(); ++k) {
        if (!gradients[k]) continue;
        const Edge& edge = node.edges[static_cast<std::size_t>(kernel.outputs[k])];
        made.push_back({&edge, std::move(gradients[k])});
    }
    return true;
}

}  // namespace pullback
