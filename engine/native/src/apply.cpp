// Calling an operator: run it on arrays, wrap the results, record a node.
#include <string_view>

#include "arguments.h"
#include "attribute_forms.h"
#include "caller.h"
#include "grad_mode.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"
#include "pullback/switches.h"

namespace pullback {
namespace {

using Outputs = InlineVector<Ref<Tensor>, 4>;  // none: a hidden output of a branch not taken

/// The input that has this memory, or NULL.
Tensor* input_at(PyObject* inputs, const void* address) {
    Tensor* found = nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs) && found == nullptr; ++i) {
        for_each_tensor(PyTuple_GET_ITEM(inputs, i), [&](Tensor* tensor) {
            if (tensor != nullptr && tensor->storage->holds(address)) found = tensor;
        });
    }
    return found;
}

/// The storage of an earlier output that has this memory.
Ref<Storage> storage_at(const Outputs& outputs, const void* address) {
    for (const Ref<Tensor>& output : outputs) {
        if (output && output->storage->holds(address)) return output->storage;
    }
    return nullptr;
}

/// Whether two entries are the same memory, as in a broadcast array.
bool overlaps(PyArrayObject* array) {
    for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
        if (PyArray_STRIDE(array, axis) == 0 && PyArray_DIM(array, axis) > 1) return true;
    }
    return false;
}

/// A result over memory of an input. It may be written, unless entries share memory.
Ref<Tensor> view_of_input(PyRef array, Tensor& source, Made made) {
    PyArrayObject* view = as_array(array.get());
    if (!PyArray_ISWRITEABLE(view) && PyArray_ISWRITEABLE(as_array(source.array())) &&
        !overlaps(view)) {
        PyArray_ENABLEFLAGS(view, NPY_ARRAY_WRITEABLE);  // NumPy's diagonals are read-only
    }
    Ref<Tensor> tensor = Tensor::of_array(std::move(array), source.storage);
    tensor->show_part_of(source, made);
    return tensor;
}

/// What an operator computed, as an array of numbers or bools.
PyRef result_array(const OperatorInfo& info, PyObject* value) {
    PyRef array = to_array(PyRef::borrow(value));
    PyArray_Descr* dtype = PyArray_DESCR(as_array(array.get()));
    if (std::string_view("biufc").find(dtype->kind) == std::string_view::npos) {
        const PyRef name = checked(PyObject_Str(reinterpret_cast<PyObject*>(dtype)));
        raise(PyExc_TypeError, info.name + ": a tensor holds numbers or bools, not " +
                                   text_of(name.get()) +
                                   "; of other numbers, as Fraction, write float(number)");
    }
    return array;
}

void wrap_outputs(const OperatorInfo& info, PyObject* computed, PyObject* inputs, Made made,
                  Outputs& outputs) {
    for (std::int32_t i = 0; i < info.n_outputs(); ++i) {
        PyObject* value = PyTuple_GET_ITEM(computed, i);
        if (value == Py_None) {
            outputs.emplace_back();
            continue;
        }
        PyRef array = result_array(info, value);
        const void* address = PyArray_DATA(as_array(array.get()));
        if (Tensor* source = input_at(inputs, address)) {
            outputs.emplace_back(view_of_input(std::move(array), *source, made));
        } else {
            Ref<Storage> shared = storage_at(outputs, address);
            outputs.emplace_back(Tensor::of_array(std::move(array), std::move(shared)));
        }
    }
}

Mask needed_inputs(const OperatorInfo& info, PyObject* inputs) {
    Mask needed = 0;
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        const Mask bit = Mask{1} << i;
        if ((info.differentiable_inputs & bit) && requires_grad(PyTuple_GET_ITEM(inputs, i))) {
            needed |= bit;
        }
    }
    return needed;
}

/// Which outputs can have a gradient. Refuses complex ones.
Mask differentiable_outputs(const OperatorInfo& info, const Outputs& outputs) {
    Mask differentiable = 0;
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i]) continue;
        if (is_complex(outputs[i]->layout.dtype())) {
            const PyRef span = attribute(info.object, "span");
            raise("NotDifferentiableError",
                  text_of(span.get()) + ": " + info.name +
                      " gives a complex result of inputs that require grad, and complex values "
                      "have no gradients here");
        }
        if (is_float(outputs[i]->layout.dtype())) differentiable |= Mask{1} << i;
    }
    return differentiable & ~info.nondifferentiable;
}

/// Hidden outputs of branches that were not taken.
Mask absent(const Outputs& outputs) {
    Mask absent = 0;
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i]) absent |= Mask{1} << i;
    }
    return absent;
}

/// The value of the attribute at this place of a dict.
PyObject* nth_value(PyObject* dict, std::int32_t place) {
    PyObject *key, *value = nullptr;
    Py_ssize_t position = 0;
    for (std::int32_t i = 0; i <= place; ++i) {
        if (!PyDict_Next(dict, &position, &key, &value)) return nullptr;
    }
    return value;
}

int number_of_axes(PyObject* input) {
    if (Tensor::check(input)) return Tensor::cast(input)->layout.ndim();
    return PyArray_Check(input) ? PyArray_NDIM(as_array(input)) : 0;
}

/// The number of elements of an input, or of an output, counted after the inputs.
PyRef size_of(std::int32_t place, PyObject* inputs, const Outputs& outputs) {
    const Py_ssize_t n_inputs = PyTuple_GET_SIZE(inputs);
    if (place >= n_inputs) {
        const Ref<Tensor>& output = outputs[static_cast<std::size_t>(place - n_inputs)];
        return checked(PyLong_FromLongLong(output->layout.size()));
    }
    PyObject* input = PyTuple_GET_ITEM(inputs, place);
    if (Tensor::check(input))
        return checked(PyLong_FromLongLong(Tensor::cast(input)->layout.size()));
    return checked(PyLong_FromSsize_t(PyArray_Check(input) ? PyArray_SIZE(as_array(input)) : 1));
}

/// What a call was made with, and what it gave.
struct Call {
    PyObject* inputs;
    PyObject* attributes;
    const Outputs& outputs;
    // All values, by Python; NULL where the engine finds those that are no arrays.
    PyObject* computed;
    const std::vector<PyRef>& told;
};

/// A value that is no array, of a call whose kernel ran.
PyRef plain_value(const KernelLayout& kernel, std::size_t index, const Call& call) {
    const std::int32_t place = kernel.plain_likes[index];
    if (place < 0) return PyRef::borrow(nth_value(call.attributes, -1 - place));
    switch (const std::int32_t rank = kernel.plain_ranks[index]) {
        case KernelLayout::kTold:
            return call.told[static_cast<std::size_t>(place)];
        case KernelLayout::kSize:
            return size_of(place, call.inputs, call.outputs);
        case KernelLayout::kLike:
            return like(PyTuple_GET_ITEM(call.inputs, place));
        default: {
            const int axes = number_of_axes(PyTuple_GET_ITEM(call.inputs, place));
            return PyRef::steal(PyBool_FromLong(axes == rank));
        }
    }
}

/// The value of an entry, which some derivative reads.
void save(Node& node, const SavedEntry& entry, bool relied, const Call& call) {
    const auto index = static_cast<std::size_t>(entry.index);
    if (entry.source == SavedSource::input) {
        PyObject* input = PyTuple_GET_ITEM(call.inputs, entry.index);
        node.saved.emplace_back(SavedVariable::input(input, relied));
        return;
    }
    if (entry.source == SavedSource::plain) {
        PyRef value = call.computed == nullptr
                          ? plain_value(*node.info->kernel, index, call)
                          : PyRef::borrow(PyTuple_GET_ITEM(call.computed,
                                                           node.info->n_outputs() + entry.index));
        node.saved.emplace_back(SavedVariable::plain(std::move(value)));
        return;
    }
    const Ref<Tensor>& output = call.outputs[index];
    if (output) {
        node.saved.emplace_back(SavedVariable::output(*output, entry.index, relied));
    } else {
        node.saved.emplace_back();
    }
}

/// An edge per input, or per tensor of a list; empty for those that no gradient is needed of.
void add_edges(Node& node, PyObject* inputs, Mask needed) {
    const OperatorInfo& info = *node.info;
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        const bool wanted = (needed >> i) & 1;
        PyObject* value = PyTuple_GET_ITEM(inputs, i);
        if (info.list_inputs == 0) {
            node.edges.emplace_back(wanted ? edge_of(*Tensor::cast(value)) : Edge{});
            continue;
        }
        EdgeRange range{node.edges.size(), 0};
        if (wanted) {
            for_each_tensor(value, [&](Tensor* tensor) {
                node.edges.emplace_back(tensor == nullptr ? Edge{} : edge_of(*tensor));
            });
        }
        range.count = node.edges.size() - range.begin;
        node.ranges.emplace_back(range);
    }
}

/// The node of this call, with the values that its derivative reads.
Ref<Node> record(OperatorInfo& info, Mask needed, Mask differentiable, const Call& call) {
    const Outputs& outputs = call.outputs;
    Ref<Node> node = Node::make(NodeKind::call);
    node->operator_object = PyRef::borrow(info.object);
    node->info = &info;
    add_edges(*node, call.inputs, needed);
    // Leaves that are met for the first time have their numbers now: the node comes after them.
    node->renumber();
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
        Output& output = node->outputs.emplace_back();
        output.differentiable = (differentiable >> i) & 1;
        if (outputs[i]) output.layout = outputs[i]->layout;
    }
    remember_caller(*node);
    if (switches.anomaly) remember_stack(*node);

    // Other patterns of gradients read no more than this one: what a branch that was not taken
    // leaves out counts as defined, for it may be filled with zeros.
    const Variant& variant = info.variant(differentiable | absent(outputs), needed);
    node->recorded = &variant;
    for (const std::int32_t read : variant.reads) {
        if (variant.slots[static_cast<std::size_t>(read)] < 0) continue;
        const auto index = static_cast<std::size_t>(read);
        save(*node, info.saved[index], variant.relied[index], call);
        const SavedVariable& saved = node->saved[node->saved.size() - 1];
        node->keeps_arrays = node->keeps_arrays || saved.holds_array();
        node->packed = node->packed || saved.holds_packed();
    }
    return node;
}

/// Runs the forward's kernel; false where it doesn't take these inputs. Hidden outputs are for the
/// node of a call that is recorded.
bool run_kernel(const OperatorInfo& info, PyObject* inputs, PyObject* attributes, bool recorded,
                Outputs& outputs, std::vector<PyRef>& told) {
    const KernelLayout& kernel = *info.kernel;
    Launch launch(kernel, recorded ? info.n_outputs() : info.n_results);
    for (const KernelArgument& argument : info.kernel->arguments) {
        const bool is_input = argument.index < info.n_inputs;
        PyObject* value = is_input ? PyTuple_GET_ITEM(inputs, argument.index)
                                   : nth_value(attributes, argument.index - info.n_inputs);
        const bool is_tensor = value != nullptr && Tensor::check(value);
        const Operand operand =
            is_tensor ? Operand::of(*Tensor::cast(value)) : Operand{nullptr, nullptr, value};
        if (!launch.add(argument, operand)) return false;
    }
    LaunchOutputs made;
    if (!launch.run(made)) return false;
    for (std::int32_t position = 0; position < info.n_outputs(); ++position) {
        for (std::uint32_t k = 0; k < made.size(); ++k) {
            if (kernel.outputs[k] == position) outputs.emplace_back(std::move(made[k]));
        }
    }
    for (std::size_t k = 0; recorded && k < kernel.told.size(); ++k) {
        told.push_back(launch.told(k));
    }
    return true;
}

/// Results, hidden outputs and plain values by the operator's Python.
PyRef run_forward(const OperatorInfo& info, PyObject* inputs, PyObject* attributes) {
    const PyRef arrays = checked(PyTuple_New(info.n_inputs));
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        PyTuple_SET_ITEM(arrays.get(), i, raw(PyTuple_GET_ITEM(inputs, i)).release());
    }
    PyRef computed = checked(
        PyObject_CallFunctionObjArgs(info.forward, info.object, arrays.get(), attributes, nullptr));
    const std::int32_t wanted = info.n_outputs() + info.n_plain;
    if (!PyTuple_Check(computed.get()) || PyTuple_GET_SIZE(computed.get()) < wanted) {
        raise(PyExc_TypeError,
              info.name + ": forward must return a tuple of " + std::to_string(wanted) + " values");
    }
    return computed;
}

/// All values of a call whose kernel ran and told these.
PyRef plain_values(const OperatorInfo& info, PyObject* inputs, PyObject* attributes,
                   const Outputs& outputs, const std::vector<PyRef>& told) {
    const PyRef arrays = checked(PyTuple_New(info.n_inputs));
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        PyTuple_SET_ITEM(arrays.get(), i, raw(PyTuple_GET_ITEM(inputs, i)).release());
    }
    const Py_ssize_t count = info.n_outputs() + info.n_plain;
    const PyRef made = checked(PyTuple_New(count));
    for (std::int32_t i = 0; i < info.n_outputs(); ++i) {
        const Ref<Tensor>& output = outputs[static_cast<std::size_t>(i)];
        PyTuple_SET_ITEM(made.get(), i, Py_NewRef(output ? output->array() : Py_None));
    }
    for (Py_ssize_t i = info.n_outputs(); i < count; ++i) {
        PyTuple_SET_ITEM(made.get(), i, Py_NewRef(Py_None));
    }
    for (std::size_t k = 0; k < told.size(); ++k) {
        checked(
            PyTuple_SetItem(made.get(), info.kernel->told[k].position, Py_NewRef(told[k].get())));
    }
    const PyRef function = attribute(info.object, "plain_values");
    return checked(PyObject_CallFunctionObjArgs(function.get(), arrays.get(), attributes,
                                                made.get(), nullptr));
}

}  // namespace

PyRef to_array(PyRef value) {
    if (PyArray_CheckExact(value.get())) return value;
    return checked(PyArray_FROM_OF(value.get(), NPY_ARRAY_ENSUREARRAY));
}

Switches switches;

namespace {

/// Runs the operator on sorted arguments and records it: the results, a tuple. `inputs` becomes the
/// normalized ones.
PyRef run(OperatorInfo& info, PyRef& inputs, PyObject* attributes) {
    const bool recording = grad_enabled();
    PyRef given = std::move(inputs);
    inputs = checked(PyTuple_New(info.n_inputs));
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        PyObject* value = PyTuple_GET_ITEM(given.get(), i);
        PyTuple_SET_ITEM(inputs.get(), i, normalized(info, i, value).release());
    }
    const PyRef constants = raw_attributes(info, attributes, recording);

    const Mask needed = recording ? needed_inputs(info, inputs.get()) : 0;
    Outputs outputs;
    PyRef computed;
    std::vector<PyRef> told;
    if (!info.kernel ||
        !run_kernel(info, inputs.get(), constants.get(), needed != 0, outputs, told)) {
        computed = run_forward(info, inputs.get(), constants.get());
        const Made made = !recording         ? Made::unrecorded
                          : info.plain_views ? Made::plain
                                             : Made::formula;
        wrap_outputs(info, computed.get(), inputs.get(), made, outputs);
    }
    if (needed != 0) {
        const Mask differentiable = differentiable_outputs(info, outputs);
        const Mask results = differentiable & ((Mask{1} << info.n_results) - 1);
        if (results != 0) {
            if (!computed && info.n_plain > 0 && info.kernel->plain_likes.empty()) {
                computed = plain_values(info, inputs.get(), constants.get(), outputs, told);
            }
            const Call call{inputs.get(), constants.get(), outputs, computed.get(), told};
            const Ref<Node> node = record(info, needed, differentiable, call);
            for (std::int32_t i = 0; i < info.n_results; ++i) {
                if (((results >> i) & 1) == 0) continue;
                outputs[static_cast<std::size_t>(i)]->hang_on(node, i);
            }
        }
    }

    PyRef results = checked(PyTuple_New(info.n_results));
    for (std::int32_t i = 0; i < info.n_results; ++i) {
        Ref<Tensor>& output = outputs[static_cast<std::size_t>(i)];
        PyObject* value = output ? output.release_object() : Py_NewRef(Py_None);
        PyTuple_SET_ITEM(results.get(), i, value);
    }
    return results;
}

PyRef result_of(const OperatorInfo& info, const PyRef& results) {
    return info.result_is_tuple ? results : PyRef::borrow(PyTuple_GET_ITEM(results.get(), 0));
}

/// The other way round.
PyRef all_results(const OperatorInfo& info, const PyRef& result) {
    return info.result_is_tuple ? result : checked(PyTuple_Pack(1, result.get()));
}

}  // namespace

PyRef apply(PyObject* operator_object, PyObject* args, PyObject* kwargs) {
    OperatorInfo& info = OperatorInfo::of(operator_object);
    const PyRef formed = PyRef::steal(call_form(info, args, kwargs));
    if (formed && switches.observer == nullptr) return formed;
    PyRef inputs, attributes;
    bind(info, args, kwargs, inputs, attributes);
    const PyRef results = formed ? all_results(info, formed) : run(info, inputs, attributes.get());
    if (const PyRef observing = PyRef::borrow(switches.observer)) {
        checked(PyObject_CallFunctionObjArgs(observing.get(), operator_object, inputs.get(),
                                             attributes.get(), results.get(), nullptr));
    }
    return result_of(info, results);
}

PyRef apply(OperatorInfo& info, std::span<PyObject* const> args) {
    static PyObject* none = checked(PyDict_New()).release();
    PyRef inputs = checked(PyTuple_New(info.n_inputs));
    for (std::size_t i = 0; i < args.size(); ++i) {
        PyTuple_SET_ITEM(inputs.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
    }
    return result_of(info, run(info, inputs, none));
}

}  // namespace pullback
