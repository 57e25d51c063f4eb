#include "direct.h"

#include <algorithm>

#include "arguments.h"
#include "caller.h"
#include "grad_mode.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"
#include "pullback/switches.h"

namespace pullback {
namespace {

constexpr std::size_t kMostGradients = 8;     // of a kernel
constexpr std::int64_t kMostSpare = 1 << 10;  // of a number repeated, of an output nobody needs

/// Memory for what a loop wants in full and has only one value, or no reader. The GIL guards it.
class Spare {
  public:
    void* take() { return used_ < kMostArrays ? memory_[used_++] : nullptr; }
    static void fill(void* memory, DType dtype, double value, std::int64_t size) {
        if (dtype == NPY_FLOAT) {
            std::fill_n(static_cast<float*>(memory), size, static_cast<float>(value));
        } else {
            std::fill_n(static_cast<double*>(memory), size, value);
        }
    }

  private:
    alignas(64) static double memory_[kMostArrays][kMostSpare];
    std::size_t used_ = 0;
};

alignas(64) double Spare::memory_[kMostArrays][kMostSpare];

/// The value of a Python float or of an int that is exact as one.
bool is_number(PyObject* value, double& number) {
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

/// What the arrays of a loop are, but for their number.
struct LoopMemory {
    struct Number {
        void* place;
        double value;
    };

    const void* inputs[kMostArrays];
    Number numbers[kMostArrays];
    std::size_t n_numbers = 0;
    Spare spare;

    /// A number in the place of an array; false where there is no room for it, or it is none.
    [[gnu::noinline]] bool add_number(std::size_t at, PyObject* value) {
        double number = 0;
        void* place = nullptr;
        if (!is_number(value, number) || (place = spare.take()) == nullptr) return false;
        numbers[n_numbers++] = {place, number};
        inputs[at] = place;
        return true;
    }
    [[gnu::noinline]] void fill_numbers(const Layout& layout, std::int64_t size) const {
        for (std::size_t i = 0; i < n_numbers; ++i) {
            Spare::fill(numbers[i].place, layout.dtype(), numbers[i].value, size);
        }
    }
};

/// A loop over arrays of one shape. Apart from their memory: where all is inlined, the fields are
/// registers.
class Flat {
  public:
    explicit Flat(LoopMemory& memory) : memory_(memory) {}

    /// Whether an array is like those before.
    bool takes(const Layout& layout) {
        if (layout_ != nullptr) return layout.twin_of_loop(*layout_);
        layout_ = &layout;
        size_ = layout.loop_size();
        return size_ <= Layout::kMostInLoop;
    }
    /// The next input; false where it is no array like those before.
    bool add(const Layout& layout, const void* data) {
        memory_.inputs[count_++] = some_ = data;
        return takes(layout);
    }
    /// A number in the place of an array.
    bool add_number(PyObject* value) { return memory_.add_number(count_++, value); }
    /// An input that was found to be like those before; NULL for one that nothing which is wanted
    /// depends on.
    void add_or_skip(const void* data) {
        if (data != nullptr) {
            some_ = data;
        } else {
            absent_ = true;
        }
        memory_.inputs[count_++] = data;
    }
    /// Once all inputs are in: whether the loop may run.
    bool ready() const {
        return layout_ != nullptr && (memory_.n_numbers == 0 || size_ <= kMostSpare);
    }
    /// False where the kernel is not compiled for this type; then nothing was done.
    bool run(pb_flat_function loop, void* const* outputs) {
        const void** const inputs = memory_.inputs;
        if (absent_) [[unlikely]]
            std::replace(inputs, inputs + count_, static_cast<const void*>(nullptr), some_);
        if (memory_.n_numbers != 0) [[unlikely]]
            memory_.fill_numbers(*layout_, size_);
        return loop(layout_->loop_bits(), inputs, outputs, size_) == PB_OK;
    }
    /// Memory for an output that nobody needs; NULL where there is too little.
    void* unneeded() { return size_ > kMostSpare ? nullptr : memory_.spare.take(); }

    const Layout& layout() const { return *layout_; }
    std::size_t bytes() const {
        return static_cast<std::size_t>(size_ * (layout_->loop_bits() / 8));
    }

  private:
    LoopMemory& memory_;
    const Layout* layout_ = nullptr;
    std::int64_t size_ = 0;
    std::size_t count_ = 0;
    bool absent_ = false;         // an input has no values
    const void* some_ = nullptr;  // an input to read in the place of those that aren't used
};

using Outputs = std::span<Tensor* const>;

/// Where a gradient of this tensor goes from a node that was just made.
Edge edge_from(Node& node, Tensor& tensor) {
    if (tensor.grad_fn) [[likely]]
        return {tensor.grad_fn, tensor.output_number};
    Edge edge = edge_of(tensor);
    node.renumber();  // a leaf's node may just have been made
    return edge;
}

/// The value of an entry, as the general way saves it.
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

void record(OperatorInfo& info, PyObject* const* args, Mask needed, const Layout& layout,
            Outputs outputs, const PyThreadState* thread) {
    const Mask results = info.differentiable_results();
    if (results == 0) return;
    const Variant& variant = info.variant(info.differentiable_outputs, needed);
    Ref<Node> node = Node::make(NodeKind::call);
    node->operator_object.adopt(Py_NewRef(info.object));
    node->info = &info;
    node->recorded = &variant;
    node->uniform = true;
    node->edges.emplace_each(static_cast<std::uint32_t>(info.n_inputs), [&](std::uint32_t i) {
        return (needed >> i) & 1 ? edge_from(*node, *Tensor::cast(args[i])) : Edge{};
    });
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        node->outputs.emplace_back(layout, ((info.differentiable_outputs >> i) & 1) != 0);
    }
    remember_caller(*node, thread);
    for (const SavedPlace& place : variant.kept) save(*node, place, args, outputs);
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
                                            Flat flat, Mask needed) {
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

// What every small operator goes through: one function, without calls but those of Python.
[[gnu::flatten]] PyObject* call_directly(OperatorInfo& info, std::span<PyObject* const> args) {
    if (args.size() != info.flat_inputs || switches.watched) return nullptr;
    LoopMemory memory;
    Flat flat(memory);
    Mask needed = 0;
    for (const KernelArgument& argument : info.kernel->arguments) {
        PyObject* value = args[static_cast<std::size_t>(argument.index)];
        if (Tensor::check(value)) [[likely]] {
            const Tensor& tensor = *Tensor::cast(value);
            if (tensor.stale()) [[unlikely]]
                return nullptr;
            if (!flat.add(tensor.layout, tensor.data())) return nullptr;
            needed |= Mask{tensor.requires_grad} << argument.index;
        } else if (!flat.add_number(value)) {
            return nullptr;
        }
    }
    if (!flat.ready()) return nullptr;

    needed &= info.differentiable_inputs;
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

bool write_directly(OperatorInfo& info, Tensor& target, PyObject* other) {
    if (info.flat_inputs != 2 || info.n_outputs() != 1) return false;
    LoopMemory memory;
    Flat flat(memory);
    for (const KernelArgument& argument : info.kernel->arguments) {
        PyObject* value = argument.index == 0 ? target.object() : other;
        if (Tensor::check(value)) {
            if (!flat.add(Tensor::cast(value)->layout, Tensor::cast(value)->data())) return false;
        } else if (!flat.add_number(value)) {
            return false;
        }
    }
    if (!flat.ready()) return false;
    void* const outputs[] = {target.data()};
    flat.run(info.kernel->flat, outputs);
    return true;
}

bool differentiate_directly(Node& node, const Variant& variant, Received& received,
                            std::vector<SentGradient>& made) {
    if (!variant.is_flat) return false;
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
                   !flat.add_number(operand.value)) {
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
        const Layout& wanted = node.layout_of_input(kernel.outputs[k]);
        if (wanted.dtype() != flat.layout().dtype() || !wanted.same_shape(flat.layout()))
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

Ref<Tensor> add_directly(Ref<Tensor>& before, const Tensor& gradient) {
    OperatorInfo& info = OperatorInfo::accumulate();
    LoopMemory memory;
    Flat flat(memory);
    if (info.flat_inputs == 0 || !flat.add(before->layout, before->data()) ||
        !flat.add(gradient.layout, gradient.data())) {
        return {};
    }
    const bool in_place = before->exclusive();
    Ref<Tensor> sum = in_place ? before : Tensor::allocate(flat.layout(), flat.bytes());
    void* const outputs[] = {sum->data()};
    if (!flat.run(info.kernel->flat, outputs)) return {};
    if (in_place) before = {};
    return sum;
}

}  // namespace pullback
