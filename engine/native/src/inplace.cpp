#include "inplace.h"

#include <cstring>

#include "direct.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"
#include "pullback/switches.h"

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

}  // namespace

bool InPlace::record(OperatorInfo& info, Tensor& target, PyObject* other) {
    const bool refused = target.is_leaf() && target.requires_grad;
    if (refused || target.base || !info.is_flat || info.n_inputs != 2) return false;
    Mask needed = Mask{target.requires_grad};
    if (Tensor::check(other)) needed |= Mask{Tensor::cast(other)->requires_grad} << 1;
    const Mask all = (Mask{1} << info.n_outputs()) - 1;
    const Variant& variant =
        info.variant(all & ~info.nondifferentiable, needed & info.differentiable_inputs);
    const PyRef first = kept(variant, 0, target.object(), target);
    const PyRef second = kept(variant, 1, other, target);
    PyObject* const args[] = {first.get(), second.get()};
    const PyRef made = PyRef::steal(call_directly(info, args));
    if (!made || !Tensor::check(made.get())) return false;
    const Tensor& result = *Tensor::cast(made.get());
    if (!result.layout.twin_of(target.layout) || !result.requires_grad) return false;
    const auto bytes =
        static_cast<std::size_t>(target.layout.size()) * item_size(target.layout.dtype());
    std::memcpy(target.data, result.data, bytes);
    target.storage->count_write(what);
    target.rebase(result);
    return true;
}

bool InPlace::update(Tensor& target, PyObject* other) {
    OperatorInfo* info = word.info();
    const bool special = switches.watched || target.storage->inference || target.stale();
    if (info == nullptr || special || !writable(target)) return false;
    bool requires_grad = target.requires_grad || (target.base && target.base->requires_grad);
    if (Tensor::check(other)) {
        const Tensor& operand = *Tensor::cast(other);
        const bool shared = operand.storage.get() == target.storage.get();
        if (operand.stale() || (shared && operand.data != target.data)) return false;
        requires_grad = requires_grad || operand.requires_grad;
    }
    if (requires_grad && grad_enabled()) return record(*info, target, other);
    if (!write_directly(*info, target, other)) return false;
    target.storage->count_write(what);
    return true;
}

PyObject* InPlace::call(PyObject* self, PyObject* other) {
    return to_python([&] {
        if (update(*Tensor::cast(self), other)) return Py_NewRef(self);
        static PyObject* general =
            import_from("pullback.engine.methods", "TensorMethods").release();
        const PyRef function = attribute(general, method);
        PyObject* const args[] = {self, other};
        return PyObject_Vectorcall(function.get(), args, 2, nullptr);
    });
}

}  // namespace pullback
