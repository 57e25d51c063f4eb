#include "core/launch.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/node.h"
#include "runtime/services.h"

namespace pullback {
namespace {

/// Kernels on more elements than this run without the GIL.
constexpr std::int64_t kReleaseGil = 1 << 14;

KernelRole role_of(const std::string& text) {
    if (text == "int") return KernelRole::integer;
    if (text == "float") return KernelRole::real;
    if (text == "strong") return KernelRole::strong;
    if (text == "bool") return KernelRole::boolean;
    return text == "tensor" ? KernelRole::tensor : KernelRole::shape;
}

PlainOutput::Kind kind_of(const std::string& text) {
    if (text == "int") return PlainOutput::Kind::integer;
    if (text == "bool") return PlainOutput::Kind::boolean;
    if (text == "float") return PlainOutput::Kind::real;
    return text == "shape" ? PlainOutput::Kind::shape : PlainOutput::Kind::like;
}

std::int32_t int_of(PyObject* value) {
    const long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred()) throw ErrorSet{};
    return static_cast<std::int32_t>(number);
}

template <typename Pointer>
Pointer address_of(PyObject* layout, const char* name) {
    void* address = PyLong_AsVoidPtr(attribute(layout, name).get());
    if (address == nullptr && PyErr_Occurred()) throw ErrorSet{};
    return reinterpret_cast<Pointer>(address);
}

std::vector<std::int32_t> ints_of(PyObject* layout, const char* name) {
    const PyRef items = checked(PySequence_Tuple(attribute(layout, name).get()));
    std::vector<std::int32_t> result;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        result.push_back(int_of(PyTuple_GET_ITEM(items.get(), i)));
    }
    return result;
}

bool is_python_number(PyObject* value) {
    return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value);
}

/// Shape and dtype of a `Like`, or the shape of a tuple, which has no dtype.
bool read_shape(PyObject* value, Layout& layout) {
    if (!PyTuple_Check(value)) return false;
    PyObject* shape = value;
    DType number = NPY_DOUBLE;
    if (!PyTuple_CheckExact(value)) {  // Like(shape, dtype)
        if (PyTuple_GET_SIZE(value) != 2) return false;
        shape = PyTuple_GET_ITEM(value, 0);
        PyObject* dtype = PyTuple_GET_ITEM(value, 1);
        if (!PyTuple_Check(shape) || !PyArray_DescrCheck(dtype)) return false;
        number = static_cast<DType>(reinterpret_cast<PyArray_Descr*>(dtype)->type_num);
    }
    if (PyTuple_GET_SIZE(shape) > PB_MAX_DIMS) return false;
    const auto ndim = static_cast<int>(PyTuple_GET_SIZE(shape));
    std::int64_t extents[PB_MAX_DIMS];
    for (int axis = 0; axis < ndim; ++axis) {
        extents[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, axis));
        if (extents[axis] == -1 && PyErr_Occurred()) throw ErrorSet{};
    }
    layout = Layout::c_order(number, ndim, extents);
    return true;
}

}  // namespace

std::unique_ptr<KernelLayout> KernelLayout::of(PyObject* layout) {
    auto kernel = std::make_unique<KernelLayout>();
    kernel->infer = address_of<pb_infer_function>(layout, "infer");
    kernel->run = address_of<pb_run_function>(layout, "run");
    kernel->flat = address_of<pb_flat_function>(layout, "flat");
    kernel->runtime = services(address_of<const pb_runtime*>(layout, "runtime"));
    const PyRef arguments = checked(PySequence_Tuple(attribute(layout, "arguments").get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments.get()); ++i) {
        PyObject* entry = PyTuple_GET_ITEM(arguments.get(), i);
        const std::string role = text_of(attribute(entry, "role").get());
        kernel->arguments.push_back({role_of(role),
                                     PyObject_IsTrue(attribute(entry, "of_kernel_type").get()) == 1,
                                     PyObject_IsTrue(attribute(entry, "is_cotangent").get()) == 1,
                                     PyObject_IsTrue(attribute(entry, "used").get()) == 1,
                                     int_of(attribute(entry, "position").get())});
        const KernelArgument& made = kernel->arguments.back();
        kernel->infers_of_shapes &= made.role != KernelRole::tensor || made.of_kernel_type;
    }
    kernel->numbers_widen = PyObject_IsTrue(attribute(layout, "numbers_widen").get()) == 1;
    kernel->outputs = ints_of(layout, "outputs");
    kernel->plain_likes = ints_of(layout, "plain_likes");
    kernel->plain_ranks = ints_of(layout, "plain_ranks");
    const PyRef plain_outputs = checked(PySequence_Tuple(attribute(layout, "plain_outputs").get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plain_outputs.get()); ++i) {
        PyObject* one = PyTuple_GET_ITEM(plain_outputs.get(), i);
        kernel->plain_outputs.push_back(
            {int_of(PyTuple_GET_ITEM(one, 0)), kind_of(text_of(PyTuple_GET_ITEM(one, 1)))});
    }
    return kernel;
}

Launch::Many::Many(std::size_t count)
    : views(count),
      results(count),
      inputs(count),
      outputs(count),
      attributes(count),
      doubles(count),
      specs(count) {}

void Launch::grow(std::size_t count) {
    many_ = std::make_unique<Many>(count);
    read_.reserve(static_cast<std::uint32_t>(count));  // views point into them
    views_ = many_->views.data();
    inputs_ = many_->inputs.data();
    attributes_ = many_->attributes.data();
    doubles_ = many_->doubles.data();
    specs_ = many_->specs.data();
    results_ = many_->results.data();
    outputs_ = many_->outputs.data();
}

bool Launch::add(const KernelArgument& argument, const Operand& operand) {
    if (argument.role == KernelRole::tensor) return add_tensor(argument, operand);
    if (argument.role != KernelRole::shape) return add_number(argument.role, operand.value);
    if (operand.layout != nullptr) return add_view(*operand.layout, nullptr);
    if (operand.value == nullptr) return false;
    Layout& layout = read_.emplace_back();
    return read_shape(operand.value, layout) && add_view(layout, nullptr);
}

bool Launch::add_view(const Layout& layout, void* data) {
    if (layout.ndim() > PB_MAX_DIMS) return false;
    DLTensor& view = views_[n_inputs_];
    view.data = data;
    view.device = {kDLCPU, 0};
    view.ndim = layout.ndim();
    view.dtype = to_dlpack(layout.dtype());
    // A kernel reads these only: DLPack's fields are not const.
    view.shape = const_cast<std::int64_t*>(layout.shape());
    view.strides = const_cast<std::int64_t*>(layout.strides());
    view.byte_offset = 0;
    inputs_[n_inputs_++] = &view;
    return true;
}

bool Launch::add_tensor(const KernelArgument& argument, const Operand& operand) {
    Operand given = operand;
    if (given.layout == nullptr) {
        PyObject* value = operand.value;
        if (value == nullptr || value == Py_None) {
            inputs_[n_inputs_++] = nullptr;
            return true;
        }
        if (is_python_number(value)) {
            if (!argument.of_kernel_type) return false;
            numbers_.emplace_back(n_inputs_, value);
            inputs_[n_inputs_++] = nullptr;
            return true;
        }
        if (!PyArray_Check(value) && !PyArray_CheckScalar(value)) return false;
        kept_.emplace_back(Tensor::of_array(to_array(PyRef::borrow(value))));
        given = Operand::of(*kept_[kept_.size() - 1]);
    }
    const Layout& layout = *given.layout;
    if (!layout.regular() || to_dlpack(layout.dtype()).bits == 0) return false;
    if (argument.of_kernel_type && own_type_ < 0) own_type_ = layout.dtype();
    elements_ += layout.size();
    return add_view(layout, given.data);
}

bool Launch::add_number(KernelRole role, PyObject* value) {
    if (value == nullptr) return false;
    pb_scalar& scalar = attributes_[n_attributes_];
    switch (role) {
        case KernelRole::integer:
            if (!PyLong_CheckExact(value)) return false;
            scalar.i = PyLong_AsLongLong(value);
            break;
        case KernelRole::boolean:
            if (!PyBool_Check(value)) return false;
            scalar.i = value == Py_True;
            break;
        case KernelRole::real:
            if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return false;
            scalar.f = PyFloat_AsDouble(value);
            break;
        case KernelRole::strong:
            if (!PyArray_IsScalar(value, Double) && !PyBool_Check(value)) return false;
            scalar.f = PyFloat_AsDouble(value);
            break;
        case KernelRole::tensor:
        case KernelRole::shape:
            return false;
    }
    if (PyErr_Occurred()) throw ErrorSet{};
    ++n_attributes_;
    return true;
}

/// Python numbers take the type of the arrays.
bool Launch::place_numbers() {
    for (const PythonNumber& number : numbers_) {
        const double value = PyFloat_AsDouble(number.value);
        if (PyErr_Occurred()) throw ErrorSet{};
        double& place = doubles_[number.position];
        if (own_type_ == NPY_FLOAT) {
            if (kernel_.numbers_widen) return false;
            const auto narrow = static_cast<float>(value);
            std::memcpy(&place, &narrow, sizeof(narrow));
        } else if (own_type_ == NPY_DOUBLE) {
            place = value;
        } else {
            return false;
        }
        DLTensor& view = views_[number.position];
        view = {&place, {kDLCPU, 0}, 0, to_dlpack(own_type_), nullptr, nullptr, 0};
        inputs_[number.position] = &view;
    }
    return true;
}

/// A loop over entries goes along memory, whatever the order of axes is.
void Launch::take_memory_order() {
    order_ = MemoryOrder::of({inputs_, n_inputs_});
    if (!order_) return;
    for (std::size_t i = 0; i < n_inputs_; ++i) {
        if (inputs_[i] != nullptr && inputs_[i]->ndim > 0) order_->apply(views_[i]);
    }
}

bool Launch::prepare(LaunchOutputs& outputs) {
    const std::size_t count = kernel_.outputs.size();
    if (!place_numbers()) return false;
    if (kernel_.flat != nullptr && kernel_.plain_outputs.empty()) take_memory_order();
    pb_infer query{};
    query.abi = PB_KERNEL_ABI;
    query.n_inputs = static_cast<std::int32_t>(n_inputs_);
    query.n_attrs = static_cast<std::int32_t>(n_attributes_);
    query.n_outputs = static_cast<std::int32_t>(count);
    query.inputs = inputs_;
    query.attrs = attributes_;
    query.outputs = specs_;
    const bool may_know = kernel_.infers_of_shapes && switches.has(FastPath::inferred);
    const int status =
        may_know ? kernel_.inferred.answer(kernel_.infer, query) : kernel_.infer(&query);
    if (status != PB_OK) return false;

    for (std::size_t i = 0; i < count; ++i) {
        outputs_[i] = nullptr;
        if (kernel_.outputs[i] < 0 || kernel_.outputs[i] >= n_needed_) {
            outputs.emplace_back();
            continue;
        }
        const DType dtype = from_dlpack(specs_[i].dtype);
        const Layout layout = order_ && order_->ndim() == specs_[i].ndim
                                  ? order_->layout(dtype)
                                  : Layout::c_order(dtype, specs_[i].ndim, specs_[i].shape);
        Ref<Tensor>& made = outputs.emplace_back(output_for(i, layout, query.can_add));
        elements_ += layout.size();
        results_[i] = {
            made->data(), {kDLCPU, 0}, layout.ndim(), specs_[i].dtype, specs_[i].shape, nullptr, 0};
        outputs_[i] = &results_[i];
    }
    if (may_leave_products_ && query.can_add != 0) leave_products(query.can_add);
    if (query.workspace_bytes > 0) workspace_ = Storage::allocate(query.workspace_bytes);

    call_.abi = PB_KERNEL_ABI;
    call_.n_inputs = query.n_inputs;
    call_.n_attrs = query.n_attrs;
    call_.n_outputs = query.n_outputs;
    call_.inputs = inputs_;
    call_.attrs = attributes_;
    call_.outputs = outputs_;
    call_.workspace = workspace_ ? workspace_->begin : nullptr;
    call_.workspace_bytes = query.workspace_bytes;
    call_.begin = 0;
    call_.end = query.units > 1 ? query.units : 1;
    if (call_.runtime == nullptr) call_.runtime = kernel_.runtime;
    return true;
}

Ref<Tensor> Launch::output_for(std::size_t k, const Layout& layout, std::uint64_t can_add) {
    for (Onto& one : onto_) {
        Ref<Tensor>& values = *one.values;
        const bool can = one.over || (k < kAdded && (can_add >> k & 1) != 0);
        if (one.output != k || !values || !can || !values->layout.twin_of(layout)) continue;
        if (!one.over) call_.add |= std::uint64_t{1} << k;
        taken_ = true;
        return std::move(values);
    }
    return Tensor::allocate(layout);
}

void Launch::leave_products(std::uint64_t outputs) {
    leavable_ = outputs & ~call_.add;
    services_ = *kernel_.runtime;
    services_.context = this;
    services_.gemm = [](void* self, const pb_product* product) {
        static_cast<Launch*>(self)->multiply(*product);
    };
    call_.runtime = &services_;
}

/// A kernel that can add to an output reads none of its values.
void Launch::multiply(const pb_product& product) {
    if (switches.has(FastPath::outer_product) && OuterProduct::takes(product)) {
        for (std::size_t k = 0; k < std::min(kernel_.outputs.size(), kAdded); ++k) {
            if ((leavable_ >> k & 1) != 0 && outputs_[k] != nullptr &&
                outputs_[k]->data == product.c) {
                unwritten_.emplace_back(k, std::make_shared<const OuterProduct>(product));
                return;
            }
        }
    }
    kernel_.runtime->gemm(kernel_.runtime->context, &product);
}

/// Cuts outputs to the entries that there are: the beginning of each, in C order.
void Launch::cut(LaunchOutputs& outputs) {
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
        if (!outputs[i]) continue;
        const Tensor& whole = *outputs[i];
        const Layout layout =
            Layout::c_order(whole.layout.dtype(), specs_[i].ndim, specs_[i].shape);
        if (layout.same_shape(whole.layout)) continue;
        outputs[i] = Tensor::view_of(whole.storage, whole.data(), layout);
    }
}

bool Launch::finish(LaunchOutputs& outputs) {
    if (status_ == PB_SMALLER && !taken_) {
        cut(outputs);
        status_ = PB_OK;
    }
    if (status_ == PB_OK) {
        for (auto& [output, values] : unwritten_) {
            outputs[output]->leave_unwritten(std::move(values));
        }
        return true;
    }
    if (taken_) raise(PyExc_RuntimeError, "a kernel that writes to gradients failed");
    outputs.clear();
    return false;
}

PyRef Launch::plain_output(std::size_t k) const {
    const pb_spec& spec = specs_[kernel_.outputs.size() - kernel_.plain_outputs.size() + k];
    switch (kernel_.plain_outputs[k].kind) {
        case PlainOutput::Kind::integer:
            return checked(PyLong_FromLongLong(spec.shape[0]));
        case PlainOutput::Kind::boolean:
            return PyRef::borrow(spec.shape[0] != 0 ? Py_True : Py_False);
        case PlainOutput::Kind::real: {
            double value;
            std::memcpy(&value, spec.shape, sizeof value);
            return checked(PyFloat_FromDouble(value));
        }
        case PlainOutput::Kind::shape:
            return tuple_of({spec.shape, static_cast<std::size_t>(spec.ndim)});
        case PlainOutput::Kind::like:
            break;
    }
    static PyObject* like = nullptr;
    import_once(like, "pullback.engine.primitives.plumbing", "Like");
    const PyRef shape = tuple_of({spec.shape, static_cast<std::size_t>(spec.ndim)});
    const PyRef dtype =
        checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(from_dlpack(spec.dtype))));
    return checked(PyObject_CallFunctionObjArgs(like, shape.get(), dtype.get(), nullptr));
}

bool Launch::run(LaunchOutputs& outputs) {
    if (!prepare(outputs)) return false;
    if (elements_ > kReleaseGil) {
        Py_BEGIN_ALLOW_THREADS;
        execute();
        Py_END_ALLOW_THREADS;
    } else {
        execute();
    }
    return finish(outputs);
}

}  // namespace pullback
