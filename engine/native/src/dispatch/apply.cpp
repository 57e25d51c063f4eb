#include "dispatch/apply.h"

#include <string_view>

#include "base/dtype.h"
#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/attribute_forms.h"
#include "core/grad_mode.h"
#include "dispatch/arguments.h"
#include "dispatch/moves.h"
#include "dispatch/plain_values.h"
#include "dispatch/record_call.h"

namespace pullback {
namespace {

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

/// True if two entries are the same memory, as in a broadcast array.
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

/// A value that an operator computed, as an array of numbers or bools.
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
    Mask needed;
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        if (info.differentiable_inputs.has(i) && requires_grad(PyTuple_GET_ITEM(inputs, i))) {
            needed.add(i);
        }
    }
    return needed;
}

[[noreturn]] void raise_not_complex(const OperatorInfo& info) {
    const PyRef message = import_from("pullback.engine.core.complex_values", "not_complex");
    raise("NotDifferentiableError",
          text_of(checked(PyObject_CallOneArg(message.get(), info.object)).get()));
}

/// Throws ErrorSet where an operator of real values has complex ones to differentiate by.
void refuse_complex_inputs(const OperatorInfo& info, PyObject* inputs, const Mask& needed) {
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        if (!needed.has(i)) continue;
        for_each_tensor(PyTuple_GET_ITEM(inputs, i), [&](Tensor* tensor) {
            if (tensor == nullptr || !is_complex(tensor->layout.dtype())) return;
            if (tensor->requires_grad) raise_not_complex(info);
        });
    }
}

/// The outputs that can have a gradient. Throws ErrorSet where an operator of real values has
/// complex ones.
Mask differentiable_outputs(const OperatorInfo& info, const Outputs& outputs) {
    Mask differentiable;
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i]) continue;
        const DType dtype = outputs[i]->layout.dtype();
        if (is_complex(dtype) && !info.takes_complex) raise_not_complex(info);
        if (is_float(dtype) || is_complex(dtype)) differentiable.add(i);
    }
    return differentiable - info.nondifferentiable;
}

/// Runs the forward's kernel; false where it doesn't take these inputs. Hidden outputs are for the
/// node of a call that is recorded.
bool run_kernel(const OperatorInfo& info, PyObject* inputs, PyObject* attributes, bool recorded,
                Outputs& outputs, std::vector<PyRef>& plain_outputs) {
    const KernelLayout& kernel = *info.kernel;
    Launch launch(kernel, recorded ? INT32_MAX : info.n_results);
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
    for (std::size_t k = 0; recorded && k < kernel.plain_outputs.size(); ++k) {
        plain_outputs.push_back(launch.plain_output(k));
    }
    for (std::uint32_t k = 0; recorded && k < made.size(); ++k) {
        if (kernel.outputs[k] < info.n_outputs()) continue;
        plain_outputs.push_back(PyRef::borrow(made[k]->array()));
    }
    return true;
}

/// Moves entries of the input to a new array; false where this is no such operator, or not for the
/// fast path. `computed` becomes the values that are saved.
bool run_move(const OperatorInfo& info, PyObject* inputs, PyObject* attributes, bool recorded,
              Outputs& outputs, PyRef& computed) {
    const Attributes given(attributes);
    Ref<Tensor> made = moved(info, inputs, given);
    if (!made) return false;
    if (recorded) {
        computed = plain_values(info, PyTuple_GET_ITEM(inputs, 0), given);
        if (!computed) return false;
    }
    outputs.emplace_back(std::move(made));
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
    const std::int32_t expected = info.n_outputs() + info.n_plain;
    if (!PyTuple_Check(computed.get()) || PyTuple_GET_SIZE(computed.get()) < expected) {
        raise(PyExc_TypeError, info.name + ": forward must return a tuple of " +
                                   std::to_string(expected) + " values");
    }
    return computed;
}

/// All values of a call whose kernel ran and gave these.
PyRef plain_values(const OperatorInfo& info, PyObject* inputs, PyObject* attributes,
                   const Outputs& outputs, const std::vector<PyRef>& plain_outputs) {
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
    for (std::size_t k = 0; k < plain_outputs.size(); ++k) {
        checked(PyTuple_SetItem(made.get(), info.kernel->plain_outputs[k].position,
                                Py_NewRef(plain_outputs[k].get())));
    }
    const PyRef function = attribute(info.object, "plain_values");
    return checked(PyObject_CallFunctionObjArgs(function.get(), arrays.get(), attributes,
                                                made.get(), nullptr));
}

}  // namespace

namespace {

bool of_kernels(int dtype) {
    return dtype == NPY_FLOAT || dtype == NPY_DOUBLE || dtype == NPY_LONG || dtype == NPY_BOOL;
}

/// True where an array is of a dtype that no kernel takes.
bool has_other_dtype(PyObject* value) {
    if (Tensor::check(value)) return !of_kernels(Tensor::cast(value)->layout.dtype());
    if (PyArray_Check(value)) return !of_kernels(PyArray_TYPE(as_array(value)));
    if (!PyTuple_Check(value) && !PyList_Check(value)) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
        if (has_other_dtype(PySequence_Fast_GET_ITEM(value, i))) return true;
    }
    return false;
}

/// Runs the operator on sorted arguments and records it: the results, a tuple. `inputs` becomes the
/// normalized ones.
PyRef run(OperatorInfo& info, PyRef& inputs, PyObject* attributes) {
    if (info.other_dtypes != nullptr && has_other_dtype(inputs.get())) {
        return run(OperatorInfo::of(info.other_dtypes), inputs, attributes);
    }
    const bool recording = grad_enabled();
    PyRef given = std::move(inputs);
    inputs = checked(PyTuple_New(info.n_inputs));
    for (std::int32_t i = 0; i < info.n_inputs; ++i) {
        PyObject* value = PyTuple_GET_ITEM(given.get(), i);
        PyTuple_SET_ITEM(inputs.get(), i, normalized(info, i, value).release());
    }
    const PyRef constants = raw_attributes(info, attributes, recording);

    const Mask needed = recording ? needed_inputs(info, inputs.get()) : Mask{};
    Outputs outputs;
    PyRef computed;
    std::vector<PyRef> plain_outputs;
    const bool recorded = !needed.empty();
    const bool ran = (info.kernel && run_kernel(info, inputs.get(), constants.get(), recorded,
                                                outputs, plain_outputs)) ||
                     run_move(info, inputs.get(), constants.get(), recorded, outputs, computed);
    if (!ran) {
        computed = run_forward(info, inputs.get(), constants.get());
        const Made made = !recording         ? Made::unrecorded
                          : info.plain_views ? Made::plain
                                             : Made::formula;
        wrap_outputs(info, computed.get(), inputs.get(), made, outputs);
    }
    if (recorded) {
        if (!info.takes_complex) refuse_complex_inputs(info, inputs.get(), needed);
        const Mask differentiable = differentiable_outputs(info, outputs);
        const Mask results = differentiable & info.differentiable_results;
        if (!results.empty()) {
            if (!computed && info.n_plain > 0 && info.kernel->plain_likes.empty()) {
                computed =
                    plain_values(info, inputs.get(), constants.get(), outputs, plain_outputs);
            }
            const Call call{inputs.get(), constants.get(), outputs, computed.get(), plain_outputs};
            const Ref<Node> node = record_call(info, needed, differentiable, call);
            for (std::int32_t i = 0; i < info.n_results; ++i) {
                if (!results.has(i)) continue;
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

/// `call_form` for a tuple and a dict.
PyObject* call_form(OperatorInfo& info, PyObject* args, PyObject* kwargs) {
    if (!info.forms || !PyTuple_CheckExact(args) || PyTuple_GET_SIZE(args) != 1) return nullptr;
    if (!PyDict_CheckExact(kwargs)) return nullptr;
    if (PyDict_GET_SIZE(kwargs) > static_cast<Py_ssize_t>(AttributeForm::kMost)) return nullptr;
    PyObject* keywords[AttributeForm::kMost];
    PyObject* given[AttributeForm::kMost];
    std::size_t count = 0;
    Py_ssize_t position = 0;
    while (PyDict_Next(kwargs, &position, &keywords[count], &given[count])) ++count;
    PyObject* const input = PyTuple_GET_ITEM(args, 0);
    return call_form(info, {&input, 1}, {keywords, count}, given);
}

/// The observer's share of a call: it sees what went in and came out.
void observe(PyObject* operator_object, PyObject* inputs, PyObject* attributes, PyObject* results) {
    if (const PyRef observing = PyRef::borrow(switches.observer)) {
        checked(PyObject_CallFunctionObjArgs(observing.get(), operator_object, inputs, attributes,
                                             results, nullptr));
    }
}

/// Calls an operator without attributes where nobody observes.
PyRef run_inputs(OperatorInfo& info, std::span<PyObject* const> args) {
    static PyObject* none = checked(PyDict_New()).release();
    PyRef inputs = checked(PyTuple_New(info.n_inputs));
    for (std::size_t i = 0; i < args.size(); ++i) {
        PyTuple_SET_ITEM(inputs.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
    }
    return result_of(info, run(info, inputs, none));
}

}  // namespace

PyObject* call_form(OperatorInfo& info, std::span<PyObject* const> args,
                    std::span<PyObject* const> keywords, PyObject* const* given) {
    if (!info.forms || args.size() != 1 || !Tensor::check(args[0])) return nullptr;
    const int ndim = Tensor::cast(args[0])->layout.ndim();
    AttributeForm* form = info.forms->find(ndim, keywords, given);
    OperatorInfo* known = form == nullptr ? nullptr : info.known_form(*form);
    return known == nullptr ? nullptr : run_inputs(*known, args).release();
}

void observe_form(const OperatorInfo& info, const PyRef& inputs, PyObject* attributes,
                  const PyRef& result) {
    const PyRef results = info.result_is_tuple ? result : checked(PyTuple_Pack(1, result.get()));
    observe(info.object, inputs.get(), attributes, results.get());
}

PyRef apply(PyObject* operator_object, PyObject* args, PyObject* kwargs) {
    OperatorInfo& info = OperatorInfo::of(operator_object);
    const PyRef formed = PyRef::steal(call_form(info, args, kwargs));
    if (formed && switches.observer == nullptr) return formed;
    PyRef inputs, attributes;
    bind(info, args, kwargs, inputs, attributes);
    if (formed) {
        observe_form(info, inputs, attributes.get(), formed);
        return formed;
    }
    const PyRef results = run(info, inputs, attributes.get());
    observe(operator_object, inputs.get(), attributes.get(), results.get());
    return result_of(info, results);
}

PyRef apply_bound(OperatorInfo& info, const PyRef& bound, PyObject* attributes) {
    PyRef inputs = bound;
    const PyRef results = run(info, inputs, attributes);
    observe(info.object, inputs.get(), attributes, results.get());
    return result_of(info, results);
}

PyRef result_on_arrays(PyObject* operator_object, PyObject* inputs, PyObject* attributes) {
    const OperatorInfo& info = OperatorInfo::of(operator_object);
    Outputs outputs;
    std::vector<PyRef> plain_outputs;
    PyRef results;
    if (info.kernel && run_kernel(info, inputs, attributes, false, outputs, plain_outputs)) {
        results = checked(PyTuple_New(info.n_results));
        for (std::int32_t i = 0; i < info.n_results; ++i) {
            PyObject* array = Py_NewRef(outputs[static_cast<std::size_t>(i)]->array());
            PyRef value = checked(PyArray_Return(as_array(array)));  // without axes a scalar
            PyTuple_SET_ITEM(results.get(), i, value.release());
        }
    } else {
        static PyObject* method = checked(PyUnicode_InternFromString("results")).release();
        results = checked(
            PyObject_CallMethodObjArgs(operator_object, method, inputs, attributes, nullptr));
    }
    return result_of(info, results);
}

}  // namespace pullback
