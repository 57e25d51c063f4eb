#include "inplace.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "direct.h"
#include "grad_mode.h"
#include "look.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"
#include "pullback/switches.h"
#include "sweep.h"

namespace pullback {
namespace {

bool writable(const Tensor& tensor) {
    return tensor.layout.contiguous() &&
           (!tensor.cached_array || PyArray_ISWRITEABLE(as_array(tensor.cached_array.get())));
}

/// An operand of the same memory that the derivative reads is copied: the write changes it.
PyRef kept(const Variant& variant, std::int32_t index, PyObject* value, const Tensor& target) {
    static Word positive("positive");
    for (const SavedPlace& place : variant.kept) {
        if (place.source == SavedSource::input && place.index == index && place.relied &&
            Tensor::check(value) && Tensor::cast(value)->storage.get() == target.storage.get()) {
            return checked(positive.call({&value, 1}));
        }
    }
    return PyRef::borrow(value);
}

/// Whether a loop can run over the memory: floats in C order.
bool is_plain(const Layout& layout) {
    return layout.contiguous() && layout.regular() &&
           (layout.dtype() == NPY_FLOAT || layout.dtype() == NPY_DOUBLE);
}

bool is_loop(const OperatorInfo& info) {
    return info.flat_inputs == 2 && info.n_outputs() == 1 && info.kernel->arguments[0].index == 0;
}

/// What a loop reads of an operand; false where it can't.
bool read(PyObject* value, const Layout& like, SweepInput& input) {
    if (Tensor::check(value)) {
        const Tensor& tensor = *Tensor::cast(value);
        input = {tensor.data, 0};
        return !tensor.stale() && tensor.layout.twin_of(like);
    }
    if (!PyFloat_CheckExact(value)) return false;
    input = {nullptr, PyFloat_AS_DOUBLE(value)};
    return true;
}

/// `write_directly` for arrays of any size.
bool write_in_pieces(const OperatorInfo& info, Tensor& target, PyObject* other) {
    SweepInput inputs[] = {{target.data, 0}, {}};
    const Layout& layout = target.layout;
    if (!is_loop(info) || !is_plain(layout) || !read(other, layout, inputs[1])) return false;
    Py_BEGIN_ALLOW_THREADS;
    sweep(info.kernel->flat, layout.dtype() == NPY_FLOAT ? 32 : 64, inputs, target.data,
          layout.size());
    Py_END_ALLOW_THREADS;
    return true;
}

/// Whether a write here may have a history: a leaf that requires grad has none, nor does a view of
/// one, or one whose history is not that of a part of its base.
bool may_record(const Tensor& target) {
    if (target.is_leaf() && target.requires_grad) return false;
    if (!target.base) return true;
    return target.made == Made::plain && !(target.base->is_leaf() && target.base->requires_grad);
}

PyRef tuple_of(const std::int64_t* numbers, int count) {
    PyRef tuple = checked(PyTuple_New(count));
    for (int i = 0; i < count; ++i) {
        PyTuple_SET_ITEM(tuple.get(), i, checked(PyLong_FromLongLong(numbers[i])).release());
    }
    return tuple;
}

/// `region_of` in Python, which serves a base in another order too.
PyRef region_of(Tensor& base, Tensor& view) {
    if (!base.layout.contiguous() || !view.layout.regular()) {
        static PyObject* general = nullptr;
        import_once(general, "pullback.engine.regions", "region_of");
        return checked(PyObject_CallFunctionObjArgs(general, base.array(), view.array(), nullptr));
    }
    static PyObject* region = nullptr;
    import_once(region, "pullback.engine.regions", "Region");
    const Layout& layout = view.layout;
    std::int64_t strides[NPY_MAXDIMS];
    layout.copy_strides(strides);
    const auto bytes = static_cast<const char*>(view.data) - static_cast<const char*>(base.data);
    const auto item = static_cast<std::ptrdiff_t>(item_size(layout.dtype()));
    const PyRef offset = checked(PyLong_FromSsize_t(bytes / item));
    return checked(PyObject_CallFunctionObjArgs(
        region, tuple_of(base.layout.shape(), base.layout.ndim()).get(),
        tuple_of(layout.shape(), layout.ndim()).get(), offset.get(),
        tuple_of(strides, layout.ndim()).get(), nullptr));
}

/// After a write into a view, its base has the history of the values that were written: a tensor's,
/// or none of a number.
void rebase_base(Tensor& view, PyObject* result) {
    static PyObject* overwritten = nullptr;
    import_once(overwritten, "pullback.engine.views", "overwritten");
    Tensor& base = *view.base;
    const PyRef region = region_of(base, view);
    const PyRef history = checked(
        PyObject_CallFunctionObjArgs(overwritten, base.object(), result, region.get(), nullptr));
    base.rebase(*Tensor::cast(history.get()));
}

}  // namespace

bool InPlace::record(OperatorInfo& info, Tensor& target, PyObject* other) {
    if (!may_record(target) || info.flat_inputs != 2) return false;
    Mask needed = Mask{target.requires_grad};
    if (Tensor::check(other)) needed |= Mask{Tensor::cast(other)->requires_grad} << 1;
    const Mask all = (Mask{1} << info.n_outputs()) - 1;
    const Variant& variant =
        info.variant(all & ~info.nondifferentiable, needed & info.differentiable_inputs);
    const PyRef first = kept(variant, 0, target.object(), target);
    const PyRef second = kept(variant, 1, other, target);
    PyObject* const args[] = {first.get(), second.get()};
    PyRef made = PyRef::steal(call_directly(info, args));
    if (!made && !is_plain(target.layout)) return false;
    if (!made) made = checked(word.call(args));
    if (!Tensor::check(made.get())) return false;
    const Tensor& result = *Tensor::cast(made.get());
    if (!result.layout.twin_of(target.layout) || !result.requires_grad) return false;
    const auto bytes =
        static_cast<std::size_t>(target.layout.size()) * item_size(target.layout.dtype());
    std::memcpy(target.data, result.data, bytes);
    target.storage->count_write(what);
    if (target.base) rebase_base(target, made.get());
    target.rebase(result);
    return true;
}

OperatorInfo* InPlace::writer(Tensor& target) {
    const bool special = switches.watched || target.storage->inference || target.stale();
    return special || !writable(target) ? nullptr : word.info();
}

bool InPlace::update(Tensor& target, PyObject* other) {
    OperatorInfo* info = writer(target);
    if (info == nullptr) return false;
    bool requires_grad = target.requires_grad || (target.base && target.base->requires_grad);
    if (Tensor::check(other)) {
        const Tensor& operand = *Tensor::cast(other);
        const bool shared = operand.storage.get() == target.storage.get();
        if (operand.stale() || (shared && operand.data != target.data)) return false;
        requires_grad = requires_grad || operand.requires_grad;
    }
    if (requires_grad && grad_enabled()) return record(*info, target, other);
    if (!write_directly(*info, target, other) && !write_in_pieces(*info, target, other))
        return false;
    target.storage->count_write(what);
    return true;
}

bool InPlace::update_scaled(Tensor& target, PyObject* other, PyObject* alpha, bool subtracts) {
    static Word multiply("multiply");
    OperatorInfo* info = writer(target);
    OperatorInfo* scaling = multiply.info();
    const Layout& layout = target.layout;
    const bool is_number = PyFloat_CheckExact(alpha) || PyLong_CheckExact(alpha);
    if (info == nullptr || scaling == nullptr || !is_number || !Tensor::check(other)) return false;
    const Tensor& operand = *Tensor::cast(other);
    SweepInput input;
    if (!is_loop(*info) || !is_loop(*scaling) || !is_plain(layout) || !read(other, layout, input) ||
        operand.storage.get() == target.storage.get()) {
        return false;
    }
    const bool requires_grad = target.requires_grad || operand.requires_grad ||
                               (target.base && target.base->requires_grad);
    if (requires_grad && grad_enabled()) return false;
    const double factor = PyFloat_AsDouble(alpha);
    if (factor == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();  // the general way says what is wrong with it
        return false;
    }
    Py_BEGIN_ALLOW_THREADS;
    sweep_scaled(layout.dtype() == NPY_FLOAT ? 32 : 64, target.data, input.data,
                 subtracts ? -factor : factor, layout.size());
    Py_END_ALLOW_THREADS;
    target.storage->count_write(what);
    return true;
}

PyObject* InPlace::call(PyObject* self, PyObject* other) {
    return to_python([&] {
        if (update(*Tensor::cast(self), other)) return Py_NewRef(self);
        static PyObject* general = nullptr;
        import_once(general, "pullback.engine.methods", "TensorMethods");
        const PyRef function = attribute(general, method);
        PyObject* const args[] = {self, other};
        return PyObject_Vectorcall(function.get(), args, 2, nullptr);
    });
}

PyObject* InPlace::call_scaled(PyObject* self, PyObject* const* args, Py_ssize_t count,
                               PyObject* names, bool subtracts) {
    return to_python([&] {
        const bool named =
            names != nullptr && PyTuple_GET_SIZE(names) == 1 &&
            PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "alpha") == 0;
        Tensor& target = *Tensor::cast(self);
        if (count == 1 &&
            (names == nullptr ? update(target, args[0])
                              : named && update_scaled(target, args[0], args[1], subtracts))) {
            return Py_NewRef(self);
        }
        static PyObject* general = nullptr;
        import_once(general, "pullback.engine.methods", "TensorMethods");
        const PyRef function = attribute(general, method);
        std::vector<PyObject*> all = {self};
        const Py_ssize_t given = count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
        all.insert(all.end(), args, args + given);
        return PyObject_Vectorcall(function.get(), all.data(), static_cast<std::size_t>(count) + 1,
                                   names);
    });
}

namespace {

/// Every element becomes the number.
void fill(const Tensor& part, double number) {
    if (part.layout.dtype() == NPY_FLOAT) {
        std::fill_n(static_cast<float*>(part.data), part.layout.size(), static_cast<float>(number));
    } else {
        std::fill_n(static_cast<double*>(part.data), part.layout.size(), number);
    }
}

/// The number in a tensor without axes, of the part's type and other memory.
bool read_single(PyObject* value, const Tensor& part, SweepInput& input) {
    if (!Tensor::check(value)) return false;
    const Tensor& tensor = *Tensor::cast(value);
    const bool fits = tensor.layout.ndim() == 0 && tensor.layout.dtype() == part.layout.dtype();
    if (!fits || tensor.stale() || tensor.storage.get() == part.storage.get()) return false;
    const bool single = part.layout.dtype() == NPY_FLOAT;
    input = {nullptr, single ? double{*static_cast<const float*>(tensor.data)}
                             : *static_cast<const double*>(tensor.data)};
    return true;
}

/// A number that needs no warning in elements of this type, as it is or in a tensor, or a tensor of
/// this layout and other memory; false for what is neither.
bool read_value(PyObject* value, const Tensor& part, SweepInput& input) {
    if (read_single(value, part, input)) return true;
    PyRef number;
    if (PyLong_CheckExact(value)) {
        number = PyRef::steal(PyNumber_Float(value));
        if (!number) PyErr_Clear();  // the general way says what is wrong with it
    }
    if (!read(number ? number.get() : value, part.layout, input)) return false;
    if (input.data != nullptr) return Tensor::cast(value)->storage.get() != part.storage.get();
    return part.layout.dtype() == NPY_DOUBLE || !std::isfinite(input.number) ||
           std::fabs(input.number) <= double{std::numeric_limits<float>::max()};
}

/// Whether the value is this part already, with its history: the end of `x[i] += v`.
bool is_part(PyObject* value, const Tensor& part, const Tensor& target) {
    if (!Tensor::check(value)) return false;
    const Tensor& tensor = *Tensor::cast(value);
    const Tensor* root = target.base ? target.base.get() : &target;
    return tensor.base.get() == root && tensor.made == Made::plain && tensor.data == part.data &&
           tensor.layout.twin_of(part.layout);
}

/// `target[index] = value` of a stretch of memory; false where this is not for the short way.
bool set_part(Tensor& target, PyObject* index, PyObject* value) {
    const bool special = switches.watched || target.storage->inference || target.stale();
    if (special || !is_plain(target.layout) || !writable(target)) return false;
    const Ref<Tensor> part = part_of(target, index);
    SweepInput input{};
    if (!part || !is_plain(part->layout) || part->layout.size() == 0) return false;
    if (is_part(value, *part, target)) return true;
    if (!read_value(value, *part, input)) return false;
    Tensor& base = target.base ? *target.base : target;
    const bool requires_grad = target.requires_grad || base.requires_grad ||
                               (Tensor::check(value) && Tensor::cast(value)->requires_grad);
    const bool recorded = requires_grad && grad_enabled();
    if (recorded && (!may_record(target) || part->layout.size() == base.layout.size()))
        return false;
    if (input.data != nullptr) {
        std::memcpy(
            part->data, input.data,
            static_cast<std::size_t>(part->layout.size()) * item_size(part->layout.dtype()));
    } else {
        fill(*part, input.number);
    }
    target.storage->count_write("x[index] = value");
    if (!recorded) return true;
    part->show_part_of(target, Made::plain);
    rebase_base(*part, value);
    return true;
}

PyObject* set_item(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return to_python([&] {
        if (count == 2 && set_part(*Tensor::cast(self), args[0], args[1]))
            return Py_NewRef(Py_None);
        static PyObject* general =
            attribute(import_from("pullback.engine.methods", "TensorMethods").get(), "__setitem__")
                .release();
        std::vector<PyObject*> all = {self};
        all.insert(all.end(), args, args + count);
        return PyObject_Vectorcall(general, all.data(), all.size(), nullptr);
    });
}

InPlace add{Word("add"), "x.add_(other)", "add_"};
InPlace subtract{Word("subtract"), "x.sub_(other)", "sub_"};

template <InPlace& operation, bool subtracts>
PyObject* scaled(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    return operation.call_scaled(self, args, count, names, subtracts);
}

template <InPlace& operation, bool subtracts>
PyCFunction function_of() {
    return reinterpret_cast<PyCFunction>(
        reinterpret_cast<void (*)()>(scaled<operation, subtracts>));
}

}  // namespace

std::span<const PyMethodDef> writing_methods() {
    static const PyMethodDef methods[] = {
        {"__setitem__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(set_item)),
         METH_FASTCALL, "x[index] = value"},
        {"add_", function_of<add, false>(), METH_FASTCALL | METH_KEYWORDS, "self += alpha * other"},
        {"sub_", function_of<subtract, true>(), METH_FASTCALL | METH_KEYWORDS,
         "self -= alpha * other"},
    };
    return methods;
}

}  // namespace pullback
