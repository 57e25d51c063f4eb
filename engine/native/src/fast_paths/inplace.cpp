#include "fast_paths/inplace.h"

#include <cstring>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/grad_mode.h"
#include "fast_paths/small_pointwise.h"
#include "fast_paths/writes.h"
#include "runtime/sweep.h"

namespace pullback {
namespace {

/// An operand of the same memory that the derivative reads is copied: the write changes it.
PyRef saved_value(const Variant& variant, std::int32_t index, PyObject* value,
                  const Tensor& target) {
    static NamedOperator positive("positive");
    for (const SavedPlace& place : variant.saved_places) {
        if (place.source == SavedSource::input && place.index == index && place.relied &&
            Tensor::check(value) && Tensor::cast(value)->storage.get() == target.storage.get()) {
            return checked(positive.call({&value, 1}));
        }
    }
    return PyRef::borrow(value);
}

bool is_loop(const OperatorInfo& info) {
    return info.flat_inputs == 2 && info.n_outputs() == 1 && info.kernel->arguments[0].index == 0;
}

/// `write_small_pointwise` for arrays of any size.
bool write_in_pieces(const OperatorInfo& info, Tensor& target, PyObject* other) {
    SweepInput inputs[] = {{target.data(), 0}, {}};
    const Layout& layout = target.layout;
    if (!is_loop(info) || !is_plain(layout) || !read(other, layout, inputs[1])) return false;
    Py_BEGIN_ALLOW_THREADS;
    sweep(info.kernel->flat, layout.dtype() == NPY_FLOAT ? 32 : 64, inputs, target.data(),
          layout.size());
    Py_END_ALLOW_THREADS;
    return true;
}

/// Adds factor * other to the target, which is of the same layout.
void add_scaled(Tensor& target, const Tensor& other, double factor) {
    const auto unwritten = other.unwritten();  // another thread may have them written meanwhile
    void* const to = target.data();
    const void* const from = unwritten != nullptr ? nullptr : other.data();
    Py_BEGIN_ALLOW_THREADS;
    if (unwritten != nullptr) {
        unwritten->add_to(to, factor);
    } else {
        sweep_scaled(target.layout.dtype() == NPY_FLOAT ? 32 : 64, to, from, factor,
                     target.layout.size());
    }
    Py_END_ALLOW_THREADS;
}

}  // namespace

bool InPlace::record(OperatorInfo& info, Tensor& target, PyObject* other) {
    if (!may_record(target) || info.flat_inputs != 2) return false;
    Mask needed{std::uint64_t{target.requires_grad}};
    if (Tensor::check(other) && Tensor::cast(other)->requires_grad) needed.add(1);
    const Variant& variant =
        info.variant(info.differentiable_outputs, needed & info.differentiable_inputs);
    const PyRef first = saved_value(variant, 0, target.object(), target);
    const PyRef second = saved_value(variant, 1, other, target);
    PyObject* const args[] = {first.get(), second.get()};
    PyRef made = PyRef::steal(call_small_pointwise(info, args));
    if (!made && !is_plain(target.layout)) return false;
    if (!made) made = checked(op.call(args));
    if (!Tensor::check(made.get())) return false;
    const Tensor& result = *Tensor::cast(made.get());
    if (!result.layout.twin_of(target.layout) || !result.requires_grad) return false;
    const auto bytes =
        static_cast<std::size_t>(target.layout.size()) * item_size(target.layout.dtype());
    std::memcpy(target.data(), result.data(), bytes);
    target.storage->count_write(what);
    if (target.base) rebase_base(target, made.get());
    target.rebase(result);
    return true;
}

OperatorInfo* InPlace::writer(Tensor& target) {
    const bool special =
        !switches.takes(FastPath::in_place) || target.storage->inference || target.stale();
    return special || !writable(target) ? nullptr : op.info();
}

bool InPlace::update(Tensor& target, PyObject* other) {
    OperatorInfo* info = writer(target);
    if (info == nullptr) return false;
    bool requires_grad = target.requires_grad || (target.base && target.base->requires_grad);
    if (Tensor::check(other)) {
        const Tensor& operand = *Tensor::cast(other);
        const bool shared = operand.storage.get() == target.storage.get();
        if (operand.stale() || (shared && operand.data() != target.data())) return false;
        requires_grad = requires_grad || operand.requires_grad;
    }
    if (requires_grad && grad_enabled()) return record(*info, target, other);
    if (!write_small_pointwise(*info, target, other) && !write_in_pieces(*info, target, other))
        return false;
    target.storage->count_write(what);
    return true;
}

bool InPlace::update_scaled(Tensor& target, PyObject* other, PyObject* alpha, bool subtracts) {
    static NamedOperator multiply("multiply");
    OperatorInfo* info = writer(target);
    OperatorInfo* scaling = multiply.info();
    const Layout& layout = target.layout;
    const bool is_number = PyFloat_CheckExact(alpha) || PyLong_CheckExact(alpha);
    if (info == nullptr || scaling == nullptr || !is_number || !Tensor::check(other)) return false;
    const Tensor& operand = *Tensor::cast(other);
    if (!is_loop(*info) || !is_loop(*scaling) || !is_plain(layout) || operand.stale() ||
        !operand.layout.twin_of(layout) || operand.storage.get() == target.storage.get()) {
        return false;
    }
    const bool requires_grad = target.requires_grad || operand.requires_grad ||
                               (target.base && target.base->requires_grad);
    if (requires_grad && grad_enabled()) return false;
    const double factor = PyFloat_AsDouble(alpha);
    if (factor == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();  // the general path says what is wrong with it
        return false;
    }
    add_scaled(target, operand, subtracts ? -factor : factor);
    target.storage->count_write(what);
    return true;
}

PyObject* InPlace::call(PyObject* self, PyObject* other) {
    return to_python([&] {
        if (update(*Tensor::cast(self), other)) return Py_NewRef(self);
        static PyObject* general = nullptr;
        import_once(general, "pullback.engine.tensor.methods", "TensorMethods");
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
        import_once(general, "pullback.engine.tensor.methods", "TensorMethods");
        const PyRef function = attribute(general, method);
        std::vector<PyObject*> all = {self};
        const Py_ssize_t given = count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
        all.insert(all.end(), args, args + given);
        return PyObject_Vectorcall(function.get(), all.data(), static_cast<std::size_t>(count) + 1,
                                   names);
    });
}

namespace {

InPlace add{NamedOperator("add"), "x.add_(other)", "add_"};
InPlace subtract{NamedOperator("subtract"), "x.sub_(other)", "sub_"};

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
